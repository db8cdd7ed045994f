package logic

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

const (
	// controlLimit bounds each look at the server.
	controlLimit = time.Second

	// heldProbeLimit is how long a look at a table may take before it counts as waiting for whoever holds the table.
	heldProbeLimit = 25 * time.Millisecond

	// controlConnections are opened before an attempt, so that it can look and kill when the server takes no more.
	controlConnections = 3

	// controlLockWait is for how many seconds the server lets them wait for a table.
	controlLockWait = "1"
)

// controlSessions look at the server from outside while an attempt is under way, and kill what must end. Their
// statements are not tied to the caller's context, which would close a connection that is needed again: they have a
// deadline of their own.
type controlSessions struct {
	db      *gosql.DB
	dialect mysql.Dialect
}

// openControlSessions opens the pool and all its connections.
func openControlSessions(ctx context.Context, config *mysql.ConnectionConfig, dialect mysql.Dialect) (*controlSessions, error) {
	db, err := config.Open("", "SET /* gh-ost */ SESSION lock_wait_timeout = "+controlLockWait)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(controlConnections)
	db.SetMaxIdleConns(controlConnections)
	var connections []*gosql.Conn
	for range controlConnections {
		connection, err := db.Conn(ctx)
		if err != nil {
			_ = db.Close() // err is the one to tell
			return nil, fmt.Errorf("opening control sessions for the cut-over: %w", err)
		}
		connections = append(connections, connection)
	}
	for _, connection := range connections {
		_ = connection.Close() // gives it back to the pool
	}
	return &controlSessions{db: db, dialect: dialect}, nil
}

func (c *controlSessions) close() { _ = c.db.Close() }

// queryInt asks for one number; none is returned if there is no row or it is NULL.
func (c *controlSessions) queryInt(ctx context.Context, none int64, query string, args ...any) (int64, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), controlLimit)
	defer cancel()
	var number gosql.Null[int64]
	err := c.db.QueryRowContext(ctx, query, args...).Scan(&number)
	if errors.Is(err, gosql.ErrNoRows) || err == nil && !number.Valid {
		return none, nil
	}
	return number.V, err
}

// kill ends the statement that the holder of a server-side lock is running, if any; its session lives on. Sessions are
// killed by the lock that they hold, not by their id, which may be somebody else's after a restart of the server.
func (c *controlSessions) kill(ctx context.Context, lock string) error {
	return c.end(ctx, "QUERY", lock)
}

// killConnection ends the session that holds the lock. It is no error if nobody does.
func (c *controlSessions) killConnection(ctx context.Context, lock string) error {
	return c.end(ctx, "CONNECTION", lock)
}

func (c *controlSessions) end(ctx context.Context, what, lock string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), controlLimit)
	defer cancel()
	// Names of locks are our own: no character of them needs to be escaped.
	_, err := c.db.ExecContext(ctx, fmt.Sprintf("KILL /* gh-ost */ %s IS_USED_LOCK('%s')", what, lock))
	if err != nil && !mysql.IsNoSuchThread(err) {
		return fmt.Errorf("ending the session that holds the lock %s: %w", lock, err)
	}
	return nil
}

// endSession ends the session that holds the lock, if any, and returns when it is gone from the server.
func (c *controlSessions) endSession(ctx context.Context, lock string) error {
	for {
		err := c.killConnection(ctx, lock)
		if err == nil {
			var gone bool
			if gone, err = c.isFree(ctx, lock); err == nil && gone {
				return nil
			}
		}
		if pause(ctx, lookInterval) != nil {
			return fmt.Errorf("making sure that no session holds the lock %s: %w", lock, errors.Join(ctx.Err(), err))
		}
	}
}

func (c *controlSessions) process(ctx context.Context, connectionID int64) (mysql.Process, bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), controlLimit)
	defer cancel()
	return mysql.LookUpProcess(ctx, c.db, c.dialect, connectionID)
}

// holdsLock tells whether the session holds the server-side lock of that name.
func (c *controlSessions) holdsLock(ctx context.Context, name string, connectionID int64) (bool, error) {
	holder, err := c.queryInt(ctx, -1, "SELECT /* gh-ost */ IS_USED_LOCK(?)", name)
	return holder == connectionID, err
}

// isFree tells whether nobody holds the lock. A session gives its locks up at its very end, when none of its statements
// runs and it holds no table any more.
func (c *controlSessions) isFree(ctx context.Context, lock string) (bool, error) {
	holder, err := c.queryInt(ctx, -1, "SELECT /* gh-ost */ IS_USED_LOCK(?)", lock)
	return err == nil && holder == -1, err
}

// waitsForTable tells whether the session's RENAME stands waiting for the metadata lock of a table.
func (c *controlSessions) waitsForTable(ctx context.Context, connectionID int64) (bool, error) {
	process, found, err := c.process(ctx, connectionID)
	return found && strings.HasPrefix(process.Info, "RENAME") && strings.Contains(process.State, "table metadata lock"), err
}

