package mysql

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// wording is what a dialect says, for the names that differ between servers.
type wording struct {
	flavor, replicaStatus, replicas, binlogStatus, stopIO, sourceHost, channel string
	lock, logUpdates, gtid, explain                                            string
	locks                                                                      []MetadataLockSource
	processlist                                                                string
	roles, zeroWait                                                            bool
}

func wordingOf(d Dialect) wording {
	return wording{
		flavor: d.Flavor(), replicaStatus: d.ShowReplicaStatus(), replicas: d.ShowReplicas(),
		binlogStatus: d.ShowBinaryLogStatus(), stopIO: d.StopReplicaIOThread(),
		sourceHost: d.ReplicaStatusColumn(SourceHost), channel: d.ReplicaStatusColumn(ChannelName),
		lock: d.SharedLockClause(), logUpdates: d.LogReplicaUpdatesVariable(), gtid: d.GTIDExecuted(), explain: d.Explain(),
		locks: d.MetadataLockSources(), processlist: d.ProcesslistTables()[0],
		roles: d.HasRoles(), zeroWait: d.AcceptsZeroLockWaitTimeout(),
	}
}

func TestEveryServerIsSpokenToInItsDialect(t *testing.T) {
	mysql57 := wording{
		"mysql", "SHOW /* gh-ost */ SLAVE STATUS", "SHOW /* gh-ost */ SLAVE HOSTS", "SHOW /* gh-ost */ MASTER STATUS",
		"STOP /* gh-ost */ SLAVE IO_THREAD", "Master_Host", "Channel_Name",
		"LOCK IN SHARE MODE", "log_slave_updates", "@@GLOBAL.gtid_executed", "EXPLAIN /* gh-ost */ FORMAT=TRADITIONAL",
		[]MetadataLockSource{PerformanceSchemaMetadataLocks}, "information_schema.processlist", false, false,
	}
	mysql80early := mysql57
	mysql80early.lock, mysql80early.roles = "FOR SHARE", true

	mysql80 := mysql80early
	mysql80.replicaStatus, mysql80.replicas = "SHOW /* gh-ost */ REPLICA STATUS", "SHOW /* gh-ost */ REPLICAS"
	mysql80.stopIO, mysql80.sourceHost = "STOP /* gh-ost */ REPLICA IO_THREAD", "Source_Host"
	mysql80.logUpdates, mysql80.processlist = "log_replica_updates", "performance_schema.processlist"

	mysql84 := mysql80
	mysql84.binlogStatus = "SHOW /* gh-ost */ BINARY LOG STATUS"

	mariadb1011 := wording{
		"mariadb", "SHOW /* gh-ost */ ALL SLAVES STATUS", "SHOW /* gh-ost */ SLAVE HOSTS", "SHOW /* gh-ost */ MASTER STATUS",
		"STOP /* gh-ost */ ALL SLAVES IO_THREAD", "Master_Host", "Connection_name",
		"LOCK IN SHARE MODE", "log_slave_updates", "@@GLOBAL.gtid_binlog_pos", "EXPLAIN /* gh-ost */",
		[]MetadataLockSource{PerformanceSchemaMetadataLocks, MetadataLockInfoPlugin}, "information_schema.processlist", true, true,
	}
	mariadb104 := mariadb1011
	mariadb104.locks = []MetadataLockSource{MetadataLockInfoPlugin}

	for version, want := range map[string]wording{
		"5.7.44-log":                        mysql57,
		"8.0.mysql_aurora.3.08.0":           mysql80early, // the patch level is not told
		"5.7.mysql_aurora.2.11.1":           mysql57,
		"8.0.11":                            mysql80early,
		"8.0.36-28":                         mysql80, // Percona
		"8.0.36":                            mysql80,
		"8.4.0":                             mysql84,
		"8.4.6-cluster":                     mysql84,
		"9.7.4-2":                           mysql84,
		"10.0.0":                            mysql84, // a MySQL to come is not MariaDB
		"10.4.34-MariaDB-log":               mariadb104,
		"10.11.18-MariaDB-0+deb12u1-log":    mariadb1011,
		"5.5.5-10.11.18-MariaDB-0+deb12u1":  mariadb1011,
		"11.8.2-MariaDB-ubu2404":            mariadb1011,
		"12.0.1-mariadb-enterprise-edition": mariadb1011,
	} {
		assert.Equal(t, want, wordingOf(NewDialect(version, "")), version)
	}
}

