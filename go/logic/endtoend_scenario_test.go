package logic

import (
	gosql "database/sql"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/sql"
)

// scenario is a migration of a small table with clients that change it at chosen moments. The statements are about the
// table `t`, whose name may be another one.
type scenario struct {
	only    testserver.Flavor // empty: both
	table   string            // empty: t
	create  []string          // makes the table; %t is its escaped name
	alter   string
	native  string   // the ALTER for the copy, if its names differ there; empty: the same
	before  []string // after the stream has begun to follow the table, before the first row is copied
	after   []string // when all is copied, and the cut-over is postponed
	options []func(*base.MigrationContext)
	allows  string // sql_mode of the client and of the native ALTER; empty: the server's

	differs bool // its definition may differ from that of the native ALTER
}

// run migrates the table and compares it with the same ALTER run natively, in strict mode, on a copy of the final rows.
func (s scenario) run(t *testing.T, server *testserver.Server) {
	if s.only != "" && s.only != server.Flavor {
		t.Skipf("for %s", s.only)
	}
	r := s.begin(t, server)
	r.copyRows()
	r.exec(s.after...)
	oracle := r.oracle()
	require.NoError(t, r.end())

	assert.Equal(t, oracle.rows, readRows(t, r.db, r.table), "the rows are those of a native ALTER")
	if !s.differs {
		assert.Equal(t, oracle.definition, definition(t, r.db, r.table))
	}
	assert.NotContains(t, tablesOf(t, r.db, r.schema), r.names.ghost.Name)
}

// running is a scenario under way.
type running struct {
	*migration
	t        *testing.T
	db       *gosql.DB // of one connection
	schema   string
	table    string
	native   string
	postpone string
	result   <-chan error
}

// begin starts the migration and stops it where the stream follows the table and nothing is copied; then it runs the
// statements that are to come before the copy.
func (s scenario) begin(t *testing.T, server *testserver.Server) *running {
	table := s.table
	if table == "" {
		table = "t"
	}
	r := &running{t: t, schema: server.Schema(t), table: table, native: s.native, postpone: filepath.Join(t.TempDir(), "postpone")}
	if s.native == "" {
		r.native = s.alter
	}
	r.db = server.SchemaDB(t, r.schema)
	r.db.SetMaxOpenConns(1)
	if s.allows != "" {
		r.exec("SET sql_mode = '" + strings.TrimPrefix(s.allows, "-") + "'")
	}
	r.exec(s.create...)
	r.migration = newMigration(t, server, r.schema, table, s.alter, append([]func(*base.MigrationContext){func(c *base.MigrationContext) {
		c.SetPostponeCutOverFlagFile(r.postpone)
		c.SetThrottleCommandedByUser(true)
		c.SetChunkSize(10)
	}}, s.options...)...)
	require.NoError(t, os.WriteFile(r.postpone, nil, 0o600))
	r.patience = 200 * time.Millisecond
	r.result = r.start()
	t.Cleanup(func() { // a failed test must not leave it running
		r.context.CancelContext()
		select {
		case <-r.result:
		case <-time.After(20 * time.Second):
			t.Error("the migration does not end with its context")
		}
	})
	r.await("Migration max values")
	r.exec(s.before...)
	return r
}

// copyRows lets the copy go on and waits for its end.
func (r *running) copyRows() {
	r.t.Helper()
	r.context.SetThrottleCommandedByUser(false)
	r.throttler.SettingsChanged()
	r.await("cut-over waits: the flag file")
}

// await waits for a line of the log.
func (r *running) await(text string) {
	r.t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !r.log.contains(text) {
		select {
		case err := <-r.result:
			r.keep(err)
			r.t.Fatalf("the migration ended before %q: %v", text, err)
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("not in the log within 30 s: %q", text)
		}
	}
}

// end lets the cut-over happen and returns the migration's result.
func (r *running) end() error {
	r.t.Helper()
	require.NoError(r.t, os.Remove(r.postpone))
	return r.ended()
}

// ended waits for the migration's result.
func (r *running) ended() error {
	r.t.Helper()
	err := requireEnd(r.t, r.result, 30*time.Second)
	r.keep(err)
	return err
}

// keep puts a result that was taken back, for whoever asks next.
func (r *running) keep(err error) {
	done := make(chan error, 1)
	done <- err
	r.result = done
}

// exec runs statements as a client does.
func (r *running) exec(statements ...string) {
	r.t.Helper()
	for _, statement := range statements {
		statement = strings.ReplaceAll(statement, "%t", sql.EscapeName(r.table))
		_, err := r.db.Exec(statement)
		require.NoError(r.t, err, "%s", statement)
	}
}

type oracle struct {
	rows       []string
	definition string
}

// oracle alters a copy of the table natively.
func (r *running) oracle() oracle {
	r.t.Helper()
	var columns []string
	rows, err := r.db.Query("SELECT column_name, extra FROM information_schema.columns WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position", r.schema, r.table)
	require.NoError(r.t, err)
	for rows.Next() {
		var name, extra string
		require.NoError(r.t, rows.Scan(&name, &extra))
		if !strings.Contains(strings.ReplaceAll(extra, "DEFAULT_GENERATED", ""), "GENERATED") {
			columns = append(columns, sql.EscapeName(name))
		}
	}
	require.NoError(r.t, rows.Close())
	list := strings.Join(columns, ", ")
	var mode string
	require.NoError(r.t, r.db.QueryRow("SELECT @@sql_mode").Scan(&mode))
	r.exec(
		"CREATE TABLE oracle LIKE %t",
		"SET sql_mode = CONCAT(@@sql_mode, ',NO_AUTO_VALUE_ON_ZERO')",
		fmt.Sprintf("INSERT INTO oracle (%s) SELECT %s FROM %%t", list, list),
		"SET sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
		"ALTER TABLE oracle "+r.native,
		"SET sql_mode = '"+mode+"'",
	)
	return oracle{readRows(r.t, r.db, "oracle"), definition(r.t, r.db, "oracle")}
}

// readRows returns all rows, each as the hex of its columns' own bytes, sorted.
func readRows(t *testing.T, db *gosql.DB, table string) []string {
	t.Helper()
	_, err := db.Exec("SET character_set_results = NULL")
	require.NoError(t, err)
	rows, err := db.Query("SELECT * FROM " + sql.EscapeName(table))
	require.NoError(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(t, err)
	values, targets := make([]gosql.RawBytes, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	texts := []string{}
	for rows.Next() {
		require.NoError(t, rows.Scan(targets...))
		texts = append(texts, "")
		for i, value := range values {
			text := "NULL"
			if value != nil {
				text = hex.EncodeToString(value)
			}
			texts[len(texts)-1] += columns[i] + "=" + text + " "
		}
	}
	require.NoError(t, rows.Err())
	slices.Sort(texts)
	return texts
}

var tableOptions = regexp.MustCompile(` AUTO_INCREMENT=\d+`)

// definition is what SHOW CREATE TABLE says behind the table's name.
func definition(t *testing.T, db *gosql.DB, table string) string {
	t.Helper()
	var name, text string
	require.NoError(t, db.QueryRow("SHOW CREATE TABLE "+sql.EscapeName(table)).Scan(&name, &text))
	return tableOptions.ReplaceAllString(strings.TrimPrefix(text, "CREATE TABLE "+sql.EscapeName(table)), "")
}

// scenarios runs each on both servers, several at a time: most of their time is waiting.
func scenarios(t *testing.T, all map[string]scenario) {
	t.Helper()
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for name, s := range all {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s.run(t, server)
			})
		}
	})
}
