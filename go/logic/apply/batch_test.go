package apply

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/github/gh-ost/go/binlog"
)

// firstColumn is a key of one column, the first.
type firstColumn struct{}

func (firstColumn) KeyValues(row []any) []any           { return row[:1] }
func (firstColumn) KeyString(row []any) (string, error) { return fmt.Sprint(row[0]), nil }

// apply does to a table what a batch asks for: deletes, then replaces.
func apply(table map[int]int, batch *Batch) {
	for _, key := range batch.Deletes() {
		delete(table, key[0].(int))
	}
	for _, row := range batch.Upserts() {
		table[row[0].(int)] = row[1].(int)
	}
}

// However a run of changes is cut into batches, and however often some of them are repeated from an earlier point, the
// ghost ends up as the original did.
func TestBatchesLeadToTheStateThatTheChangesLedTo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		original := map[int]int{1: 10, 2: 20, 3: 30}
		ghost := maps.Clone(original)
		keys := rapid.IntRange(1, 5)
		batch := NewBatch(firstColumn{})
		for step := range rapid.IntRange(1, 60).Draw(t, "steps") {
			key, newKey := keys.Draw(t, "key"), keys.Draw(t, "new key")
			value, exists := original[key]
			_, taken := original[newKey]
			var change binlog.RowChange
			switch {
			case !exists:
				change.After = []any{key, step}
				original[key] = step
			case rapid.Bool().Draw(t, "delete"):
				change.Before = []any{key, value}
				delete(original, key)
			case newKey == key || !taken:
				change.Before, change.After = []any{key, value}, []any{newKey, step}
				delete(original, key)
				original[newKey] = step
			default:
				continue
			}
			require.NoError(t, batch.Add(&binlog.Event{Rows: []binlog.RowChange{change}}))
			if rapid.IntRange(0, 3).Draw(t, "end batch") == 0 {
				apply(ghost, batch)
				if rapid.Bool().Draw(t, "retry") {
					apply(ghost, batch)
				}
				batch = NewBatch(firstColumn{})
			}
		}
		apply(ghost, batch)
		assert.Equal(t, original, ghost)
	})
}

func TestOnlyTheLastImageOfAKeyIsSent(t *testing.T) {
	batch := NewBatch(firstColumn{})
	require.NoError(t, batch.Add(&binlog.Event{Rows: []binlog.RowChange{
		{After: []any{1, 1}},
		{Before: []any{1, 1}, After: []any{1, 2}},
		{Before: []any{1, 2}, After: []any{1, 3}},
	}}))
	assert.Empty(t, batch.Deletes())
	assert.Equal(t, [][]any{{1, 3}}, batch.Upserts())
	assert.EqualValues(t, 3, batch.Events())
}

func TestAChangedKeyLeavesNothingUnderTheOldOne(t *testing.T) {
	batch := NewBatch(firstColumn{})
	require.NoError(t, batch.Add(&binlog.Event{Rows: []binlog.RowChange{{Before: []any{2, 5}, After: []any{20, 5}}}}))
	assert.Equal(t, [][]any{{2}}, batch.Deletes())
	assert.Equal(t, [][]any{{20, 5}}, batch.Upserts())
}
