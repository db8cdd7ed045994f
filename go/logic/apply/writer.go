package apply

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/github/gh-ost/go/mysql"
)

// The size of what is sent at once. Multi-row statements of about a hundred rows measured fastest; larger ones were
// slower and hold their locks for longer.
const (
	rowsPerStatement  = 100
	bytesPerStatement = 1 << 20
	rowsPerBatch      = 1000
	bytesPerBatch     = 4 << 20
)

// Retries are paused by growing steps between these bounds.
const (
	firstPause = 20 * time.Millisecond
	lastPause  = time.Second
)

// Statements builds what is sent to the ghost table.
type Statements interface {
	Keys
	Replace(rows [][]any) (query string, args []any, err error)
	Delete(keys [][]any) (query string, args []any, err error)
}

// Settings is what a Writer needs. All fields must be set, except where said otherwise.
type Settings struct {
	// DB is the pool of applying sessions, with their time zone and sql_mode.
	DB *gosql.DB
	// Statements are those of the migrated table.
	Statements Statements
	// Careful is set where the ghost has a unique key that rows of the original may break. Then no row is pushed out of the
	// ghost: one that meets another is owed, see Conflicts. Nil: every conflict is a passing one.
	Careful CarefulStatements
	// Preserving is set where the ghost has columns of its own whose values must outlive changes to their rows. It takes the
	// place of Careful. Nil: such columns get their defaults with each change.
	Preserving PreservingStatements
	// Lenient is set where the server's strict mode does not let all values be written that a table may hold. Nil: it does.
	Lenient LenientStatements
	// Patient is set where a row that the ghost refuses for its values may be put right by a later change: then it is owed like
	// one that meets another. Nil: such a row is a *RefusedRowError.
	Patient CarefulStatements
	// Progress keeps how much is applied, if Preserving is set and the ghost's engine has transactions. Nil: nobody does.
	Progress Progress
	// Earlier is what an earlier run has kept there. Its zero value: nothing is applied yet.
	Earlier Earlier
	// Backlog is where changes come from.
	Backlog *Backlog
	// Wait returns when applying is allowed: at once, or after throttling.
	Wait func(ctx context.Context) error
	// Concurrency is the number of sessions that apply shares of a batch at the same time, at least 1.
	Concurrency int
	// StatementBytes is how many bytes of values a statement may have, if the server takes few; 0: as many as are useful.
	StatementBytes int
	// Linger is how long an event may wait for others that share its transaction: commits cost clients more than rows do.
	Linger func() time.Duration
	// BatchSize is the smallest number of rows that a batch may take, as the operator set it.
	BatchSize func() int64
	// Retries is how often a batch is tried.
	Retries int64
	// Pause waits between two attempts, or returns the context's error if that ends first.
	Pause func(ctx context.Context, d time.Duration) error
	// Applied is told how many row changes were committed, how many more rows the original has by them (or fewer, below 0),
	// and how long their transaction took.
	Applied func(events, delta int64, took time.Duration)
	// Retrying is told of each failed attempt that will be repeated.
	Retrying func(err error, attempt int64)
}

// Writer applies the backlog to the ghost table. It is the only one that does.
type Writer struct {
	Settings
	debts       debts
	turn        chan struct{}   // holds an element while a batch is applied, or the writer is held
	passed      int64           // row changes that have been applied, by this run or an earlier one; counted with Preserving only
	earlierOwed map[string]debt // while what an earlier run has applied is passed over
}

// NewWriter returns a writer; Run starts it.
func NewWriter(settings Settings) *Writer {
	return &Writer{Settings: settings, turn: make(chan struct{}, 1)}
}

// Run applies until the context ends (then it returns nil) or a batch cannot be applied.
func (w *Writer) Run(ctx context.Context) error {
	for {
		if err := w.Wait(ctx); err != nil {
			return ended(ctx, err)
		}
		if err := w.Backlog.gather(ctx, w.Linger(), rowsPerBatch/2); err != nil {
			return ended(ctx, err)
		}
		entries, err := w.Backlog.take(ctx, max(rowsPerBatch, int(w.BatchSize())), bytesPerBatch)
		if err != nil {
			return ended(ctx, err)
		}
		if entries[0].event == nil {
			for _, marker := range entries {
				marker.reached()
			}
			continue
		}
		// Throttling that began while nothing was there to apply holds for what came then, too.
		if err := w.Wait(ctx); err != nil {
			return ended(ctx, err)
		}
		if err := w.applyInTurn(ctx, entries); err != nil {
			return ended(ctx, err)
		}
	}
}

func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (w *Writer) apply(ctx context.Context, entries []entry) error {
	if w.Preserving != nil {
		return w.applyPreserving(ctx, entries)
	}
	batch := NewBatch(w.Statements)
	for i := range entries {
		if err := batch.Add(entries[i].event); err != nil {
			return err
		}
	}
	if w.Careful != nil || len(w.debts.load()) > 0 {
		return w.applyCarefully(ctx, batch)
	}
	err := w.applyAtOnce(ctx, batch)
	if refused := new(RefusedRowError); w.Patient != nil && errors.As(err, &refused) {
		return w.applyCarefully(ctx, batch)
	}
	return err
}

