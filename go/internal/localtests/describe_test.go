package localtests

import (
	"context"
	gosql "database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/sql"
)

type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*gosql.Rows, error)
}

// structureOf is what SHOW CREATE TABLE says.
func structureOf(t testing.TB, db *gosql.DB, table sql.TableName) string {
	t.Helper()
	var name, structure string
	require.NoError(t, db.QueryRowContext(t.Context(), "SHOW CREATE TABLE "+table.String()).Scan(&name, &structure))
	return structure
}

func tablesOf(t testing.TB, db *gosql.DB, schema string) []string {
	t.Helper()
	return sortedColumn(t, db, "SELECT table_name FROM information_schema.tables WHERE table_schema = ?", schema)
}

// writableColumns are the columns, escaped, that the server does not compute.
func writableColumns(t testing.TB, db *gosql.DB, table sql.TableName) []string {
	t.Helper()
	names := sortedColumn(t, db, "SELECT column_name FROM information_schema.columns WHERE table_schema = ? AND table_name = ?"+
		" AND COALESCE(generation_expression, '') = '' ORDER BY ordinal_position", table.Schema, table.Name)
	for i, name := range names {
		names[i] = sql.EscapeName(name)
	}
	return names
}

// distinctText is an expression whose text tells the values of the column apart.
func distinctText(column, dataType string) string {
	column = sql.EscapeName(column)
	switch dataType {
	case "float":
		return "HEX(CAST(CAST(" + column + " AS DOUBLE) AS BINARY))" // as a FLOAT it would show six digits
	case "tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "double", "bit", "year", "date", "time", "datetime", "timestamp":
		return "HEX(CAST(" + column + " AS BINARY))" // HEX of a number would round it
	case "enum", "set":
		return "CONCAT(HEX(" + column + "), ' ', " + column + " + 0)" // the empty label and the invalid value look alike
	case "uuid", "inet4", "inet6":
		return "HEX(CAST(" + column + " AS CHAR))"
	default: // text, bytes, geometry, vector; JSON as text, and the types in it by the expressions of the case
		return "HEX(" + column + ")"
	}
}

// rowsOf returns the rows as text, sorted: the values of all columns, and of the given expressions.
func rowsOf(t testing.TB, db *gosql.DB, table sql.TableName, more []string) []string {
	t.Helper()
	columns, err := db.QueryContext(t.Context(), "SELECT column_name, data_type FROM information_schema.columns"+
		" WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position", table.Schema, table.Name)
	require.NoError(t, err)
	defer columns.Close()
	var expressions []string
	for columns.Next() {
		var name, dataType string
		require.NoError(t, columns.Scan(&name, &dataType))
		expressions = append(expressions, fmt.Sprintf("'%s=', COALESCE(%s, 'NULL')", strings.ReplaceAll(name, "'", "''"), distinctText(name, dataType)))
	}
	require.NoError(t, columns.Err())
	for _, expression := range more {
		expressions = append(expressions, "COALESCE(CAST("+strings.ReplaceAll(expression, "{table}", table.Name)+" AS CHAR), 'NULL')")
	}
	session, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer session.Close()
	_, err = session.ExecContext(t.Context(), "SET SESSION sql_mode = '', time_zone = '+00:00'")
	require.NoError(t, err)
	return sortedColumn(t, session, "SELECT CONCAT("+strings.Join(expressions, ", ' ', ")+") FROM "+table.String())
}

// sortedColumn returns the only column of a query's rows, sorted.
func sortedColumn(t testing.TB, db queryer, query string, args ...any) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query, args...)
	require.NoError(t, err, query)
	defer rows.Close()
	var texts []string
	for rows.Next() {
		var text string
		require.NoError(t, rows.Scan(&text))
		texts = append(texts, text)
	}
	require.NoError(t, rows.Err())
	slices.Sort(texts)
	return texts
}
