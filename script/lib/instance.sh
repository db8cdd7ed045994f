# One server process: its folder, its options, starting it, waiting for it, ending it.
#
# The folder of an instance holds: my.cnf (our options), extra (the caller's options, one a line), data/, tmp/, error.log,
# process (pid and start time of the server while it runs), port, socket.
# shellcheck shell=bash

# create_instance DIR FLAVOR SERVER_ID BUFFER_POOL DURABLE [OPTION...]: the folder, ready to be started.
create_instance() {
	local instance=$1 flavor=$2 server_id=$3 buffer_pool=$4 durable=$5 socket=$1/sock option
	shift 5
	mkdir -p "$instance/tmp"
	cp -R --reflink=auto --sparse=always "$template" "$instance/data"
	if [[ ${#socket} -gt 100 ]]; then # the limit of a socket's path is 107 bytes
		socket=$(mktemp -d "${TMPDIR:-/tmp}/gh-ost.XXXXXX")/sock
	fi
	printf '%s\n' "$socket" >"$instance/socket"
	: >"$instance/extra"
	for option in "$@"; do
		printf '%s\n' "$option" >>"$instance/extra"
	done
	{
		printf '%s\n' "datadir=$instance/data" "tmpdir=$instance/tmp" "socket=$socket" "pid-file=$instance/server.pid" \
			"log-error=$instance/error.log" "bind-address=127.0.0.1" "server-id=$server_id" "innodb-buffer-pool-size=$buffer_pool" \
			"report-host=127.0.0.1" "skip-name-resolve" "secure-file-priv=" "max-connections=300" \
			"log-bin=binlog" "binlog-format=ROW" "binlog-row-image=FULL" "relay-log=relay" "log-bin-trust-function-creators=ON"
		case $flavor in
		mysql) printf '%s\n' gtid-mode=ON enforce-gtid-consistency=ON log-replica-updates=ON loose-mysqlx=OFF ;;
		mariadb) printf '%s\n' log-slave-updates=ON gtid-strict-mode=ON ;;
		esac
		if [[ $durable == yes ]]; then
			printf '%s\n' innodb-flush-log-at-trx-commit=1 sync-binlog=1
		else
			printf '%s\n' innodb-flush-log-at-trx-commit=2 sync-binlog=0 innodb-doublewrite=OFF
		fi
	} >"$instance/options"
}

# start_instance DIR FLAVOR: starts the server and returns when it takes statements. A port that somebody else was
# quicker to take is replaced by another.
start_instance() {
	local instance=$1 flavor=$2 attempt port socket
	socket=$(<"$instance/socket")
	rm -f "$socket" "$socket.lock" # a killed server leaves them, and the next one may take the dead one's pid for a live one
	if [[ -f $instance/port ]]; then
		launch_instance "$instance" "$flavor" "$(<"$instance/port")" && return
		start_failed "$instance"
	fi
	for attempt in 1 2 3 4 5; do
		port=$(free_port)
		if launch_instance "$instance" "$flavor" "$port"; then
			printf '%s\n' "$port" >"$instance/port"
			return
		fi
		grep -qE 'Address already in use|port: [0-9]+ \?' "$instance/error.log" 2>/dev/null || break
	done
	start_failed "$instance"
}

start_failed() {
	tail -n 25 "$1/error.log" "$1/output.log" >&2 2>/dev/null || true
	die "the server in $1 did not start; its log is $1/error.log"
}

# free_port: a port below the range from which the kernel gives out client ports, where nobody listens right now.
free_port() {
	local port
	while :; do
		port=$((20000 + (RANDOM * 32768 + RANDOM) % 12000))
		(: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
	done
	printf '%s\n' "$port"
}

# launch_instance DIR FLAVOR PORT: fails if the server ends before it is ready.
launch_instance() {
	local instance=$1 flavor=$2 port=$3 options extra pid fd began=$SECONDS
	{
		echo '[mysqld]'
		cat "$instance/options"
		printf '%s\n' "port=$port" "report-port=$port"
	} >"$instance/my.cnf"
	mapfile -t options < <(program_options "$flavor" && storage_options "$flavor")
	mapfile -t extra <"$instance/extra"
	(
		# Locks and pipes of ours must not be held by a server that outlives us.
		for fd in /proc/"$BASHPID"/fd/*; do
			fd=${fd##*/}
			[[ $fd -le 2 ]] || eval "exec $fd>&-" 2>/dev/null || true
		done
		# It is on record before it is a server, so that whoever ends us finds it.
		pid=$BASHPID # which is another one inside of $( )
		printf '%s %s\n' "$pid" "$(process_start "$pid")" >"$instance/process" || exit 1
		exec setsid "$server_program" --defaults-file="$instance/my.cnf" "${options[@]}" "${extra[@]}" \
			</dev/null >>"$instance/output.log" 2>&1
	) &
	pid=$!
	until instance_answers "$instance"; do
		process_start "$pid" >/dev/null || return 1
		if [[ ! -d $instance ]]; then # stopped meanwhile, with its folder
			kill -KILL "$pid" 2>/dev/null || true
			return 1
		fi
		if ((SECONDS - began > ${SERVER_START_TIMEOUT:-90})); then
			kill -KILL "$pid" 2>/dev/null || true
			note "the server in $instance did not answer within ${SERVER_START_TIMEOUT:-90} s"
			return 1
		fi
		sleep 0.1
	done
	disown "$pid"
}

instance_answers() {
	[[ -f $1/socket && -S $(<"$1/socket") ]] && run_client "$1" --connect-timeout=2 --execute='SELECT 1' >/dev/null 2>&1
}

# run_client DIR [ARG...]: the client as root through the socket.
run_client() {
	local instance=$1
	shift
	"$client_program" --no-defaults --user=root --socket="$(<"$instance/socket")" "$@"
}

# query DIR SQL: the result without headings, tab separated.
query() {
	run_client "$1" --batch --skip-column-names --execute="$2"
}

# instance_pid DIR: the server's pid, if it is running.
instance_pid() {
	local pid start
	[[ -f $1/process ]] || return 1
	read -r pid start <"$1/process" || return 1
	same_process "$pid" "$start" && printf '%s\n' "$pid"
}

# end_instance DIR SIGNAL: sends the signal and waits until the server is gone.
end_instance() {
	local pid waited=0
	if ! pid=$(instance_pid "$1"); then
		return 0
	fi
	kill -s "$2" "$pid" 2>/dev/null || true
	kill -s CONT "$pid" 2>/dev/null || true # a stopped process would not take TERM
	while instance_pid "$1" >/dev/null; do
		((++waited <= 1200)) || die "the server in $1 (process $pid) does not end"
		sleep 0.05
	done
	rm -f "$1/process"
}

remove_socket() {
	local socket
	[[ -f $1/socket ]] || return 0
	socket=$(<"$1/socket")
	rm -f "$socket" "$socket.lock"
	[[ $socket == "$1/sock" ]] || rmdir "$(dirname "$socket")" 2>/dev/null || true
}
