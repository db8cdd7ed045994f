package mysql

import (
	"context"
	gosql "database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"
	"time"

	driver "github.com/go-sql-driver/mysql"
)

// Warning is one of the remarks that a server has on a statement which it carried out.
type Warning struct {
	Level   string // Warning, Note or Error
	Code    uint16 // as of an error
	Message string
}

// String is the warning for people.
func (w Warning) String() string { return fmt.Sprintf("%s %d: %s", w.Level, w.Code, w.Message) }

// A WarningsError refuses a statement for the warnings that the server had on it. It counts as a DataError: the same
// statement would raise them again.
type WarningsError struct {
	Warnings []Warning // those that count, at least one
}

// Error implements error.
func (e *WarningsError) Error() string {
	text := "the server warns: " + e.Warnings[0].String()
	if more := len(e.Warnings) - 1; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

// StatementWatch is told of what a pool's sessions do. A nil function is not called. The functions are called by whoever
// runs the statement, who waits for them, and by several at the same time.
type StatementWatch struct {
	// Executed is told of each statement without a result, how long it took and its error.
	Executed func(took time.Duration, err error)
	// Queried is told of each query, how long it took until its result began, and its error.
	Queried func(took time.Duration, err error)
	// Counts picks from a statement's warnings those that count. If there are any, the statement returns a *WarningsError,
	// though it has been carried out: within a transaction it can be rolled back. Nil: warnings are not read.
	Counts func(warnings []Warning) []Warning
}

// OpenWatched is Open for a pool whose statements are watched.
func (c *ConnectionConfig) OpenWatched(databaseName string, watch StatementWatch, sessionStatements ...string) (*gosql.DB, error) {
	config, err := c.driverConfig(databaseName)
	if err != nil {
		return nil, err
	}
	return openPool(config, c.TransactionIsolation, sessionStatements, func(connector sqldriver.Connector) sqldriver.Connector {
		return &watchedConnector{Connector: connector, watch: watch}
	})
}

// watchedConnector wraps connections once they are prepared.
type watchedConnector struct {
	sqldriver.Connector
	watch StatementWatch
}

// Connect implements driver.Connector.
func (c *watchedConnector) Connect(ctx context.Context) (sqldriver.Conn, error) {
	connection, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	whole, ok := connection.(wholeConnection)
	if !ok {
		_ = connection.Close() // the error is the one to tell
		return nil, fmt.Errorf("the SQL driver's connection (%T) cannot be watched", connection)
	}
	return &watchedConnection{wholeConnection: whole, watch: c.watch}, nil
}

// wholeConnection is all that database/sql looks for in the driver's connection.
type wholeConnection interface {
	sqldriver.Conn
	sqldriver.ConnBeginTx
	sqldriver.ConnPrepareContext
	sqldriver.ExecerContext
	sqldriver.QueryerContext
	sqldriver.Pinger
	sqldriver.SessionResetter
	sqldriver.Validator
	sqldriver.NamedValueChecker
}

type watchedConnection struct {
	wholeConnection
	watch StatementWatch
}

// ExecContext implements driver.ExecerContext.
func (c *watchedConnection) ExecContext(ctx context.Context, query string, args []sqldriver.NamedValue) (sqldriver.Result, error) {
	started := time.Now()
	result, err := c.wholeConnection.ExecContext(ctx, query, args)
	if errors.Is(err, sqldriver.ErrSkip) { // with its values it is too long; database/sql would prepare it, past this watch
		return nil, fmt.Errorf("the statement and its values are longer than the server's max_allowed_packet: %w", driver.ErrPktTooLarge)
	}
	if c.watch.Executed != nil {
		c.watch.Executed(time.Since(started), err)
	}
	if err != nil || c.watch.Counts == nil {
		return result, err
	}
	warnings, err := c.warnings(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading a statement's warnings: %w", err)
	}
	if counting := c.watch.Counts(warnings); len(counting) > 0 {
		return nil, &WarningsError{Warnings: counting}
	}
	return result, nil
}

// QueryContext implements driver.QueryerContext.
func (c *watchedConnection) QueryContext(ctx context.Context, query string, args []sqldriver.NamedValue) (sqldriver.Rows, error) {
	started := time.Now()
	rows, err := c.wholeConnection.QueryContext(ctx, query, args)
	if c.watch.Queried != nil && !errors.Is(err, sqldriver.ErrSkip) {
		c.watch.Queried(time.Since(started), err)
	}
	return rows, err
}

func (c *watchedConnection) warnings(ctx context.Context) (warnings []Warning, err error) {
	rows, err := c.wholeConnection.QueryContext(ctx, "SHOW /* gh-ost */ WARNINGS", nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	values := make([]sqldriver.Value, len(rows.Columns()))
	if len(values) != 3 {
		return nil, fmt.Errorf("the answer to SHOW WARNINGS has %d columns instead of 3", len(values))
	}
	for {
		switch err := rows.Next(values); {
		case errors.Is(err, io.EOF):
			return warnings, nil
		case err != nil:
			return nil, err
		}
		warning := Warning{Level: textOf(values[0]), Message: textOf(values[2])}
		if _, err := fmt.Sscan(textOf(values[1]), &warning.Code); err != nil {
			return nil, fmt.Errorf("the code of a warning is %q: %w", textOf(values[1]), err)
		}
		warnings = append(warnings, warning)
	}
}

func textOf(value sqldriver.Value) string {
	if bytes, ok := value.([]byte); ok {
		return string(bytes)
	}
	return fmt.Sprint(value)
}
