package sql

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func joinTokens(tokens []alterToken) string {
	var text strings.Builder
	for _, token := range tokens {
		text.WriteString(token.text)
	}
	return text.String()
}

func TestTokensAreCutWhereTheServerCutsThem(t *testing.T) {
	for text, expected := range map[string][]alterToken{
		"a.1":        {{kind: tokenWord, text: "a"}, {kind: tokenSymbol, text: "."}, {kind: tokenWord, text: "1"}},
		".5":         {{kind: tokenNumber, text: ".5"}},
		"1.5e-3,":    {{kind: tokenNumber, text: "1.5e-3"}, {kind: tokenSymbol, text: ","}},
		"1e5":        {{kind: tokenNumber, text: "1e5"}},
		"1e":         {{kind: tokenWord, text: "1e"}},
		"1a2":        {{kind: tokenWord, text: "1a2"}},
		"0xFf":       {{kind: tokenNumber, text: "0xFf"}},
		"0xG":        {{kind: tokenWord, text: "0xG"}},
		"0b01":       {{kind: tokenNumber, text: "0b01"}},
		"$ü_1":       {{kind: tokenWord, text: "$ü_1"}},
		"_latin1'a'": {{kind: tokenWord, text: "_latin1"}, {kind: tokenString, text: "'a'"}},
		"'a''b'":     {{kind: tokenString, text: "'a''b'"}},
		`'a\'b'`:     {{kind: tokenString, text: `'a\'b'`}},
		`'a\\'b`:     {{kind: tokenString, text: `'a\\'`}, {kind: tokenWord, text: "b"}},
		`"a'""b"`:    {{kind: tokenString, text: `"a'""b"`}},
		"`a\\`b":     {{kind: tokenQuotedName, text: "`a\\`"}, {kind: tokenWord, text: "b"}},
		"`a``b`":     {{kind: tokenQuotedName, text: "`a``b`"}},
		"--1":        {{kind: tokenSymbol, text: "-"}, {kind: tokenSymbol, text: "-"}, {kind: tokenNumber, text: "1"}},
		"--":         {{kind: tokenComment, text: "--"}},
		"--\ta\nb":   {{kind: tokenComment, text: "--\ta"}, {kind: tokenSpace, text: "\n"}, {kind: tokenWord, text: "b"}},
		"/**/a":      {{kind: tokenComment, text: "/**/"}, {kind: tokenWord, text: "a"}},
		"/*+ a */":   {{kind: tokenComment, text: "/*+ a */"}},
		"/*/ */":     {{kind: tokenComment, text: "/*/ */"}},
		"/*!a*/b": {{kind: tokenCommentOpen, text: "/*!"}, {kind: tokenWord, text: "a"}, {kind: tokenCommentClose, text: "*/"},
			{kind: tokenWord, text: "b"}},
		"/*!80000a*/b": {{kind: tokenCommentOpen, text: "/*!80000", conditional: true}, {kind: tokenWord, text: "a", conditional: true},
			{kind: tokenCommentClose, text: "*/"}, {kind: tokenWord, text: "b"}},
		"/*!080000 */": {{kind: tokenCommentOpen, text: "/*!080000", conditional: true}, {kind: tokenSpace, text: " ", conditional: true},
			{kind: tokenCommentClose, text: "*/"}},
		"/*!8000*/": {{kind: tokenCommentOpen, text: "/*!"}, {kind: tokenNumber, text: "8000"}, {kind: tokenCommentClose, text: "*/"}},
		"/*M!a*/":   {{kind: tokenCommentOpen, text: "/*M!", conditional: true}, {kind: tokenWord, text: "a", conditional: true}, {kind: tokenCommentClose, text: "*/"}},
	} {
		tokens, err := tokenizeAlter(text)
		require.NoError(t, err, text)
		for i := range tokens {
			tokens[i].offset = 0
		}
		assert.Equal(t, expected, tokens, text)
	}
}

func TestQuotesEndWhereTheSQLModeEndsThem(t *testing.T) {
	for _, test := range []struct {
		mode, text string
		dropped    string // "" if the text is malformed
	}{
		{"", `ADD z INT DEFAULT 'C:\', DROP a`, ""},
		{"STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES", `ADD z INT DEFAULT 'C:\', DROP a`, "a"},
		{"no_backslash_escapes", `ADD z INT DEFAULT "C:\", DROP a`, "a"},
		{"ANSI_QUOTES", `ADD z INT DEFAULT 'C:\', DROP a`, ""},
		{"ANSI_QUOTES", `DROP "a\"`, `a\`},
		{"", `DROP "a\"`, ""},
		{"ANSI_QUOTES,NO_BACKSLASH_ESCAPES", `ADD z INT DEFAULT 'C:\', DROP "a\"`, `a\`},
		{"", `ADD z INT DEFAULT 'x\', DROP a, ADD y INT COMMENT ', DROP b`, "b"},
		{"NO_BACKSLASH_ESCAPES", `ADD z INT DEFAULT 'x\', DROP a, ADD y INT COMMENT ', DROP b'`, "a"},
	} {
		parser := NewAlterTableParserUnder(test.mode)
		err := parser.ParseAlterStatement(test.text)
		if test.dropped == "" {
			require.Error(t, err, "%s under %q", test.text, test.mode)
			continue
		}
		require.NoError(t, err, "%s under %q", test.text, test.mode)
		assert.Equal(t, map[string]bool{test.dropped: true}, parser.DroppedColumnsMap(), "%s under %q", test.text, test.mode)

		require.NoError(t, parser.ParseAlterStatement(parser.GetAlterStatementOptions()), "it forgot its sql_mode")
		assert.NoError(t, NewParserUnderAnySQLMode(test.text).Err(), test.text)
	}
	require.Error(t, NewParserUnderAnySQLMode(`ADD z INT DEFAULT 'C:\\`).Err())
}

// alterish draws text that is made of what the tokenizer has to tell apart, closed or not.
func alterish() *rapid.Generator[string] {
	pieces := rapid.OneOf(
		rapid.SampledFrom([]string{"'", `"`, "`", `\`, "--", "-- ", "#", "/*", "*/", "/*!", "/*!80000", "/*M!", "\n", " ", ",", ";", "(", ")", ".", "=",
			"1", "e", "0x", "ALTER", "TABLE", "CHANGE", "RENAME", "COLUMN", "TO", "DROP", "AUTO_INCREMENT", "a", "b"}),
		rapid.String(),
	)
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(pieces, 0, 20).Draw(t, "pieces"), "") })
}

func TestTokensJoinedAreTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := alterish().Draw(t, "text")
		tokens, err := tokenizeAlter(text)

		for i, token := range tokens {
			require.NotEmpty(t, token.text)
			require.Equal(t, token.text, text[token.offset:token.end()])
			require.True(t, i == 0 || tokens[i-1].end() == token.offset)
		}
		if err == nil {
			require.Equal(t, text, joinTokens(tokens))
		} else {
			require.True(t, strings.HasPrefix(text, joinTokens(tokens)))
		}
	})
}
