package inspect

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// index is a unique index, whether a migration can use it or not.
type index struct {
	name   string
	method string // BTREE or HASH
	hidden bool   // invisible or ignored: the optimizer may not use it, but it refuses duplicates
	parts  []indexPart
}

// indexPart is a column or an expression of an index.
type indexPart struct {
	column     string // "" for an expression
	expression string
	prefix     int // characters or bytes that are indexed; 0: all
	descending bool
}

// readUniqueIndexes reads all unique indexes of a table, by its name as information_schema has it.
func readUniqueIndexes(ctx context.Context, db mysql.Querier, stored sql.TableName) ([]index, error) {
	available, err := statisticsColumns(ctx, db)
	if err != nil {
		return nil, err
	}
	expression, hidden := "''", "'NO'"
	if available["EXPRESSION"] {
		expression = "IFNULL(expression, '')"
	}
	switch {
	case available["IS_VISIBLE"]:
		hidden = "IF(is_visible = 'YES', 'NO', 'YES')"
	case available["IGNORED"]:
		hidden = "ignored"
	}
	rows, err := db.QueryContext(ctx, "SELECT /* gh-ost */ table_schema, table_name, index_name, IFNULL(column_name, ''), "+expression+", IFNULL(sub_part, 0), IFNULL(collation, 'A'), index_type, "+hidden+
		" FROM information_schema.statistics WHERE table_schema = ? AND table_name = ? AND non_unique = 0 ORDER BY index_name, seq_in_index", stored.Schema, stored.Name)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var indexes []index
	for rows.Next() {
		var from sql.TableName
		var current index
		var part indexPart
		var direction, isHidden string
		if err := rows.Scan(&from.Schema, &from.Name, &current.name, &part.column, &part.expression, &part.prefix, &direction, &current.method, &isHidden); err != nil {
			return nil, err
		}
		if from != stored {
			continue
		}
		part.descending = direction == "D"
		current.hidden = isHidden == "YES"
		if last := len(indexes) - 1; last < 0 || indexes[last].name != current.name {
			indexes = append(indexes, current)
		}
		last := &indexes[len(indexes)-1]
		last.parts = append(last.parts, part)
	}
	return indexes, rows.Err()
}

// statisticsColumns tells what this server's information_schema.statistics has: that differs between products and versions.
func statisticsColumns(ctx context.Context, db mysql.Querier) (map[string]bool, error) {
	rows, err := db.QueryContext(ctx, "SELECT /* gh-ost */ UPPER(column_name) FROM information_schema.columns"+
		" WHERE table_schema = 'information_schema' AND table_name = 'STATISTICS'")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		columns[name] = true
	}
	return columns, rows.Err()
}

// chooseCandidates fills UniqueKeys.
func (t *Table) chooseCandidates() {
	t.UniqueKeys, t.unusable = nil, nil
	mixed := map[*sql.UniqueKey]bool{}
	for _, index := range t.indexes {
		if reason := t.whyUnusable(index); reason != "" {
			t.unusable = append(t.unusable, fmt.Sprintf("key %s %s", sql.EscapeName(index.name), reason))
			continue
		}
		key := &sql.UniqueKey{Name: index.name}
		columns := make([]sql.Column, 0, len(index.parts))
		for _, part := range index.parts {
			column, _ := t.Columns.Lookup(part.column)
			columns = append(columns, column)
			key.HasNullable = key.HasNullable || column.Nullable
			mixed[key] = mixed[key] || part.descending != index.parts[0].descending
		}
		key.Columns = *sql.NewColumnList(columns)
		key.IsAutoIncrement = columns[0].AutoIncrement
		t.UniqueKeys = append(t.UniqueKeys, key)
	}
	slices.SortStableFunc(t.UniqueKeys, func(a, b *sql.UniqueKey) int {
		return cmp.Or(
			falseFirst(!a.IsPrimary(), !b.IsPrimary()),
			falseFirst(a.HasNullable, b.HasNullable),
			falseFirst(mixed[a], mixed[b]),
			falseFirst(firstColumn(a).Charset != "", firstColumn(b).Charset != ""),
			typeRank(firstColumn(a).Type)-typeRank(firstColumn(b).Type),
			a.Len()-b.Len(),
		)
	})
}

// whyUnusable says why rows cannot be walked by an index; "" if they can.
func (t *Table) whyUnusable(index index) string {
	if index.hidden {
		return "is invisible to the optimizer: make it VISIBLE (MariaDB: NOT IGNORED)"
	}
	if index.method == "HASH" && t.Transactional() {
		return "is kept as a hash, which has no order"
	}
	for _, part := range index.parts {
		if part.column == "" {
			return fmt.Sprintf("has the expression %s as a part, whose values no row carries", part.expression)
		}
		column, found := t.Columns.Lookup(part.column)
		if !found {
			return fmt.Sprintf("has the hidden column %s", sql.EscapeName(part.column))
		}
		if part.prefix > 0 {
			return fmt.Sprintf("holds only the first %d of column %s, which does not put the rows in order", part.prefix, sql.EscapeName(column.Name))
		}
	}
	return ""
}

func firstColumn(key *sql.UniqueKey) sql.Column { return key.Columns.Columns()[0] }

func typeRank(columnType sql.ColumnType) int {
	for rank, kind := range []sql.Kind{sql.KindTinyInt, sql.KindSmallInt, sql.KindInt, sql.KindBigInt} {
		if columnType.Kind == kind {
			return rank
		}
	}
	return 4
}

func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}
