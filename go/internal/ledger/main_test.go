package ledger_test

import (
	"database/sql"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/github/gh-ost/go/internal/ledger"
	"github.com/github/gh-ost/go/internal/testserver"
)

func TestMain(m *testing.M) {
	code := testserver.Main(m, testserver.Options{})
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// bench is a test's own schema on a server.
type bench struct {
	db     *sql.DB
	config *mysql.Config // of db
	schema string
	tables atomic.Int64
}

// onBoth runs a test on MySQL and on MariaDB.
func onBoth(t *testing.T, test func(t *testing.T, b *bench)) {
	t.Helper()
	testserver.Both(t, func(t *testing.T, server *testserver.Server) { test(t, newBench(t, server)) })
}

func newBench(t *testing.T, server *testserver.Server) *bench {
	t.Helper()
	schema := server.Schema(t)
	config := server.AdminConfig(schema)
	config.InterpolateParams = true
	connector, err := mysql.NewConnector(config)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return &bench{db: db, config: config, schema: schema}
}

// newTable returns a name that is not in use.
func (b *bench) newTable() string { return fmt.Sprintf("t%d", b.tables.Add(1)) }

func (b *bench) create(t *testing.T, options ledger.Options) (l *ledger.Ledger, table string) {
	t.Helper()
	table = b.newTable()
	l = ledger.New(b.db, table, options)
	require.NoError(t, l.Create(t.Context()))
	return l, table
}

func (b *bench) exec(t *testing.T, statement string) {
	t.Helper()
	_, err := b.db.ExecContext(t.Context(), statement)
	require.NoError(t, err, statement)
}

func (b *bench) count(t *testing.T, table string) (rows int) {
	t.Helper()
	require.NoError(t, b.db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table).Scan(&rows))
	return rows
}

// lock takes a table lock that holds writers, until the returned function is called.
func (b *bench) lock(t *testing.T, table string) (unlock func()) {
	t.Helper()
	conn, err := b.db.Conn(t.Context())
	require.NoError(t, err)
	_, err = conn.ExecContext(t.Context(), "LOCK TABLES "+table+" READ")
	require.NoError(t, err)
	return func() {
		t.Helper()
		_, err := conn.ExecContext(t.Context(), "UNLOCK TABLES")
		require.NoError(t, err)
		require.NoError(t, conn.Close())
	}
}
