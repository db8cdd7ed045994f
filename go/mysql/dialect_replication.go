package mysql

import "strings"

// A ReplicaTerm is a column of the replica status, by its current MySQL name.
type ReplicaTerm string

// What the replica status tells.
const (
	SourceHost          ReplicaTerm = "Source_Host"
	SourcePort          ReplicaTerm = "Source_Port"
	ReplicaIORunning    ReplicaTerm = "Replica_IO_Running"
	ReplicaSQLRunning   ReplicaTerm = "Replica_SQL_Running"
	SourceLogFile       ReplicaTerm = "Source_Log_File"       // file that is being fetched
	ReadSourceLogPos    ReplicaTerm = "Read_Source_Log_Pos"   // fetched up to here
	RelaySourceLogFile  ReplicaTerm = "Relay_Source_Log_File" // file that is being applied
	ExecSourceLogPos    ReplicaTerm = "Exec_Source_Log_Pos"   // applied up to here
	SecondsBehindSource ReplicaTerm = "Seconds_Behind_Source"
	LastIOError         ReplicaTerm = "Last_IO_Error"
	LastSQLError        ReplicaTerm = "Last_SQL_Error"
	ChannelName         ReplicaTerm = "Channel_Name"
)

// modernReplicaStatus: SHOW REPLICA STATUS came in MySQL 8.0.22, with columns of its own; SHOW SLAVE STATUS left in 8.4.
// MariaDB has taken the words, but has kept the columns.
func (d Dialect) modernReplicaStatus() bool { return d.atLeast(8, 0, 22) }

// ReplicaStatusColumn returns the name under which ShowReplicaStatus returns the term.
func (d Dialect) ReplicaStatusColumn(term ReplicaTerm) string {
	if d.modernReplicaStatus() {
		return string(term)
	}
	if d.mariaDB && term == ChannelName {
		return "Connection_name"
	}
	return strings.NewReplacer("Source", "Master", "Replica", "Slave").Replace(string(term))
}

// ShowReplicaStatus has one row for each source that the server replicates from, none on a primary.
func (d Dialect) ShowReplicaStatus() string {
	switch {
	case d.modernReplicaStatus():
		return "SHOW /* gh-ost */ REPLICA STATUS"
	case d.mariaDB:
		return "SHOW /* gh-ost */ ALL SLAVES STATUS" // without ALL: the unnamed connection only
	default:
		return "SHOW /* gh-ost */ SLAVE STATUS"
	}
}

// ShowReplicas has one row for each replica that is attached and has registered.
func (d Dialect) ShowReplicas() string {
	if d.modernReplicaStatus() {
		return "SHOW /* gh-ost */ REPLICAS"
	}
	return "SHOW /* gh-ost */ SLAVE HOSTS"
}

// ShowBinaryLogStatus has one row with the binary log's current file and position; none if there is no binary log.
func (d Dialect) ShowBinaryLogStatus() string {
	if d.atLeast(8, 2, 0) {
		return "SHOW /* gh-ost */ BINARY LOG STATUS"
	}
	return "SHOW /* gh-ost */ MASTER STATUS"
}

// ShowBinaryLogs has one row for each binary log file that the server still has, the oldest first.
func (d Dialect) ShowBinaryLogs() string { return "SHOW /* gh-ost */ BINARY LOGS" }

// StopReplica stops both threads of all replication channels.
func (d Dialect) StopReplica() string { return d.replica("STOP", "") }

// StartReplica starts both threads of all replication channels.
func (d Dialect) StartReplica() string { return d.replica("START", "") }

// StopReplicaIOThread stops fetching; what has been fetched is still applied.
func (d Dialect) StopReplicaIOThread() string { return d.replica("STOP", " IO_THREAD") }

// StartReplicaIOThread starts fetching.
func (d Dialect) StartReplicaIOThread() string { return d.replica("START", " IO_THREAD") }

// StopReplicaSQLThread stops applying.
func (d Dialect) StopReplicaSQLThread() string { return d.replica("STOP", " SQL_THREAD") }

// StartReplicaSQLThread starts applying.
func (d Dialect) StartReplicaSQLThread() string { return d.replica("START", " SQL_THREAD") }

func (d Dialect) replica(verb, thread string) string {
	object := "SLAVE"
	switch {
	case d.modernReplicaStatus():
		object = "REPLICA"
	case d.mariaDB:
		object = "ALL SLAVES"
	}
	return verb + " /* gh-ost */ " + object + thread
}

// LogReplicaUpdatesVariable names the variable that tells whether replicated changes get into the binary log.
func (d Dialect) LogReplicaUpdatesVariable() string {
	if d.atLeast(8, 0, 26) {
		return "log_replica_updates"
	}
	return "log_slave_updates"
}

// ReplicaTermFor translates an old replication term (a status column, a word, the object of a SHOW statement) for a
// server that reports this @@version: MySQL from MysqlVersionCutoff on has new ones. Unknown terms come back as they are.
func ReplicaTermFor(mysqlVersion string, term string) string {
	if !NewDialect(mysqlVersion, "").atLeast(8, 4, 0) {
		return term
	}
	switch strings.ToLower(term) {
	case "master status":
		return likeCase(term, "binary log status")
	case "slave hosts":
		return likeCase(term, "replicas")
	case "master logs":
		return likeCase(term, "binary logs")
	}
	return strings.NewReplacer(
		"Master", "Source", "master", "source", "MASTER", "SOURCE",
		"Slave", "Replica", "slave", "replica", "SLAVE", "REPLICA",
	).Replace(term)
}

func likeCase(model, text string) string {
	if model == strings.ToUpper(model) {
		return strings.ToUpper(text)
	}
	return text
}
