package differential

import (
	"strings"

	"pgregory.net/rapid"
)

// drawStatements draws changes of the table's rows. Most change or remove what is there, as values are few.
func drawStatements(t *rapid.T, b table, most int, label string) (statements []string) {
	for range rapid.IntRange(0, most).Draw(t, label) {
		statements = append(statements, drawStatement(t, b))
	}
	return statements
}

func drawStatement(t *rapid.T, b table) string {
	switch rapid.IntRange(0, 5).Draw(t, "statement") {
	case 0, 1:
		return drawInsert(t, b, 4)
	case 2, 3:
		var changes []string
		for _, c := range drawSome(t, b.written(), 2, "changed") {
			changes = append(changes, c.quoted()+" = "+drawValue(t, c))
		}
		return "UPDATE IGNORE t SET " + strings.Join(changes, ", ") + drawCondition(t, b)
	case 4:
		return "DELETE IGNORE FROM t" + drawCondition(t, b)
	default:
		c := rapid.SampledFrom(b.written()).Draw(t, "changed")
		return drawInsert(t, b, 2) + " ON DUPLICATE KEY UPDATE " + c.quoted() + " = " + drawValue(t, c)
	}
}

// drawInsert draws an INSERT of some rows. IGNORE lets the rows in that fit.
func drawInsert(t *rapid.T, b table, most int) string {
	var names, rows []string
	for _, c := range b.written() {
		names = append(names, c.quoted())
	}
	for range rapid.IntRange(1, most).Draw(t, "rows") {
		var values []string
		for _, c := range b.written() {
			values = append(values, drawValue(t, c))
		}
		rows = append(rows, "("+strings.Join(values, ", ")+")")
	}
	return "INSERT IGNORE INTO t (" + strings.Join(names, ", ") + ") VALUES " + strings.Join(rows, ", ")
}

func drawValue(t *rapid.T, c column) string {
	if !c.notNull && oneIn(t, 5, "null") {
		return "NULL"
	}
	return rapid.SampledFrom(c.kind.values).Draw(t, "value")
}

func drawCondition(t *rapid.T, b table) string {
	c := rapid.SampledFrom(b.written()).Draw(t, "condition")
	operator := rapid.SampledFrom([]string{" <=> ", " <=> ", " > ", " <> "}).Draw(t, "operator")
	return " WHERE " + c.quoted() + operator + drawValue(t, c)
}
