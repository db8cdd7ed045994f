package sql

import (
	gosql "database/sql"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

// documents are MySQL JSON documents that text alone does not recreate, or that lie at the binary format's edges.
var documents = []string{
	"NULL",
	"'null'", "'true'", "'false'", "'\"\"'", "'[]'", "'{}'", "'0'", "'-1'",
	"'[1.0, 1e2, -0.0, 0.1, 1e300, 5e-324, 1.7976931348623157e308, 123456789.123456789, 100000000000000000000, 1e15, 1e16, 1e17, 2.5e-7]'",
	"'[32767, 32768, -32768, -32769, 65535, 65536, 2147483647, 2147483648, -2147483648, -2147483649, 9223372036854775807, 9223372036854775808, 18446744073709551615]'",
	"JSON_ARRAY(CAST(1 AS UNSIGNED), CAST(65536 AS UNSIGNED), CAST(4294967296 AS UNSIGNED), CAST(18446744073709551615 AS UNSIGNED))",
	"JSON_ARRAY(CAST(1.50 AS DECIMAL(10,2)), 123456789012345678901234567890.123456789, -0.001, CAST(0 AS DECIMAL(65,30)), CAST(-7 AS DECIMAL(9,0)), 1.10)",
	"JSON_OBJECT('d', DATE'2020-02-29', 't', TIME'-838:59:58.999999', 'dt', TIMESTAMP'2020-01-02 03:04:05.000006', 't0', TIME'00:00:00', 't1', TIME'12:30:00.5')",
	"JSON_OBJECT('a', JSON_ARRAY(1, 1.5, 'x', NULL, TRUE, JSON_OBJECT('deep', 0.10)), 'b ?', 'it''s \"q\" \\\\ \\n \\t 😀', '', JSON_OBJECT())",
	"CONCAT('\"', REPEAT('ab', 70000), '\"')",
	"CONCAT('[', REPEAT('70000,', 20000), '1.0]')",
	"JSON_OBJECT('big', REPEAT('x', 70000), 'dec', 1.20, 'n', 70000, 'neg', -70000)",
	"CAST(_utf8mb4 0x225C75303030305C75303031662F22 AS JSON)",
	"JSON_ARRAY(CAST(0x00FF27 AS BINARY), 'text', 0x61)",
	"JSON_ARRAY(ST_GeomFromText('POINT(1 2.5)'))",
	"(SELECT JSON_ARRAY(b, v, y) FROM opaques)",
	"(SELECT JSON_ARRAY(bl, ts, e, i) FROM opaques)",
	"(SELECT JSON_ARRAY(tb, mb, lb, bi) FROM opaques)",
	"(SELECT JSON_OBJECT('d', ts, 't', d0, 'dt', CAST(b AS JSON)) FROM opaques)",
}

// shownJSON lists the type and text of each element down to the third level.
const shownJSON = `CONCAT_WS('|', JSON_TYPE(v), v, JSON_EXTRACT(v, '$[0]', '$[1]', '$[2]', '$.a', '$.d'),
	(SELECT GROUP_CONCAT(n, ':', JSON_TYPE(JSON_EXTRACT(v, CONCAT('$[', n, ']'))) ORDER BY n) FROM numbers),
	JSON_TYPE(JSON_EXTRACT(v, '$.d')), JSON_TYPE(JSON_EXTRACT(v, '$.t')), JSON_TYPE(JSON_EXTRACT(v, '$.dt')), JSON_TYPE(JSON_EXTRACT(v, '$.dec')), JSON_TYPE(JSON_EXTRACT(v, '$.n')),
	JSON_TYPE(JSON_EXTRACT(v, '$.a[5].deep')), JSON_TYPE(JSON_EXTRACT(v, '$.a[1]')))`

func TestJSONDocumentsArriveWithTheTypesOfTheirElements(t *testing.T) {
	server := testserver.Shared(t, testserver.MySQL)
	schema := server.Schema(t)
	loose := session(t, server, schema, "+00:00", "")
	mustExec(t, loose, "CREATE TABLE opaques (b bit(9), v varbinary(10), y year, bl blob, ts timestamp(3), e enum('a','b'), i int unsigned, tb tinyblob, mb mediumblob, lb longblob, bi binary(3), d0 date)")
	mustExec(t, loose, "INSERT INTO opaques VALUES (257, 0x00ff, 1999, 0x6162, '2020-01-02 03:04:05.678', 'b', 7, 0x01, 0x27, 0x5c3f, 0x61, '0000-00-00')")
	mustExec(t, loose, "CREATE TABLE numbers (n int)")
	mustExec(t, loose, "INSERT INTO numbers VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9),(10),(11),(12)")
	mustExec(t, loose, "CREATE TABLE o (id int PRIMARY KEY, v json)")
	mustExec(t, loose, "CREATE TABLE applied LIKE o")
	mustExec(t, loose, "CREATE TABLE texts (id int PRIMARY KEY, v longtext)")
	mustExec(t, loose, "CREATE TABLE native LIKE o")

	start := binlogEnd(t, server, server.DB(t))
	for id, document := range documents {
		mustExec(t, loose, fmt.Sprintf("INSERT INTO o VALUES (%d, %s)", id, document))
	}
	rows := insertedRows(t, server, schema, start, binlogEnd(t, server, server.DB(t)))["o"]
	mustExec(t, loose, "INSERT INTO native SELECT * FROM o")
	mustExec(t, loose, "ALTER TABLE native MODIFY v longtext")

	applying := session(t, server, schema, "+00:00", strictMode)
	columns := describe(t, applying, schema, "o")
	statements, err := NewApplyStatements(TableName{schema, "applied"}, pairColumns(columns, columns), primaryKey(columns[0]), TimeZones{Server: "+00:00"})
	require.NoError(t, err)
	toText, err := NewApplyStatements(TableName{schema, "texts"}, pairColumns(columns, describe(t, applying, schema, "texts")), primaryKey(columns[0]), TimeZones{Server: "+00:00"})
	require.NoError(t, err)
	for i, row := range rows {
		query, args, err := statements.Replace([][]any{row})
		require.NoError(t, err)
		_, err = applying.ExecContext(t.Context(), query, args...)
		require.NoError(t, err, "%.500s %.500q\n%s", query, args, documents[i])
		query, args, err = toText.Replace([][]any{row})
		require.NoError(t, err)
		mustExec(t, applying, query, args...)
	}
	for id, document := range documents {
		expected, actual := shownValue(t, applying, "o", shownJSON, id), shownValue(t, applying, "applied", shownJSON, id)
		assert.Equal(t, fmt.Sprintf("%.3000s", expected), fmt.Sprintf("%.3000s", actual), document)
		assert.Equal(t, expected, actual, document)
		assert.Equal(t, shownValue(t, applying, "native", "v", id), shownValue(t, applying, "texts", "v", id))
	}
}

func shownValue(t *testing.T, conn *gosql.Conn, table, expression string, id int) string {
	t.Helper()
	var shown gosql.NullString
	require.NoError(t, conn.QueryRowContext(t.Context(), fmt.Sprintf("SELECT %s FROM %s WHERE id = %d", expression, table, id)).Scan(&shown))
	return shown.String
}