// applyAtOnce applies a batch with whole rows that push out what stands in their way.
func (w *Writer) applyAtOnce(ctx context.Context, batch *Batch) error {
	deletes, err := w.split(batch.Deletes(), w.Statements.Delete)
	if err != nil {
		return fmt.Errorf("preparing deletes in the ghost table: %w", err)
	}
	replaces, err := w.split(batch.Upserts(), w.Statements.Replace)
	if err != nil {
		return fmt.Errorf("preparing changes for the ghost table: %w", err)
	}
	started := time.Now()
	if w.Concurrency == 1 || len(deletes)+len(replaces) == 1 {
		err = w.retry(ctx, append(deletes, replaces...))
	} else if err = w.share(ctx, deletes); err == nil {
		err = w.share(ctx, replaces)
	}
	if err != nil {
		return err
	}
	w.Applied(batch.Events(), batch.RowsDelta(), time.Since(started))
	return nil
}

// share divides the statements among the sessions, one transaction each, and returns when all have committed. The last images of
// one batch cannot conflict with one another on a unique key of the original, because they all stood in it at the batch's
// end; a row that one of them pushes out is part of the batch itself, or has its own event still to come.
func (w *Writer) share(ctx context.Context, statements []statement) error {
	group, ctx := errgroup.WithContext(ctx)
	size := (len(statements) + w.Concurrency - 1) / w.Concurrency
	for transaction := range slices.Chunk(statements, max(size, 1)) {
		group.Go(func() error { return w.retry(ctx, transaction) })
	}
	return group.Wait()
}

// statement is one that is ready to be sent, any number of times.
type statement struct {
	query string
	args  []any
	alone [][]any // the rows or keys in it, to find the one that the server refuses
	build func([][]any) (string, []any, error)
}

// statementBytes bounds the rows of a statement, as they came, before they are written into it.
func (w *Writer) statementBytes() int {
	if w.StatementBytes == 0 {
		return bytesPerStatement
	}
	return min(w.StatementBytes, bytesPerStatement)
}

func (w *Writer) split(rows [][]any, build func([][]any) (string, []any, error)) ([]statement, error) {
	var statements []statement
	for len(rows) > 0 {
		n, bytes := 0, 0
		for n < len(rows) && n < rowsPerStatement {
			bytes += weight(rows[n])
			if n > 0 && bytes > w.statementBytes() {
				break
			}
			n++
		}
		query, args, err := build(rows[:n])
		if err != nil {
			return nil, err
		}
		statements = append(statements, statement{query, args, rows[:n], build})
		rows = rows[n:]
	}
	return statements, nil
}

// weight is about what a row takes up in a statement, in bytes.
func weight(row []any) int {
	bytes := 0
	for _, value := range row {
		switch v := value.(type) {
		case string:
			bytes += len(v)
		case []byte:
			bytes += len(v)
		default:
			bytes += 8
		}
	}
	return bytes
}

func (w *Writer) retry(ctx context.Context, statements []statement) error {
	return w.repeat(ctx, statements, func() error { return w.transaction(ctx, statements) })
}

// repeat does a transaction of these statements until it succeeds, or until trying again is of no use.
func (w *Writer) repeat(ctx context.Context, statements []statement, transaction func() error) error {
	pause := firstPause
	for attempt := int64(1); ; attempt++ {
		err := transaction()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case mysql.IsDataError(err):
			return w.findCulprit(ctx, statements, err)
		case mysql.IsPermanent(err) || attempt >= w.Retries:
			return fmt.Errorf("applying changes to the ghost table, at attempt %d: %w", attempt, err)
		}
		w.Retrying(err, attempt)
		if err := w.Pause(ctx, pause); err != nil {
			return err
		}
		pause = min(2*pause, lastPause)
	}
}

func (w *Writer) transaction(ctx context.Context, statements []statement) error {
	tx, err := w.DB.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after a commit it does nothing; after an error err is the one to tell
	for _, s := range statements {
		if err := w.send(ctx, tx, s.query, s.args, s.alone); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// findCulprit sends the rows of a refused batch one by one, in a transaction that is rolled back, so that the error can
// name the row that the server refuses. If none is refused alone, the error of the batch is returned.
func (w *Writer) findCulprit(ctx context.Context, statements []statement, refused error) error {
	tx, err := w.DB.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("applying changes to the ghost table: %w", refused)
	}
	defer tx.Rollback()
	for _, s := range statements {
		for i := range s.alone {
			query, args, err := s.build(s.alone[i : i+1])
			if err != nil {
				break
			}
			err = w.send(ctx, tx, query, args, s.alone[i:i+1])
			switch {
			case mysql.IsPacketTooLarge(err):
				return fmt.Errorf("the row with key (%s) is larger than the server lets a statement be: raise max_allowed_packet: %w", w.keyOf(s.alone[i]), err)
			case err != nil && mysql.IsDataError(err) && !mysql.IsDuplicateEntry(err):
				return &RefusedRowError{Key: w.keyOf(s.alone[i]), Err: err}
			}
		}
	}
	return fmt.Errorf("applying changes to the ghost table: %w", refused)
}

func (w *Writer) keyOf(row []any) string { return w.keyText(w.Statements.KeyValues(row)) }

// keyText shows the values of a key to people.
func (w *Writer) keyText(key []any) string {
	text := ""
	for i, value := range key {
		if i > 0 {
			text += ", "
		}
		if bytes, ok := value.([]byte); ok {
			value = string(bytes)
		}
		text += fmt.Sprintf("%v", value)
	}
	return text
}

// RefusedRowError says which row the ghost table does not take: a native ALTER would have refused it as well.
type RefusedRowError struct {
	Key string // the values of the unique key
	Err error  // the server's, which names the column
}

func (e *RefusedRowError) Error() string {
	return fmt.Sprintf("the altered table does not take the row with key (%s): %v. Correct the row or the ALTER; --skip-strict-mode lets the server bend values", e.Key, e.Err)
}

func (e *RefusedRowError) Unwrap() error { return e.Err }
