package inspect

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/mysql"
)

func TestServerThatLogsWholeRowsIsAccepted(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		assert.NoError(t, CheckBinaryLog(t.Context(), at.db, at.dialect))
		assert.NoError(t, CheckGTID(t.Context(), at.db, at.dialect))
		assert.NoError(t, CheckLogReplicaUpdates(t.Context(), at.db, at.dialect))
	})
}

// setGlobal changes a variable of the shared server for one test.
func (p place) setGlobal(variable, value string) {
	p.t.Helper()
	before, err := mysql.GlobalVariable(p.t.Context(), p.admin, variable)
	require.NoError(p.t, err)
	p.exec("SET GLOBAL %s = '%s'", variable, value)
	p.t.Cleanup(func() {
		// The test's own context and pools have ended.
		config := p.server.AdminConfig("")
		db, err := gosql.Open("mysql", config.FormatDSN())
		require.NoError(p.t, err)
		defer db.Close()
		_, err = db.ExecContext(context.WithoutCancel(p.t.Context()), fmt.Sprintf("SET GLOBAL %s = '%s'", variable, before))
		assert.NoError(p.t, err)
	})
}

func TestServerThatDoesNotLogWholeRowsIsRefusedWithAllItsFaults(t *testing.T) {
	testserver.BothFresh(t, testserver.Options{}, func(t *testing.T, server *testserver.Server) {
		at := at(t, server)
		wrong := map[string]string{"binlog_format": "MIXED", "binlog_row_image": "NOBLOB"}
		if !at.isMariaDB() {
			wrong["binlog_row_value_options"] = "PARTIAL_JSON"
		}
		for variable, value := range wrong {
			server.Exec(t, "SET GLOBAL "+variable+" = '"+value+"'")
		}

		err := CheckBinaryLog(t.Context(), at.db, at.dialect)

		for variable, value := range wrong {
			assert.ErrorContains(t, err, variable+` = "`+value+`"`)
			assert.ErrorContains(t, err, "SET GLOBAL "+variable)
		}
		var fault *VariableError
		require.ErrorAs(t, err, &fault)
		assert.Equal(t, "binlog_format", fault.Variable)
	})
}

func TestServerWithoutWhatAMigrationReadsIsRefused(t *testing.T) {
	testserver.BothFresh(t, testserver.Options{Args: []string{"--skip-log-bin", "--skip-log-slave-updates"}}, func(t *testing.T, server *testserver.Server) {
		at := at(t, server)
		err := CheckBinaryLog(t.Context(), at.db, at.dialect)
		assert.ErrorContains(t, err, `log_bin = "OFF"`)
		assert.ErrorContains(t, err, "restart")

		err = CheckLogReplicaUpdates(t.Context(), at.db, at.dialect)
		assert.ErrorContains(t, err, at.dialect.LogReplicaUpdatesVariable()+` = "OFF"`)
		assert.ErrorContains(t, err, "--allow-on-master")
	})
}

func TestMissingGTIDsAreRefused(t *testing.T) {
	server := testserver.Start(t, testserver.Options{Args: []string{"--gtid-mode=OFF", "--enforce-gtid-consistency=OFF"}})
	at := at(t, server)
	for _, step := range []struct{ refused, then string }{
		{`gtid_mode = "OFF"`, "SET GLOBAL enforce_gtid_consistency = ON; SET GLOBAL gtid_mode = OFF_PERMISSIVE; SET GLOBAL gtid_mode = ON_PERMISSIVE"},
		{`gtid_mode = "ON_PERMISSIVE"`, "SET GLOBAL gtid_mode = ON"},
		{"", ""},
	} {
		err := CheckGTID(t.Context(), at.db, at.dialect)
		if step.refused == "" {
			assert.NoError(t, err)
			break
		}
		assert.ErrorContains(t, err, step.refused)
		server.Exec(t, step.then)
	}
}

func TestChecksSayWhatTheyWereDoingWhenTheServerIsGone(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		closed, err := mysql.OpenDB("nobody@tcp(127.0.0.1:1)/")
		require.NoError(t, err)
		require.NoError(t, closed.Close())
		key := at.table("t")
		for doing, check := range map[string]func(*gosql.DB) error{
			"binary log": func(db *gosql.DB) error { return CheckBinaryLog(t.Context(), db, at.dialect) },
			"replica":    func(db *gosql.DB) error { return CheckLogReplicaUpdates(t.Context(), db, at.dialect) },
			"foreign":    func(db *gosql.DB) error { return CheckForeignKeys(t.Context(), db, key, false) },
			"triggers":   func(db *gosql.DB) error { return CheckTriggers(t.Context(), db, key) },
			"EXPLAIN":    func(db *gosql.DB) error { return errors.Join(second(EstimateRows(t.Context(), db, at.dialect, key))) },
			"definition": func(db *gosql.DB) error { return errors.Join(second(ReadTable(t.Context(), db, at.dialect, key))) },
		} {
			assert.ErrorContains(t, check(closed), doing)
		}
	})
}

func second[T any](_ T, err error) error { return err }
