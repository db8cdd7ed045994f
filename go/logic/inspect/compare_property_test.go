package inspect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/github/gh-ost/go/sql"
)

// A model of unique keys: rows of three columns, each of two letters, where an index holds a column's value, or its first
// letter only. There, whether one key implies another can be told by trying all pairs of rows.

var modelColumns = []string{"a", "b", "c"}

func modelIndex(t *rapid.T, name string) index {
	result := index{name: name, method: "BTREE"}
	for _, column := range rapid.Permutation(modelColumns).Draw(t, "columns")[:rapid.IntRange(1, 3).Draw(t, "parts")] {
		result.parts = append(result.parts, indexPart{column: column, prefix: rapid.IntRange(0, 1).Draw(t, "prefix")})
	}
	return result
}

func modelTable(t *rapid.T, name string) *Table {
	columnType, err := sql.ParseColumnType("varchar(2)")
	assert.NoError(t, err)
	var columns []sql.Column
	for i, column := range modelColumns {
		columns = append(columns, sql.Column{Name: column, Type: columnType, Charset: "latin1", Collation: "latin1_bin", Ordinal: i})
	}
	table := &Table{Name: sql.TableName{Schema: "s", Name: name}, Engine: "InnoDB", Columns: sql.NewColumnList(columns)}
	for i := range rapid.IntRange(1, 3).Draw(t, "indexes") {
		table.indexes = append(table.indexes, modelIndex(t, fmt.Sprint("k", i)))
	}
	table.chooseCandidates()
	return table
}

// modelRenames are the renames of the model's columns, as a permutation of their names.
type modelRenames map[string]string

func (r modelRenames) RenamedColumn(column string) (string, bool) {
	return r[column], r[column] != column
}

func (modelRenames) IsDroppedColumn(string) bool { return false }

type modelRow map[string]string

func (i index) values(row modelRow) string {
	var text strings.Builder
	for _, part := range i.parts {
		value := row[part.column]
		if part.prefix > 0 {
			value = value[:part.prefix]
		}
		text.WriteString(value + ",")
	}
	return text.String()
}

func (r modelRow) inGhost(renames modelRenames) modelRow {
	ghost := modelRow{}
	for column, value := range r {
		ghost[renames[column]] = value
	}
	return ghost
}

func modelRows() (rows []modelRow) {
	values := []string{"xx", "xy", "yx"}
	for _, a := range values {
		for _, b := range values {
			for _, c := range values {
				rows = append(rows, modelRow{"a": a, "b": b, "c": c})
			}
		}
	}
	return rows
}

func find(indexes []index, name string) index {
	for _, candidate := range indexes {
		if candidate.name == name {
			return candidate
		}
	}
	return index{}
}

func TestChosenKeyIsEnforcedAndStricterKeysAreAllFound(t *testing.T) {
	rows := modelRows()
	rapid.Check(t, func(t *rapid.T) {
		original, ghost := modelTable(t, "original"), modelTable(t, "ghost")
		renames := modelRenames{}
		for i, name := range rapid.Permutation(modelColumns).Draw(t, "renames") {
			renames[modelColumns[i]] = name
		}
		shared, err := Compare(original, ghost, renames, false)
		if err != nil {
			// Refusing is right if no whole key of the original is enforced.
			for _, key := range original.UniqueKeys {
				for _, enforcing := range ghost.indexes {
					if enforces(rows, find(original.indexes, key.Name), enforcing, renames) {
						t.Fatalf("%s enforces %s, but: %v", enforcing.name, key.Name, err)
					}
				}
			}
			return
		}

		chosen := find(original.indexes, shared.Key.Name)
		if !enforces(rows, chosen, find(ghost.indexes, shared.Key.NameInGhostTable), renames) {
			t.Fatalf("%s is not enforced by %s", shared.Key.Name, shared.Key.NameInGhostTable)
		}
		listed := map[string]bool{}
		for _, key := range shared.StricterGhostKeys {
			listed[key.Name] = true
		}
		for _, candidate := range ghost.indexes {
			if refuses := refusesWhatIsAccepted(rows, original.indexes, candidate, renames); refuses != listed[candidate.name] {
				t.Fatalf("key %s is listed as stricter: %t, but is: %t", candidate.name, listed[candidate.name], refuses)
			}
		}
	})
}

// enforces tells whether no two rows that are equal to the original's key can stand in the ghost.
func enforces(rows []modelRow, original, ghost index, renames modelRenames) bool {
	for _, one := range rows {
		for _, other := range rows {
			if original.values(one) == original.values(other) && ghost.values(one.inGhost(renames)) != ghost.values(other.inGhost(renames)) {
				return false
			}
		}
	}
	return true
}

// refusesWhatIsAccepted tells whether two rows can stand in the original that the ghost's key holds for one.
func refusesWhatIsAccepted(rows []modelRow, originals []index, ghost index, renames modelRenames) bool {
	for i, one := range rows {
		for _, other := range rows[i+1:] {
			accepted := true
			for _, original := range originals {
				accepted = accepted && original.values(one) != original.values(other)
			}
			if accepted && ghost.values(one.inGhost(renames)) == ghost.values(other.inGhost(renames)) {
				return true
			}
		}
	}
	return false
}
