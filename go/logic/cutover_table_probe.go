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
	// probeGrace is how much longer than its bound a probe may take before its connection is given up.
	probeGrace = time.Second

	// swapProbe bounds a try of the ghost table while writers are held.
	swapProbe = 5 * time.Millisecond
)

// probeBounds are how long the tries wait one after the other, where the server does not show its locks; the last goes
// on. Each is followed by a pause of probeRest times its length, so that clients are held up for a twentieth of the time
// at the most. They grow that far since transactions may always overlap that are each short enough for the cut-over's own
// lock, which waits longer: a try that gives up before the longest of them ends would find the table held for ever.
var probeBounds = [...]time.Duration{5 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, swapTolerance,
	500 * time.Millisecond, time.Second}

const probeRest = 20

// isFree finds out by trying whether a table could be had exclusively within the bound, for servers that do not show
// their metadata locks. It asks to rename the table to itself: the server takes the exclusive lock, finds that the name
// is taken, and fails; nothing is changed or logged. While it waits, everybody else who wants the table waits behind it,
// so the bound must be short. If this process dies meanwhile, the server itself ends it after a second.
// The pool's sessions are left with a lock_wait_timeout of a second.
func isFree(ctx context.Context, pool *gosql.DB, dialect mysql.Dialect, table sql.TableName, bound time.Duration) (bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), bound+probeGrace)
	defer cancel()
	statement := fmt.Sprintf("RENAME /* gh-ost */ TABLE %s TO %s", table, table)
	var err error
	if dialect.AcceptsZeroLockWaitTimeout() { // and knows a limit for any statement
		_, err = pool.ExecContext(ctx, fmt.Sprintf("SET STATEMENT max_statement_time = %f, lock_wait_timeout = 1 FOR %s", bound.Seconds(), statement))
	} else {
		err = runBounded(ctx, pool, statement, bound)
	}
	switch {
	case err == nil || mysql.IsTableExists(err):
		return true, nil
	case mysql.IsLockWaitTimeout(err) || mysql.IsInterrupted(err):
		return false, nil
	}
	return false, fmt.Errorf("trying whether the table %s is held: %w", table, err)
}

// runBounded runs a statement on a session of the pool and ends it when the bound has passed.
func runBounded(ctx context.Context, pool *gosql.DB, statement string, bound time.Duration) (err error) {
	session, id, err := mysql.OpenSession(ctx, pool)
	if err != nil {
		return err
	}
	defer session.Close() // back to the pool
	if _, err := session.ExecContext(ctx, "SET /* gh-ost */ SESSION lock_wait_timeout = 1"); err != nil {
		return err
	}
	answer := make(chan error, 1)
	go func() {
		_, err := session.ExecContext(ctx, statement)
		answer <- err
	}()
	timer := time.NewTimer(bound)
	defer timer.Stop()
	select {
	case err := <-answer:
		return err
	case <-timer.C:
	}
	killErr := mysql.KillQuery(ctx, pool, id)
	err = <-answer
	if killErr != nil {
		return errors.Join(err, killErr)
	}
	if !mysql.IsInterrupted(err) {
		// The statement ended by itself; the kill must not hit what the session does next.
		if _, absorbed := session.ExecContext(ctx, "DO /* gh-ost */ 0"); absorbed != nil && !mysql.IsInterrupted(absorbed) {
			return absorbed
		}
	}
	return err
}

// findBlindly tries the table, and names suspects if it is held.
func (w *lockWatch) findBlindly(ctx context.Context, transactions []engineTransaction, prepared *Blocker) ([]Blocker, bool, error) {
	if prepared != nil && w.applier.server.Dialect.IsMariaDB() {
		return []Blocker{*prepared}, true, nil
	}
	free, err := w.tryOriginal(ctx)
	if err != nil || free {
		return nil, false, err
	}
	sessions, err := sessionsByID(ctx, w.applier.general, w.applier.server.Dialect)
	if err != nil {
		return nil, false, err
	}
	var suspects []Blocker
	if prepared != nil {
		suspects = append(suspects, *prepared)
	}
	for i, t := range transactions {
		session, found := sessions[t.connectionID]
		if !found {
			continue
		}
		h := lockHolder{table: w.names.original, transaction: &transactions[i]}
		session.fill(&h)
		if b := h.blocker(w.ownUser()); b.Kind != OwnSession && b.obstructsLock(w.settings.LockTimeout) {
			suspects = append(suspects, b)
		}
	}
	for i := range suspects {
		suspects[i].Suspected = true
	}
	return suspects, true, nil
}

// tryOriginal tells whether the original could be had exclusively.
func (w *lockWatch) tryOriginal(ctx context.Context) (free bool, err error) {
	if time.Now().Before(w.nextProbe) {
		return false, nil
	}
	bound := probeBounds[min(w.probes, len(probeBounds)-1)]
	free, err = isFree(ctx, w.applier.sessions, w.applier.server.Dialect, w.names.original, bound)
	if err != nil || free {
		w.probes = 0
		return free, err
	}
	w.probes++
	w.nextProbe = time.Now().Add(probeRest * bound)
	return false, nil
}

// runningOn finds statements that name the original and have been running for long, where the server does not show
// locks. Idle transactions cannot be told; if one has read the table since the last try, the RENAME's own limit ends the
// attempt.
func (w *lockWatch) runningOn(ctx context.Context, q mysql.Querier) ([]Blocker, error) {
	sessions, err := sessionsByID(ctx, q, w.applier.server.Dialect)
	if err != nil {
		return nil, err
	}
	var blockers []Blocker
	for _, s := range sessions {
		waits := strings.Contains(s.state, "metadata lock") // such as the writers that the attempt itself holds
		if s.command == "Sleep" || waits || strings.Contains(s.sql, "/* gh-ost") || !namesTable(s.sql, w.names.original.Name) {
			continue
		}
		h := lockHolder{table: w.names.original}
		s.fill(&h)
		if b := h.blocker(w.ownUser()); b.Age >= swapTolerance {
			blockers = append(blockers, b)
		}
	}
	return blockers, nil
}

// namesTable tells whether a statement has the name as a word of its own.
func namesTable(statement, name string) bool {
	statement, name = strings.ToLower(statement), strings.ToLower(name)
	isPart := func(b byte) bool {
		return b == '_' || b == '$' || b >= 0x80 || b >= '0' && b <= '9' || b >= 'a' && b <= 'z'
	}
	for from := 0; ; {
		at := strings.Index(statement[from:], name)
		if at < 0 {
			return false
		}
		begin, end := from+at, from+at+len(name)
		if (begin == 0 || !isPart(statement[begin-1])) && (end == len(statement) || !isPart(statement[end])) {
			return true
		}
		from = begin + 1
	}
}
