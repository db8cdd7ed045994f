package logic

import (
	"context"
	gosql "database/sql"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"testing"
	"time"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"
	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/logic/inspect"
	servers "github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// sampleOfKeyPairs is the share of all pairs that every `go test` tries; `make pairs` tries all of them.
const sampleOfKeyPairs = 400

// keyType is a type of a key's column, with values on some edge.
type keyType struct {
	definition string
	values     []string
	only       testserver.Flavor
}

func keyTypes() []keyType {
	types := []keyType{
		{"tinyint", []string{"-128", "127", "0", "5"}, ""},
		{"tinyint unsigned", []string{"255", "0"}, ""},
		{"int", []string{"-5", "70101", "0"}, ""},
		{"int(8) unsigned zerofill", []string{"42"}, ""},
		{"bigint", []string{"-9223372036854775808", "7"}, ""},
		{"bigint unsigned", []string{"18446744073709551615", "9223372036854775808", "3"}, ""},
		{"decimal(10,2)", []string{"-1.50", "0.00", "12345.10"}, ""},
		{"decimal(20,6)", []string{"1.5", "-0.000001"}, ""},
		{"decimal(65,30)", []string{"1e-30"}, ""},
		{"float", []string{"0.1", "-0e0", "1.5"}, ""},
		{"double", []string{"0.1", "1.1", "1e300", "2"}, ""},
		{"double(10,2)", []string{"1.5"}, ""},
		{"bit(8)", []string{"b'1000001'", "b'0'"}, ""},
		{"bit(64)", []string{"~0", "b'110001'"}, ""},
		{"bit(20)", []string{"b'1'"}, ""},
		{"year", []string{"2024", "0"}, ""},
		{"date", []string{"'2023-01-02'", "'0000-00-00'"}, ""},
		{"time", []string{"'-838:59:59'", "'25:00:00'"}, ""},
		{"time(6)", []string{"'10:11:12.999999'", "'-00:00:00.5'"}, ""},
		{"datetime", []string{"'2023-01-02 03:04:05'", "'0000-00-00 00:00:00'"}, ""},
		{"datetime(6)", []string{"'2023-12-31 23:59:59.999999'"}, ""},
		{"timestamp", []string{"'2023-01-02 03:04:05'"}, ""},
		{"timestamp(3)", []string{"'2023-01-02 03:04:05.678'"}, ""},
		{"binary(4)", []string{`'a\0\0'`, "'ab'", "'a   '", "''"}, ""},
		{"binary(8)", []string{`'a\0\0'`, "'b'"}, ""},
		{"varbinary(20)", []string{"''", "x'00'", "x'0000'", "'a '", "x'ff'"}, ""},
		{"varbinary(300)", []string{"'x'", "repeat('q',300)"}, ""},
		{"enum('a','1','','ü')", []string{"'1'", "'a'", "''", "'ü'"}, ""},
		{"enum('x','a','1','','ü','b')", []string{"'1'", "'b'"}, ""},
		{"set('a','b','1')", []string{"'a,b'", "''", "'1'"}, ""},
		{"set('1','b','a','c')", []string{"'a,b'", "'c,1'"}, ""},
		{"varchar(6) character set utf8mb4 collate utf8mb4_0900_ai_ci", []string{"'a'", "'ab  '", "'é'", "'ß'", "''"}, testserver.MySQL},
		{"varchar(6) character set utf8mb4 collate utf8mb4_0900_as_cs", []string{"'a'", "'A'", "'ab  '", "'é'"}, testserver.MySQL},
		{"inet6", []string{"'::1'", "'::'"}, testserver.MariaDB},
		{"inet4", []string{"'1.2.3.0'"}, testserver.MariaDB},
		{"uuid", []string{"'123e4567-e89b-12d3-a456-426614174000'"}, testserver.MariaDB},
		{"varchar(6) character set utf8mb4 collate utf8mb4_nopad_bin", []string{"'a'", "'ab  '", "'é'"}, testserver.MariaDB},
	}
	for _, charset := range []string{"latin1", "latin1 COLLATE latin1_bin", "utf8mb4", "utf8mb4 COLLATE utf8mb4_bin", "utf8mb4 COLLATE utf8mb4_unicode_520_ci",
		"utf8mb3", "ucs2", "utf16", "utf32", "gbk", "big5", "sjis", "cp932", "euckr", "ujis", "cp1251", "ascii"} {
		for _, length := range []string{"char(6)", "varchar(6)", "varchar(20)"} {
			types = append(types, keyType{length + " CHARACTER SET " + charset,
				[]string{"'a'", "'A'", "'ab  '", "''", "'é€'", "'日本'", "'ss'", "'ß'", `'a\tb'`, `'~\\'`}, ""})
		}
	}
	return types
}

// A row that was copied is found again by its key, whatever the ALTER makes of it: it is not missing, it is replaced and not
// doubled, and it is deleted. Or the ALTER is refused.
func TestEachPairOfKeyTypesFindsItsRowsAgain(t *testing.T) {
	sample := sampleOfKeyPairs
	if os.Getenv("PAIRS") == "all" {
		sample = 1
	}
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		types := slices.DeleteFunc(keyTypes(), func(k keyType) bool { return k.only != "" && k.only != server.Flavor })
		p := newKeyPairs(t, server)
		number, refused := 0, 0
		for _, from := range types {
			for _, to := range types {
				if number++; number%sample != 0 {
					continue
				}
				if !p.try(from, to.definition) {
					refused++
				}
			}
		}
		t.Logf("%d values were found again; %d changes were refused", p.found, refused)
	})
}

