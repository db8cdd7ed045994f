# A named server: one instance, `primary`, and maybe a second one, `replica`, in one folder.
#
# .cache/servers/NAME is that folder, or a link to it if it lies elsewhere. It holds primary/, replica/, flavor,
# info (what start printed) and, with --with-parent, parent (pid and start time).
# shellcheck shell=bash

command_start() {
	local flavor='' replica=no name='' dir='' durable=no buffer_pool=256M parent='' extra=()
	while [[ $# -gt 0 ]]; do
		case $1 in
		--flavor | --name | --dir | --buffer-pool | --with-parent)
			[[ $# -ge 2 && -n $2 ]] || die "$1 wants a value"
			;;&
		--flavor) flavor=$2 && shift 2 ;;
		--name) name=$2 && shift 2 ;;
		--dir) dir=$2 && shift 2 ;;
		--buffer-pool) buffer_pool=$2 && shift 2 ;;
		--with-parent) parent=$2 && shift 2 ;;
		--replica) replica=yes && shift ;;
		--durable) durable=yes && shift ;;
		--) shift && extra=("$@") && break ;;
		--*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
		*) die "start does not know '$1'; options of the server itself stand after --" ;;
		esac
	done
	require_linux
	require_flavor "${flavor:=mysql}"
	[[ $name =~ ^[A-Za-z0-9._-]*$ && $name != .* ]] || die "a server's name has letters, digits, dots, dashes and underscores only: '$name'"
	sweep
	if [[ -n $name && -d $servers_dir/$name/primary ]]; then
		start_again "$name" "$flavor" "$parent" # with its data and its options
		return
	fi
	local start=''
	if [[ -n $parent ]]; then
		start=$(process_start "$parent") || die "--with-parent: no process $parent"
	fi
	find_binaries "$flavor"
	make_template "$flavor"

	claim_folder "$flavor" "$name" "$dir"
	# Whatever ends this before the server is ready also ends what was started.
	trap 'abandon "$server"' EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	printf '%s\n' "$flavor" >"$server/flavor"
	watch_parent "$parent" "$start"
	create_instance "$server/primary" "$flavor" 1 "$buffer_pool" "$durable" "${extra[@]}"
	if [[ $replica == yes ]]; then
		create_instance "$server/replica" "$flavor" 2 "$buffer_pool" "$durable" "${extra[@]}"
		start_both "$flavor"
		join_replica "$flavor"
	else
		start_instance "$server/primary" "$flavor"
	fi
	query "$server/primary" 'CREATE SCHEMA IF NOT EXISTS test'
	if [[ $replica == yes ]]; then
		wait_for_replica_schema
	fi
	write_info "$flavor"
	trap - EXIT
	cat "$server/info"
}

require_linux() {
	[[ -r /proc/self/stat ]] && command -v flock >/dev/null && command -v setsid >/dev/null ||
		die "this needs Linux with /proc, flock and setsid (package util-linux)"
}

