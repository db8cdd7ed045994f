package mysql

import (
	"context"
	gosql "database/sql"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/github/gh-ost/go/internal/testserver"
)

func TestMain(m *testing.M) {
	code := testserver.Main(m, testserver.Options{Replica: true})
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, "goroutines are left over:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// configOf is how to connect to a test server with all privileges.
func configOf(server *testserver.Server) *ConnectionConfig {
	config := NewConnectionConfig()
	config.Key = InstanceKey{Hostname: server.Host, Port: server.Port}
	config.User, config.Password = server.AdminUser, server.AdminPassword
	return config
}

// open opens a pool and asks the server who it is.
func open(t *testing.T, config *ConnectionConfig, sessionStatements ...string) (*gosql.DB, *Server) {
	t.Helper()
	db, err := config.Open("", sessionStatements...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	identity, err := Identify(t.Context(), db)
	require.NoError(t, err)
	return db, identity
}

// execAtEnd undoes what a test did to a shared server.
func execAtEnd(t *testing.T, server *testserver.Server, statements ...string) {
	t.Helper()
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		db, err := configOf(server).Open("")
		require.NoError(t, err)
		for _, statement := range statements {
			_, err := db.ExecContext(ctx, statement)
			assert.NoError(t, err, statement)
		}
		assert.NoError(t, db.Close())
	})
}

func queryString(t *testing.T, q interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *gosql.Row
}, query string,
) string {
	t.Helper()
	var value gosql.NullString
	require.NoError(t, q.QueryRowContext(t.Context(), query).Scan(&value), query)
	return value.String
}

func TestServerIsIdentified(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		_, identity := open(t, configOf(server))
		assert.Equal(t, server.Version, identity.Version)
		assert.Equal(t, server.Port, identity.Port)
		assert.Equal(t, server.Flavor == testserver.MariaDB, identity.Dialect.IsMariaDB())
		assert.NotEmpty(t, identity.Hostname)
		assert.NotEmpty(t, identity.UUID)
		assert.NotEmpty(t, identity.TimeZone)
		assert.NotZero(t, identity.ServerID)
		assert.False(t, identity.ReadOnly || identity.SuperReadOnly)
		assert.NoError(t, identity.CheckPort(configOf(server).Key))
	})
}

func TestEveryConnectionOfAPoolIsPreparedAlike(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		config := configOf(server)
		config.TransactionIsolation = ReadCommitted
		db, identity := open(t, config, "SET SESSION time_zone = '+00:00', character_set_results = NULL", "SET @second = 2")
		variable := "@@transaction_isolation"
		if identity.Dialect.IsMariaDB() {
			variable = "@@tx_isolation"
		}
		for range MaxDBPoolConnections {
			conn, err := db.Conn(t.Context())
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, conn.Close()) })
			assert.Equal(t, "READ-COMMITTED", queryString(t, conn, "SELECT "+variable))
			assert.Equal(t, "+00:00", queryString(t, conn, "SELECT @@time_zone"))
			assert.Equal(t, "2", queryString(t, conn, "SELECT @second"))
			assert.Equal(t, "utf8mb4", queryString(t, conn, "SELECT @@character_set_client"))
			assert.Empty(t, queryString(t, conn, "SELECT @@character_set_results"))
			assert.Equal(t, "1", queryString(t, conn, "SELECT @@autocommit"))
		}
	})
}

func TestSessionStatementThatFailsFailsTheConnection(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		db, err := configOf(server).Open("", "SET SESSION no_such_variable = 1")
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, db.Close()) })
		err = db.PingContext(t.Context())
		assert.ErrorContains(t, err, "SET SESSION no_such_variable = 1")
		assert.EqualValues(t, 1193, ErrorNumber(err))
	})
}

func TestPoolByDataSourceNameHasTheIsolationOnEveryServer(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		config := configOf(server)
		config.TransactionIsolation = ReadCommitted
		db, err := OpenDB(config.GetDBUri(""))
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, db.Close()) })
		variable := "@@transaction_isolation"
		if server.Flavor == testserver.MariaDB {
			variable = "@@tx_isolation"
		}
		assert.Equal(t, "READ-COMMITTED", queryString(t, db, "SELECT "+variable))
	})
}

