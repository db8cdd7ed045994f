package apply

import (
	"fmt"

	"github.com/github/gh-ost/go/binlog"
)

// Keys finds the values of the migration's unique key in rows of the original table, given as the stream gives them.
type Keys interface {
	// KeyValues returns the values of the key's columns.
	KeyValues(row []any) []any
	// KeyString returns an encoding of those values that differs where they differ.
	KeyString(row []any) (string, error)
}

// Batch is a run of row changes, coalesced: for each key it holds only the last image. The zero value is not usable;
// NewBatch makes one. It is not safe for concurrent use.
type Batch struct {
	keys   Keys
	index  map[string]int // place in images, by KeyString
	images []image
	events int64
	delta  int64
}

// image is the last that is known of one key: its whole row, or nil if the row is gone.
type image struct {
	key []any
	row []any
}

// NewBatch returns an empty batch.
func NewBatch(keys Keys) *Batch {
	return &Batch{keys: keys, index: map[string]int{}}
}

// Add takes in all the rows of an event.
func (b *Batch) Add(event *binlog.Event) error {
	for i := range event.Rows {
		if err := b.addRow(&event.Rows[i]); err != nil {
			return fmt.Errorf("reading a row event of %s.%s at %v: %w", event.Schema, event.Table, event.Coordinates, err)
		}
	}
	return nil
}

func (b *Batch) addRow(change *binlog.RowChange) error {
	b.events++
	switch {
	case change.Before == nil:
		b.delta++
	case change.After == nil:
		b.delta--
	}
	var gone, now string
	var err error
	if change.Before != nil {
		if gone, err = b.keys.KeyString(change.Before); err != nil {
			return err
		}
	}
	if change.After != nil {
		if now, err = b.keys.KeyString(change.After); err != nil {
			return err
		}
	}
	if change.Before != nil && (change.After == nil || gone != now) {
		b.set(gone, image{key: b.keys.KeyValues(change.Before)})
	}
	if change.After != nil {
		b.set(now, image{key: b.keys.KeyValues(change.After), row: change.After})
	}
	return nil
}

func (b *Batch) set(key string, last image) {
	if at, known := b.index[key]; known {
		b.images[at] = last
		return
	}
	b.index[key] = len(b.images)
	b.images = append(b.images, last)
}

// Deletes returns the keys whose rows are gone.
func (b *Batch) Deletes() [][]any {
	var keys [][]any
	for _, i := range b.images {
		if i.row == nil {
			keys = append(keys, i.key)
		}
	}
	return keys
}

// Upserts returns the rows that stand at the batch's end.
func (b *Batch) Upserts() [][]any {
	var rows [][]any
	for _, i := range b.images {
		if i.row != nil {
			rows = append(rows, i.row)
		}
	}
	return rows
}

// RowsDelta is the number of inserted rows less that of deleted ones.
func (b *Batch) RowsDelta() int64 { return b.delta }

// Events is the number of row changes that were taken in, before coalescing.
func (b *Batch) Events() int64 { return b.events }
