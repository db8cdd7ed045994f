package logic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/github/gh-ost/go/logic/rowcopy"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// ErrNoCheckpointFound says that there is nothing to continue from.
var ErrNoCheckpointFound = errors.New("no checkpoint found")

// A checkpoint says: every transaction before its place in the binary log is applied completely, and every row up to the end
// of its last chunk is copied. Both may have gone on since; to apply or copy anything behind them once more does no harm,
// because events carry whole rows and come in order, and the copy passes over rows that are there.
//
// The place is the one that the stream had handled when a heartbeat, or a state, was put into the backlog that has come out
// of it since. A heartbeat is a transaction of its own, so no other is half before it and half behind it.

// Checkpoint is a state of a migration from which it can go on, or, after its cut-over, be reverted.
type Checkpoint struct {
	Id            int64     //nolint:revive,staticcheck // embedders know it by this name
	Timestamp     time.Time // by the server's clock
	LastTrxCoords mysql.BinlogCoordinates
	// IterationRangeMin and IterationRangeMax are the bounds of the last chunk without a gap before it; nil: none is copied.
	IterationRangeMin, IterationRangeMax *sql.ColumnValues
	// Iteration counts the chunks, RowsCopied the rows, that are copied up to there, DMLApplied the row events applied.
	Iteration, RowsCopied, DMLApplied int64
	// IsCutover is true for the one that is written after the tables were swapped.
	IsCutover bool

	record checkpointRecord
}

// checkpointFormat is the version of what is stored. A run goes on only from checkpoints of its own format.
const checkpointFormat = 1

// checkpointRecord is what a later run has to know, as JSON.
type checkpointRecord struct {
	Format   int       `json:"format"`
	Version  string    `json:"version"`             // of the tool
	Alter    string    `json:"alter"`               // its options, without ALTER TABLE
	Stream   string    `json:"stream"`              // the server whose binary log the place is in
	GTID     bool      `json:"gtid"`                // the place is a set of transactions
	Ghost    string    `json:"ghost"`               // its identity
	Original string    `json:"original"`            // its identity
	Old      string    `json:"old"`                 // the name that the original gets, without schema
	Columns  []column  `json:"columns"`             // shared ones
	Key      string    `json:"key"`                 // by which rows are walked
	LowWater *lowWater `json:"low_water,omitempty"` // nil: nothing is copied
	Attempt  string    `json:"attempt,omitempty"`   // the token of the cut-over attempt that has begun, or that has swapped
	Slipped  int       `json:"slipped,omitempty"`   // writes that stand in the old table only
	Mark     string    `json:"mark,omitempty"`      // what the changelog was told just behind the place; "" after a swap

	Reverted *revertedSoFar `json:"reverted,omitempty"` // by a revert that has begun; nil if none has kept it
}

// column is a shared column, by its names in the original and in the ghost.
type column struct {
	Source string `json:"source"`
	Target string `json:"target"`
}

// lowWater is a rowcopy.LowWater as it is kept. The values are bytes in the columns' own character sets.
type lowWater struct {
	Iteration int64       `json:"iteration"`
	From      storedBound `json:"from"`
	To        storedBound `json:"to"`
	Rows      int64       `json:"rows"`
}

type storedBound [][]byte

func storeBound(bound sql.Bound) (stored storedBound, err error) {
	for _, value := range bound {
		raw, isRaw := value.([]byte)
		if !isRaw {
			return nil, fmt.Errorf("the bound %v is not as a range read returns it", value)
		}
		stored = append(stored, raw)
	}
	return stored, nil
}

func (b storedBound) bound() sql.Bound {
	bound := make(sql.Bound, len(b))
	for i, value := range b {
		bound[i] = value
	}
	return bound
}

// start is where the copy goes on.
func (r *checkpointRecord) start() rowcopy.LowWater {
	if r.LowWater == nil {
		return rowcopy.LowWater{}
	}
	return rowcopy.LowWater{
		Range: rowcopy.Range{Iteration: r.LowWater.Iteration, From: r.LowWater.From.bound(), To: r.LowWater.To.bound()},
		Rows:  r.LowWater.Rows,
	}
}

