package sql

import (
	"errors"
	"strings"
	"testing"
)

// FuzzParseAlter holds the parser to what must be true of any text: it says either what the text means or where it is malformed, keeps the
// options verbatim, and reads them alone as it reads them behind ALTER TABLE.
func FuzzParseAlter(f *testing.F) {
	f.Add("ADD a INT, DROP b")
	f.Fuzz(func(t *testing.T, text string) {
		tokens, tokenError := tokenizeAlter(text)
		if joined := joinTokens(tokens); joined != text && (tokenError == nil || !strings.HasPrefix(text, joined)) {
			t.Fatalf("tokens of %q join to %q", text, joined)
		}

		parser := NewParserFromAlterStatement(text)
		if !strings.HasSuffix(text, parser.GetAlterStatementOptions()) {
			t.Fatalf("options %q are not the end of %q", parser.GetAlterStatementOptions(), text)
		}
		if err := parser.Err(); err != nil {
			var syntax *AlterSyntaxError
			if !errors.As(err, &syntax) || syntax.Line < 1 || syntax.Column < 1 {
				t.Fatalf("%q: error without a place: %v", text, err)
			}
			return
		}

		again := NewParserFromAlterStatement(parser.GetAlterStatementOptions())
		if again.Err() != nil {
			t.Fatalf("options of %q cannot be read alone: %v", text, again.Err())
		}
		if again.HasExplicitTable() {
			t.Fatalf("options of %q name a table again", text)
		}
		if !parser.facts.equal(again.facts) || (parser.refusal == nil) != (again.refusal == nil) {
			t.Fatalf("%q: read as %+v, its options alone as %+v", text, parser.facts, again.facts)
		}
		for old, name := range parser.GetNonTrivialRenames() {
			if found, renamed := parser.RenamedColumn(old); !renamed || strings.EqualFold(old, found) || name == "" {
				t.Fatalf("%q: rename of %q is not found again", text, old)
			}
		}
	})
}
