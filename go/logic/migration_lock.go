package logic

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/github/gh-ost/go/mysql"
)

const (
	migrationLockInterval = 30 * time.Second
	migrationLockLimit    = 10 * time.Second
)

// migrationLock are the server-side locks that keep a second run from the same table, and from the same helper tables.
// They live as long as their session.
type migrationLock struct {
	db      *gosql.DB
	session *gosql.Conn
	names   []string
}

// acquireMigrationLock takes the locks, or says who holds one.
func acquireMigrationLock(ctx context.Context, config *mysql.ConnectionConfig, names []string) (*migrationLock, error) {
	db, err := config.Open("", "SET /* gh-ost */ SESSION wait_timeout = 28800")
	if err != nil {
		return nil, err
	}
	lock := &migrationLock{db: db, names: names}
	if lock.session, err = db.Conn(ctx); err != nil {
		lock.release()
		return nil, fmt.Errorf("opening the session for the migration lock: %w", err)
	}
	for _, name := range names {
		if err := lock.acquire(ctx, name); err != nil {
			lock.release()
			return nil, err
		}
	}
	return lock, nil
}

func (l *migrationLock) acquire(ctx context.Context, name string) error {
	var granted gosql.Null[int]
	if err := l.session.QueryRowContext(ctx, "SELECT /* gh-ost */ GET_LOCK(?, 0)", name).Scan(&granted); err != nil {
		return fmt.Errorf("taking the migration lock %s: %w", name, err)
	}
	if granted.V == 1 {
		return nil
	}
	var holder gosql.Null[int64]
	if err := l.session.QueryRowContext(ctx, "SELECT /* gh-ost */ IS_USED_LOCK(?)", name).Scan(&holder); err != nil || !holder.Valid {
		return fmt.Errorf("another gh-ost process is already migrating this table or one with the same helper tables: it holds the lock %s", name)
	}
	return fmt.Errorf("another gh-ost process is already migrating this table or one with the same helper tables: connection %d holds the lock %s", holder.V, name)
}

// watch makes sure that the locks are held, until the context ends or they are lost.
func (l *migrationLock) watch(ctx context.Context) error {
	for {
		if pause(ctx, migrationLockInterval) != nil {
			return nil
		}
		if err := l.check(ctx); err != nil && ctx.Err() == nil {
			return fmt.Errorf("the migration lock is lost, another run may start on the same table: %w", err)
		}
	}
}

func (l *migrationLock) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, migrationLockLimit)
	defer cancel()
	for _, name := range l.names {
		var mine gosql.Null[bool]
		if err := l.session.QueryRowContext(ctx, "SELECT /* gh-ost */ IS_USED_LOCK(?) = CONNECTION_ID()", name).Scan(&mine); err != nil {
			return err
		}
		if !mine.V {
			return errors.New("the server does not know it any more")
		}
	}
	return nil
}

// release ends the session, and the locks with it.
func (l *migrationLock) release() {
	if l.session != nil {
		_ = l.session.Close() // the pool's close ends it
	}
	_ = l.db.Close() // nothing depends on it any more
}
