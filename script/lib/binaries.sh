# Which server program and client are used: those that were asked for, those on PATH if they are the right version, or a
# private copy unpacked from Debian's packages.
# shellcheck shell=bash

# Counts up when fetch_binaries changes what it makes, so that a copy in the cache from before is not used.
programs_recipe=3

wanted_version() {
	case $1 in
	mysql) echo 9.7 ;;
	mariadb) echo 10.11 ;;
	esac
}

# find_binaries FLAVOR: sets server_program, client_program, server_version and, if it is our own copy,
# programs (its folder) and private_root (what its packages hold); else private_root is empty.
find_binaries() {
	local flavor=$1 given
	private_root=''
	case $flavor in
	mysql) given=${MYSQLD:-} client_program=${MYSQL_CLIENT:-} ;;
	mariadb) given=${MARIADBD:-} client_program=${MARIADB_CLIENT:-} ;;
	esac
	if [[ -n $given ]]; then
		server_program=$(command -v "$given") || die "$(flavor_variable "$flavor")=$given is not a program"
		read_version "$server_program"
		[[ $program_flavor == "$flavor" ]] || die "$(flavor_variable "$flavor")=$given is not a $flavor server"
		find_client "$flavor" || die "no client beside $given or on PATH; set ${flavor^^}_CLIENT"
		server_version=$program_version
		return
	fi
	if binaries_on_path "$flavor"; then
		server_version=$program_version
		return
	fi
	programs=$cache/programs/$flavor-$programs_recipe
	[[ -d $programs ]] || with_lock "fetch-$flavor" fetch_binaries "$flavor"
	private_root=$programs/root
	server_program=$programs/bin/server
	client_program=$programs/bin/client
	server_version=$(<"$programs/version")
}

flavor_variable() {
	case $1 in
	mysql) echo MYSQLD ;;
	mariadb) echo MARIADBD ;;
	esac
}

# read_version PROGRAM: sets program_flavor and program_version from what the server says of itself.
read_version() {
	local text
	text=$("$1" --no-defaults --version 2>/dev/null) || die "$1 --version fails"
	[[ $text =~ Ver\ ([0-9]+\.[0-9]+\.[0-9]+) ]] || die "$1 does not tell its version: $text"
	program_version=${BASH_REMATCH[1]}
	program_flavor=mysql
	[[ $text != *MariaDB* ]] || program_flavor=mariadb
}

binaries_on_path() {
	local name
	for name in mariadbd mysqld; do
		server_program=$(command -v "$name") || continue
		read_version "$server_program"
		[[ $program_flavor == "$1" && $program_version == "$(wanted_version "$1")".* ]] || continue
		find_client "$1" && return
	done
	return 1
}

# find_client FLAVOR: sets client_program unless it was given.
find_client() {
	local name beside
	[[ -z $client_program ]] || return 0
	for name in mariadb mysql; do
		[[ $name == mysql || $1 == mariadb ]] || continue
		for beside in "$(dirname "$server_program")" "$(dirname "$server_program")/../bin"; do
			[[ ! -x $beside/$name ]] || { client_program=$beside/$name && return; }
		done
		client_program=$(command -v "$name") && return
	done
	return 1
}

