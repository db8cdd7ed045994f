# bash completion for gh-ost. Made from the table in go/cmd/gh-ost by "make completions": change it there.

_gh_ost() {
	local cur=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD-1]}
	if [[ $cur == "=" ]]; then
		cur=""
	elif [[ $flag == "=" ]]; then
		flag=${COMP_WORDS[COMP_CWORD-2]}
	fi
	COMPREPLY=()
	case $flag in
	--conf) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
	--storage-engine) mapfile -t COMPREPLY < <(compgen -W 'innodb rocksdb' -- "$cur"); return ;;
	--ssl-ca) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
	--ssl-cert) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
	--ssl-key) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
	--panic-flag-file) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
	--throttle-flag-file) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
	--throttle-additional-flag-file) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
	--cut-over) mapfile -t COMPREPLY < <(compgen -W 'atomic two-step' -- "$cur"); return ;;
	--postpone-cut-over-flag-file) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
	--serve-socket-file) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
	--hooks-path) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
	--host|--port|--user|--password|--master-user|--master-password|--assume-master-host|--mysql-timeout|--charset|--replica-server-id|--binlogsyncer-max-reconnect-attempts|--database|--table|--alter|--trigger-suffix|--force-table-names|--old-table|--checkpoint-seconds|--chunk-size|--chunk-time-millis|--copy-concurrency|--copy-yield-ratio|--apply-concurrency|--dml-batch-size|--default-retries|--nice-ratio|--heartbeat-interval-millis|--max-lag-millis|--max-load|--critical-load|--critical-load-interval-millis|--critical-load-hibernate-seconds|--throttle-control-replicas|--throttle-query|--throttle-http|--throttle-http-interval-millis|--throttle-http-timeout-millis|--replication-lag-query|--cut-over-lock-timeout-seconds|--cut-over-force-after-seconds|--exponential-backoff-max-interval|--serve-socket-mode|--serve-tcp-port|--serve-tcp-host|--hooks-hint|--hooks-hint-owner|--hooks-hint-token|--hooks-status-interval|--hooks-timeout-seconds|--statsd-addr|--statsd-tags|--runtime-metrics-interval) return ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W '--host= --port= --user= --password= --ask-pass --conf= --master-user= --master-password= --assume-master-host= --mysql-timeout= --charset= --storage-engine= --skip-port-validation --ssl --ssl-ca= --ssl-cert= --ssl-key= --ssl-allow-insecure --aliyun-rds --gcp --azure --replica-server-id= --binlogsyncer-max-reconnect-attempts= --gtid --database= --table= --alter= --execute --cleanup --attempt-instant-ddl --attempt-inplace-ddl --approve-renamed-columns --skip-renamed-columns --allow-nullable-unique-key --discard-foreign-keys --skip-foreign-key-checks --include-triggers --trigger-suffix= --remove-trigger-suffix-if-exists --skip-strict-mode --allow-zero-in-date --force-table-names= --timestamp-old-table --old-table= --revert --checkpoint --checkpoint-seconds= --resume --allow-on-master --allow-master-master --test-on-replica --test-on-replica-skip-replica-stop --migrate-on-replica --tungsten --assume-rbr --switch-to-rbr --initially-drop-old-table --initially-drop-ghost-table --ok-to-drop-table --panic-on-warnings --panic-flag-file= --chunk-size= --chunk-time-millis= --copy-concurrency= --copy-yield-ratio= --apply-concurrency= --dml-batch-size= --default-retries= --nice-ratio= --checksum --exact-rowcount --concurrent-rowcount --heartbeat-interval-millis= --max-lag-millis= --max-load= --critical-load= --critical-load-interval-millis= --critical-load-hibernate-seconds= --throttle-control-replicas= --throttle-query= --throttle-http= --throttle-http-interval-millis= --throttle-http-timeout-millis= --ignore-http-errors --throttle-flag-file= --throttle-additional-flag-file= --replication-lag-query= --cut-over= --cut-over-lock-timeout-seconds= --cut-over-force-after-seconds= --cut-over-exponential-backoff --exponential-backoff-max-interval= --postpone-cut-over-flag-file= --force-named-cut-over --force-named-panic --skip-metadata-lock-check --allow-setup-metadata-lock-instruments --analyze-ghost-table-before-cutover --serve-socket-file= --serve-socket-mode= --initially-drop-socket-file --serve-tcp-port= --serve-tcp-host= --hooks-path= --hooks-hint= --hooks-hint-owner= --hooks-hint-token= --hooks-status-interval= --hooks-timeout-seconds= --statsd-addr= --statsd-tags= --runtime-metrics-interval= --verbose --debug --quiet --stack --help --version --check-flag' -- "$cur")
	[[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace
}

complete -F _gh_ost gh-ost
