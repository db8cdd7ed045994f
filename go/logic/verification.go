package logic

import (
	"context"
	gosql "database/sql"
	"fmt"
	"time"

	"github.com/github/gh-ost/go/binlog"
	"github.com/github/gh-ost/go/logic/cutover"
	"github.com/github/gh-ost/go/logic/inspect"
	"github.com/github/gh-ost/go/logic/verify"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

const (
	// temporaryTableName is that of a temporary table of the sessions that verify. No other session sees it.
	temporaryTableName = "gh_ost_checksum"

	// lastReadLimit bounds each statement by which the locking session reads the original for the verification.
	lastReadLimit = time.Second
)

// lastLookBudget is for how long, out of the time for which writers may be locked out, the last rows may be verified.
func (mgtr *Migrator) lastLookBudget() time.Duration { return mgtr.context.CutOverLockTimeout() / 3 }

// prepareVerification makes sure, before anything is copied, that this migration can be verified, if it is to be.
func (mgtr *Migrator) prepareVerification(ctx context.Context) error {
	if !mgtr.context.Checksum {
		return nil
	}
	statements, err := mgtr.verifyStatements(ctx)
	if err != nil {
		return fmt.Errorf("--checksum cannot verify this migration: %w. Leave --checksum out, or alter in another way", err)
	}
	mgtr.verification = statements
	db, err := mgtr.verifyingSessions()
	if err != nil {
		return err
	}
	defer db.Close() // nothing depends on it any more
	return verify.Check(ctx, db, statements)
}

func (mgtr *Migrator) verifyStatements(ctx context.Context) (*sql.VerifyStatements, error) {
	ghost, err := inspect.ReadTable(ctx, mgtr.applier.general, mgtr.applier.server.Dialect, mgtr.names.ghost)
	if err != nil {
		return nil, err
	}
	var ghostKey *sql.UniqueKey
	for _, key := range ghost.UniqueKeys {
		if key.Name == mgtr.shared.Key.NameInGhostTable {
			ghostKey = key
		}
	}
	temporary := sql.TableName{Schema: mgtr.context.DatabaseName, Name: temporaryTableName}
	return sql.NewVerifyStatements(mgtr.names.original, mgtr.names.ghost, temporary, mgtr.shared.Columns, mgtr.shared.Key, ghostKey, mgtr.applier.timeZones)
}

func (mgtr *Migrator) verifyingSessions() (*gosql.DB, error) {
	c := mgtr.context
	return mgtr.applier.copySessions(c.DatabaseName, int(c.CopyConcurrency)+2)
}

// newVerifier returns a verifier and the pool of its sessions, which the caller closes.
func (mgtr *Migrator) newVerifier() (*verify.Verifier, *gosql.DB, error) {
	c := mgtr.context
	db, err := mgtr.verifyingSessions()
	if err != nil {
		return nil, nil, err
	}
	return verify.New(verify.Settings{
		Original:    mgtr.names.original,
		Ghost:       mgtr.names.ghost,
		DB:          db,
		Statements:  mgtr.verification,
		Concurrency: int(c.CopyConcurrency),
		Wait:        mgtr.mayCopy,
		Token:       mgtr.writeChecksumToken,
		Postponed:   c.IsPostponing,
		Patient:     mgtr.awaitsConflicts,
		Rows:        c.GetTotalRowsEstimate,
		ChunkSize:   c.GetChunkSize,
		ChunkTime:   c.ChunkTime,
		NiceRatio:   c.GetNiceRatio,
		Retries:     c.MaxRetries(),
		Retrying: func(err error, attempt int64) {
			_ = mgtr.log.Errorf("comparing original and ghost, attempt %d: %v", attempt, err)
		},
		Passed: func(rows int64, took time.Duration) {
			mgtr.log.Infof("Checksum: compared %d rows in %s; going on with what changes", rows, took.Round(time.Millisecond))
		},
		Overflowed: func() {
			_ = mgtr.log.Warningf("Checksum: more rows were changed than can be kept in mind until they are read again; comparing from the beginning")
		},
	}), db, nil
}

// verify begins to compare the ghost with the original, and has the cut-over wait for it.
func (mgtr *Migrator) verify(context.Context) error {
	if mgtr.verification == nil || mgtr.context.Noop {
		return nil
	}
	verifier, db, err := mgtr.newVerifier()
	if err != nil {
		return err
	}
	mgtr.log.Infof("Checksum: comparing %s with %s", mgtr.names.original, mgtr.names.ghost)
	mgtr.verifier.Store(verifier)
	mgtr.streamer.Watch(func(event *binlog.Event) error { return mgtr.touch(verifier, event) })
	mgtr.gate.obstacles = append(mgtr.gate.obstacles, func(context.Context) (string, error) {
		mgtr.conflictsPassed.Store(true) // stricterKeys.obstacle comes before
		return verifier.Obstacle(mgtr.lastLookBudget()), nil
	})
	mgtr.background(func(ctx context.Context) error {
		defer db.Close() // its sessions are at rest
		return verifier.Run(ctx)
	})
	return nil
}

// awaitsConflicts tells whether rows may be missing from the ghost because of its stricter unique keys.
func (mgtr *Migrator) awaitsConflicts() bool {
	return len(mgtr.shared.StricterGhostKeys) > 0 && (!mgtr.conflictsPassed.Load() || len(mgtr.owed()) > 0)
}

// touch tells the verifier which rows an event has changed.
func (mgtr *Migrator) touch(verifier *verify.Verifier, event *binlog.Event) error {
	for _, change := range event.Rows {
		for _, row := range [][]any{change.Before, change.After} {
			if row == nil {
				continue
			}
			if err := verifier.Touch(mgtr.keys.KeyValues(row)); err != nil {
				return fmt.Errorf("reading the key of a row event at %v: %w", event.Coordinates, err)
			}
		}
	}
	return nil
}

// writeChecksumToken writes a token that comes back when everything that is committed now has been applied.
func (mgtr *Migrator) writeChecksumToken(ctx context.Context) (arrived <-chan struct{}, forget func(), err error) {
	token := newToken("Checksum", time.Now())
	arrived, forget = mgtr.streamer.Expect(token)
	if err := mgtr.changelog.WriteToken(ctx, token); err != nil {
		forget()
		return nil, nil, err
	}
	return arrived, forget, nil
}

// verificationProgress is for the status line; "" while nothing is verified.
func (mgtr *Migrator) verificationProgress() string {
	if verifier := mgtr.verifier.Load(); verifier != nil {
		return verifier.Progress()
	}
	return ""
}

// lastLook is the end of the verification in one cut-over attempt. A nil lastLook does nothing.
type lastLook struct {
	verifier *verify.Verifier
	attempt  *cutOverAttempt
	budget   time.Duration
	session  *gosql.Conn // reads the rows, but for those of the original if that is locked
	giveBack func()
	release  func() // set while the verifier is held
	through  bool   // the lock holds readers: only the locking session can read the original
}

// beginLastLook makes an attempt's locking session ready to read the original, since it may become the only one that can.
func (mgtr *Migrator) beginLastLook(ctx context.Context, attempt *cutOverAttempt) (*lastLook, error) {
	verifier := mgtr.verifier.Load()
	if verifier == nil {
		return nil, nil
	}
	session := lockedReader{attempt}
	for _, statement := range mgtr.readingSettings() {
		if err := session.Exec(ctx, statement); err != nil {
			return nil, fmt.Errorf("preparing the locking session for the checksum: %w", err)
		}
	}
	if err := verifier.Ready(ctx, session); err != nil {
		return nil, err
	}
	look := &lastLook{verifier: verifier, attempt: attempt, budget: mgtr.lastLookBudget()}
	var err error
	if look.session, look.giveBack, err = verifier.Reserve(ctx); err != nil {
		return nil, fmt.Errorf("preparing a session for the checksum: %w", err)
	}
	return look, nil
}

// readingSettings give a session the settings of those that copy.
func (mgtr *Migrator) readingSettings() []string {
	return []string{
		"SET /* gh-ost */ NAMES utf8mb4",
		"SET /* gh-ost */ SESSION character_set_results = NULL",
		"SET /* gh-ost */ SESSION time_zone = '" + mgtr.applier.timeZones.Session() + "'",
		"SET /* gh-ost */ SESSION sql_mode = '" + mgtr.applier.rowMode() + "'",
	}
}

// beforeLockingReaders keeps the verifier's own sessions away from the original. It is called before a lock is asked for that
// holds readers: they would wait for it until after the swap, and then read what is not the original any more.
func (l *lastLook) beforeLockingReaders(ctx context.Context) error {
	if l == nil {
		return nil
	}
	l.through = true
	ctx, cancel := context.WithTimeout(ctx, lastReadLimit)
	defer cancel()
	return l.quiesce(ctx)
}

func (l *lastLook) quiesce(ctx context.Context) (err error) {
	if l.release != nil {
		return nil
	}
	if l.release, err = l.verifier.Hold(ctx); err != nil {
		return fmt.Errorf("waiting for the checksum's reads: %w", err)
	}
	return nil
}

// finish verifies the rows that have changed since they were verified. Everything up to the lock is applied.
func (l *lastLook) finish(ctx context.Context) error {
	if l == nil {
		return nil
	}
	if err := l.quiesce(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, l.budget)
	defer cancel()
	var original verify.Reader
	if l.through {
		original = lockedReader{l.attempt}
	}
	return l.verifier.Final(ctx, l.session, original)
}

// end lets the verification go on if the attempt has left the tables as they were.
func (l *lastLook) end(outcome cutover.Outcome) {
	if l == nil {
		return
	}
	l.giveBack()
	if l.release != nil && outcome == cutover.NotSwapped {
		l.release()
	}
}

// lockedReader reads through an attempt's locking session.
type lockedReader struct{ attempt *cutOverAttempt }

// Exec implements verify.Reader.
func (r lockedReader) Exec(ctx context.Context, query string, args ...any) error {
	return r.attempt.useLockSession(ctx, func(session *mysql.Session) error {
		_, err := session.Exec(ctx, lastReadLimit, query, args...)
		return err
	})
}

// Query implements verify.Reader.
func (r lockedReader) Query(ctx context.Context, take func(values [][]byte) error, query string, args ...any) error {
	return r.attempt.useLockSession(ctx, func(session *mysql.Session) error {
		return session.Query(ctx, lastReadLimit, take, query, args...)
	})
}
