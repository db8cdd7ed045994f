package ledger

import (
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
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
	name string    // of the lock that the session holds for as long as it lives; tells it from every other
	lost []string  // names of the sessions before it that may still be alive in the server
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
	name := "ledger." + rand.Text()
	var got sql.NullInt64
	err = conn.QueryRowContext(ctx, "SELECT GET_LOCK(?, 0)", name).Scan(&got)
	if err == nil && got.Int64 != 1 {
		err = fmt.Errorf("the server would not give the lock %s", name)
	}
	if err != nil {
		discard(conn)
		return err
	}
	s.conn, s.name = conn, name
	return nil
}

// lose gives the connection up. Its session may live on in the server.
func (s *session) lose() {
	if s.conn == nil {
		return
	}
	discard(s.conn)
	s.conn = nil
	s.lost = append(s.lost, s.name)
}

// close ends a session whose transactions have all ended.
func (s *session) close() {
	if s.conn != nil {
		discard(s.conn)
		s.conn = nil
	}
}

// discard keeps the pool from using a connection again: whatever state it is in, nobody shall inherit it.
func discard(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	conn.Close()
}

// endLost kills the lost sessions and returns when the server has none of them any more: from then on nothing that they
// were sent can still happen. A server gives a session's locks back after it has ended the session's transaction. There
// may be several: the session that asks for another's end can be lost too.
func (s *session) endLost(ctx context.Context) error {
	for len(s.lost) > 0 {
		var id sql.NullInt64
		if err := s.conn.QueryRowContext(ctx, "SELECT IS_USED_LOCK(?)", s.lost[0]).Scan(&id); err != nil {
			return fmt.Errorf("looking for a lost session: %w", err)
		}
		if !id.Valid {
			s.lost = s.lost[1:]
			continue
		}
		// It may end by itself in between: then this fails and the next look finds it gone.
		if _, err := s.conn.ExecContext(ctx, fmt.Sprintf("KILL %d", id.Int64)); err != nil && isLost(err) {
			return fmt.Errorf("killing a lost session: %w", err)
		}
		if !sleep(ctx, 2*time.Millisecond) {
			return ctx.Err()
		}
	}
	return nil
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
