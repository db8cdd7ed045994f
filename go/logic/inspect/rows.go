package inspect

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// EstimateRows returns the optimizer's guess of how many rows a table has. It reads no rows and may be far off.
func EstimateRows(ctx context.Context, db *gosql.DB, dialect mysql.Dialect, name sql.TableName) (int64, error) {
	estimate, err := estimateRows(ctx, db, dialect.Explain()+" SELECT * FROM "+name.String())
	if err != nil {
		return 0, fmt.Errorf("estimating the number of rows of %s with EXPLAIN: %w", name, err)
	}
	return estimate, nil
}

func estimateRows(ctx context.Context, db *gosql.DB, query string) (int64, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return 0, err
	}
	var estimate gosql.NullInt64 // NULL where the optimizer knows that there is no row
	found := false
	targets := make([]any, len(columns))
	for i, column := range columns {
		targets[i] = new(gosql.RawBytes)
		if strings.EqualFold(column, "rows") {
			targets[i], found = &estimate, true
		}
	}
	if !found {
		return 0, fmt.Errorf("the answer has no column \"rows\" but %s", strings.Join(columns, ", "))
	}
	if !rows.Next() {
		return 0, errors.Join(errors.New("the answer is empty"), rows.Err())
	}
	if err := rows.Scan(targets...); err != nil {
		return 0, err
	}
	return estimate.Int64, rows.Err()
}

// HasNullKey tells whether some row has NULL in a column of the key. It may read the whole table.
func HasNullKey(ctx context.Context, db *gosql.DB, name sql.TableName, key *sql.UniqueKey) (bool, error) {
	for _, column := range key.Columns.Columns() {
		if !column.Nullable {
			continue
		}
		var one int
		err := db.QueryRowContext(ctx, fmt.Sprintf("SELECT /* gh-ost */ 1 FROM %s WHERE %s IS NULL LIMIT 1", name, sql.EscapeName(column.Name))).Scan(&one)
		switch {
		case err == nil:
			return true, nil
		case !errors.Is(err, gosql.ErrNoRows):
			return false, fmt.Errorf("looking for NULL in column %s of the key %s of %s: %w", sql.EscapeName(column.Name), sql.EscapeName(key.Name), name, err)
		}
	}
	return false, nil
}