func TestOddSchemaNamesAndAccountsConnect(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		server.Exec(t, "CREATE SCHEMA `odd/näme?&%41`; CREATE USER 'od:d@us/er'@'%' IDENTIFIED BY 'p@s/s:w&rd'; GRANT ALL ON `odd/näme?&%41`.* TO 'od:d@us/er'@'%'")
		execAtEnd(t, server, "DROP SCHEMA `odd/näme?&%41`", "DROP USER 'od:d@us/er'@'%'")
		config := configOf(server)
		config.User, config.Password = "od:d@us/er", "p@s/s:w&rd"
		db, err := config.Open("odd/näme?&%41")
		require.NoError(t, err)
		assert.Equal(t, "odd/näme?&%41", queryString(t, db, "SELECT DATABASE()"))
		require.NoError(t, db.Close())
	})
}

func TestTLSConnectsAndChecksTheServersName(t *testing.T) {
	server := testserver.Shared(t, testserver.MySQL) // has a certificate of its own making
	config := configOf(server)
	require.NoError(t, config.UseTLS("", "", "", true))
	db, _ := open(t, config)
	var name, cipher string
	require.NoError(t, db.QueryRowContext(t.Context(), "SHOW SESSION STATUS LIKE 'Ssl_cipher'").Scan(&name, &cipher))
	assert.NotEmpty(t, cipher)

	strict := configOf(server)
	require.NoError(t, strict.UseTLS("", "", "", false))
	strictDB, err := strict.Open("")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, strictDB.Close()) })
	assert.ErrorContains(t, strictDB.PingContext(t.Context()), "certificate")
}

func TestGlobalVariablesAndStatusAreReadByName(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		db, identity := open(t, configOf(server))
		values, err := GlobalVariables(t.Context(), db, "LOG_BIN", "binlog_format", "no_such_variable")
		require.NoError(t, err)
		assert.True(t, IsOn(values["LOG_BIN"]))
		assert.Equal(t, "ROW", values["binlog_format"])
		assert.NotContains(t, values, "no_such_variable")
		_, err = GlobalVariable(t.Context(), db, "no_such_variable")
		assert.ErrorIs(t, err, gosql.ErrNoRows)
		logUpdates, err := GlobalVariable(t.Context(), db, identity.Dialect.LogReplicaUpdatesVariable())
		require.NoError(t, err)
		assert.True(t, IsOn(logUpdates))

		running, err := GlobalStatus(t.Context(), db, "Threads_running")
		require.NoError(t, err)
		assert.Positive(t, running)
		_, err = GlobalStatus(t.Context(), db, "nosuch")
		assert.EqualError(t, err, "sql: no rows in result set")
		_, err = GlobalStatus(t.Context(), db, "Threads%running")
		assert.ErrorIs(t, err, gosql.ErrNoRows, "a name, not a pattern")
	})
}

func TestStatementsOfTheDialectAreUnderstood(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		server.Exec(t, "CREATE TABLE "+schema+".t (id INT PRIMARY KEY)")
		db, identity := open(t, configOf(server))
		d := identity.Dialect

		conn, err := db.Conn(t.Context())
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, conn.Close()) })
		explained, err := readRows(t.Context(), conn, d.Explain()+" SELECT * FROM "+schema+".t")
		require.NoError(t, err)
		require.Len(t, explained, 1)
		assert.Contains(t, explained[0], "rows")
		for _, query := range []string{"SELECT id FROM " + schema + ".t " + d.SharedLockClause(), d.ShowBinaryLogs()} {
			_, err := readRows(t.Context(), conn, query)
			assert.NoError(t, err, query)
		}
		_, err = conn.ExecContext(t.Context(), "SET SESSION lock_wait_timeout = 0")
		require.NoError(t, err)
		assert.Equal(t, d.AcceptsZeroLockWaitTimeout(), queryString(t, conn, "SELECT @@lock_wait_timeout") == "0")
	})
}

