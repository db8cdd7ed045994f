package main

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/github/gh-ost/go/sql"
)

// errNotProvoked is why a trial of a timed-out attempt does not count though nothing is wrong with it.
var errNotProvoked = errors.New("the attempt did not time out: the event came too late to be waited for")

// blocker makes an attempt run out of time by real means, which work for every program: it locks a row of the ghost table
// and changes the same row of the original, between the first sign of the attempt and its lock. So an event that was
// committed before the lock cannot be applied until the row is let go, which is after the attempt.
//
// The row is the blocker's own: the ledger does not know it, and it is removed before the ledger looks at the table.
type blocker struct {
	*server
	timeout time.Duration // of the attempt

	holder, changer *gosql.Conn
}

// blockedRow is the row's id, far from those of the ledger; its unique value is none of the ledger's either.
const blockedRow = int64(1) << 50

func (b *blocker) prepare(ctx context.Context) error {
	err := b.exec(ctx, "INSERT INTO "+sql.EscapeName(benchTable)+" (id, slot, payload, counter) VALUES (?, -1, 'blocked', 0)", blockedRow)
	if err != nil {
		return err
	}
	if b.holder, err = b.db.Conn(ctx); err != nil {
		return err
	}
	if b.changer, err = b.db.Conn(ctx); err != nil {
		b.holder.Close()
		return err
	}
	return nil
}

func (b *blocker) close() {
	b.holder.Close()
	b.changer.Close()
}

func (b *blocker) removeRow(ctx context.Context) error {
	return b.exec(ctx, "DELETE FROM "+sql.EscapeName(benchTable)+" WHERE id = ?", blockedRow)
}

// block waits for the first attempt, blocks it, and lets the row go when the attempt has failed.
func (b *blocker) block(ctx context.Context, t *tool) (err error) {
	if _, err := t.log.await(ctx, markPreparing, markLocking); err != nil {
		return err
	}
	defer func() {
		detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		_, rollbackErr := b.holder.ExecContext(detached, "ROLLBACK")
		err = errors.Join(err, rollbackErr)
	}()
	_, err = b.holder.ExecContext(ctx, fmt.Sprintf("BEGIN; SELECT id FROM %s WHERE id = %d FOR UPDATE", sql.EscapeName(ghostOf(benchTable)), blockedRow))
	if err != nil {
		return fmt.Errorf("locking a row of the ghost table: %w", err)
	}
	_, err = b.changer.ExecContext(ctx, "UPDATE "+sql.EscapeName(benchTable)+" SET counter = counter + 1 WHERE id = ?", blockedRow)
	if err != nil {
		return fmt.Errorf("changing a row of the original: %w", err)
	}
	// An attempt that fails otherwise, and a program that does not say that it failed, end the wait, too.
	limited, cancel := context.WithTimeout(ctx, 3*b.timeout+10*time.Second)
	defer cancel()
	_, err = t.log.await(limited, markTimedOut, markRenamed)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}
