package verify

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// Verifier compares the original with the ghost, from Run until the cut-over.
type Verifier struct {
	Settings
	sessions *sessions
	pending  *pending
	ranges   chan sql.RowSet // chunks to be read again
	reading  *semaphore.Weighted
	pace     pace // of reading single rows

	mutex       sync.Mutex
	wanted      time.Time // since when somebody wants to cut over; zero: it is postponed
	current     *pass     // under way; nil if none is
	last        *pass     // the last complete one; nil if none is or counts any more
	rangesInUse int       // chunks queued or being read again

	chunk chunkSize
}

// New returns a verifier; Run starts it. Touch may be called from now on.
func New(settings Settings) *Verifier {
	v := &Verifier{
		Settings: settings,
		sessions: newSessions(settings.DB, settings.Statements, settings.Concurrency+2),
		pending:  newPending(pendingLimit),
		ranges:   make(chan sql.RowSet, 2*rangesPerRound),
		reading:  semaphore.NewWeighted(allReads),
		wanted:   time.Now(),
	}
	v.chunk.configured, v.chunk.target = settings.ChunkSize, settings.ChunkTime
	return v
}

// allReads is more than there are sessions: Hold takes all of it.
const allReads = 1 << 20

// Check makes sure that the server does what the verification needs, so that a migration that cannot be verified ends before
// it has begun.
func Check(ctx context.Context, db *gosql.DB, statements *sql.VerifyStatements) error {
	s := newSessions(db, statements, 1)
	defer s.close()
	return s.use(ctx, func(*gosql.Conn) error { return nil })
}

// Ready makes another session ready to read the original for Final. It must have the settings of the pool's.
func (v *Verifier) Ready(ctx context.Context, session Reader) error {
	return v.sessions.prepare(ctx, session)
}

// Touch notes an event of the row with the key, given as the binary log gives it.
func (v *Verifier) Touch(key sql.Bound) error {
	id, err := v.Statements.KeyString(key)
	if err != nil {
		return err
	}
	v.pending.touch(id, key)
	return nil
}

// Run compares until the context ends (then it returns nil), or until it has found a difference, which is a *DifferenceError,
// or cannot go on. It closes its sessions.
func (v *Verifier) Run(ctx context.Context) error {
	group, work := errgroup.WithContext(ctx)
	group.Go(func() error { return v.passes(work) })
	group.Go(func() error { return v.rounds(work) })
	err := group.Wait()
	v.sessions.close()
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// Obstacle is what keeps the cut-over from being tried, "" if nothing does: a pass that is not complete, or more rows to read
// again than can be read in the time for which writers may be locked out. Calling it says that somebody wants to cut over.
func (v *Verifier) Obstacle(budget time.Duration) string {
	rows, suspicious, overflow := v.pending.state()
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if v.wanted.IsZero() {
		v.wanted = time.Now()
	}
	switch allowed := v.pace.fits(budget); {
	case overflow || !v.isFresh():
		return fmt.Sprintf("the checksum, %d%% of the rows compared", v.percentage())
	case v.rangesInUse+suspicious > 0:
		return fmt.Sprintf("the checksum, which reads again what differed: %d rows, %d chunks", suspicious, v.rangesInUse)
	case rows > allowed:
		return fmt.Sprintf("the checksum, which has %d changed rows to read again; %d could be read while writers are locked out", rows, allowed)
	}
	return ""
}

// isFresh tells whether a pass is complete that counts for a cut-over.
func (v *Verifier) isFresh() bool {
	if v.last == nil {
		return false
	}
	return v.wanted.IsZero() || v.last.took > freshLimit || !v.last.started.Before(v.wanted)
}

// Progress is a few words for people: the share of rows compared.
func (v *Verifier) Progress() string {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	return fmt.Sprintf("checksum %d%%", v.percentage())
}

func (v *Verifier) percentage() int64 {
	switch {
	case v.isFresh():
		return 100
	case v.current == nil:
		return 0
	}
	return min(99, 100*v.current.rows/max(v.Rows(), 1))
}

// Reserve opens a session for Final, so that none has to be opened while clients wait. The caller gives it back.
func (v *Verifier) Reserve(ctx context.Context) (session *gosql.Conn, giveBack func(), err error) {
	return v.sessions.reserve(ctx)
}

// Hold waits until no row is being read, and keeps others from being read until release is called.
func (v *Verifier) Hold(ctx context.Context) (release func(), err error) {
	if err := v.reading.Acquire(ctx, allReads); err != nil {
		return nil, err
	}
	return func() { v.reading.Release(allReads) }, nil
}

// LastRowsError says that rows differed when the last of them were read for a cut-over. Whether that is a fault is for Run to
// find out: the lock may have been lost.
type LastRowsError struct{ Difference *DifferenceError }

func (e *LastRowsError) Error() string {
	texts := make([]string, len(e.Difference.Rows))
	for i, row := range e.Difference.Rows {
		texts[i] = row.String()
	}
	return "the checksum found that under the lock, if that was held, " + strings.Join(texts, "; ") + "; this is looked into"
}

// Final reads what is left, once: the caller holds the verifier, no client can write to the original, and all its events are
// applied. It returns nil if all of it is equal, a *LastRowsError if not, and another error if the context ended before that.
// session is a reserved one. original, if it is not nil, is a session that Ready has made ready: the one that may read the
// original now.
func (v *Verifier) Final(ctx context.Context, session *gosql.Conn, original Reader) error {
	if v.inUse() > 0 {
		return errors.New("the checksum has not read some chunks again yet that differed")
	}
	if v.pending.overflowed() {
		return errors.New("the checksum begins anew: too many rows were changed to keep them in mind")
	}
	items := v.pending.all()
	from := both(session)
	if original != nil {
		from.original = original
	}
	for share := range slices.Chunk(items, keysPerRead) {
		differing, err := v.readKeys(ctx, from, share)
		if err != nil {
			return fmt.Errorf("reading the last %d changed rows again: %w", len(items), err)
		}
		if len(differing) > 0 {
			v.pending.accuse(differing)
			difference, err := v.explain(ctx, from, differing)
			if err != nil {
				return err
			}
			return &LastRowsError{difference}
		}
		v.pending.forget(share)
	}
	return nil
}

func (v *Verifier) inUse() int {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	return v.rangesInUse
}

func (v *Verifier) addInUse(n int) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.rangesInUse += n
}

