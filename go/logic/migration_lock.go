package logic

import (
	"context"
	"crypto/rand"
	gosql "database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/github/gh-ost/go/mysql"
)

const (
	migrationLockInterval = 30 * time.Second
	migrationLockLimit    = 10 * time.Second

	// migrationLockWait is for how many seconds a lock is waited for: the server may be about to notice that its holder has died.
	migrationLockWait = 1

	// migrationLockFailures is how many times in a row the server may be out of reach when the locks are looked after.
	migrationLockFailures = 10
)

// migrationLock are the server-side locks that keep a second run from the same table, and from the same helper tables.
// They live as long as their session.
type migrationLock struct {
	db      *gosql.DB
	session *mysql.Session
	names   []string
	mark    string // one more lock, whose name nobody else has: who holds that is our session
}

// acquireMigrationLock takes the locks, or says who holds one.
func acquireMigrationLock(ctx context.Context, config *mysql.ConnectionConfig, names []string) (*migrationLock, error) {
	db, err := config.Open("", "SET /* gh-ost */ SESSION wait_timeout = 28800")
	if err != nil {
		return nil, err
	}
	lock := &migrationLock{db: db, names: names, mark: "gh-ost.migration." + rand.Text()}
	if err := lock.acquireAll(ctx); err != nil {
		lock.release(context.WithoutCancel(ctx))
		return nil, err
	}
	return lock, nil
}

func (l *migrationLock) acquireAll(ctx context.Context) error {
	session, err := mysql.NewSession(ctx, l.db)
	if err != nil {
		return fmt.Errorf("opening the session for the migration lock: %w", err)
	}
	l.session = session
	for _, name := range append([]string{l.mark}, l.names...) {
		if err := l.acquire(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (l *migrationLock) acquire(ctx context.Context, name string) error {
	var granted gosql.Null[int]
	if err := l.session.QueryRow(ctx, migrationLockLimit, []any{&granted}, "SELECT /* gh-ost */ GET_LOCK(?, ?)", name, migrationLockWait); err != nil {
		return fmt.Errorf("taking the migration lock %s: %w", name, err)
	}
	if granted.V == 1 {
		return nil
	}
	var holder gosql.Null[int64]
	if err := l.session.QueryRow(ctx, migrationLockLimit, []any{&holder}, "SELECT /* gh-ost */ IS_USED_LOCK(?)", name); err != nil || !holder.Valid {
		return fmt.Errorf("another gh-ost process is already migrating this table or one with the same helper tables: it holds the lock %s", name)
	}
	return fmt.Errorf("another gh-ost process is already migrating this table or one with the same helper tables: connection %d holds the lock %s", holder.V, name)
}

// watch makes sure that the locks are held, until the context ends or they are lost for good: a restart of the server
// or a failure of the network takes them away, and they are taken again unless somebody else has been faster.
func (l *migrationLock) watch(ctx context.Context) error {
	for failures := 0; ; {
		if pause(ctx, migrationLockInterval) != nil {
			return nil
		}
		err := l.check(ctx)
		if err != nil && ctx.Err() == nil {
			err = l.restore(ctx)
		}
		switch {
		case err == nil || ctx.Err() != nil:
			failures = 0
		case mysql.IsRetryable(err) && failures < migrationLockFailures:
			failures++
		default:
			return fmt.Errorf("the migration lock is lost, another run may start on the same table: %w", err)
		}
	}
}

// restore takes the locks again. The server may not have noticed that the session which has them is lost: that is ended.
func (l *migrationLock) restore(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, migrationLockLimit)
	defer cancel()
	_ = l.session.Close() // it is lost
	for {
		var ours gosql.Null[int64]
		if err := l.db.QueryRowContext(ctx, "SELECT /* gh-ost */ IS_USED_LOCK(?)", l.mark).Scan(&ours); err != nil {
			return fmt.Errorf("looking for the session that held the migration lock: %w", err)
		}
		if !ours.Valid {
			return l.acquireAll(ctx)
		}
		if err := mysql.KillConnection(ctx, l.db, ours.V); err != nil && !mysql.IsNoSuchThread(err) {
			return fmt.Errorf("ending the lost session that holds the migration lock: %w", err)
		}
		if err := pause(ctx, lookInterval); err != nil {
			return fmt.Errorf("ending the lost session that holds the migration lock: %w", err)
		}
	}
}

func (l *migrationLock) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, migrationLockLimit)
	defer cancel()
	for _, name := range l.names {
		var mine gosql.Null[bool]
		if err := l.session.QueryRow(ctx, migrationLockLimit, []any{&mine}, "SELECT /* gh-ost */ IS_USED_LOCK(?) = CONNECTION_ID()", name); err != nil {
			return err
		}
		if !mine.V {
			return errors.New("the server does not know it any more")
		}
	}
	return nil
}

// release gives the locks back and ends the session. They are free when it returns, so that a run that is started next gets
// them, unless the server does not answer; then they are when it has noticed that the session is gone.
func (l *migrationLock) release(ctx context.Context) {
	if l.session != nil {
		for _, name := range l.names {
			var released gosql.Null[int]
			if l.session.QueryRow(ctx, statementLimit, []any{&released}, "SELECT /* gh-ost */ RELEASE_LOCK(?)", name) != nil {
				break // the end of the session does the rest
			}
		}
		_ = l.session.Close() // the pool's close ends it
	}
	_ = l.db.Close() // nothing depends on it any more
}
