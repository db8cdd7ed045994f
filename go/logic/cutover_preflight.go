package logic

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

const (
	// lookPause is for how long a reason to wait is repeated before the server is asked again.
	lookPause = 300 * time.Millisecond

	// transactionPause is the least time between two reads of the storage engine's transactions: the server does not
	// refresh them while they are read more often than every 100 ms.
	transactionPause = 150 * time.Millisecond

	// looksThatMayFail in a row are waited for; then the cut-over goes without.
	looksThatMayFail = 10

	// lookLimit bounds each statement of a look before the lock, when nobody is held up.
	lookLimit = 5 * time.Second

	// minMaxWriteLockCount: below it, as many queued writers as it says may overtake the queued RENAME at the unlock.
	// No table has so many sessions queued that the bound matters; the servers' own defaults are 2^64-1 and 2^32-1.
	minMaxWriteLockCount = 1_000_000

	// transactionTable shows the storage engine's transactions.
	transactionTable = "information_schema.innodb_trx"
)

// lockWatchSettings says what is waited for.
type lockWatchSettings struct {
	LockTimeout time.Duration // of an attempt: a transaction that is older is waited for before the lock is asked for
	ForceAfter  time.Duration // after so long of waiting, sessions are ended; 0: never
}

// lockWatch looks who would keep the cut-over from its locks: before the lock, so that no attempt is made that cannot
// succeed and holds up clients in vain, and once more before the sentry's drop.
//
// What it can see depends on the server. MySQL shows metadata locks in performance_schema. MariaDB shows them if the
// plugin metadata_lock_info is installed, or in performance_schema if that and its instrument are switched on. Elsewhere it
// tries the tables, and names old transactions as suspects; suspects are never ended.
type lockWatch struct {
	applier  *Applier
	names    cutOverNames
	settings lockWatchSettings

	once   sync.Mutex // one look before the lock at a time
	source lockSource // nil: not chosen yet, or there is none
	blind  bool       // there is none
	looked time.Time
	reason string // of the last look

	failures int  // how many looks in a row have failed
	unsafe   bool // the last look did not even come to know whether an attempt would be safe
	told     map[string]bool

	transactionsRead time.Time

	probes    int       // how many tries have failed in a row
	nextProbe time.Time // after a failed one

	blockedSince time.Time // the beginning of the time for which the cut-over has been kept from its lock
	blockedLast  time.Time
	ended        map[int64]time.Time // the connections that were ended, and when

	mutex    sync.Mutex
	blockers []Blocker
}

// newLockWatch returns a watch on the tables of a cut-over.
func newLockWatch(apl *Applier, names cutOverNames, settings lockWatchSettings) *lockWatch {
	return &lockWatch{applier: apl, names: names, settings: settings, told: map[string]bool{}, ended: map[int64]time.Time{}}
}

// Blockers is what kept the cut-over from its lock when it last looked, the longest first.
func (w *lockWatch) Blockers() []Blocker {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return append([]Blocker(nil), w.blockers...)
}

func (w *lockWatch) remember(blockers []Blocker) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.blockers = blockers
}

// beforeLock tells why the lock should not be asked for now; "" if nothing is in its way. When the cut-over has been
// kept from its lock for as long as the settings say, it ends sessions that are in the way. It is an obstacle of the
// gate, and may be called as often as one likes: it looks at its own pace.
func (w *lockWatch) beforeLock(ctx context.Context) (reason string, err error) {
	w.once.Lock()
	defer w.once.Unlock()
	if w.reason != "" && time.Since(w.looked) < lookPause {
		return w.reason, nil
	}
	w.reason, err = w.look(ctx)
	w.looked = time.Now()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err == nil:
		w.failures = 0
	default:
		if w.failures++; w.failures < looksThatMayFail || w.unsafe {
			w.reason = fmt.Sprintf("it could not be seen whether anybody holds the tables: %v", err)
			return w.reason, nil
		}
		w.tellOnce("failed", "the cut-over cannot see whether anybody holds the tables, and goes without: %v", err)
	}
	return w.reason, nil
}

