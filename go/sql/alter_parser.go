package sql

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// AlterTableParser reads what a migration has to know from ALTER text: the table it names, the columns it renames and drops, and what
// must be refused. It reads tokens, not patterns, so that nothing in quotes or comments is mistaken for an action; what it need not
// understand it leaves to the server. Text is read as under the default sql_mode, or the one that the parser was made for, except that
// names may stand in double quotes under any.
//
// An executable comment is read as part of the text. If it makes a difference to the facts reported here and only some servers execute it
// (`/*!80000 … */`, `/*M! … */`), Refusal says so.
type AlterTableParser struct {
	quotes        quotingRules
	schema, table string
	options       string
	length        int          // of the whole text
	constraints   []alterToken // the names of constraints that are referred to
	checks        []alterToken // the names of checks that are added
	actions       []alterAction
	facts         alterFacts
	refusal       *RefusedAlterError
	err           error
}

// NewAlterTableParser returns a parser that has parsed nothing yet: no names, no renames, empty options.
func NewAlterTableParser() *AlterTableParser {
	return &AlterTableParser{}
}

// NewAlterTableParserUnder returns a parser, which has parsed nothing yet, for text that a session with the sql_mode will execute. Of its
// modes NO_BACKSLASH_ESCAPES and ANSI_QUOTES matter; combinations such as ANSI count only spelled out, as servers report them.
func NewAlterTableParserUnder(sqlMode string) *AlterTableParser {
	parser := NewAlterTableParser()
	for _, mode := range strings.Split(sqlMode, ",") {
		switch strings.ToUpper(strings.TrimSpace(mode)) {
		case "NO_BACKSLASH_ESCAPES":
			parser.quotes.plainBackslash = true
		case "ANSI_QUOTES":
			parser.quotes.quotedNames = true
		}
	}
	return parser
}

