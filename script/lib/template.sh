# An initialised data directory per flavor and version, made once and copied at every start.
# shellcheck shell=bash

# make_template FLAVOR: sets template to the path of the data directory to copy. Needs find_binaries first.
make_template() {
	local recipe
	recipe=$(cksum <"${BASH_SOURCE[0]}" | cut -d ' ' -f 1) # a changed recipe makes a new template
	template=$cache/templates/$1-$server_version-$recipe
	[[ -d $template ]] || with_lock "template-$1" build_template "$1"
}

build_template() {
	local flavor=$1 work
	[[ ! -d $template ]] || return 0 # another process was quicker
	note "preparing a data directory for $flavor $server_version (once)"
	mkdir -p "$cache/templates"
	rm -rf "$cache/templates/new-$flavor".* # of an attempt that was interrupted
	work=$(mktemp -d "$cache/templates/new-$flavor.XXXXXX")
	mkdir "$work/tmp"
	if ! "initialize_$flavor" "$work" >"$work/log" 2>&1; then
		tail -n 25 "$work/log" >&2
		die "could not initialise a data directory for $flavor $server_version; the whole log is $work/log"
	fi
	rm -f "$work"/data/auto.cnf "$work"/data/*.pid "$work"/data/*.err # each copy gets a server UUID of its own
	mv "$work/data" "$template"
	rm -rf "$work"
}

# program_options FLAVOR: options without which the server does not find its own files, one a line.
program_options() {
	if [[ -n $private_root ]]; then
		printf '%s\n' "--basedir=$private_root/usr"
		case $1 in
		mysql)
			printf '%s\n' "--lc-messages-dir=$private_root/usr/share/mysql" "--character-sets-dir=$private_root/usr/share/mysql/charsets" \
				"--plugin-dir=$private_root/usr/lib/mysql/plugin"
			;;
		mariadb)
			printf '%s\n' "--lc-messages-dir=$private_root/usr/share/mysql" "--character-sets-dir=$private_root/usr/share/mysql/charsets"
			;;
		esac
	fi
	[[ $EUID -ne 0 ]] || echo --user=root
}

# The redo log's size is a property of the files, so it is the same here and at every start.
storage_options() {
	case $1 in
	mysql) echo --innodb-redo-log-capacity=128M ;;
	mariadb) echo --innodb-log-file-size=96M ;;
	esac
}

initialize_mysql() {
	local work=$1 options
	mapfile -t options < <(program_options mysql && storage_options mysql)
	# --initialize runs as a bootstrap without a network: what is set up afterwards goes through an init file.
	{
		mysql_accounts
		time_zones
	} >"$work/init.sql"
	"$server_program" --no-defaults "${options[@]}" --initialize-insecure --datadir="$work/data" --tmpdir="$work/tmp" \
		--secure-file-priv= --init-file="$work/init.sql" --log-error-verbosity=2
}

# mysql_accounts: root keeps an empty password on the socket, and has one over TCP. gh-ost has what it asks for.
mysql_accounts() {
	cat <<'SQL'
CREATE USER 'root'@'127.0.0.1' IDENTIFIED BY 'root';
GRANT ALL ON *.* TO 'root'@'127.0.0.1' WITH GRANT OPTION;
CREATE USER 'replica'@'%' IDENTIFIED BY 'replica';
GRANT REPLICATION SLAVE ON *.* TO 'replica'@'%';
CREATE USER 'gh-ost'@'%' IDENTIFIED BY 'gh-ost';
GRANT ALTER, CREATE, DELETE, DROP, INDEX, INSERT, LOCK TABLES, SELECT, TRIGGER, UPDATE ON *.* TO 'gh-ost'@'%';
GRANT PROCESS, REPLICATION CLIENT, REPLICATION SLAVE ON *.* TO 'gh-ost'@'%';
GRANT CONNECTION_ADMIN, REPLICATION_SLAVE_ADMIN, SYSTEM_VARIABLES_ADMIN, XA_RECOVER_ADMIN ON *.* TO 'gh-ost'@'%';
SQL
}

# time_zones: fills the tables of named time zones, as conversions between zones need it. Servers that are not our own copy
# go without if their loader or the zones are not installed.
time_zones() {
	local loader zones=$private_root/usr/share/zoneinfo
	if [[ -n $private_root ]]; then
		loader=$programs/bin/tzinfo
	else
		loader=$(command -v mariadb-tzinfo-to-sql || command -v mysql_tzinfo_to_sql) || return 0
	fi
	[[ -d $zones ]] || return 0
	echo 'USE mysql;'
	# MariaDB's loader wraps the rows in statements for clusters, which a bootstrap does not know.
	"$loader" "$zones" 2>/dev/null | grep -viE '^(execute immediate|set @wsrep|set statement|set session|set @old|(un)?lock tables)'
}

initialize_mariadb() {
	local work=$1 options share
	mapfile -t options < <(program_options mariadb && storage_options mariadb)
	share=${private_root:-/}/usr/share/mysql
	[[ -e $share/mysql_system_tables.sql ]] || share=$(dirname "$server_program")/../share/mysql
	[[ -e $share/mysql_system_tables.sql ]] || share=$(dirname "$server_program")/../share/mariadb
	mkdir "$work/data"
	{
		printf '%s;\n' 'CREATE DATABASE mysql' 'USE mysql' 'SET @auth_root_socket = NULL' # the bootstrap wants a line for each
		# The lines with the host's name make accounts for names that we never use.
		cat "$share"/{mysql_system_tables,mysql_performance_tables,mysql_system_tables_data,fill_help_tables}.sql \
			"$share"/{maria_add_gis_sp_bootstrap,mysql_sys_schema}.sql | grep -v '@current_hostname'
		echo 'FLUSH PRIVILEGES;'
		mariadb_accounts
		time_zones
	} >"$work/init.sql"
	"$server_program" --no-defaults "${options[@]}" --bootstrap --datadir="$work/data" --tmpdir="$work/tmp" \
		--log-warnings=0 --max-allowed-packet=8M --net-buffer-length=16K <"$work/init.sql"
}

mariadb_accounts() {
	cat <<'SQL'
DROP USER IF EXISTS 'root'@'127.0.0.1', 'root'@'::1';
CREATE USER 'root'@'127.0.0.1' IDENTIFIED BY 'root';
GRANT ALL ON *.* TO 'root'@'127.0.0.1' WITH GRANT OPTION;
CREATE USER 'replica'@'%' IDENTIFIED BY 'replica';
GRANT REPLICATION SLAVE ON *.* TO 'replica'@'%';
CREATE USER 'gh-ost'@'%' IDENTIFIED BY 'gh-ost';
GRANT ALTER, CREATE, DELETE, DROP, INDEX, INSERT, LOCK TABLES, SELECT, TRIGGER, UPDATE ON *.* TO 'gh-ost'@'%';
GRANT PROCESS, BINLOG MONITOR, REPLICATION SLAVE, SLAVE MONITOR, CONNECTION ADMIN, REPLICATION SLAVE ADMIN, BINLOG ADMIN, SUPER ON *.* TO 'gh-ost'@'%';
SQL
}