func (w *lockWatch) look(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	reason, err := w.writeLockCount(ctx)
	w.unsafe = err != nil
	if err != nil || reason != "" {
		w.remember(nil)
		return reason, err
	}
	blockers, held, err := w.find(ctx)
	if err != nil {
		return "", err
	}
	longestFirst(blockers)
	w.remember(blockers)
	if !held {
		return "", nil
	}
	now := time.Now()
	// A pause is what an attempt takes that was made and could not get its lock.
	if now.Sub(w.blockedLast) > 2*w.settings.LockTimeout+5*time.Second {
		w.blockedSince = now
	}
	w.blockedLast = now
	blocked := &BlockedError{Table: w.names.original, Blockers: blockers}
	if w.settings.ForceAfter > 0 && now.Sub(w.blockedSince) >= w.settings.ForceAfter {
		if err := w.force(ctx, blockers); err != nil {
			return "", err
		}
	}
	return blocked.Error(), nil
}

// writeLockCount is the reason not to begin while max_write_lock_count is low. The server obeys a changed value at once,
// also for requests that stand in its queues already, so it is looked at before each attempt.
func (w *lockWatch) writeLockCount(ctx context.Context) (string, error) {
	text, err := mysql.GlobalVariable(ctx, w.applier.general, "max_write_lock_count")
	if errors.Is(err, gosql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	value, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return "", fmt.Errorf("max_write_lock_count: %w", err)
	}
	if value >= minMaxWriteLockCount {
		return "", nil
	}
	remedy := "18446744073709551615"
	if w.applier.server.Dialect.IsMariaDB() {
		remedy = "4294967295"
	}
	return fmt.Sprintf("the server's max_write_lock_count is %d: queued writers could overtake the RENAME, and their rows would be lost. "+
		"SET GLOBAL max_write_lock_count = %s (the default); it takes effect at once", value, remedy), nil
}

// find looks for who is in the way. held tells whether anybody is, also if the server does not name them.
func (w *lockWatch) find(ctx context.Context) (blockers []Blocker, held bool, err error) {
	if err := w.chooseSource(ctx); err != nil {
		return nil, false, err
	}
	transactions, err := w.optional(ctx, transactionTable, func() ([]engineTransaction, error) {
		if err := pause(ctx, transactionPause-time.Since(w.transactionsRead)); err != nil {
			return nil, err
		}
		defer func() { w.transactionsRead = time.Now() }()
		return engineTransactions(ctx, w.applier.general)
	})
	if err != nil {
		return nil, false, err
	}
	prepared, err := w.findPrepared(ctx, transactions)
	if err != nil {
		return nil, false, err
	}
	if w.blind {
		return w.findBlindly(ctx, transactions, prepared)
	}
	holders, err := w.source.holders(ctx, w.applier.general, []sql.TableName{w.names.original, w.names.ghost})
	if err != nil {
		return nil, false, err
	}
	byConnection := map[int64]*engineTransaction{}
	for i, t := range transactions {
		byConnection[t.connectionID] = &transactions[i]
	}
	_, detached := byConnection[0]
	for _, h := range holders {
		if h.vanished && !detached && !w.told[transactionTable] {
			continue // its session has just ended, between two of the server's tables
		}
		if h.connectionID != 0 {
			h.transaction = byConnection[h.connectionID]
		}
		h.prepared = h.prepared || h.strayed && detached
		b := h.blocker(w.ownUser())
		if b.Kind == PreparedTransaction && prepared != nil {
			b.Statement, b.Age = prepared.Statement, max(b.Age, prepared.Age)
		}
		if b.obstructsLock(w.settings.LockTimeout) {
			blockers = append(blockers, b)
		}
	}
	blockers = onePerSession(blockers)
	if prepared != nil && !hasPrepared(blockers) {
		return w.judgePrepared(ctx, blockers, *prepared)
	}
	return blockers, len(blockers) > 0, nil
}

