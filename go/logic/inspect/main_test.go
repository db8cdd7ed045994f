package inspect

import (
	gosql "database/sql"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

func TestMain(m *testing.M) {
	code := testserver.Main(m, testserver.Options{})
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// place is a schema on a server, seen through a pool like the migration's own: the account has just the rights it asks for.
type place struct {
	t       testing.TB
	server  *testserver.Server
	db      *gosql.DB // of the account
	admin   *gosql.DB // of one with all rights
	dialect mysql.Dialect
	schema  string
}

func onBoth(t *testing.T, test func(t *testing.T, at place)) {
	t.Helper()
	testserver.Both(t, func(t *testing.T, server *testserver.Server) { test(t, at(t, server)) })
}

func at(t testing.TB, server *testserver.Server) place {
	t.Helper()
	config := mysql.NewConnectionConfig()
	config.Key = mysql.InstanceKey{Hostname: server.Host, Port: server.Port}
	config.User, config.Password = server.User, server.Password
	schema := server.Schema(t)
	db, err := config.Open(schema)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	identity, err := mysql.Identify(t.Context(), db)
	require.NoError(t, err)
	return place{t: t, server: server, db: db, admin: server.SchemaDB(t, schema), dialect: identity.Dialect, schema: schema}
}

func (p place) isMariaDB() bool { return p.server.Flavor == testserver.MariaDB }

func (p place) table(name string) sql.TableName { return sql.TableName{Schema: p.schema, Name: name} }

// exec runs statements in the schema, with all rights.
func (p place) exec(format string, args ...any) {
	p.t.Helper()
	_, err := p.admin.ExecContext(p.t.Context(), fmt.Sprintf(format, args...))
	require.NoError(p.t, err, format)
}

func (p place) read(name string) *Table {
	p.t.Helper()
	table, err := ReadTable(p.t.Context(), p.db, p.dialect, p.table(name))
	require.NoError(p.t, err)
	return table
}

// migrate makes a ghost table of the original as a migration does, and compares the two.
func (p place) migrate(original, alter string, allowNullable bool) (*Shared, error) {
	p.t.Helper()
	ghost := "ghost of it"
	name, ghostName := sql.EscapeName(original), sql.EscapeName(ghost)
	p.exec("DROP TABLE IF EXISTS %s", ghostName)
	p.exec("CREATE TABLE %s LIKE %s", ghostName, name)
	p.exec("ALTER TABLE %s %s", ghostName, alter)
	parser := sql.NewParserFromAlterStatement(alter)
	require.NoError(p.t, parser.Err())
	return Compare(p.read(original), p.read(ghost), parser, allowNullable)
}

// quiet is a logger for components of whose talk nothing is expected.
type quiet struct{}

func (quiet) Debugf(string, ...any)         {}
func (quiet) Infof(string, ...any)          {}
func (quiet) Warningf(string, ...any) error { return nil }
func (quiet) Errorf(string, ...any) error   { return nil }
