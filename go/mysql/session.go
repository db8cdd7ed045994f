package mysql

import (
	"context"
	gosql "database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// OpenSession takes a connection of its own out of a pool and returns it with the server's id of it, the one that KILL
// and the process list take. The caller closes it.
func OpenSession(ctx context.Context, db *gosql.DB) (*gosql.Conn, int64, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("opening a session: %w", err)
	}
	var id int64
	if err := conn.QueryRowContext(ctx, "SELECT /* gh-ost */ CONNECTION_ID()").Scan(&id); err != nil {
		return nil, 0, errors.Join(fmt.Errorf("reading a new session's connection id: %w", err), conn.Close())
	}
	return conn, id, nil
}

// Session is a connection whose state matters: it holds table or named locks, or has variables of its own. Its
// statements are not ended by the cancellation of the caller's context, since the driver would close the connection and
// the server release what the session holds; each has a limit of its own instead. One goroutine uses it at a time;
// others may act on it by its ID.
type Session struct {
	conn *gosql.Conn
	id   int64
}

// NewSession opens a session; here the context's cancellation does count.
func NewSession(ctx context.Context, db *gosql.DB) (*Session, error) {
	conn, id, err := OpenSession(ctx, db)
	if err != nil {
		return nil, err
	}
	return &Session{conn: conn, id: id}, nil
}

// ID is the server's connection id.
func (s *Session) ID() int64 { return s.id }

// Close ends the connection, and with it whatever the session holds; it does not go back into the pool. The server may
// notice a moment later. Closing twice is harmless.
func (s *Session) Close() error {
	err := s.conn.Raw(func(any) error { return sqldriver.ErrBadConn }) // makes the pool drop it
	if err != nil && !errors.Is(err, sqldriver.ErrBadConn) && !errors.Is(err, gosql.ErrConnDone) {
		return fmt.Errorf("closing session %d: %w", s.id, err)
	}
	if err := s.conn.Close(); err != nil && !errors.Is(err, gosql.ErrConnDone) {
		return fmt.Errorf("closing session %d: %w", s.id, err)
	}
	return nil
}

// A LimitError says that a session's statement did not end in time, or its server did not answer. The connection is
// given up; the server may not have noticed, and may still work on the statement: EndSession makes sure.
type LimitError struct {
	ConnectionID int64
	Limit        time.Duration
	Query        string
}

// Error implements error.
func (e *LimitError) Error() string {
	return fmt.Sprintf("session %d got no answer within %s, and was given up: %s", e.ConnectionID, e.Limit, e.Query)
}

// Unwrap returns context.DeadlineExceeded.
func (e *LimitError) Unwrap() error { return context.DeadlineExceeded }

// Exec runs a statement and waits for its end, whatever becomes of ctx, but no longer than the limit: then the
// connection is closed, the session is lost, and the error is a *LimitError.
func (s *Session) Exec(ctx context.Context, limit time.Duration, query string, args ...any) (gosql.Result, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	result, err := s.conn.ExecContext(ctx, query, args...)
	return result, s.explain(ctx, limit, query, err)
}

// QueryRow is Exec for a query of one row, which it scans into dest. The error for no row is sql.ErrNoRows.
func (s *Session) QueryRow(ctx context.Context, limit time.Duration, dest []any, query string, args ...any) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	return s.explain(ctx, limit, query, s.conn.QueryRowContext(ctx, query, args...).Scan(dest...))
}

// Query is Exec for a query of any number of rows: each row's values are given to take, which may keep them; NULL is nil.
func (s *Session) Query(ctx context.Context, limit time.Duration, take func(values [][]byte) error, query string, args ...any) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	rows, err := s.conn.QueryContext(ctx, query, args...)
	if err == nil {
		err = ScanRows(rows, take)
	}
	return s.explain(ctx, limit, query, err)
}