// DependsOnSQLMode reports whether an sql_mode can change where quotes in the text end.
func DependsOnSQLMode(alterStatement string) bool { return strings.Contains(alterStatement, `\`) }

// NewParserUnderAnySQLMode returns a parser that has parsed the text as under the default sql_mode or, if that fails, under the first
// other one under which it does not. That is for as long as the sessions' sql_mode is unknown. Err tells whether all failed, and how
// under the default one.
func NewParserUnderAnySQLMode(alterStatement string) *AlterTableParser {
	first := NewParserFromAlterStatement(alterStatement)
	if first.Err() == nil || !DependsOnSQLMode(alterStatement) {
		return first
	}
	for _, mode := range []string{"NO_BACKSLASH_ESCAPES", "ANSI_QUOTES"} { // both together read as the first
		if parser := NewAlterTableParserUnder(mode); parser.ParseAlterStatement(alterStatement) == nil {
			return parser
		}
	}
	return first
}

// NewParserFromAlterStatement returns a parser that has parsed the text. Err tells whether that failed.
func NewParserFromAlterStatement(alterStatement string) *AlterTableParser {
	parser := NewAlterTableParser()
	_ = parser.ParseAlterStatement(alterStatement) // kept for Err
	return parser
}

// ParseAlterStatement parses a full `ALTER [ONLINE|OFFLINE] [IGNORE] TABLE [schema.]table options` or the options alone, and forgets what
// was parsed before. An empty text is fine and says nothing. The error is an *AlterSyntaxError that says where the text is malformed;
// then the table's name and the options are still what could be told of them, and everything else is empty.
func (p *AlterTableParser) ParseAlterStatement(alterStatement string) (err error) {
	*p = AlterTableParser{quotes: p.quotes, options: alterStatement, length: len(alterStatement)}
	p.err = p.parse(alterStatement)
	return p.err
}

func (p *AlterTableParser) parse(text string) error {
	tokens, err := tokenizeUnder(text, p.quotes)
	optionTokens, headerErr := p.readHeader(text, tokens) // also from half a text: it tells which table is meant
	if err = cmp.Or(err, headerErr); err != nil {
		return err
	}
	significant := significantTokens(optionTokens)
	executed, err := readActions(text, significant)
	if err != nil {
		return err
	}
	skipped, err := readActions(text, unconditionalTokens(significant))
	if err != nil {
		return err
	}
	p.facts, p.refusal = executed.facts(), executed.refusal()
	p.actions = executed.actions
	for _, action := range executed.actions {
		if action.constraint.kind != tokenEnd {
			p.constraints = append(p.constraints, action.constraint)
		}
		p.checks = append(p.checks, action.checks...)
	}
	if p.refusal == nil {
		p.refusal = skipped.refusal()
	}
	if p.refusal == nil && !p.facts.equal(skipped.facts()) {
		p.refusal = &RefusedAlterError{Reason: RefusedConditionalComment, Action: conditionalText(optionTokens)}
	}
	return nil
}

// readHeader reads `ALTER … TABLE name` if the text begins with it, and returns the tokens behind it.
func (p *AlterTableParser) readHeader(text string, tokens []alterToken) ([]alterToken, error) {
	cursor := &tokenCursor{tokens: significantTokens(tokens)}
	if !cursor.accept("ALTER") {
		return tokens, nil
	}
	for cursor.accept("ONLINE") || cursor.accept("OFFLINE") || cursor.accept("IGNORE") {
	}
	if !cursor.accept("TABLE") {
		return tokens, nil // ALTER COLUMN, ALTER INDEX …: an action
	}
	cursor.accept("IF", "EXISTS")
	nameOffset := cursor.missing()
	switch parts := cursor.acceptName(); len(parts) {
	case 1:
		p.table = parts[0]
	case 2:
		p.schema, p.table = parts[0], parts[1]
	default:
		return nil, newAlterSyntaxError(text, nameOffset, "ALTER TABLE needs a table's name, with its schema's or without: `schema`.`table`")
	}
	end := cursor.tokens[cursor.next-1].end()
	behind := slices.IndexFunc(tokens, func(token alterToken) bool { return token.offset >= end })
	if behind < 0 {
		behind = len(tokens)
	}
	if mark := slices.IndexFunc(tokens[:behind], func(token alterToken) bool { return token.kind == tokenCommentOpen }); mark >= 0 {
		return nil, newAlterSyntaxError(text, tokens[mark].offset, "an executable comment must not stand before the table's name")
	}
	tokens = tokens[behind:]
	if len(tokens) > 0 && tokens[0].kind == tokenSpace {
		end = tokens[0].end()
	}
	p.options = text[end:]
	return tokens, nil
}

// conditionalText returns what stands in executable comments that only some servers execute.
func conditionalText(tokens []alterToken) string {
	var text strings.Builder
	for _, token := range tokens {
		if token.conditional {
			text.WriteString(token.text)
		}
	}
	return text.String()
}

// Err returns the error of the last parse, an *AlterSyntaxError, or nil.
func (p *AlterTableParser) Err() error { return p.err }

// Refusal returns a *RefusedAlterError for an ALTER that is well formed but must not be run on a ghost table, and nil for any other.
// Renames of the table are not part of it: see IsRenameTable.
func (p *AlterTableParser) Refusal() error {
	if p.refusal == nil {
		return nil
	}
	return p.refusal
}

// GetNonTrivialRenames returns the columns that get another name, old to new, spelled as in the text: look a real column up with
// RenamedColumn. A rename to the same name, or to one that differs in case only, is none. The names on the left are those before the ALTER,
// the ones on the right those after it, so that swaps and chains (a to b, b to c) are simply several entries.
func (p *AlterTableParser) GetNonTrivialRenames() map[string]string {
	renames := make(map[string]string, len(p.facts.renames))
	maps.Copy(renames, p.facts.renames)
	return renames
}

// HasNonTrivialRenames reports whether GetNonTrivialRenames has entries.
func (p *AlterTableParser) HasNonTrivialRenames() bool { return len(p.facts.renames) > 0 }

// RenamedColumn returns the new name of a column, if it gets one that differs in more than case. The column's name is compared ignoring case.
func (p *AlterTableParser) RenamedColumn(column string) (newName string, renamed bool) {
	for old, name := range p.facts.renames {
		if strings.EqualFold(old, column) {
			return name, true
		}
	}
	return "", false
}

// DroppedColumnsMap returns the names of dropped columns, spelled as in the text; look a real column up with IsDroppedColumn. A column that
// is dropped and added again under its name is among them. `DROP COLUMN IF EXISTS` may name a column that does not exist.
func (p *AlterTableParser) DroppedColumnsMap() map[string]bool {
	dropped := make(map[string]bool, len(p.facts.dropped))
	maps.Copy(dropped, p.facts.dropped)
	return dropped
}

// IsDroppedColumn reports whether the column is dropped. Its name is compared ignoring case.
func (p *AlterTableParser) IsDroppedColumn(column string) bool {
	for name := range p.facts.dropped {
		if strings.EqualFold(name, column) {
			return true
		}
	}
	return false
}

// IsRenameTable reports whether the table itself is renamed, in any of the forms RENAME x, RENAME TO x, RENAME AS x and RENAME = x.
func (p *AlterTableParser) IsRenameTable() bool { return p.facts.renamesTable }

// IsAutoIncrementDefined reports whether the table option AUTO_INCREMENT is set. The attribute of a column does not count.
func (p *AlterTableParser) IsAutoIncrementDefined() bool { return p.facts.autoIncrement }

// Algorithm returns the value of an ALGORITHM clause, in upper case, or "" without one. Of several the last counts, as on the server.
func (p *AlterTableParser) Algorithm() string { return p.facts.algorithm }

// Lock returns the value of a LOCK clause, in upper case, or "" without one. Of several the last counts, as on the server.
func (p *AlterTableParser) Lock() string { return p.facts.lock }

// GetExplicitSchema returns the schema that a full ALTER TABLE statement names, unquoted, or "".
func (p *AlterTableParser) GetExplicitSchema() string { return p.schema }

// HasExplicitSchema reports whether the text is a full statement that names the schema.
func (p *AlterTableParser) HasExplicitSchema() bool { return p.schema != "" }

// GetExplicitTable returns the table that a full ALTER TABLE statement names, unquoted, or "".
func (p *AlterTableParser) GetExplicitTable() string { return p.table }

// HasExplicitTable reports whether the text is a full statement.
func (p *AlterTableParser) HasExplicitTable() bool { return p.table != "" }

// GetAlterStatementOptions returns, verbatim, what follows the table's name and the white space behind it, or the whole text if it is not
// a full statement. It may end in a line comment or a semicolon: put further clauses before it, not behind (`ALGORITHM=INSTANT, ` + options).
func (p *AlterTableParser) GetAlterStatementOptions() string { return p.options }