// isPendingExclusive tells whether the session's exclusive request for the table stands in the queue.
func (c *controlSessions) isPendingExclusive(ctx context.Context, table sql.TableName, connectionID int64) (bool, error) {
	count, err := c.queryInt(ctx, 0, "SELECT /* gh-ost */ COUNT(*) FROM performance_schema.metadata_locks l"+
		" JOIN performance_schema.threads t ON t.thread_id = l.owner_thread_id"+
		" WHERE l.object_type = 'TABLE' AND l.object_schema = ? AND l.object_name = ?"+
		" AND l.lock_type = 'EXCLUSIVE' AND l.lock_status = 'PENDING' AND t.processlist_id = ?", table.Schema, table.Name, connectionID)
	return count > 0, err
}

// isHeldExclusively tells whether somebody holds the table's name exclusively. SHOW CREATE TABLE passes by requests
// that merely queue, and waits for one that is granted.
func (c *controlSessions) isHeldExclusively(ctx context.Context, table sql.TableName) (bool, error) {
	show := "SHOW /* gh-ost */ CREATE TABLE " + table.String()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), controlLimit)
	defer cancel()
	if c.dialect.AcceptsZeroLockWaitTimeout() {
		return lockedOut(c.show(ctx, nil, "SET STATEMENT lock_wait_timeout = 0 FOR "+show))
	}
	session, id, err := mysql.OpenSession(ctx, c.db)
	if err != nil {
		return false, err
	}
	defer session.Close() // back to the pool
	return c.hasToWait(ctx, id, func() error { return c.show(ctx, session, show) })
}

// isAwaitedExclusively tells whether somebody waits for the table's name exclusively, or holds it so. The server prepares a
// statement on a table that is locked for reads or for writes, and one that writers wait for, but not past such a request.
func (c *controlSessions) isAwaitedExclusively(ctx context.Context, table sql.TableName) (awaited bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), controlLimit)
	defer cancel()
	session, id, err := mysql.OpenSession(ctx, c.db)
	if err != nil {
		return false, err
	}
	defer session.Close() // back to the pool
	prepare := func() error {
		statement, err := session.PrepareContext(ctx, "SELECT /* gh-ost */ 1 FROM "+table.String())
		if err != nil {
			return err
		}
		defer statement.Close() // it was not executed
		return nil
	}
	if !c.dialect.AcceptsZeroLockWaitTimeout() {
		return c.hasToWait(ctx, id, prepare)
	}
	if _, err := session.ExecContext(ctx, "SET /* gh-ost */ SESSION lock_wait_timeout = 0"); err != nil {
		return false, err
	}
	awaited, err = lockedOut(prepare())
	_, resetErr := session.ExecContext(ctx, "SET /* gh-ost */ SESSION lock_wait_timeout = "+controlLockWait)
	return awaited, errors.Join(err, resetErr)
}

// hasToWait tells whether what the session is made to do waits for a table, and ends it then.
func (c *controlSessions) hasToWait(ctx context.Context, id int64, do func() error) (bool, error) {
	answer := make(chan error, 1)
	go func() { answer <- do() }()
	select {
	case err := <-answer:
		return lockedOut(err)
	case <-time.After(heldProbeLimit):
	}
	if err := mysql.KillQuery(ctx, c.db, id); err != nil && !mysql.IsNoSuchThread(err) {
		return false, err
	}
	return lockedOut(<-answer)
}

func (c *controlSessions) show(ctx context.Context, session *gosql.Conn, query string) error {
	var rows *gosql.Rows
	var err error
	if session != nil {
		rows, err = session.QueryContext(ctx, query)
	} else {
		rows, err = c.db.QueryContext(ctx, query)
	}
	if err != nil {
		return err
	}
	return errors.Join(rows.Close(), rows.Err())
}

// lockedOut reads the answer to a look at a table: that it waited in vain, or that it did not have to wait.
func lockedOut(err error) (bool, error) {
	switch {
	case err == nil || mysql.IsNoSuchTable(err):
		return false, nil
	case mysql.IsLockWaitTimeout(err) || mysql.IsInterrupted(err):
		return true, nil
	}
	return false, err
}

// tablesAreSwapped asks which table stands under which name. It is an error if the names do not tell.
func (c *controlSessions) tablesAreSwapped(ctx context.Context, names cutOverNames) (bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), controlLimit)
	defer cancel()
	rows, err := c.db.QueryContext(ctx, "SELECT /* gh-ost */ table_name, table_comment, @@lower_case_table_names <> 0 FROM information_schema.tables"+
		" WHERE table_schema = ? AND table_name IN (?, ?, ?)", names.original.Schema, names.original.Name, names.ghost.Name, names.old.Name)
	if err != nil {
		return false, err
	}
	defer rows.Close() // rows.Err is what counts
	var original, ghost, old bool
	for rows.Next() {
		var name, comment string
		var server sql.NameCase // information_schema may compare more loosely
		if err := rows.Scan(&name, &comment, &server.Ignored); err != nil {
			return false, err
		}
		switch {
		case server.Same(name, names.original.Name):
			original = true
		case server.Same(name, names.ghost.Name):
			ghost = true
		case server.Same(name, names.old.Name):
			old = comment != sentryComment
		}
	}
	switch {
	case rows.Err() != nil:
		return false, rows.Err()
	case original && old && !ghost:
		return true, nil
	case original && ghost && !old:
		return false, nil
	}
	return false, fmt.Errorf("tables found: %s %t, %s %t, %s %t", names.original, original, names.ghost, ghost, names.old, old)
}
