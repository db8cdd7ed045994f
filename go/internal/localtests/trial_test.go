package localtests

import (
	"context"
	gosql "database/sql"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/sql"
)

const (
	// trialTimeout is how long a case may take, on a machine that does other things too.
	trialTimeout = 90 * time.Second

	// loopPause lets other cases have the processor between two passes of dml.sql.
	loopPause = 10 * time.Millisecond
)

// trial is one case on one server.
type trial struct {
	*testCase
	t        *testing.T
	ctx      context.Context //nolint:containedctx // the trial's own life
	server   *testserver.Server
	topology topology
	schema   string
	admin    *gosql.DB // in the schema, with all privileges
}

func newTrial(t *testing.T, server *testserver.Server, topology topology, c *testCase) *trial {
	ctx, cancel := context.WithTimeout(t.Context(), trialTimeout)
	t.Cleanup(cancel)
	schema := newSchema(t, server)
	return &trial{testCase: c, t: t, ctx: ctx, server: server, topology: topology, schema: schema, admin: server.SchemaDB(t, schema)}
}

// newSchema makes a schema whose tables have the same character set on all servers, unless they say otherwise.
func newSchema(t *testing.T, server *testserver.Server) string {
	t.Helper()
	schema := server.Schema(t)
	server.Exec(t, "ALTER SCHEMA "+schema+" CHARACTER SET utf8mb4")
	return schema
}

func (r *trial) original() sql.TableName { return sql.TableName{Schema: r.schema, Name: r.table} }

func (r *trial) run() {
	r.execute(r.admin, "create.sql", r.create)
	before := structureOf(r.t, r.admin, r.original())
	if r.topology != onPrimary {
		r.server.CatchUp(r.t)
	}
	if r.topology == onReplica {
		r.prepareReplica()
		defer r.resumeReplica() // not when the test has ended: its context would be over
	}
	tool := r.startTool()
	endLoop := r.loop()
	copied := tool.waitForLine(r.ctx, "Row copy complete")
	endLoop()
	if copied {
		if r.dml != "" {
			r.execute(r.admin, "dml.sql", r.dml)
		}
		if r.postponed != "" {
			r.execute(r.admin, "postponed.sql", r.postponed)
		}
	}
	twin := r.newTwin()
	tool.mayCutOver()
	err := tool.wait()
	for _, text := range r.expectLog {
		assert.True(r.t, tool.log.contains(text), "the log lacks %q", text)
	}
	if len(r.expectFailure) > 0 {
		r.requireRefused(err, tool, before, twin)
		return
	}
	require.NoError(r.t, err, "the migration failed")
	require.NoError(r.t, twin.alterErr, "the native ALTER failed and the migration did not")
	r.requireSame(twin)
}

// execute runs statements on a session of its own, in the case's sql_mode.
func (r *trial) execute(db *gosql.DB, file, statements string) {
	r.t.Helper()
	session, err := db.Conn(r.ctx)
	require.NoError(r.t, err)
	defer session.Close()
	require.NoError(r.t, r.setMode(session))
	require.NoError(r.t, retried(r.ctx, session, statements), file)
	// What the statements have set must not stay in the pool.
	_ = session.Raw(func(any) error { return errors.New("the session is not to be used again") })
}

func (r *trial) setMode(session *gosql.Conn) error {
	if r.sqlMode == nil {
		return nil
	}
	_, err := session.ExecContext(r.ctx, "SET SESSION sql_mode = ?", *r.sqlMode)
	return err
}

// retried runs statements again where a deadlock or a lock wait ended them, as any client has to.
func retried(ctx context.Context, session *gosql.Conn, statements string) error {
	for {
		_, err := session.ExecContext(ctx, statements)
		var refused *mysql.MySQLError
		if !errors.As(err, &refused) || refused.Number != 1213 && refused.Number != 1205 {
			return err
		}
	}
}