// keyPairs tries changes of a key's type on one server.
type keyPairs struct {
	t         *testing.T
	server    *testserver.Server
	db        *gosql.DB
	schema    string
	dialect   servers.Dialect
	mode      string
	zones     sql.TimeZones
	loose     *gosql.Conn // that writes any value
	migrating *gosql.Conn // as copy and apply have it

	found int
}

func newKeyPairs(t *testing.T, server *testserver.Server) *keyPairs {
	db := server.DB(t)
	identity, err := servers.Identify(t.Context(), db)
	require.NoError(t, err)
	p := &keyPairs{t: t, server: server, db: db, schema: server.Schema(t), dialect: identity.Dialect,
		zones: sql.TimeZones{Server: "+00:00", OffsetLiterals: server.Flavor == testserver.MySQL}}
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT CONCAT(@@GLOBAL.sql_mode, ',STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO')").Scan(&p.mode))
	p.loose, p.migrating = p.session("NO_AUTO_VALUE_ON_ZERO"), p.session(p.mode)
	return p
}

func (p *keyPairs) session(mode string) *gosql.Conn {
	config := p.server.AdminConfig(p.schema)
	config.InterpolateParams, config.MaxAllowedPacket = true, 0
	connector, err := mysql.NewConnector(config)
	require.NoError(p.t, err)
	db := gosql.OpenDB(connector)
	p.t.Cleanup(func() { assert.NoError(p.t, db.Close()) })
	conn, err := db.Conn(p.t.Context())
	require.NoError(p.t, err)
	p.t.Cleanup(func() { assert.NoError(p.t, conn.Close()) })
	for _, statement := range []string{"SET NAMES utf8mb4", "SET character_set_results = NULL", "SET time_zone = '+00:00'", "SET sql_mode = '" + mode + "'"} {
		p.exec(conn, statement)
	}
	return conn
}

func (p *keyPairs) exec(conn *gosql.Conn, query string, args ...any) {
	p.t.Helper()
	_, err := conn.ExecContext(p.t.Context(), query, args...)
	require.NoError(p.t, err, query)
}

func (p *keyPairs) table(name string) sql.TableName {
	return sql.TableName{Schema: p.schema, Name: name}
}

func (p *keyPairs) read(name string) *inspect.Table {
	table, err := inspect.ReadTable(p.t.Context(), p.db, p.dialect, p.table(name))
	require.NoError(p.t, err)
	return table
}