// readKeys looks rows up in both tables and returns those that differ.
func (v *Verifier) readKeys(ctx context.Context, from readers, taken []item) ([]row, error) {
	started := time.Now()
	keys := make([]sql.Bound, len(taken))
	for i, item := range taken {
		keys[i] = item.key
	}
	differing, _, err := v.sessions.differing(ctx, from, sql.RowSet{Keys: keys})
	if err == nil {
		v.pace.observe(len(keys), time.Since(started))
	}
	return differing, err
}

// explain finds out in what rows differ that are known to.
func (v *Verifier) explain(ctx context.Context, from readers, faults []row) (*DifferenceError, error) {
	result := &DifferenceError{Original: v.Original, Ghost: v.Ghost}
	for _, fault := range faults {
		if len(result.Rows) == maxReported {
			break
		}
		difference, err := v.sessions.explain(ctx, from, fault)
		if err != nil {
			return nil, fmt.Errorf("the checksum found that a row differs (%s), and then: %w", v.Statements.FormatKey(fault.key), err)
		}
		result.Rows = append(result.Rows, difference)
	}
	result.More = len(faults) - len(result.Rows)
	return result, nil
}

// read lends a session for one read when reading is allowed, and repeats what may work the next time.
func (v *Verifier) read(ctx context.Context, do func(conn *gosql.Conn) error) error {
	return v.retry(ctx, func() error {
		if err := v.Wait(ctx); err != nil {
			return err
		}
		if err := v.reading.Acquire(ctx, 1); err != nil {
			return err
		}
		defer v.reading.Release(1)
		return v.sessions.use(ctx, do)
	})
}

func (v *Verifier) retry(ctx context.Context, do func() error) error {
	wait := firstPause
	for attempt := int64(1); ; attempt++ {
		err := do()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case isFinal(err):
			return err
		case attempt >= v.Retries:
			return fmt.Errorf("comparing %s with %s, at attempt %d: %w", v.Original, v.Ghost, attempt, err)
		}
		v.Retrying(err, attempt)
		if err := pause(ctx, wait); err != nil {
			return err
		}
		wait = min(2*wait, lastPause)
	}
}

// isFinal tells whether trying again is of no use. A value that the ghost does not take is the writer's to report, who meets
// it too and knows more of it; a client may also take it back.
func isFinal(err error) bool {
	var difference *DifferenceError
	return errors.As(err, &difference) || errors.Is(err, errForeignKey) || errors.Is(err, errNotHashed) || mysql.IsPermanent(err) && !mysql.IsDataError(err)
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