# claim_folder FLAVOR NAME DIR: makes the server's folder, whose name nobody else has; sets server and server_name.
claim_folder() {
	server_name=$2
	mkdir -p "$servers_dir"
	servers_dir=$(cd "$servers_dir" && pwd -P)
	if [[ -z $server_name ]]; then
		server=$(mktemp -d "$servers_dir/$1-XXXXXX")
		server_name=${server##*/}
		[[ -z $3 ]] || rmdir "$server"
	elif [[ -z $3 ]]; then
		mkdir "$servers_dir/$server_name" 2>/dev/null || die "there is a server called $server_name already; stop it first, or take another --name"
	fi
	if [[ -n $3 ]]; then
		[[ ! -e $3 || -z $(ls -A "$3") ]] || die "--dir $3 is not empty"
		mkdir -p "$3"
		server=$(cd "$3" && pwd -P)
		ln -s "$server" "$servers_dir/$server_name" 2>/dev/null || die "there is a server called $server_name already; stop it first, or take another --name"
	else
		server=$servers_dir/$server_name
	fi
}

# abandon DIR: after a start that failed. The logs stay if there is something to read in them.
abandon() {
	local status=$? instance
	trap - EXIT
	if [[ -n ${starter:-} ]]; then # before its server, lest it reports that one's end or tries again
		kill -KILL "$starter" 2>/dev/null || true
		wait "$starter" 2>/dev/null || true
	fi
	[[ $status -lt 128 ]] || exec 2>/dev/null # nobody wants to read how an interrupted start ends
	for instance in "$1"/primary "$1"/replica; do
		end_instance "$instance" KILL
		remove_socket "$instance"
	done
	if [[ $status -ge 128 ]]; then
		rm -rf "$1"
	elif [[ ! -d $1 ]]; then
		note "server $server_name was stopped before it was ready"
	else
		mkdir -p "$cache/failed"
		find "$1" -name data -prune -exec rm -rf {} +
		rm -rf "$cache/failed/$server_name"
		mv "$1" "$cache/failed/$server_name"
		note "the logs are in $cache/failed/$server_name"
	fi
	rm -rf "${servers_dir:?}/$server_name"
	exit "$status"
}

# start_both FLAVOR: primary and replica come up at the same time. A failure of the first is reported by its own shell.
start_both() {
	(start_instance "$server/primary" "$1") &
	starter=$!
	start_instance "$server/replica" "$1"
	wait "$starter" || exit 1
	starter=''
}

join_replica() {
	local port
	port=$(<"$server/primary/port")
	case $1 in
	mysql)
		query "$server/replica" "CHANGE REPLICATION SOURCE TO SOURCE_HOST='127.0.0.1', SOURCE_PORT=$port, SOURCE_USER='replica',
			SOURCE_PASSWORD='replica', SOURCE_AUTO_POSITION=1, GET_SOURCE_PUBLIC_KEY=1, SOURCE_CONNECT_RETRY=1,
			SOURCE_RETRY_COUNT=86400; START REPLICA"
		;;
	mariadb)
		query "$server/replica" "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=$port, MASTER_USER='replica',
			MASTER_PASSWORD='replica', MASTER_USE_GTID=slave_pos, MASTER_CONNECT_RETRY=1; START SLAVE"
		;;
	esac
}

# wait_for_replica_schema: replication runs when what the primary just made is on the replica.
wait_for_replica_schema() {
	local waited=0
	until [[ $(query "$server/replica" "SHOW SCHEMAS LIKE 'test'") == test ]]; do
		if ((++waited > 600)); then
			run_client "$server/replica" --vertical --execute="$(replica_status_statement)" >&2 || true
			die "the replica does not replicate; its log is $server/replica/error.log"
		fi
		sleep 0.05
	done
}

replica_status_statement() {
	case $(<"$server/flavor") in
	mysql) echo 'SHOW REPLICA STATUS' ;;
	mariadb) echo 'SHOW SLAVE STATUS' ;;
	esac
}

# write_info FLAVOR: the lines that start prints and others parse. The file is complete whenever it is there.
write_info() {
	{
		printf '%s\n' "name=$server_name" "flavor=$1" "version=$(query "$server/primary" 'SELECT @@version')" "dir=$server" "host=127.0.0.1" \
			"port=$(<"$server/primary/port")" "socket=$(<"$server/primary/socket")" "pid=$(instance_pid "$server/primary")" \
			"server_id=1" "error_log=$server/primary/error.log" \
			"user=gh-ost" "password=gh-ost" "admin_user=root" "admin_password=root"
		if [[ -d $server/replica ]]; then
			printf '%s\n' "replica_port=$(<"$server/replica/port")" "replica_socket=$(<"$server/replica/socket")" \
				"replica_pid=$(instance_pid "$server/replica" || true)" "replica_server_id=2" "replica_error_log=$server/replica/error.log"
		fi
	} >"$server/info.new"
	mv "$server/info.new" "$server/info"
}

