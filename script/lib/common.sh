# What all parts of mysql-server share: where things are, how it speaks, locks, and how a process is recognised.
# shellcheck shell=bash

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=$(realpath -m "${SERVER_CACHE:-$checkout/.cache}")
servers_dir=$cache/servers

note() { printf 'mysql-server: %s\n' "$*" >&2; }

die() {
	printf 'mysql-server: error: %s\n' "$*" >&2
	exit 1
}

require_flavor() {
	case $1 in
	mysql | mariadb) ;;
	*) die "unknown flavor '$1'; it is mysql or mariadb" ;;
	esac
}

# with_lock NAME COMMAND...: runs the command while no other process runs one under the same name. The lock's file
# descriptor is closed in long-lived children (see launch_instance), so that they do not hold it. A command that fails ends
# the script (set -e), and the lock with it.
with_lock() {
	local name=$1 fd
	shift
	mkdir -p "$cache/locks"
	exec {fd}>"$cache/locks/$name"
	flock "$fd" || die "cannot lock $cache/locks/$name"
	"$@"
	exec {fd}>&-
}

# process_start PID: the time the process started, in clock ticks since boot: with the pid it names one process for good.
# Fails if there is no such process, or only the remains of one that has ended.
process_start() {
	local stat
	stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
	stat=${stat##*) } # the name may hold anything, blanks and brackets too
	# shellcheck disable=SC2086 # split into fields on purpose; the first is the state, the 20th the start time
	set -- $stat
	[[ $1 != Z && $1 != X ]] || return 1
	printf '%s\n' "${20}"
}

# same_process PID START: whether that very process is still running.
same_process() {
	[[ -n ${1:-} && -n ${2:-} && $(process_start "$1") == "$2" ]]
}

# value_of FILE KEY: the value on the line `KEY=value`; fails if there is none.
value_of() {
	local line
	while IFS= read -r line; do
		if [[ $line == "$2="* ]]; then
			printf '%s\n' "${line#*=}"
			return
		fi
	done <"$1"
	return 1
}
