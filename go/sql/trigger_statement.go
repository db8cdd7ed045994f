package sql

import (
	"fmt"
	"strings"
)

// TriggerStatement is a CREATE TRIGGER statement, as SHOW CREATE TRIGGER returns it, cut at the names in it, so that the same
// trigger can be created under another name on another table.
//
// MySQL writes the part before the body anew; MariaDB keeps it as somebody once typed it, with the schema's name or IF NOT
// EXISTS in it. Neither keeps FOLLOWS or PRECEDES: the order of a table's triggers is the order of their creation.
type TriggerStatement struct {
	definer string // such as DEFINER=`a`@`b`; empty if the statement has none
	when    string // from the trigger's name to the table's, such as " AFTER INSERT ON "
	head    string // all that stands before the body
	between string // from the table's name to the body, such as " FOR EACH ROW "
	body    string
}

// ParseTriggerStatement cuts a CREATE TRIGGER statement. The body is not looked at. Text is taken as UTF-8, or as any other
// character set of which no character has an ASCII byte behind its first.
func ParseTriggerStatement(statement string) (TriggerStatement, error) {
	reader := &triggerReader{alterTokenizer: alterTokenizer{text: statement, executable: -1}}
	parsed, ok := reader.read()
	if !ok {
		return TriggerStatement{}, fmt.Errorf("not understood as CREATE TRIGGER: %.100q", statement)
	}
	return parsed, nil
}

// Head is all that stands before the body.
func (t TriggerStatement) Head() string { return t.head }

// Body is the statement that the trigger executes.
func (t TriggerStatement) Body() string { return t.body }

// HeadFor is the head of the statement that creates the trigger under the name, in the default schema, on the table.
func (t TriggerStatement) HeadFor(name string, table TableName) string {
	definer := t.definer
	if definer != "" {
		definer += " "
	}
	return "CREATE /* gh-ost */ " + definer + "TRIGGER " + EscapeName(name) + t.when + table.String() + t.between
}

// triggerReader reads the head token by token, since the body may be no text that could be cut into tokens.
type triggerReader struct {
	alterTokenizer
}

// next returns the next token that means something; its kind is tokenEnd where there is none.
func (r *triggerReader) next() alterToken {
	for r.offset < len(r.text) {
		if r.scan() != nil {
			return alterToken{}
		}
		switch token := r.tokens[len(r.tokens)-1]; token.kind {
		case tokenSpace, tokenComment, tokenCommentOpen, tokenCommentClose:
		default:
			return token
		}
	}
	return alterToken{}
}

// name reads a name that may have a schema before it, and returns where it begins and ends.
func (r *triggerReader) name() (from, to int, ok bool) {
	token := r.next()
	if token.isWord("IF") { // IF NOT EXISTS, or a trigger of that name
		if after := r.peek(); after.isWord("NOT") {
			r.next()
			r.next()
			token = r.next()
		}
	}
	from = token.offset
	for {
		if _, isName := token.name(); !isName {
			return 0, 0, false
		}
		to = token.end()
		if !r.peek().isSymbol('.') {
			return from, to, true
		}
		r.next()
		token = r.next()
	}
}

// peek returns the next token without passing it.
func (r *triggerReader) peek() alterToken {
	offset, count := r.offset, len(r.tokens)
	token := r.next()
	r.offset, r.tokens = offset, r.tokens[:count]
	return token
}

func (r *triggerReader) read() (t TriggerStatement, ok bool) {
	if !r.next().isWord("CREATE") {
		return t, false
	}
	definer := -1
	token := r.next()
	for ; !token.isWord("TRIGGER"); token = r.next() {
		if token.kind == tokenEnd {
			return t, false
		}
		if token.isWord("DEFINER") {
			definer = token.offset
		}
	}
	if definer >= 0 {
		t.definer = strings.TrimRight(r.text[definer:token.offset], " \t\r\n")
	}
	_, nameEnds, ok := r.name()
	if !ok {
		return t, false
	}
	if timing := r.next(); !timing.isWord("BEFORE") && !timing.isWord("AFTER") {
		return t, false
	}
	for token = r.next(); !token.isWord("ON"); token = r.next() { // what the trigger is for
		if token.kind == tokenEnd {
			return t, false
		}
	}
	tableBegins, tableEnds, ok := r.name()
	if !ok {
		return t, false
	}
	t.when = r.text[nameEnds:tableBegins]
	for _, keyword := range []string{"FOR", "EACH", "ROW"} {
		if !r.next().isWord(keyword) {
			return t, false
		}
	}
	headEnds := r.offset
	if space := r.text[headEnds:]; space != "" {
		headEnds += len(space) - len(strings.TrimLeft(space, " \t\r\n\v\f"))
	}
	t.between, t.head, t.body = r.text[tableEnds:headEnds], r.text[:headEnds], r.text[headEnds:]
	return t, t.body != ""
}