// ScanRows gives the raw values of each row to take, which may keep them; NULL is nil. It closes the rows.
func ScanRows(rows *gosql.Rows, take func(values [][]byte) error) error {
	defer rows.Close() // rows.Err is what counts
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	for rows.Next() {
		values, targets := make([][]byte, len(columns)), make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		if err := take(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (s *Session) explain(ctx context.Context, limit time.Duration, query string, err error) error {
	if err != nil && ErrorNumber(err) == 0 && ctx.Err() != nil {
		return &LimitError{ConnectionID: s.id, Limit: limit, Query: query}
	}
	return err
}

// ExecBounded runs a statement that must not take longer than bound, for bounds that the server's own time-outs cannot
// express: they count whole seconds, and each lock by itself. When the bound has passed, the statement is ended by KILL
// QUERY through killer, another pool to the same server, and the error is one for which IsInterrupted is true; the
// session lives on, with all it holds. If that has no effect within grace, the session is lost as with Exec.
func (s *Session) ExecBounded(ctx context.Context, killer *gosql.DB, bound, grace time.Duration, query string, args ...any) (gosql.Result, error) {
	ended := make(chan struct{})
	killed := make(chan error, 1) // closed without a value if no kill was sent
	go func() {
		defer close(killed)
		timer := time.NewTimer(bound)
		defer timer.Stop()
		select {
		case <-ended:
		case <-timer.C:
			killCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
			defer cancel()
			killed <- KillQuery(killCtx, killer, s.id)
		}
	}()

	result, err := s.Exec(ctx, bound+grace, query, args...)
	close(ended)
	killErr, sent := <-killed
	switch {
	case !sent, IsInterrupted(err):
		return result, err
	case IsConnectionLost(err):
		return result, errors.Join(err, killErr)
	}
	// The statement ended by itself while the kill was on its way. The kill has been delivered by now, so it cannot hit
	// what the session does next, unless the server keeps it for that: then let it be this.
	if _, absorbErr := s.Exec(ctx, grace, "DO /* gh-ost */ 0"); absorbErr != nil && !IsInterrupted(absorbErr) {
		return result, errors.Join(err, fmt.Errorf("after a late KILL QUERY: %w", absorbErr))
	}
	return result, err
}

// verifyLimit bounds each of VerifyID's statements.
const verifyLimit = 5 * time.Second

// VerifyID makes sure that the connection id that the session was told is the server's own, and is visible and in force
// from another connection: the session takes a named lock, and the server must name that id as its owner. Otherwise
// kills and look-ups by id would hit another session, or none. The error is a *ConnectionIDError.
func (s *Session) VerifyID(ctx context.Context, other *gosql.DB) (err error) {
	name := fmt.Sprintf("gh-ost.verify.%d.%08x", s.id, rand.Uint32())
	var locked gosql.NullInt64
	if err := s.QueryRow(ctx, verifyLimit, []any{&locked}, "SELECT /* gh-ost */ GET_LOCK(?, 0)", name); err != nil {
		return fmt.Errorf("verifying connection id %d: %w", s.id, err)
	}
	defer func() {
		var released gosql.NullInt64
		releaseErr := s.QueryRow(ctx, verifyLimit, []any{&released}, "SELECT /* gh-ost */ RELEASE_LOCK(?)", name)
		err = errors.Join(err, releaseErr)
	}()
	if locked.Int64 != 1 {
		return fmt.Errorf("verifying connection id %d: the named lock %s was not granted", s.id, name)
	}

	ctx, cancel := context.WithTimeout(ctx, verifyLimit)
	defer cancel()
	var owner gosql.NullInt64
	if err := other.QueryRowContext(ctx, "SELECT /* gh-ost */ IS_USED_LOCK(?)", name).Scan(&owner); err != nil {
		return fmt.Errorf("verifying connection id %d: %w", s.id, err)
	}
	if owner.Int64 != s.id {
		return &ConnectionIDError{Told: s.id, Actual: owner.Int64}
	}
	return nil
}

// A ConnectionIDError says that something between us and the server makes up connection ids, or spreads connections
// over several servers.
type ConnectionIDError struct {
	Told   int64 // what CONNECTION_ID() said
	Actual int64 // what the server knows the session by; zero if the session's lock is not seen at all
}

// Error implements error.
func (e *ConnectionIDError) Error() string {
	actual := "the server does not know it"
	if e.Actual != 0 {
		actual = fmt.Sprintf("the server knows it as %d", e.Actual)
	}
	return fmt.Sprintf("a session was told that its connection id is %d, but %s: a proxy stands between; "+
		"connect to the server itself", e.Told, actual)
}