func TestMariaDBIsKnownByItsCommentToo(t *testing.T) {
	dialect := NewDialect("10.11.6", "mariadb.org binary distribution")
	assert.True(t, dialect.IsMariaDB())
	assert.Equal(t, "MariaDB 10.11.6", dialect.String())
	assert.Equal(t, "10.11.6", dialect.Version())
}

func TestUnreadableVersionIsTheOldestServer(t *testing.T) {
	assert.Equal(t, "SHOW /* gh-ost */ MASTER STATUS", NewDialect("main-build", "").ShowBinaryLogStatus())
	assert.Equal(t, "LOCK IN SHARE MODE", Dialect{}.SharedLockClause())
}

func TestReplicationIsDrivenInTheServersWords(t *testing.T) {
	modern, old, maria := NewDialect("9.7.4", ""), NewDialect("5.7.44", ""), NewDialect("10.11.18-MariaDB", "")
	statements := func(d Dialect) []string {
		return []string{d.StopReplica(), d.StartReplica(), d.StartReplicaIOThread(), d.StopReplicaSQLThread(), d.StartReplicaSQLThread()}
	}
	assert.Equal(t, []string{
		"STOP /* gh-ost */ REPLICA", "START /* gh-ost */ REPLICA", "START /* gh-ost */ REPLICA IO_THREAD",
		"STOP /* gh-ost */ REPLICA SQL_THREAD", "START /* gh-ost */ REPLICA SQL_THREAD",
	}, statements(modern))
	assert.Equal(t, []string{
		"STOP /* gh-ost */ SLAVE", "START /* gh-ost */ SLAVE", "START /* gh-ost */ SLAVE IO_THREAD",
		"STOP /* gh-ost */ SLAVE SQL_THREAD", "START /* gh-ost */ SLAVE SQL_THREAD",
	}, statements(old))
	assert.Equal(t, []string{
		"STOP /* gh-ost */ ALL SLAVES", "START /* gh-ost */ ALL SLAVES", "START /* gh-ost */ ALL SLAVES IO_THREAD",
		"STOP /* gh-ost */ ALL SLAVES SQL_THREAD", "START /* gh-ost */ ALL SLAVES SQL_THREAD",
	}, statements(maria))
}

func TestReplicaTermsFollowTheVersion(t *testing.T) {
	for term, modern := range map[string]string{
		"Master_Host":           "Source_Host",
		"Slave_IO_Running":      "Replica_IO_Running",
		"Seconds_Behind_Master": "Seconds_Behind_Source",
		"slave":                 "replica",
		"SLAVE":                 "REPLICA",
		"slave status":          "replica status",
		"master status":         "binary log status",
		"MASTER STATUS":         "BINARY LOG STATUS",
		"slave hosts":           "replicas",
		"Exec_Master_Log_Pos":   "Exec_Source_Log_Pos",
		"Relay_Log_File":        "Relay_Log_File",
	} {
		assert.Equal(t, modern, ReplicaTermFor(MysqlVersionCutoff+".0", term), term)
		assert.Equal(t, modern, ReplicaTermFor("9.7.4-2", term), term)
		for _, old := range []string{"5.7.44", "8.0.36", "8.3.0", "10.11.18-MariaDB", "11.8.2-MariaDB"} {
			assert.Equal(t, term, ReplicaTermFor(old, term), "%s on %s", term, old)
		}
	}
	assert.Equal(t, MariaDBFlavor, FlavorFor("10.11.18-MariaDB"))
	assert.Equal(t, MySQLFlavor, FlavorFor("8.0.36"))
}