func TestEndOfTheBinaryLogMovesWithACommit(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		db, identity := open(t, configOf(server))
		read := func() (BinlogCoordinates, BinlogCoordinates) {
			file, err := ReadFileBinlogCoordinates(t.Context(), db, identity.Dialect)
			require.NoError(t, err)
			gtid, err := ReadGTIDBinlogCoordinates(t.Context(), db, identity.Dialect)
			require.NoError(t, err)
			return file, gtid
		}
		file, gtid := read()
		assert.False(t, file.IsEmpty())
		server.Schema(t)
		laterFile, laterGTID := read()
		assert.True(t, file.SmallerThan(laterFile), "%s < %s", file, laterFile)
		assert.True(t, gtid.SmallerThan(laterGTID), "%s < %s", gtid, laterGTID)

		server.Exec(t, "FLUSH BINARY LOGS")
		nextFile, _ := read()
		assert.True(t, laterFile.SmallerThan(nextFile))
	})
}

func TestPrimaryIsFoundFromItsReplica(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		start := configOf(server.Replica)
		found, err := FindPrimary(t.Context(), start, RefuseCycles)
		require.NoError(t, err)
		assert.Equal(t, server.Port, found.Key.Port)

		again, err := FindPrimary(t.Context(), found, RefuseCycles)
		require.NoError(t, err)
		assert.True(t, found.Equals(again), "a primary finds itself")
	})
}

func TestReplicationIsStoppedAndStartedByThread(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		server.Exec(t, "CREATE TABLE "+schema+".t (id INT PRIMARY KEY)")
		db, identity := open(t, configOf(server.Replica))
		replica := NewReplica(db, identity.Dialect)
		status := func() ReplicaStatus {
			statuses, err := replica.Status(t.Context())
			require.NoError(t, err)
			require.Len(t, statuses, 1)
			return statuses[0]
		}
		server.CatchUp(t)
		require.True(t, status().Running())
		assert.Equal(t, server.Port, status().Source.Port)
		lag, err := replica.Lag(t.Context())
		require.NoError(t, err)
		assert.Less(t, lag, 10*time.Second)

		// Stop fetching, apply the rest, as a test on a replica does before its cut-over.
		require.NoError(t, replica.StopIOThread(t.Context()))
		require.NoError(t, replica.AwaitApplied(t.Context(), 5*time.Second))
		require.NoError(t, replica.StopSQLThread(t.Context()))
		stopped := status()
		assert.Equal(t, "No/No", stopped.IORunning+"/"+stopped.SQLRunning)
		assert.True(t, stopped.Fetched.Equals(&stopped.Applied))
		_, err = replica.Lag(t.Context())
		assert.ErrorAs(t, err, new(*ReplicationStoppedError))
		_, err = FindPrimary(t.Context(), configOf(server.Replica), RefuseCycles)
		assert.ErrorAs(t, err, new(*ReplicationStoppedError))
		assert.ErrorAs(t, replica.AwaitRunning(t.Context(), 0), new(*ReplicationStoppedError))

		// What is fetched while nothing is applied is not applied, and will not be.
		server.Exec(t, "INSERT INTO "+schema+".t VALUES (1)")
		require.NoError(t, replica.StartIOThread(t.Context()))
		require.Eventually(t, func() bool {
			now := status()
			return stopped.Fetched.SmallerThan(&now.Fetched)
		}, 10*time.Second, 50*time.Millisecond)
		assert.ErrorAs(t, replica.AwaitApplied(t.Context(), time.Minute), new(*ReplicationStoppedError))

		require.NoError(t, replica.StartSQLThread(t.Context()))
		require.NoError(t, replica.AwaitRunning(t.Context(), 10*time.Second))
		require.NoError(t, replica.AwaitApplied(t.Context(), 10*time.Second))
		require.NoError(t, replica.Restart(t.Context(), 10*time.Second))
		require.NoError(t, replica.Stop(t.Context()))
		require.NoError(t, replica.Start(t.Context()))
		require.NoError(t, replica.AwaitRunning(t.Context(), 10*time.Second))
	})
}

