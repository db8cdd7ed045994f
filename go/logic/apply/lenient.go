package apply

import (
	"context"
	gosql "database/sql"
	"fmt"

	"github.com/go-sql-driver/mysql"
)

// LenientStatements are in part such that run outside strict mode, because the server has values that strict mode does not
// let anybody write.
type LenientStatements interface {
	// IsLenient tells whether a statement is one of those.
	IsLenient(query string) bool
	// ErrorValues counts the values in rows for each of which the statement that writes them gets a warning.
	ErrorValues(rows [][]any) int
}

// dataTruncated is the code of the warning that an ENUM's error value brings.
const dataTruncated = 1265

// send sends a statement that writes rows. Where it runs outside strict mode, a value that the server has bent is the error
// that strict mode would have made of it, and the statement must be taken back.
func (w *Writer) send(ctx context.Context, tx *gosql.Tx, query string, args []any, rows [][]any) error {
	_, err := tx.ExecContext(ctx, query, args...)
	if err != nil || w.Lenient == nil || !w.Lenient.IsLenient(query) {
		return err
	}
	due := w.Lenient.ErrorValues(rows)
	warnings, err := tx.QueryContext(ctx, "SHOW WARNINGS")
	if err != nil {
		return err
	}
	defer warnings.Close()
	var last *mysql.MySQLError
	for warnings.Next() {
		var level string
		warning := new(mysql.MySQLError)
		if err := warnings.Scan(&level, &warning.Number, &warning.Message); err != nil {
			return fmt.Errorf("reading the warnings of a statement outside strict mode: %w", err)
		}
		switch {
		case level == "Note":
		case warning.Number != dataTruncated:
			return warning
		default:
			due--
			last = warning
		}
	}
	if err := warnings.Err(); err != nil {
		return err
	}
	switch {
	case due < 0:
		return last
	case due > 0:
		return fmt.Errorf("a statement outside strict mode has %d warnings less than it should have: %s", due, query[:min(len(query), 200)])
	}
	return nil
}
