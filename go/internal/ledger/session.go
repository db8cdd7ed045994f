package ledger

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"
)

// session is one client's connection, opened again whenever it is lost.
type session struct {
	db      *sql.DB
	timeout time.Duration // of one statement
	pause   time.Duration
	log     *observations

	conn *sql.Conn // nil while there is none
	id   identity
	lost identity // the session before it, if its last transaction may still be alive in the server
}

// identity tells a session from every other, those of a restarted server included. The zero value is no session.
type identity struct {
	id   int64
	host string // address of the client as the server sees it, port included
}

// retryPause lies between two tries to connect.
const retryPause = 20 * time.Millisecond

// open connects if there is no connection, and tries until it succeeds or ctx ends.
func (s *session) open(ctx context.Context) error {
	for s.conn == nil {
		err := s.connect(ctx)
		if err == nil {
			return nil
		}
		s.log.connectFailed(err)
		if !sleep(ctx, retryPause) {
			return fmt.Errorf("connecting: %w", err)
		}
	}
	return nil
}

func (s *session) connect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	var id int64
	err = conn.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&id)
	if err == nil {
		s.id, err = findSession(ctx, conn, id)
	}
	if err != nil {
		discard(conn)
		return err
	}
	s.conn = conn
	return nil
}

// lose gives the connection up. Its session may live on in the server.
func (s *session) lose() {
	if s.conn == nil {
		return
	}
	discard(s.conn)
	s.conn = nil
	s.lost = s.id
}

// close gives a sound connection back to the pool.
func (s *session) close() {
	if s.conn != nil {
		s.conn.Close()
		s.conn = nil
	}
}

// discard keeps the pool from using a connection again: whatever state it is in, nobody shall inherit it.
func discard(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	conn.Close()
}

// endLost kills the lost session and returns when the server has none such any more: from then on nothing that it was
// sent can still happen.
func (s *session) endLost(ctx context.Context) error {
	for s.lost != (identity{}) {
		found, err := findSession(ctx, s.conn, s.lost.id)
		if err != nil {
			return err
		}
		if found != s.lost {
			s.lost = identity{}
			return nil
		}
		// It may end by itself in between: then this fails and the next look finds it gone.
		if _, err := s.conn.ExecContext(ctx, fmt.Sprintf("KILL %d", s.lost.id)); err != nil && isLost(err) {
			return err
		}
		if !sleep(ctx, 2*time.Millisecond) {
			return ctx.Err()
		}
	}
	return nil
}

// findSession returns the zero identity if there is no session with this id.
func findSession(ctx context.Context, conn *sql.Conn, id int64) (identity, error) {
	found := identity{id: id}
	err := conn.QueryRowContext(ctx, "SELECT HOST FROM information_schema.PROCESSLIST WHERE ID = ?", id).Scan(&found.host)
	if errors.Is(err, sql.ErrNoRows) {
		return identity{}, nil
	}
	return found, err
}

// sleep returns false if ctx ends before.
func sleep(ctx context.Context, duration time.Duration) bool {
	if duration <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
