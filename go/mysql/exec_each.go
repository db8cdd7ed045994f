package mysql

import (
	"context"
	gosql "database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"

	driver "github.com/go-sql-driver/mysql"
)

// ExecEach sends several statements, separated by semicolons, in one request, and returns how many rows each has affected. The
// pool must allow that (ConnectionConfig.MultiStatements). After an error those before the failed one are carried out.
func ExecEach(ctx context.Context, session *gosql.Conn, query string, args []any) (affected []int64, err error) {
	err = session.Raw(func(raw any) error {
		connection, ok := raw.(interface {
			sqldriver.ExecerContext
			sqldriver.NamedValueChecker
		})
		if !ok {
			return fmt.Errorf("the SQL driver's connection (%T) does not take several statements", raw)
		}
		values := make([]sqldriver.NamedValue, len(args))
		for i, arg := range args {
			values[i] = sqldriver.NamedValue{Ordinal: i + 1, Value: arg}
			if err := connection.CheckNamedValue(&values[i]); err != nil {
				return err
			}
		}
		result, err := connection.ExecContext(ctx, query, values)
		if err != nil {
			return err
		}
		each, ok := result.(driver.Result)
		if !ok {
			return errors.New("the SQL driver does not tell how many rows each statement has affected")
		}
		affected = each.AllRowsAffected()
		return nil
	})
	return affected, err
}
