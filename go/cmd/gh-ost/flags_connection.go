package main

import "math"

func (o *options) connectionFlags() []flagSpec {
	m := o.migration
	server := m.InspectorConnectionConfig
	return []flagSpec{
		stringFlag(&server.Key.Hostname, "host", "127.0.0.1", "server to inspect and to stream changes from; best a replica").check("a host name or address", func(text string) bool { return text != "" }),
		intFlag(&server.Key.Port, "port", 3306, "port of that server").within(1, 65535),
		stringFlag(&m.CliUser, "user", "", "account to log in with; wins over the configuration file"),
		stringFlag(&m.CliPassword, "password", "", "its password; wins over the configuration file. Others on this machine may see it in the list of processes: prefer --ask-pass or --conf"),
		boolFlag(&o.askPass, "ask-pass", false, "ask for the password at the terminal; it replaces --password"),
		stringFlag(&m.ConfigFile, "conf", "", "configuration file with user and password in section [client], and chunk_size, max_lag_millis, max_load in [osc]; ${NAME} is taken from the environment").file(),
		stringFlag(&m.CliMasterUser, "master-user", "", "account on the primary, if it is another one; needs --assume-master-host"),
		stringFlag(&m.CliMasterPassword, "master-password", "", "password on the primary, if it is another one; needs --assume-master-host"),
		stringFlag(&m.AssumeMasterHostname, "assume-master-host", "", "host[:port] of the primary; do not look for it"),
		floatFlag(&server.Timeout, "mysql-timeout", 0, "seconds that connecting, and each read and write of an SQL connection, may take; 0: any time").within(0, math.MaxInt64),
		stringFlag(&o.charset, "charset", "utf8mb4,utf8,latin1", "character sets for the connection, the first that the server knows is used"),
		stringFlag(&o.storageEngine, "storage-engine", "innodb", "rocksdb makes sessions READ COMMITTED, as that engine needs it (experimental); the table's own engine is not changed").offering("innodb", "rocksdb"),
		boolFlag(&m.SkipPortValidation, "skip-port-validation", false, "do not compare the port that the server reports with the one it was reached by"),
		boolFlag(&m.UseTLS, "ssl", false, "encrypt all connections to the servers"),
		stringFlag(&m.TLSCACertificate, "ssl-ca", "", "PEM file with the authorities to trust instead of the system's; needs --ssl").file(),
		stringFlag(&m.TLSCertificate, "ssl-cert", "", "PEM file with the client's certificate; needs --ssl and --ssl-key").file(),
		stringFlag(&m.TLSKey, "ssl-key", "", "PEM file with the key of the client's certificate; needs --ssl and --ssl-cert").file(),
		boolFlag(&m.TLSAllowInsecure, "ssl-allow-insecure", false, "encrypt, but check neither the server's certificate nor its name; needs --ssl"),
		boolFlag(&m.AliyunRDS, "aliyun-rds", false, "the server is Aliyun RDS: trust the host and port given, whatever it reports as its own"),
		boolFlag(&m.GoogleCloudPlatform, "gcp", false, "the same for a first generation Cloud SQL server"),
		boolFlag(&m.AzureMySQL, "azure", false, "the same for Azure Database for MySQL"),
		uintFlag(&m.ReplicaServerId, "replica-server-id", 99999, "server id to register with as a replica; another one for each process that runs at a time").within(1, math.MaxUint32),
		intFlag(&m.BinlogSyncerMaxReconnectAttempts, "binlogsyncer-max-reconnect-attempts", 0, "how often in a row the stream may be connected anew without getting on; 0: without end"),
		boolFlag(&m.UseGTIDs, "gtid", false, "take stream positions by GTID and not by file and offset; MySQL needs gtid_mode and enforce_gtid_consistency ON"),
	}
}