// try migrates one row for each value, and looks for it. It returns false if the change is refused, or does not exist.
func (p *keyPairs) try(from keyType, to string) bool {
	p.exec(p.loose, "DROP TABLE IF EXISTS original, ghost")
	p.exec(p.loose, fmt.Sprintf("CREATE TABLE original (k %s NOT NULL PRIMARY KEY, w int)", from.definition))
	p.exec(p.loose, "CREATE TABLE ghost LIKE original")
	alter := "MODIFY k " + to + " NOT NULL"
	if from.definition != to {
		if _, err := p.loose.ExecContext(p.t.Context(), "ALTER TABLE ghost "+alter); err != nil {
			return false
		}
	}
	shared, err := inspect.Compare(p.read("original"), p.read("ghost"), sql.NewParserFromAlterStatement(alter), false)
	if err != nil || checkKeyConversion(shared, p.mode) != nil {
		return false
	}
	copying, err := sql.NewCopyStatements(p.table("original"), p.table("ghost"), shared.Columns, shared.Key, "LOCK IN SHARE MODE", p.zones)
	require.NoError(p.t, err)
	applying, err := sql.NewApplyStatements(p.table("ghost"), shared.Columns, shared.Key, p.zones)
	require.NoError(p.t, err)
	for _, value := range from.values {
		p.exec(p.loose, "TRUNCATE TABLE original")
		p.exec(p.loose, "TRUNCATE TABLE ghost")
		row, inserted := p.insert(value)
		if !inserted {
			continue
		}
		what := fmt.Sprintf("%s to %s: %s", from.definition, to, value)
		var bound []byte
		require.NoError(p.t, p.migrating.QueryRowContext(p.t.Context(), copying.MinBound()).Scan(&bound), what)
		key := sql.Bound{bound}
		query, args, err := copying.InsertChunk(key, true, key)
		require.NoError(p.t, err, what)
		if _, err := p.migrating.ExecContext(p.t.Context(), query, args...); err != nil {
			continue // as a value that does not fit
		}
		if !assert.Equal(p.t, 1, p.rows(), "%s is not copied", what) {
			continue
		}
		query, args, err = copying.Missing(key, true, key, 1)
		require.NoError(p.t, err, what)
		assert.ErrorIs(p.t, p.migrating.QueryRowContext(p.t.Context(), query, args...).Scan(&bound), gosql.ErrNoRows, "%s is held for missing\n%s", what, query)

		p.apply(what)(applying.Replace([][]any{row}))
		assert.Equal(p.t, 1, p.rows(), "%s is doubled", what)
		p.apply(what)(applying.Delete([][]any{applying.KeyValues(row)}))
		assert.Zero(p.t, p.rows(), "%s is not deleted", what)
		p.apply(what)(applying.Insert([][]any{row}))
		p.apply(what)(applying.DeleteExactly([][]any{applying.KeyValues(row)}))
		assert.Zero(p.t, p.rows(), "%s is not deleted exactly", what)
		p.found++
	}
	return true
}

func (p *keyPairs) apply(what string) func(query string, args []any, err error) {
	return func(query string, args []any, err error) {
		if assert.NoError(p.t, err, what) {
			_, err = p.migrating.ExecContext(p.t.Context(), query, args...)
			assert.NoError(p.t, err, "%s\n%s", what, query)
		}
	}
}

func (p *keyPairs) rows() (count int) {
	require.NoError(p.t, p.loose.QueryRowContext(p.t.Context(), "SELECT COUNT(*) FROM ghost").Scan(&count))
	return count
}

// insert puts a value into the original, if it takes it, and returns the row as the binary log has it.
func (p *keyPairs) insert(value string) (row []any, inserted bool) {
	start := p.binlogEnd()
	if _, err := p.loose.ExecContext(p.t.Context(), "INSERT INTO original VALUES ("+value+", 1)"); err != nil {
		return nil, false
	}
	syncer := replication.NewBinlogSyncer(replication.BinlogSyncerConfig{
		ServerID: uint32(nextServerID()), Flavor: string(p.server.Flavor), Host: p.server.Host, Port: uint16(p.server.Port),
		User: p.server.AdminUser, Password: p.server.AdminPassword, TimestampStringLocation: time.UTC, Logger: slog.New(slog.DiscardHandler),
	})
	defer syncer.Close()
	streamer, err := syncer.StartSync(start)
	require.NoError(p.t, err)
	ctx, cancel := context.WithTimeout(p.t.Context(), 30*time.Second)
	defer cancel()
	for {
		event, err := streamer.GetEvent(ctx)
		require.NoError(p.t, err)
		if rows, ok := event.Event.(*replication.RowsEvent); ok && string(rows.Table.Schema) == p.schema {
			return rows.Rows[0], true
		}
	}
}

func (p *keyPairs) binlogEnd() (end gomysql.Position) {
	rows, err := p.db.QueryContext(p.t.Context(), p.dialect.ShowBinaryLogStatus())
	require.NoError(p.t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(p.t, err)
	require.True(p.t, rows.Next())
	values := make([]any, len(columns))
	for i := range values {
		values[i] = new(any)
	}
	values[0], values[1] = &end.Name, &end.Pos
	require.NoError(p.t, rows.Scan(values...))
	return end
}
