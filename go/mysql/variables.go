package mysql

import (
	"context"
	gosql "database/sql"
	"fmt"
	"strings"
)

// Querier runs a query: a pool, a connection or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*gosql.Rows, error)
}

// Execer runs a statement: a pool, a connection or a transaction.
type Execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (gosql.Result, error)
}

// GlobalVariables returns the server's global system variables of these names, as text. A name that the server does not
// know is missing in the result.
func GlobalVariables(ctx context.Context, q Querier, names ...string) (map[string]string, error) {
	values, err := showNamed(ctx, q, "SHOW /* gh-ost */ GLOBAL VARIABLES", names)
	if err != nil {
		return nil, fmt.Errorf("reading global variables: %w", err)
	}
	return values, nil
}

// GlobalVariable returns one global system variable, as text. The error for a name that the server does not know wraps
// sql.ErrNoRows.
func GlobalVariable(ctx context.Context, q Querier, name string) (string, error) {
	values, err := GlobalVariables(ctx, q, name)
	if err != nil {
		return "", err
	}
	value, ok := values[name]
	if !ok {
		return "", fmt.Errorf("the server has no variable %s: %w", name, gosql.ErrNoRows)
	}
	return value, nil
}

// IsOn tells whether the text of a boolean variable means yes: the server writes ON or 1.
func IsOn(value string) bool {
	return value == "1" || strings.EqualFold(value, "ON")
}

// showNamed reads name and value pairs; the result is keyed by the names as they were asked for.
func showNamed(ctx context.Context, q Querier, show string, names []string) (map[string]string, error) {
	values := make(map[string]string, len(names))
	if len(names) == 0 {
		return values, nil
	}
	asked := make(map[string]string, len(names))
	args := make([]any, 0, len(names))
	for _, name := range names {
		asked[strings.ToLower(name)] = name
		args = append(args, name)
	}
	query := show + " WHERE Variable_name IN (?" + strings.Repeat(", ?", len(names)-1) + ")"
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var value gosql.NullString
		if err := rows.Scan(&name, &value); err != nil {
			return nil, err
		}
		values[asked[strings.ToLower(name)]] = value.String
	}
	return values, rows.Err()
}

// readRows returns all rows of a result whose columns are known by name only; a NULL is an invalid NullString.
func readRows(ctx context.Context, q Querier, query string, args ...any) ([]map[string]gosql.NullString, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var result []map[string]gosql.NullString
	for rows.Next() {
		values := make([]gosql.NullString, len(columns))
		targets := make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		row := make(map[string]gosql.NullString, len(columns))
		for i, column := range columns {
			row[column] = values[i]
		}
		result = append(result, row)
	}
	return result, rows.Err()
}
