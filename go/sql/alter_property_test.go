package sql

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// writtenAction is an action as somebody might write it, with what it has to be read as.
type writtenAction struct {
	text     string
	expected alterAction // without its text
}

// columnNames draws a column's name out of what names may hold and parsers stumble over.
func columnNames() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"id", "Name", "drop", "to", "größe", "a b", "a,b", "a.b", "`", "``a", "'", `"`, `\`, "(", ")", "/*", "*/", "--", "# ", ";", "\n", "1", "COLUMN"}),
		rapid.StringMatching(`[a-z_$][a-z0-9_$]{0,8}`),
		rapid.StringN(1, 10, -1),
	)
}

// spelled writes a name in one of the ways in which it may be written.
func spelled(t *rapid.T, name string) string {
	plain := strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz_") == "" && !isDigitByte(name[0])
	reserved := map[string]bool{"drop": true, "to": true, "column": true, "if": true, "index": true, "key": true, "check": true, "as": true}
	if plain && !reserved[strings.ToLower(name)] && rapid.Bool().Draw(t, "unquoted") {
		return name
	}
	return EscapeName(name)
}

// gap draws what may stand between two words.
func gap(t *rapid.T) string {
	return rapid.SampledFrom([]string{" ", "\n", "\t ", " /* , drop x ( ' */ ", " -- , drop x ( '\n", " # `\n"}).Draw(t, "gap")
}

func maybe(t *rapid.T, words string) string {
	if rapid.Bool().Draw(t, words) {
		return words + gap(t)
	}
	return ""
}

// quotedText draws a string literal that reads like something else.
func quotedText(t *rapid.T) string {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{", drop a", "change a b int", "rename to x", "auto_increment=1", ";", "(", ")"})).Draw(t, "literal")
	quote := rapid.SampledFrom([]string{"'", `"`}).Draw(t, "quote")
	text = strings.ReplaceAll(text, `\`, `\\`)
	return quote + strings.ReplaceAll(text, quote, rapid.SampledFrom([]string{quote + quote, `\` + quote}).Draw(t, "escape")) + quote
}

func writtenActions() *rapid.Generator[writtenAction] {
	return rapid.Custom(func(t *rapid.T) writtenAction {
		old, other := columnNames().Draw(t, "old"), columnNames().Draw(t, "new")
		switch rapid.IntRange(0, 7).Draw(t, "kind") {
		case 0:
			return writtenAction{
				"change" + gap(t) + maybe(t, "COLUMN") + maybe(t, "IF"+gap(t)+"EXISTS") + spelled(t, old) + gap(t) + spelled(t, other) + " INT",
				alterAction{kind: changeColumn, name: old, newName: other},
			}
		case 1:
			return writtenAction{
				"Rename" + gap(t) + "Column" + gap(t) + spelled(t, old) + gap(t) + "to" + gap(t) + spelled(t, other),
				alterAction{kind: renameColumn, name: old, newName: other},
			}
		case 2:
			return writtenAction{
				"DROP" + gap(t) + maybe(t, "column") + maybe(t, "if exists") + spelled(t, old) + rapid.SampledFrom([]string{"", " restrict", "\nCASCADE"}).Draw(t, "behaviour"),
				alterAction{kind: dropColumn, name: old},
			}
		case 3:
			return writtenAction{
				"RENAME" + gap(t) + rapid.SampledFrom([]string{"", "to ", "AS\n", "="}).Draw(t, "to") + EscapeName(old),
				alterAction{kind: renameTable, name: old},
			}
		case 4:
			return writtenAction{
				"ENGINE=InnoDB COMMENT " + quotedText(t) + gap(t) + "AUTO_INCREMENT" + rapid.SampledFrom([]string{"=", " ", " = "}).Draw(t, "equals") + "42",
				alterAction{kind: setsAutoIncrement, name: "42"},
			}
		case 5:
			return writtenAction{"ADD" + gap(t) + maybe(t, "COLUMN") + spelled(t, old) + " TEXT COMMENT" + gap(t) + quotedText(t), alterAction{}}
		case 6:
			return writtenAction{"ADD UNIQUE" + gap(t) + EscapeName(old) + " (" + EscapeName(other) + "(3), (concat(" + quotedText(t) + ", ')')))", alterAction{}}
		default:
			part := rapid.SampledFrom([]string{"INDEX", "KEY", "FOREIGN KEY", "CHECK", "CONSTRAINT"}).Draw(t, "part")
			return writtenAction{"DROP" + gap(t) + part + " " + EscapeName(old), alterAction{dropsForeignKey: part == "FOREIGN KEY", dropsConstraint: part == "CONSTRAINT"}}
		}
	})
}

func TestWrittenActionsAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		written := rapid.SliceOfN(writtenActions(), 1, 6).Draw(t, "actions")
		var text strings.Builder
		var expected []alterAction
		for i, action := range written {
			if i > 0 {
				text.WriteString(gap(t) + "," + gap(t))
			}
			text.WriteString(action.text)
			action.expected.text = action.text
			expected = append(expected, action.expected)
		}
		schema, table := columnNames().Draw(t, "schema"), columnNames().Draw(t, "table")
		options := text.String()
		statement := "alter" + gap(t) + "table" + gap(t) + EscapeName(schema) + "." + EscapeName(table) + " " + options

		tokens, err := tokenizeAlter(options)
		require.NoError(t, err)
		reading, err := readActions(options, significantTokens(tokens))
		require.NoError(t, err)
		for i, action := range reading.actions {
			require.Equal(t, action.text, options[action.offset:action.offset+len(action.text)])
			reading.actions[i].constraint, reading.actions[i].checks = alterToken{}, nil
			reading.actions[i].offset = 0
		}
		require.Equal(t, expected, reading.actions)

		parser := NewAlterTableParser()
		require.NoError(t, parser.ParseAlterStatement(statement))
		require.Equal(t, schema, parser.GetExplicitSchema())
		require.Equal(t, table, parser.GetExplicitTable())
		require.Equal(t, options, parser.GetAlterStatementOptions())
		for _, action := range expected {
			switch action.kind {
			case dropColumn:
				require.True(t, parser.IsDroppedColumn(action.name))
			case changeColumn, renameColumn:
				_, renamed := parser.RenamedColumn(action.name)
				require.True(t, renamed || strings.EqualFold(action.name, action.newName))
			case renameTable:
				require.True(t, parser.IsRenameTable())
			case setsAutoIncrement:
				require.True(t, parser.IsAutoIncrementDefined())
			}
		}
	})
}