# fetch_binaries FLAVOR: unpacks the flavor's packages and all that they depend on, down to the C library, below
# .cache/programs. Apt works with lists, state, cache and sources of its own, so that the system's stay as they are.
fetch_binaries() {
	local flavor=$1 suite packages work mirror
	[[ ! -d $programs ]] || return 0 # another process was quicker
	case $flavor in
	mysql) suite=sid packages=(mysql-server-core mysql-client-core tzdata) ;;
	mariadb) suite=bookworm packages=(mariadb-server-core mariadb-client-core tzdata) ;;
	esac
	command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null ||
		die "no $flavor $(wanted_version "$flavor") on PATH, and without apt none can be fetched:" \
			"install it, or name its programs with $(flavor_variable "$flavor") and ${flavor^^}_CLIENT"
	mirror=$(debian_mirror) ||
		die "no $flavor $(wanted_version "$flavor") on PATH, and this machine's apt names no Debian mirror to fetch it from:" \
			"install it, name its programs with $(flavor_variable "$flavor") and ${flavor^^}_CLIENT, or set DEBIAN_MIRROR"
	mkdir -p "$cache/programs"
	rm -rf "$cache/programs/new-$flavor".* # of an attempt that was interrupted
	work=$(mktemp -d "$cache/programs/new-$flavor.XXXXXX")
	note "fetching $flavor $(wanted_version "$flavor") from Debian $suite"
	if ! download_packages "$work" "$suite" "$mirror" "${packages[@]}" >"$work/log" 2>&1; then
		tail -n 25 "$work/log" >&2
		die "could not fetch $flavor from Debian $suite; the whole log is $work/log"
	fi
	local deb
	mkdir "$work/root"
	for deb in "$work"/apt/cache/archives/*.deb; do
		dpkg-deb -x "$deb" "$work/root" || die "could not unpack $deb"
	done
	if [[ $flavor == mariadb ]]; then # of the package that has the time zone loader, only that
		dpkg-deb --fsys-tarfile "$work"/apt/mariadb-client_*.deb | tar -x -C "$work/root" ./usr/bin/mariadb-tzinfo-to-sql
	fi
	rm -rf "$work/apt" "$work"/root/usr/share/{doc,man,locale,perl} "$work"/root/usr/share/zoneinfo/{posix,right}
	write_launchers "$flavor" "$work"
	read_version "$work/bin/server"
	printf '%s\n' "$program_version" >"$work/version"
	[[ $program_version == "$(wanted_version "$flavor")".* ]] ||
		note "warning: Debian $suite has $flavor $program_version now; $(wanted_version "$flavor") was expected"
	mv "$work" "$programs"
}

# debian_mirror: the first mirror of Debian's main archive among the machine's own sources.
debian_mirror() {
	local file
	if [[ -n ${DEBIAN_MIRROR:-} ]]; then
		printf '%s\n' "$DEBIAN_MIRROR"
		return
	fi
	[[ $(. /etc/os-release && echo "${ID:-}") == debian ]] || return 1
	for file in /etc/apt/sources.list.d/*.sources /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[[ -r $file ]] || continue
		awk -v style="${file##*.}" '
			style == "sources" && tolower($1) == "uris:"  { for (i = 2; i <= NF; i++) print $i }
			style != "sources" && $1 == "deb"             { sub(/\[[^]]*\]/, ""); print $2 }
		' "$file"
	done | grep -E '^(https?|mirror\+[a-z]+|file|copy)://?.*/debian/?$' | head -n 1 | grep .
}

# download_packages WORK SUITE MIRROR PACKAGE...: the packages and all their dependencies, into WORK/apt/cache/archives.
download_packages() {
	local apt=$1/apt suite=$2 mirror=$3
	shift 3
	mkdir -p "$apt"/{lists,cache/archives}/partial "$apt/sources" "$apt/state"
	: >"$apt/status" # nothing counts as installed, so that the C library comes along too
	mkdir "$apt/none"
	: >"$apt/empty"
	# What the machine's apt knows of proxies, certificates and retries holds here too; its hooks do not. A mirror that
	# lags or stands still is good enough for a private server, so a release file may be old (but must be signed).
	apt-config dump | grep '^Acquire::' >"$apt/apt.conf" || true
	cat >>"$apt/apt.conf" <<-CONF
		Dir::Etc::main "$apt/empty";
		Dir::Etc::parts "$apt/none";
		Dir::Etc::sourcelist "$apt/empty";
		Dir::Etc::sourceparts "$apt/sources";
		Dir::Etc::preferences "$apt/empty";
		Dir::Etc::preferencesparts "$apt/none";
		Dir::State "$apt/state";
		Dir::State::lists "$apt/lists";
		Dir::State::status "$apt/status";
		Dir::Cache "$apt/cache";
		Dir::Log "$apt";
		APT::Sandbox::User "";
		APT::Install-Recommends "false";
		Acquire::Check-Valid-Until "false";
		Acquire::Languages "none";
		Acquire::Retries "3";
		Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
		Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
	CONF
	if [[ -r /usr/share/keyrings/debian-archive-keyring.gpg ]]; then # else what the machine's apt trusts anyway
		trust_only "$apt" /usr/share/keyrings/debian-archive-keyring.gpg
	fi
	write_source "$apt" "$mirror" "$suite"
	if ! private_apt "$apt" update --error-on=any 2>&1 | tee "$apt/update.log"; then
		# The suite may be signed with a key that is younger than this machine. Debian hands new keys out in a package
		# of the release, signed with one that the machine has.
		grep -q NO_PUBKEY "$apt/update.log" || return
		echo "trying with the archive keys that the machine's own release has now"
		newer_keyring "$apt" "$mirror" || return
		write_source "$apt" "$mirror" "$suite"
		private_apt "$apt" update --error-on=any || return
	fi
	private_apt "$apt" install --download-only --yes "$@" || return
	[[ $1 != mariadb* ]] || (cd "$apt" && private_apt "$apt" download mariadb-client)
}