func (r *checkpointRecord) setLowWater(low rowcopy.LowWater) (err error) {
	if low.IsZero() {
		return nil
	}
	stored := &lowWater{Iteration: low.Range.Iteration, Rows: low.Rows}
	if stored.From, err = storeBound(low.Range.From); err != nil {
		return err
	}
	stored.To, err = storeBound(low.Range.To)
	r.LowWater = stored
	return err
}

// describe sets what people and embedders see of the low-water mark.
func (c *Checkpoint) describe() {
	if low := c.record.LowWater; low != nil {
		c.Iteration, c.RowsCopied = low.Iteration+1, low.Rows
		c.IterationRangeMin, c.IterationRangeMax = sql.NewColumnValues(low.From.bound()), sql.NewColumnValues(low.To.bound())
	}
}

var errNothingApplied = errors.New("nothing has been applied yet that a checkpoint could stand for")

// checkpointer writes checkpoints.
type checkpointer struct {
	table         checkpointTable
	key           []sql.Column
	identity      checkpointRecord // what does not change during the run
	eventsApplied func() int64
	lowWater      func() rowcopy.LowWater
}

// write makes a checkpoint for a place up to which all is applied, with changes to it, and stores it.
func (k *checkpointer) write(ctx context.Context, applied mysql.BinlogCoordinates, change func(*Checkpoint)) (*Checkpoint, error) {
	if applied == nil || applied.IsEmpty() {
		return nil, errNothingApplied
	}
	checkpoint := &Checkpoint{LastTrxCoords: applied, DMLApplied: k.eventsApplied(), record: k.identity}
	if err := checkpoint.record.setLowWater(k.lowWater()); err != nil {
		return nil, err
	}
	checkpoint.describe()
	change(checkpoint)
	if err := k.table.insert(ctx, k.key, checkpoint); err != nil {
		return nil, err
	}
	checkpoint.Timestamp = time.Now()
	return checkpoint, nil
}

// read returns the last checkpoint; ErrNoCheckpointFound if there is none.
func (t checkpointTable) read(ctx context.Context, dialect mysql.Dialect) (*Checkpoint, error) {
	stored, err := t.last(ctx)
	if err != nil {
		return nil, err
	}
	checkpoint := &Checkpoint{Id: stored.id, Timestamp: time.Unix(stored.timestamp, 0), DMLApplied: stored.applied, IsCutover: stored.cutOver}
	if err := json.Unmarshal([]byte(stored.record), &checkpoint.record); err != nil {
		return nil, fmt.Errorf("the last checkpoint in %s cannot be read: %w", t.name, err)
	}
	if format := checkpoint.record.Format; format != checkpointFormat {
		return nil, fmt.Errorf("the last checkpoint in %s was written by version %s in format %d, this version has format %d: go on with that version", t.name, checkpoint.record.Version, format, checkpointFormat)
	}
	if checkpoint.record.GTID {
		checkpoint.LastTrxCoords, err = mysql.NewGTIDBinlogCoordinates(dialect.Flavor(), stored.coordinates)
	} else {
		checkpoint.LastTrxCoords, err = mysql.ParseFileBinlogCoordinates(stored.coordinates)
	}
	if err != nil {
		return nil, fmt.Errorf("the last checkpoint in %s cannot be read: %w", t.name, err)
	}
	checkpoint.describe()
	return checkpoint, nil
}

func columnsOf(shared []sql.SharedColumn) (columns []column) {
	for _, pair := range shared {
		columns = append(columns, column{pair.Source.Name, pair.Target.Name})
	}
	return columns
}

func (r *checkpointRecord) hasColumns(shared []sql.SharedColumn) bool {
	return slices.Equal(r.Columns, columnsOf(shared))
}