# find_server NAME[/ROLE]: sets server, server_name and instance.
find_server() {
	local role=primary
	server_name=$1
	case $1 in
	*/primary | */replica) role=${1##*/} server_name=${1%/*} ;;
	esac
	[[ -n $server_name && $server_name != */* && -d $servers_dir/$server_name ]] || die "there is no server called '$server_name'; see script/mysql-server status"
	server=$(cd "$servers_dir/$server_name" && pwd -P)
	instance=$server/$role
	[[ -d $instance ]] || die "server $server_name has no $role"
}

# start_again NAME FLAVOR PARENT: a server that was stopped with --keep.
start_again() {
	local flavor role start=''
	find_server "$1"
	flavor=$(<"$server/flavor")
	[[ $flavor == "$2" ]] || die "server $1 is of flavor $flavor"
	if instance_pid "$server/primary" >/dev/null; then
		die "server $1 is running already; stop it first, or take another --name"
	fi
	if [[ -n $3 ]]; then
		start=$(process_start "$3") || die "--with-parent: no process $3"
	fi
	find_binaries "$flavor"
	watch_parent "$3" "$start"
	for role in primary replica; do
		if [[ -d $server/$role ]] && ! instance_pid "$server/$role" >/dev/null; then
			start_instance "$server/$role" "$flavor"
		fi
	done
	write_info "$flavor"
	cat "$server/info"
}

command_restart() {
	[[ $# -eq 1 ]] || die "restart wants one server's name"
	find_server "$1"
	end_instance "$instance" TERM
	find_binaries "$(<"$server/flavor")"
	start_instance "$instance" "$(<"$server/flavor")"
	write_info "$(<"$server/flavor")"
	cat "$server/info"
}

command_stop() {
	local keep=no names=() all=no name
	while [[ $# -gt 0 ]]; do
		case $1 in
		--keep) keep=yes ;;
		--all) all=yes ;;
		-*) die "stop does not know '$1'" ;;
		*) names+=("$1") ;;
		esac
		shift
	done
	if [[ $all == yes ]]; then
		[[ ${#names[@]} -eq 0 ]] || die "stop takes names or --all, not both"
		mapfile -t names < <(server_names)
	elif [[ ${#names[@]} -eq 0 ]]; then
		die "stop wants the names of servers, or --all"
	fi
	for name in "${names[@]}"; do
		if [[ $keep == yes ]]; then
			find_server "$name"
			rm -f "$server/parent"
			[[ ! -d $server/replica ]] || end_instance "$server/replica" TERM
			end_instance "$server/primary" TERM
		else
			[[ $name != */* ]] || die "stop takes whole servers, not '$name'"
			[[ -n $name && -d $servers_dir/$name ]] || die "there is no server called '$name'; see script/mysql-server status"
			remove_server "$name"
		fi
	done
}

# remove_server NAME: kills and deletes. The data goes anyway, so there is nothing to shut down in order.
remove_server() {
	local folder role
	folder=$(cd "$servers_dir/$1" 2>/dev/null && pwd -P) || return 0
	for role in replica primary; do
		[[ -d $folder/$role ]] || continue
		end_instance "$folder/$role" KILL
		remove_socket "$folder/$role"
	done
	rm -rf "$folder" "${servers_dir:?}/$1"
}

server_names() {
	local folder
	for folder in "$servers_dir"/*; do
		[[ ! -d $folder ]] || printf '%s\n' "${folder##*/}"
	done
}

command_status() {
	local name role state
	if [[ $# -gt 0 ]]; then
		find_server "$1"
		cat "$server/info" 2>/dev/null || die "server $1 is not ready"
		return
	fi
	while IFS= read -r name; do
		for role in primary replica; do
			[[ -d $servers_dir/$name/$role ]] || continue
			state=stopped
			! instance_pid "$servers_dir/$name/$role" >/dev/null || state=running
			printf '%-24s %-8s %-8s %-8s port %s\n' "$name" "$(cat "$servers_dir/$name/flavor")" "$role" "$state" \
				"$(cat "$servers_dir/$name/$role/port" 2>/dev/null || echo none)"
		done
	done < <(server_names)
}

command_client() {
	[[ $# -ge 1 ]] || die "client wants a server's name"
	find_server "$1"
	shift
	find_binaries "$(<"$server/flavor")"
	exec "$client_program" --no-defaults --user=root --socket="$(<"$instance/socket")" "$@"
}

# watch_parent PID START: from now on the server ends with that process. Nothing if PID is empty.
watch_parent() {
	[[ -n $1 ]] || return 0
	printf '%s %s\n' "$1" "$2" >"$server/parent"
	SERVER_CACHE=$cache setsid "$script_dir/mysql-server" watch "$server_name" </dev/null >>"$server/watch.log" 2>&1 &
	disown
}

# command_watch NAME: waits until the parent is gone, then removes the server; ends by itself when the server is stopped.
# It is a process of its own in a session of its own: a killed test run or a closed terminal does not reach it.
command_watch() {
	local pid start
	[[ $# -eq 1 ]] || die "watch wants a server's name"
	while read -r pid start 2>/dev/null <"$servers_dir/$1/parent"; do
		if ! same_process "$pid" "$start"; then
			remove_server "$1"
			return
		fi
		sleep 0.5
	done
}

# sweep: removes servers whose parent is gone and whose watcher is too (a machine that went down, say).
sweep() {
	local name pid start
	while IFS= read -r name; do
		if read -r pid start 2>/dev/null <"$servers_dir/$name/parent" && ! same_process "$pid" "$start"; then
			remove_server "$name"
		fi
	done < <(server_names)
}