private_apt() {
	local apt=$1
	shift
	APT_CONFIG=$apt/apt.conf DEBIAN_FRONTEND=noninteractive apt-get "$@" </dev/null
}

write_source() {
	printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\n' "$2" "$3" >"$1/sources/debian.sources"
}

trust_only() {
	cp "$2" "$1/trusted.gpg"
	printf '%s\n' "Dir::Etc::trusted \"$1/trusted.gpg\";" "Dir::Etc::trustedparts \"$1/none\";" >>"$1/apt.conf"
}

newer_keyring() {
	local apt=$1 mirror=$2 release
	release=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
	write_source "$apt" "$mirror" "$release"
	private_apt "$apt" update --error-on=any || return
	(cd "$apt" && private_apt "$apt" download debian-archive-keyring && dpkg-deb -x debian-archive-keyring_*.deb keys) || return
	trust_only "$apt" "$apt/keys/usr/share/keyrings/debian-archive-keyring.gpg"
}

# write_launchers FLAVOR WORK: bin/server, bin/client and bin/tzinfo run the unpacked programs with the unpacked libraries. They
# replace themselves by the program, so that the pid stays the same.
write_launchers() {
	local flavor=$1 work=$2 name program loader
	loader=$(cd "$work/root" && find . -name 'ld-linux*.so.*' -type f | head -n 1)
	[[ -n $loader ]] || die "the C library of $flavor has no loader that we know for this machine ($(uname -m))"
	mkdir "$work/bin"
	for name in server client tzinfo; do
		case $flavor-$name in
		mysql-server) program=usr/sbin/mysqld ;;
		mysql-client) program=usr/bin/mysql ;;
		mysql-tzinfo) program=usr/bin/mysql_tzinfo_to_sql ;;
		mariadb-server) program=usr/sbin/mariadbd ;;
		mariadb-client) program=usr/bin/mariadb ;;
		mariadb-tzinfo) program=usr/bin/mariadb-tzinfo-to-sql ;;
		esac
		[[ -x $work/root/$program ]] || die "the $flavor packages have no $program"
		cat >"$work/bin/$name" <<-LAUNCHER
			#!/usr/bin/env bash
			shopt -s nullglob
			root=\$(cd "\$(dirname "\${BASH_SOURCE[0]}")/../root" && pwd)
			libraries=\$(printf '%s:' "\$root"/usr/lib/*-linux-gnu* "\$root"/lib/*-linux-gnu*)
			export OPENSSL_CONF=/dev/null # the system's is for another version
			exec "\$root/${loader#./}" --library-path "\${libraries%:}" "\$root/$program" "\$@"
		LAUNCHER
		chmod +x "$work/bin/$name"
	done
}

command_fetch() {
	local flavor
	[[ $# -gt 0 ]] || set -- mysql mariadb
	for flavor in "$@"; do
		require_flavor "$flavor"
		find_binaries "$flavor"
		printf 'flavor=%s version=%s server=%s client=%s\n' "$flavor" "$server_version" "$server_program" "$client_program"
	done
}
