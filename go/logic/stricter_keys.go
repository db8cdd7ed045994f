package logic

import (
	"context"
	gosql "database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/github/gh-ost/go/logic/apply"
	"github.com/github/gh-ost/go/logic/inspect"
	"github.com/github/gh-ost/go/logic/rowcopy"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// A unique key that only the ghost has, or has stricter than the original, may refuse rows for good. This file makes sure
// that no migration with such a key succeeds unless every row of the original stands in the ghost.
//
// The reasoning. Rows of the ghost are removed by nobody but the writer, which works carefully: it deletes by key, inserts,
// and owes a row that meets another. So a row that has once stood in the ghost is there, or is owed, or was deleted in the
// original. Only the copy passes rows over without a word. Therefore, once it is done, the ghost is searched for the rows
// of the original that it lacks. What is found is missing for one of three reasons: its event is still to be applied; it
// met a row that has moved on since; or the conflict is real. Copying it again settles the first two, and is allowed at any
// moment, for the same reasons as the copy itself. From then on the list of missing rows can only become shorter. If it is
// empty, and nothing is owed when everything up to the cut-over's lock is applied, nothing is missing.
//
// Keys are compared as bytes, because the stricter key may be the very one that rows are told apart by, as when a table's
// collation is changed.

const (
	// maxMissing is how many rows may be missing after the copy. More are no passing conflicts.
	maxMissing = 1000

	// conflictPatience is how long the cut-over waits for a conflict to pass: clients may be about to resolve it.
	conflictPatience = 3 * time.Second

	// maxConflictsShown is how many conflicts a message names.
	maxConflictsShown = 5
)

// ConflictError ends a migration whose ghost table has a unique key that rows of the original break.
type ConflictError struct {
	Conflicts []apply.Conflict
	More      bool // there are more than these
	Reverts   bool // the altered table is the old one, to which a revert goes back
}

func (e *ConflictError) Error() string {
	var texts []string
	for i, conflict := range e.Conflicts {
		if i == maxConflictsShown {
			break
		}
		texts = append(texts, fmt.Sprintf("key (%s): %v", conflict.Key, conflict.Err))
	}
	count := fmt.Sprint(len(e.Conflicts))
	if e.More {
		count = "more than " + count
	}
	if e.Reverts {
		return fmt.Sprintf("the old table does not take %s row(s): %s. Nothing was swapped; put the rows right, or have the server bend values (--skip-strict-mode) or take zero dates (--allow-zero-in-date), and start the revert again",
			count, strings.Join(texts, "; "))
	}
	return fmt.Sprintf("%s row(s) of the original break a unique key of the altered table, as a native ALTER would report: %s. "+
		"Nothing was swapped; resolve the conflicts, or leave the key out of the ALTER, and start again", count, strings.Join(texts, "; "))
}

// stricterKeys watches over the rows that a stricter unique key may have kept out of the ghost.
type stricterKeys struct {
	db         *gosql.DB // copying sessions
	statements *sql.CopyStatements
	searcher   *rowcopy.Searcher
	owed       func() []apply.Conflict
	catchUp    func(ctx context.Context) error // returns when everything that was committed before is applied
	patience   time.Duration                   // for which the cut-over waits for a conflict to pass
	reverts    bool                            // what is owed may be rows with values that the ghost does not take, too

	missing []sql.Bound // what the copy has passed over and nobody has brought since
	since   time.Time   // of the conflicts that the cut-over waits for
	looked  time.Time   // when it was last asked for them
}

// checkKeyConversion refuses changes by which it could not be told any more which row of the ghost is which of the original, in
// sessions with this sql_mode: the ghost's key may be implied by another one, and its columns lose what rows are looked for by.
func checkKeyConversion(shared *inspect.Shared, sqlMode string) error {
	isStrict := strings.Contains(strings.ToUpper(sqlMode), "STRICT_")
	for _, column := range shared.Columns {
		_, inKey := shared.Key.Columns.Lookup(column.Source.Name)
		change := fmt.Sprintf("the ALTER changes column %s of the unique key %s from %s to %s",
			sql.EscapeName(column.Source.Name), sql.EscapeName(shared.Key.Name), column.Source.Type.Text, column.Target.Type.Text)
		switch {
		case !inKey:
		case !isToldApartAsBefore(column):
			return fmt.Errorf("%s, by which different values may become one: rows could not be told apart. Change it in a column of its own, or natively", change)
		case !isStrict && !column.HasRoomForAll():
			return fmt.Errorf("%s, which has no room for all values: without strict mode the server makes others of them, and rows could not be told apart. Leave out --skip-strict-mode, or change the column natively", change)
		}
	}
	return nil
}

// isToldApartAsBefore tells whether a comparison of the two columns finds the same value and no other.
func isToldApartAsBefore(column sql.SharedColumn) bool {
	source, target := column.Source.Type, column.Target.Type
	switch {
	case source.Text == target.Text, source.IsInteger() && target.IsInteger():
		return true
	case source.IsCharacter() && target.Kind == sql.KindChar: // which keeps no spaces at the end
		return source.Kind == sql.KindChar || column.Source.PadsSpaces()
	case source.IsCharacter() && target.IsCharacter():
		return true
	case source.Kind == sql.KindDouble && target.Kind == source.Kind && !target.FixedDecimals:
		return true
	case target.FixedDecimals:
		return source.Kind == target.Kind && source.FixedDecimals && source.Decimals <= target.Decimals
	case source.Kind == sql.KindEnum && target.Kind == source.Kind, source.Kind == sql.KindSet && target.Kind == source.Kind:
		return target.HoldsLabels(source)
	case source.IsInteger() && target.Kind == sql.KindDecimal, source.IsBinary() && target.IsBinary() && target.Kind != sql.KindBinary:
		return true
	case source.Kind == sql.KindInet && target.Kind == source.Kind:
		return source.Name == target.Name
	case target.IsCharacter() && (source.IsInteger() || source.Kind == sql.KindInet || source.Kind == sql.KindEnum):
		return true
	}
	return source.Kind == target.Kind && source.Decimals <= target.Decimals
}

// carefulStatements are for the writer, if there is a unique key to be careful of; else nil.
func (mgtr *Migrator) carefulStatements() apply.CarefulStatements {
	if len(mgtr.shared.StricterGhostKeys) == 0 {
		return nil
	}
	var names []string
	for _, key := range mgtr.shared.StricterGhostKeys {
		names = append(names, sql.EscapeName(key.Name))
	}
	mgtr.log.Infof("The altered table has unique keys that rows of the original may break (%s): it will be made sure that none does", strings.Join(names, ", "))
	return mgtr.keys
}

// watchStricterKeys searches for rows that the copy has passed over, and has the cut-over wait for what it finds.
func (mgtr *Migrator) watchStricterKeys(ctx context.Context, statements *sql.CopyStatements, bounds rowcopy.Bounds) error {
	if len(mgtr.shared.StricterGhostKeys) == 0 {
		return nil
	}
	db, err := mgtr.applier.copySessions(mgtr.context.DatabaseName, 2)
	if err != nil {
		return err
	}
	mgtr.background(func(ctx context.Context) error {
		<-ctx.Done()
		return db.Close()
	})
	mgtr.stricter = &stricterKeys{
		db:         db,
		statements: statements,
		searcher:   &rowcopy.Searcher{DB: db, Statements: statements, Wait: mgtr.mayCopy, ChunkSize: mgtr.context.GetChunkSize},
		owed:       mgtr.owed,
		patience:   mgtr.patience,
		catchUp:    func(ctx context.Context) error { return mgtr.catchUp(ctx, StricterKeysSettled) },
	}
	mgtr.gate.obstacles = append(mgtr.gate.obstacles, mgtr.stricter.obstacle)
	mgtr.log.Infof("Searching for rows that the altered table's unique keys have kept out")
	return mgtr.stricter.findMissing(ctx, bounds)
}

// findMissing searches for what the copy has passed over.
func (k *stricterKeys) findMissing(ctx context.Context, bounds rowcopy.Bounds) error {
	var err error
	if k.missing, err = k.searcher.Search(ctx, bounds, maxMissing+1); err != nil {
		return err
	}
	if len(k.missing) <= maxMissing {
		return nil
	}
	conflicts, err := k.conflicts(ctx, k.missing[:maxConflictsShown])
	if err != nil {
		return err
	}
	if len(conflicts) == 0 { // all of these have come meanwhile: none of the others is known to be a conflict
		return k.findMissing(ctx, bounds)
	}
	return &ConflictError{Conflicts: conflicts, More: true}
}

// settle copies the missing rows again, and keeps the list of those that are still missing.
func (k *stricterKeys) settle(ctx context.Context) error {
	var still []sql.Bound
	for _, key := range k.missing {
		query, args, err := k.statements.InsertChunk(key, true, key)
		if err != nil {
			return err
		}
		if _, err := k.db.ExecContext(ctx, query, args...); err != nil && mysql.IsPermanent(err) {
			return &rowcopy.ChunkError{Range: rowcopy.Range{From: key, To: key, IncludeFrom: true}, Err: err}
		}
		missing, err := k.searcher.IsMissing(ctx, key)
		if err != nil {
			return err
		}
		if missing {
			still = append(still, key)
		}
	}
	k.missing = still
	return nil
}

// obstacle is the cut-over's reason to wait for conflicts; those that do not pass are a *ConflictError.
func (k *stricterKeys) obstacle(ctx context.Context) (reason string, err error) {
	if time.Since(k.looked) > time.Second {
		k.since = time.Now() // other things were waited for since
	}
	defer func() { k.looked = time.Now() }()
	if err := k.settle(ctx); err != nil {
		return "", err
	}
	if k.isClean() {
		k.since = time.Now()
		return "", nil
	}
	if time.Since(k.since) < k.patience {
		return k.reason(), nil
	}
	if err := k.catchUp(ctx); err != nil {
		return "", err
	}
	if err := k.settle(ctx); err != nil {
		return "", err
	}
	conflicts, err := k.conflicts(ctx, k.missing)
	if err != nil {
		return "", err
	}
	if conflicts = append(conflicts, k.owed()...); len(conflicts) > 0 {
		return "", &ConflictError{Conflicts: conflicts, Reverts: k.reverts}
	}
	return "", nil
}

// isClean tells whether no row is known to be missing.
func (k *stricterKeys) isClean() bool { return len(k.missing) == 0 && len(k.owed()) == 0 }

// requireClean is asked when everything up to the lock is applied, where nothing may be missing any more. A nil k has
// nothing to watch.
func (k *stricterKeys) requireClean() error {
	if k == nil || k.isClean() {
		return nil
	}
	return fmt.Errorf("at this moment: %s", k.reason())
}

func (k *stricterKeys) reason() string {
	count := len(k.missing) + len(k.owed())
	if k.reverts {
		return fmt.Sprintf("the old table does not take %d row(s)", count)
	}
	return fmt.Sprintf("%d row(s) break a unique key of the altered table", count)
}

// conflicts asks the server why rows are missing. A row that can be inserted now, or is gone, is no conflict; the inserts
// are rolled back.
func (k *stricterKeys) conflicts(ctx context.Context, keys []sql.Bound) ([]apply.Conflict, error) {
	var conflicts []apply.Conflict
	for _, key := range keys {
		err := k.tryRow(ctx, key)
		switch {
		case mysql.IsDuplicateEntry(err):
			conflicts = append(conflicts, apply.Conflict{Key: rowcopy.FormatBound(key), Err: err})
		case err != nil:
			return nil, fmt.Errorf("looking why the row with key (%s) is missing in the ghost table: %w", rowcopy.FormatBound(key), err)
		}
	}
	return conflicts, nil
}

func (k *stricterKeys) tryRow(ctx context.Context, key sql.Bound) error {
	query, args, err := k.statements.InsertRow(key)
	if err != nil {
		return err
	}
	tx, err := k.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // that is its purpose
	_, err = tx.ExecContext(ctx, query, args...)
	return err
}