// findPrepared looks for prepared XA transactions that no session works on; nil if there is none.
func (w *lockWatch) findPrepared(ctx context.Context, transactions []engineTransaction) (*Blocker, error) {
	var age time.Duration
	detached := false
	for _, t := range transactions {
		if t.connectionID == 0 {
			detached, age = true, max(age, t.age)
		}
	}
	if !detached {
		return nil, nil
	}
	ids, err := w.optionalIDs(ctx)
	if err != nil || len(ids) == 0 {
		return nil, err // such as a rollback after a crash
	}
	return &Blocker{
		Kind: PreparedTransaction, Age: age, Table: w.names.original, Lock: "SHARED_WRITE", deliberate: true,
		Statement: "XA COMMIT or XA ROLLBACK " + strings.Join(ids, " / "),
	}, nil
}

// judgePrepared decides on prepared transactions that are not seen to hold the table. MySQL loses sight of their locks
// when the session goes on with other work, so the table is tried. MariaDB gives up their metadata locks with their
// client, and the RENAME then waits inside the storage engine, with all readers and writers behind it: they are waited for.
func (w *lockWatch) judgePrepared(ctx context.Context, blockers []Blocker, prepared Blocker) ([]Blocker, bool, error) {
	if w.applier.server.Dialect.IsMariaDB() {
		return append(blockers, prepared), true, nil
	}
	if len(blockers) > 0 || prepared.Age < idleLimit {
		return blockers, len(blockers) > 0, nil
	}
	free, err := w.tryOriginal(ctx)
	if err != nil || free {
		return nil, false, err
	}
	prepared.Suspected = true
	return []Blocker{prepared}, true, nil
}

// beforeDrop looks, while writers are held, whether the RENAME would get the tables at once. The error is a *BlockedError
// if somebody would keep it from them.
func (w *lockWatch) beforeDrop(ctx context.Context, attempt *cutOverAttempt) error {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), controlLimit)
	defer cancel()
	db := attempt.control.db
	var blockers []Blocker
	switch {
	case w.source != nil:
		holders, err := w.source.holders(limited, db, []sql.TableName{w.names.original, w.names.ghost, w.names.old})
		if err != nil {
			return err
		}
		for _, h := range holders {
			ours := h.connectionID != 0 && (h.connectionID == attempt.lock.ID() || h.connectionID == attempt.rename.ID())
			if b := h.blocker(w.ownUser()); !ours && b.obstructsSwap() {
				blockers = append(blockers, b)
			}
		}
	default:
		statements, err := w.runningOn(limited, db)
		if err != nil {
			return err
		}
		blockers = statements
		if len(blockers) == 0 {
			free, err := attempt.renameHoldsGhost(limited)
			if err == nil && !free {
				free, err = isFree(limited, db, w.applier.server.Dialect, w.names.ghost, swapProbe)
			}
			if err != nil {
				return err
			}
			if !free {
				return &BlockedError{Table: w.names.ghost}
			}
		}
	}
	if len(blockers) == 0 {
		return nil
	}
	blockers = onePerSession(blockers)
	longestFirst(blockers)
	w.remember(blockers)
	return &BlockedError{Table: w.names.original, Blockers: blockers}
}