// loop runs dml.sql over and over until the function that it returns is called.
func (r *trial) loop() (end func()) {
	if r.dml == "" {
		return func() {}
	}
	stop, ended := make(chan struct{}), make(chan error, 1)
	session, err := r.admin.Conn(r.ctx)
	require.NoError(r.t, err)
	require.NoError(r.t, r.setMode(session))
	go func() {
		for {
			if err := retried(r.ctx, session, r.dml); err != nil {
				ended <- err
				return
			}
			select {
			case <-stop:
				ended <- nil
				return
			case <-time.After(loopPause):
			}
		}
	}()
	return func() {
		close(stop)
		require.NoError(r.t, <-ended, "dml.sql, which must bear repetition")
		_ = session.Raw(func(any) error { return errors.New("the session is not to be used again") })
		require.NoError(r.t, session.Close())
	}
}

// requireRefused wants the failure that the case expects, and a server on which nothing has changed but what the case did.
func (r *trial) requireRefused(err error, tool *tool, structure string, twin *twin) {
	require.Error(r.t, err, "the migration succeeded and should have been refused")
	for _, text := range r.expectFailure {
		assert.True(r.t, tool.log.contains(text), "the log lacks %q", text)
	}
	assert.Equal(r.t, structure, structureOf(r.t, r.admin, r.original()), "the refused migration has changed the table")
	assert.Equal(r.t, twin.source, rowsOf(r.t, r.admin, r.original(), r.columns), "the refused migration has changed rows")
	for _, table := range tablesOf(r.t, r.admin, r.schema) {
		assert.False(r.t, strings.HasSuffix(table, "_del"), "the table %s was left", table)
	}
	if r.nativeRefuses {
		assert.Error(r.t, twin.alterErr, "the native ALTER accepts what the migration has to refuse")
	}
}

// requireSame compares the result with the twin.
func (r *trial) requireSame(twin *twin) {
	changed := r.topology.changed(r.server)
	result := sql.TableName{Schema: r.schema, Name: r.topology.resultTable(r.table, r.extraArgs)}
	db := changed.SchemaDB(r.t, r.schema)
	structure, expected := structureOf(r.t, db, result), structureOf(r.t, twin.db, twin.name)
	if r.topology == onReplica {
		structure = strings.Replace(structure, withinQuotes(result.Name), withinQuotes(r.table), 1)
		for _, before := range []string{"`", "CONSTRAINT "} { // the name may stand without quotes
			structure = strings.ReplaceAll(structure, before+result.Name+"_chk_", before+r.table+"_chk_") // as the swap would
		}
		structure, expected = sortedLines(structure), sortedLines(expected) // checks stand in the order of their names
	}
	assert.Equal(r.t, expected, structure, "structure: the native result is 'expected'")
	assert.Equal(r.t, rowsOf(r.t, twin.db, twin.name, r.columns), rowsOf(r.t, db, result, r.columns), "rows: the native result is 'expected'")
	for _, table := range tablesOf(r.t, db, r.schema) {
		assert.False(r.t, strings.HasPrefix(table, "_") && strings.HasSuffix(table, "_ghc"), "the table %s was left", table)
	}
}

// withinQuotes is a name as it stands between quotes, whichever these are.
func withinQuotes(name string) string {
	escaped := sql.EscapeName(name)
	return escaped[1 : len(escaped)-1]
}

func sortedLines(structure string) string {
	lines := strings.Split(structure, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, ",")
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// prepareReplica lets changes be made on the replica.
func (r *trial) prepareReplica() {
	if r.server.Flavor == testserver.MariaDB { // transactions of its own must not be taken for its primary's
		r.server.Replica.Exec(r.t, "SET GLOBAL gtid_domain_id = 7")
	}
}

// resumeReplica undoes what a test on the replica leaves there.
func (r *trial) resumeReplica() {
	statement := "START REPLICA"
	if r.server.Flavor == testserver.MariaDB {
		statement = "START SLAVE"
	}
	db := r.server.Replica.DB(r.t)
	for _, table := range tablesOf(r.t, db, r.schema) {
		if strings.HasPrefix(table, "_") {
			if _, err := db.Exec("DROP TABLE " + sql.TableName{Schema: r.schema, Name: table}.String()); err != nil {
				r.t.Errorf("drop the helper table %s of the replica: %v", table, err)
			}
		}
	}
	if _, err := db.Exec(statement); err != nil {
		r.t.Errorf("let the replica go on: %v", err)
	}
}
