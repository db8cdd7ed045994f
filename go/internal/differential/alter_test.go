package differential

import (
	"strings"

	"pgregory.net/rapid"

	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/sql"
)

// action writes one action of an ALTER on a table.
type action func(t *rapid.T, flavor testserver.Flavor, b *table, untouched *[]column) string

var actions = []action{
	addColumn, addColumn, modifyColumn, modifyColumn, modifyColumn, changeColumn, renameColumn, dropColumn, moveColumn, setDefault,
	addKey, dropKey, renameKey, replacePrimary, convertCharset, tableOption,
}

// drawAlter draws one to three actions, which mostly are about different columns.
func drawAlter(t *rapid.T, flavor testserver.Flavor, b table) (texts []string) {
	untouched := b.columns
	for range rapid.IntRange(1, 3).Draw(t, "actions") {
		draw := actions[rapid.IntRange(0, len(actions)-1).Draw(t, "action")]
		if text := draw(t, flavor, &b, &untouched); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// take draws a column that no action has touched.
func take(t *rapid.T, untouched *[]column, wanted func(column) bool) (column, bool) {
	var choices []column
	for _, c := range *untouched {
		if wanted(c) {
			choices = append(choices, c)
		}
	}
	if len(choices) == 0 {
		return column{}, false
	}
	taken := choices[rapid.IntRange(0, len(choices)-1).Draw(t, "column")]
	var rest []column
	for _, c := range *untouched {
		if c.name != taken.name {
			rest = append(rest, c)
		}
	}
	*untouched = rest
	return taken, true
}

func isOrdinary(c column) bool { return c.generated == "" }
func isAny(column) bool        { return true }

// drawPlace draws where a column is put: where it is, first, or behind one that keeps its name.
func drawPlace(t *rapid.T, untouched []column) string {
	switch place := rapid.IntRange(0, 3).Draw(t, "place"); {
	case place == 1:
		return " FIRST"
	case place == 2 && len(untouched) > 0:
		return " AFTER " + rapid.SampledFrom(untouched).Draw(t, "after").quoted()
	}
	return ""
}

func addColumn(t *rapid.T, flavor testserver.Flavor, b *table, untouched *[]column) string {
	c := drawColumn(t, flavor, rapid.SampledFrom([]string{"new1", "neu 2", "new3"}).Draw(t, "new name"), anyType)
	if oneIn(t, 5, "generated") && len(b.written()) > 0 {
		c = drawGenerated(t, c.name, b.written())
	}
	return "ADD COLUMN " + c.quoted() + " " + c.definition() + drawPlace(t, *untouched)
}

// retyped draws another definition of the column, near to the old one more often than not.
func retyped(t *rapid.T, flavor testserver.Flavor, b *table, c column) column {
	result := c
	switch rapid.IntRange(0, 4).Draw(t, "retype") {
	case 0:
		result.notNull = !c.notNull
	case 1, 2:
		result.kind = drawType(t, flavor, func(other columnType) bool { return other.family == c.kind.family })
		result.charset = drawCharset(t, result.kind)
	case 3:
		if result.charset = drawCharset(t, c.kind); !c.kind.hasCharset() {
			result.kind = drawType(t, flavor, func(other columnType) bool { return other.family == c.kind.family })
		}
	case 4:
		result.kind = drawType(t, flavor, anyType)
		result.charset = drawCharset(t, result.kind)
	}
	if result.kind.text != c.kind.text {
		result.defaults = ""
		result.autoNumber = c.autoNumber && result.kind.family == integers && strings.Contains(result.kind.text, "int")
	}
	for _, k := range b.keys {
		for _, name := range k.columns {
			result.notNull = result.notNull || name == c.name && k.name == primary
		}
	}
	return result
}

func modifyColumn(t *rapid.T, flavor testserver.Flavor, b *table, untouched *[]column) string {
	c, found := take(t, untouched, isOrdinary)
	if !found {
		return ""
	}
	return "MODIFY COLUMN " + c.quoted() + " " + retyped(t, flavor, b, c).definition() + drawPlace(t, *untouched)
}

func moveColumn(t *rapid.T, _ testserver.Flavor, _ *table, untouched *[]column) string {
	c, found := take(t, untouched, isAny)
	if !found {
		return ""
	}
	return "MODIFY COLUMN " + c.quoted() + " " + c.definition() + drawPlace(t, *untouched)
}

func drawNewName(t *rapid.T, c column) string {
	return sql.EscapeName(rapid.SampledFrom([]string{"renamed", "x y", strings.ToUpper(c.name), "a"}).Draw(t, "renamed"))
}

func changeColumn(t *rapid.T, flavor testserver.Flavor, b *table, untouched *[]column) string {
	c, found := take(t, untouched, isOrdinary)
	if !found {
		return ""
	}
	return "CHANGE COLUMN " + c.quoted() + " " + drawNewName(t, c) + " " + retyped(t, flavor, b, c).definition() + drawPlace(t, *untouched)
}

func renameColumn(t *rapid.T, _ testserver.Flavor, _ *table, untouched *[]column) string {
	c, found := take(t, untouched, isAny)
	if !found {
		return ""
	}
	return "RENAME COLUMN " + c.quoted() + " TO " + drawNewName(t, c)
}

func dropColumn(t *rapid.T, _ testserver.Flavor, _ *table, untouched *[]column) string {
	c, found := take(t, untouched, isAny)
	if !found {
		return ""
	}
	return "DROP COLUMN " + c.quoted()
}

func setDefault(t *rapid.T, _ testserver.Flavor, _ *table, untouched *[]column) string {
	c, found := take(t, untouched, func(c column) bool { return isOrdinary(c) && !c.kind.prefix })
	if !found {
		return ""
	}
	value := rapid.SampledFrom(c.kind.values).Draw(t, "default value")
	if strings.Contains(value, "(") || rapid.Bool().Draw(t, "drop default") {
		return "ALTER COLUMN " + c.quoted() + " DROP DEFAULT"
	}
	return "ALTER COLUMN " + c.quoted() + " SET DEFAULT " + value
}

func addKey(t *rapid.T, _ testserver.Flavor, b *table, untouched *[]column) string {
	var choices []column
	for _, c := range b.indexable() {
		for _, free := range *untouched {
			if free.name == c.name {
				choices = append(choices, c)
			}
		}
	}
	if len(choices) == 0 {
		return ""
	}
	unique := rapid.Bool().Draw(t, "unique")
	return "ADD " + newKey(rapid.SampledFrom([]string{"added", "added too"}).Draw(t, "key name"), unique, drawSome(t, choices, 3, "columns")).definition()
}

func (b *table) takeKey(t *rapid.T) (key, bool) {
	if len(b.keys) < 2 {
		return key{}, false
	}
	at := rapid.IntRange(1, len(b.keys)-1).Draw(t, "which key")
	taken := b.keys[at]
	b.keys = append(append([]key{}, b.keys[:at]...), b.keys[at+1:]...)
	return taken, true
}

func dropKey(t *rapid.T, _ testserver.Flavor, b *table, _ *[]column) string {
	k, found := b.takeKey(t)
	if !found {
		return ""
	}
	return "DROP KEY " + sql.EscapeName(k.name)
}

func renameKey(t *rapid.T, _ testserver.Flavor, b *table, _ *[]column) string {
	k, found := b.takeKey(t)
	if !found {
		return ""
	}
	return "RENAME INDEX " + sql.EscapeName(k.name) + " TO `renamed key`"
}

// replacePrimary puts another primary key in the place of the first, which may or may not leave a key in common.
func replacePrimary(t *rapid.T, _ testserver.Flavor, b *table, untouched *[]column) string {
	var choices []column
	for _, c := range *untouched {
		if isOrdinary(c) && c.kind.isIndexable() && c.notNull {
			choices = append(choices, c)
		}
	}
	if len(choices) == 0 {
		return ""
	}
	text := "ADD " + newKey(primary, true, drawSome(t, choices, 3, "primary columns")).definition()
	if b.keys[0].name == primary {
		text = "DROP PRIMARY KEY, " + text // one action: the one without the other is another change
	}
	b.keys[0].name = "replaced"
	return text
}

func convertCharset(t *rapid.T, _ testserver.Flavor, _ *table, _ *[]column) string {
	return rapid.SampledFrom([]string{
		"CONVERT TO CHARACTER SET utf8mb4", "CONVERT TO CHARACTER SET latin1", "CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
		"DEFAULT CHARACTER SET utf8mb4", "CONVERT TO CHARACTER SET utf8mb3",
	}).Draw(t, "conversion")
}

func tableOption(t *rapid.T, _ testserver.Flavor, _ *table, _ *[]column) string {
	return rapid.SampledFrom([]string{"ENGINE=InnoDB", "COMMENT = 'it''s, DROP COLUMN a'", "ROW_FORMAT=COMPACT", "FORCE"}).Draw(t, "option")
}