func TestMariaDBReplicaWithANamedConnectionIsNoPrimary(t *testing.T) {
	server := testserver.Start(t, testserver.Options{Flavor: testserver.MariaDB, Replica: true})
	server.CatchUp(t)
	db, identity := open(t, configOf(server.Replica))
	source := fmt.Sprintf("MASTER_HOST='127.0.0.1', MASTER_PORT=%d, MASTER_USER='%s', MASTER_PASSWORD='%s', MASTER_USE_GTID=slave_pos",
		server.Port, server.AdminUser, server.AdminPassword)
	server.Replica.Exec(t, "STOP SLAVE; RESET SLAVE ALL; CHANGE MASTER 'eu' TO "+source+"; START SLAVE 'eu'")

	replica := NewReplica(db, identity.Dialect)
	require.NoError(t, replica.AwaitRunning(t.Context(), ample))
	statuses, err := replica.Status(t.Context())
	require.NoError(t, err)
	require.Len(t, statuses, 1)
	assert.Equal(t, "eu", statuses[0].Channel)
	found, err := FindPrimary(t.Context(), configOf(server.Replica), RefuseCycles)
	require.NoError(t, err)
	assert.Equal(t, server.Port, found.Key.Port)
	require.NoError(t, replica.Restart(t.Context(), ample))
}

func TestPrimaryKnowsItsReplicasAndHasNoSource(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		db, identity := open(t, configOf(server))
		replica := NewReplica(db, identity.Dialect)
		statuses, err := replica.Status(t.Context())
		require.NoError(t, err)
		assert.Empty(t, statuses)
		lag, err := replica.Lag(t.Context())
		require.NoError(t, err)
		assert.Zero(t, lag)

		require.NoError(t, replica.AwaitRunning(t.Context(), 0))
		require.Eventually(t, func() bool {
			attached, err := replica.AttachedReplicas(t.Context())
			return assert.NoError(t, err) && len(attached) == 1 && attached[0].Port == server.Replica.Port
		}, 10*time.Second, 100*time.Millisecond)
	})
}

func TestGrantsOfTheMigratorsAccountAreSufficient(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		_, identity := open(t, configOf(server))
		config := configOf(server)
		config.User, config.Password = server.User, server.Password
		for _, account := range []*ConnectionConfig{configOf(server), config} {
			db, err := account.Open("")
			require.NoError(t, err)
			grants, err := ReadGrants(t.Context(), db, identity.Dialect, "test")
			require.NoError(t, err)
			assert.NoError(t, grants.Check())
			assert.True(t, grants.Process && grants.ConnectionAdmin && grants.ReplicationAdmin, grants.Account)
			require.NoError(t, db.Close())
		}
	})
}

func TestGrantsByRolesCountWhileTheRolesAreActive(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		server.Exec(t, "CREATE ROLE migrator; GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO migrator; GRANT ALL ON `"+schema+"`.* TO migrator;"+
			"CREATE USER roley@'%' IDENTIFIED BY 'x'; GRANT migrator TO roley@'%'")
		execAtEnd(t, server, "DROP USER roley@'%'", "DROP ROLE migrator")
		_, identity := open(t, configOf(server))
		read := func() *Grants {
			config := configOf(server)
			config.User, config.Password = "roley", "x"
			db, err := config.Open("")
			require.NoError(t, err)
			grants, err := ReadGrants(t.Context(), db, identity.Dialect, schema)
			require.NoError(t, err)
			require.NoError(t, db.Close())
			return grants
		}

		inactive := read()
		assert.Len(t, inactive.InactiveRoles, 1)
		assert.ErrorContains(t, inactive.Check(), "make its roles active by default")

		setDefault := "SET DEFAULT ROLE migrator TO roley@'%'"
		if identity.Dialect.IsMariaDB() {
			setDefault = "SET DEFAULT ROLE migrator FOR roley@'%'"
		}
		server.Exec(t, setDefault)
		active := read()
		assert.NoError(t, active.Check())
		assert.Len(t, active.ActiveRoles, 1)
		assert.Empty(t, active.InactiveRoles)
	})
}