// chooseSource finds out once where the server shows its locks.
func (w *lockWatch) chooseSource(ctx context.Context) error {
	if w.source != nil || w.blind {
		return nil
	}
	dialect := w.applier.server.Dialect
	var candidates []lockSource
	for _, table := range dialect.MetadataLockSources() {
		switch {
		case table == mysql.MetadataLockInfoPlugin:
			candidates = append([]lockSource{pluginLocks{dialect}}, candidates...) // it has times, and the type that a lock has now
		case w.applier.metadataLocksReadable:
			candidates = append(candidates, performanceSchemaLocks{dialect})
		}
	}
	var why error
	for _, source := range candidates {
		_, err := source.holders(ctx, w.applier.general, []sql.TableName{w.names.original})
		switch {
		case err == nil:
			w.source = source
			return nil
		case !mysql.IsPermanent(err):
			return err
		}
		why = err
	}
	w.blind = true
	remedy := "SELECT on performance_schema, with the instrument wait/lock/metadata/sql/mdl switched on"
	if dialect.IsMariaDB() {
		remedy = "INSTALL SONAME 'metadata_lock_info'"
	}
	if why == nil {
		why = errors.New("its instrument for metadata locks is off, or not readable")
	}
	effect := ""
	if w.settings.ForceAfter > 0 {
		effect = "; --cut-over-force-after-seconds has no effect, for nobody is ended on suspicion"
	}
	_ = w.applier.log.Warningf("the server does not show who holds a table: before the cut-over the table is tried, and old transactions are named as suspects%s. Remedy: %s. %v", effect, remedy, why)
	return nil
}

// optional reads what an account may have no right to read, which is said once.
func (w *lockWatch) optional(ctx context.Context, what string, read func() ([]engineTransaction, error)) ([]engineTransaction, error) {
	transactions, err := read()
	// The statement that stands in the way is over in a moment; an orphaned prepared transaction is seen nowhere else.
	for try := 0; mysql.ErrorNumber(err) == errCannotConvert && try < convertTries; try++ {
		if err := pause(ctx, convertPause); err != nil {
			return nil, err
		}
		transactions, err = read()
	}
	if mysql.ErrorNumber(err) == errCannotConvert {
		return nil, nil // a statement of somebody's stands in the way; what holds the tables is seen elsewhere
	}
	if mysql.IsAccessDenied(err) {
		w.tellOnce(what, "the cut-over cannot see transactions (the privilege PROCESS is needed), and goes without: %v", err)
		return nil, nil
	}
	return transactions, err
}

func (w *lockWatch) optionalIDs(ctx context.Context) ([]string, error) {
	ids, err := preparedTransactions(ctx, w.applier.general)
	if mysql.IsPermanent(err) || mysql.ErrorNumber(err) == errXARecoverDenied {
		w.tellOnce("xa", "the cut-over cannot see prepared XA transactions (the privilege XA_RECOVER_ADMIN is needed), and goes without: %v", err)
		return nil, nil
	}
	return ids, err
}

// errCannotConvert is MySQL's error for a look at a table of information_schema in which a statement with a character of
// four bytes stands.
const errCannotConvert = 3854

// Such a look is tried again, so often and after such a pause.
const (
	convertTries = 40
	convertPause = 5 * time.Millisecond
)

// errXARecoverDenied is MySQL's error for XA RECOVER without the privilege.
const errXARecoverDenied = 1401

func (w *lockWatch) tellOnce(what, format string, args ...any) {
	if w.told[what] {
		return
	}
	w.told[what] = true
	_ = w.applier.log.Warningf(format, args...)
}

func (w *lockWatch) ownUser() string { return w.applier.config.User }

// onePerSession keeps one blocker of each session: the one that weighs most. All prepared transactions count as one.
func onePerSession(blockers []Blocker) []Blocker {
	place := map[int64]int{}
	kept := blockers[:0]
	for _, b := range blockers {
		at, seen := place[b.ConnectionID]
		switch {
		case !seen:
			place[b.ConnectionID] = len(kept)
			kept = append(kept, b)
		case b.deliberate && !kept[at].deliberate:
			kept[at] = b
		}
	}
	return kept
}

func hasPrepared(blockers []Blocker) bool {
	for _, b := range blockers {
		if b.Kind == PreparedTransaction {
			return true
		}
	}
	return false
}
