package sql

import (
	"reflect"
	"strings"
)

// actionKind says what an action of an ALTER does, as far as a migration has to know.
type actionKind uint8

const (
	otherAction       actionKind = iota // nothing that concerns the mapping of columns
	changeColumn                        // CHANGE [COLUMN] [IF EXISTS] name newName …
	renameColumn                        // RENAME COLUMN [IF EXISTS] name TO newName
	dropColumn                          // DROP [COLUMN] [IF EXISTS] name [RESTRICT|CASCADE]
	renameTable                         // RENAME [TO|AS|=] name
	setsAutoIncrement                   // table options, among them AUTO_INCREMENT [=] n
	setsAlgorithm                       // ALGORITHM [=] name
	setsLock                            // LOCK [=] name
	refusedAction                       // what must not be run on a ghost table
)

// alterAction is one of the comma-separated parts of an ALTER.
type alterAction struct {
	kind    actionKind
	text    string // verbatim, without surrounding space and comments
	offset  int    // of text in the whole
	name    string // the column, the table's new name, or the value of ALGORITHM or LOCK
	newName string // the column's new name
	refused RefusalReason

	constraint alterToken   // the name of the constraint that is dropped or altered; tokenEnd if none is
	checks     []alterToken // the names of checks that are added

	dropsForeignKey bool // and does nothing else
	dropsConstraint bool // of any kind, and does nothing else
}

// alterFacts is what the actions of an ALTER amount to.
type alterFacts struct {
	renames       map[string]string // old to new name, as written; only those that differ in more than case
	dropped       map[string]bool
	renamesTable  bool
	autoIncrement bool
	algorithm     string
	lock          string
}

// alterReading is how a server reads the options of an ALTER.
type alterReading struct {
	actions []alterAction
	excess  string // what follows the semicolon, if it is more than space and comments
}

// significantTokens drops space, comments and comment marks.
func significantTokens(tokens []alterToken) []alterToken {
	significant := make([]alterToken, 0, len(tokens))
	for _, token := range tokens {
		switch token.kind {
		case tokenSpace, tokenComment, tokenCommentOpen, tokenCommentClose:
		default:
			significant = append(significant, token)
		}
	}
	return significant
}

// unconditionalTokens drops the contents of comments that only some servers execute.
func unconditionalTokens(tokens []alterToken) []alterToken {
	unconditional := make([]alterToken, 0, len(tokens))
	for _, token := range tokens {
		if !token.conditional {
			unconditional = append(unconditional, token)
		}
	}
	return unconditional
}

// readActions splits significant tokens at top-level commas and reads each action. Errors are *AlterSyntaxError.
func readActions(text string, tokens []alterToken) (alterReading, error) {
	var reading alterReading
	var open []alterToken // parentheses
	from := 0
	split := func(to int) error {
		action, err := readAction(text, tokens[from:to], len(reading.actions) == 0)
		if err == nil {
			reading.actions = append(reading.actions, action)
		}
		return err
	}
	for i, token := range tokens {
		switch {
		case token.isSymbol('('):
			open = append(open, token)
		case token.isSymbol(')'):
			if len(open) == 0 {
				return reading, newAlterSyntaxError(text, token.offset, "this closing parenthesis has no opening one")
			}
			open = open[:len(open)-1]
		case len(open) > 0:
		case token.isSymbol(','):
			if from == i {
				return reading, newAlterSyntaxError(text, token.offset, "an action is missing before this comma")
			}
			if i == len(tokens)-1 || tokens[i+1].isSymbol(';') {
				return reading, newAlterSyntaxError(text, token.offset, "an action is missing after this comma")
			}
			if err := split(i); err != nil {
				return reading, err
			}
			from = i + 1
		case token.isSymbol(';'):
			if i < len(tokens)-1 {
				reading.excess = text[tokens[i+1].offset:tokens[len(tokens)-1].end()]
			}
			if from == i {
				return reading, nil
			}
			return reading, split(i)
		}
	}
	if len(open) > 0 {
		return reading, newAlterSyntaxError(text, open[len(open)-1].offset, "the parenthesis that opens here is not closed")
	}
	if from == len(tokens) {
		return reading, nil
	}
	return reading, split(len(tokens))
}

// refusedActions lists the beginnings of the actions that must not be run on a ghost table.
var refusedActions = []struct {
	words  []string
	reason RefusalReason
}{
	{[]string{"DISCARD"}, RefusedTablespace},
	{[]string{"IMPORT"}, RefusedTablespace},
	{[]string{"EXCHANGE"}, RefusedPartitionExchange},
	{[]string{"CONVERT", "PARTITION"}, RefusedPartitionExchange},
	{[]string{"CONVERT", "TABLE"}, RefusedPartitionExchange},
	{[]string{"DROP", "PARTITION"}, RefusedPartitionData},
	{[]string{"TRUNCATE"}, RefusedPartitionData},
	{[]string{"ANALYZE"}, RefusedPartitionMaintenance},
	{[]string{"CHECK", "PARTITION"}, RefusedPartitionMaintenance},
	{[]string{"REPAIR"}, RefusedPartitionMaintenance},
	{[]string{"SECONDARY_LOAD"}, RefusedSecondaryEngine},
	{[]string{"SECONDARY_UNLOAD"}, RefusedSecondaryEngine},
}

// readAction reads one action; it has at least one token.
func readAction(text string, tokens []alterToken, first bool) (alterAction, error) {
	start, end := tokens[0].offset, tokens[len(tokens)-1].end()
	action := alterAction{text: text[start:end], offset: start, checks: namesOfAddedChecks(tokens)}
	cursor := &tokenCursor{tokens: tokens}
	if first {
		cursor.skipLockWait()
	}
	if _, isName := cursor.peek().name(); !isName && !cursor.atEnd() {
		return action, newAlterSyntaxError(text, cursor.peek().offset,
			"an action must begin with a keyword (names with special characters need backquotes)")
	}
	for _, refused := range refusedActions {
		if cursor.accept(refused.words...) {
			action.kind, action.refused = refusedAction, refused.reason
			return action, nil
		}
	}
	complete := true
	switch {
	case cursor.accept("ALTER", "TABLE"):
		return action, newAlterSyntaxError(text, start, "a second ALTER TABLE stands among the actions")
	case cursor.accept("CHANGE"):
		complete = cursor.readChange(&action)
	case cursor.accept("RENAME"):
		complete = cursor.readRename(&action)
	case cursor.accept("DROP"):
		complete = cursor.readDrop(&action)
	case cursor.accept("ALTER", "CHECK"), cursor.accept("ALTER", "CONSTRAINT"):
		complete = cursor.readConstraint(&action)
	case cursor.accept("ALGORITHM"):
		action.kind = setsAlgorithm
		complete = cursor.readValue(&action)
	case cursor.accept("LOCK"):
		action.kind = setsLock
		complete = cursor.readValue(&action)
	default:
		cursor.readOther(&action)
	}
	if !complete {
		return action, newAlterSyntaxError(text, cursor.missing(), "the action %q lacks a name, or the TO before it", excerpt(action.text))
	}
	return action, nil
}

func (c *tokenCursor) readChange(action *alterAction) (complete bool) {
	action.kind = changeColumn
	c.accept("COLUMN")
	c.accept("IF", "EXISTS")
	return c.acceptColumn(&action.name) && c.acceptColumn(&action.newName)
}

func (c *tokenCursor) readRename(action *alterAction) (complete bool) {
	if c.accept("INDEX") || c.accept("KEY") {
		return true
	}
	if c.accept("COLUMN") {
		action.kind = renameColumn
		c.accept("IF", "EXISTS")
		return c.acceptColumn(&action.name) && c.accept("TO") && c.acceptColumn(&action.newName)
	}
	action.kind = renameTable
	if !c.accept("TO") && !c.accept("AS") {
		c.acceptSymbol('=')
	}
	parts := c.acceptName()
	action.name = strings.Join(parts, ".")
	return parts != nil
}

// readDrop recognises a dropped column by what it is not: the other things that can be dropped have a keyword for it, or words behind their name.
func (c *tokenCursor) readDrop(action *alterAction) (complete bool) {
	if c.accept("CHECK") {
		return c.readConstraint(action)
	}
	if c.accept("CONSTRAINT") {
		complete = c.readConstraint(action)
		action.dropsConstraint = complete && c.next == len(c.tokens)-1
		return complete
	}
	if c.accept("FOREIGN", "KEY") {
		c.accept("IF", "EXISTS")
		var name string
		action.dropsForeignKey = c.acceptColumn(&name) && c.atEnd()
		return true
	}
	for _, keyword := range []string{"INDEX", "KEY", "PRIMARY", "FOREIGN"} {
		if c.accept(keyword) {
			return true
		}
	}
	isColumn := c.accept("COLUMN")
	c.accept("IF", "EXISTS")
	var name string
	if !c.acceptColumn(&name) {
		return false
	}
	// Partitioning options follow the last action without a comma.
	if isColumn || c.atEnd() || c.accept("RESTRICT") || c.accept("CASCADE") || c.accept("PARTITION", "BY") || c.accept("REMOVE", "PARTITIONING") {
		action.kind, action.name = dropColumn, name
	}
	return true
}

func (c *tokenCursor) readValue(action *alterAction) (complete bool) {
	c.acceptSymbol('=')
	parts := c.acceptName()
	action.name = strings.ToUpper(strings.Join(parts, "."))
	return parts != nil
}

// actionsOnParts are the words that begin an action on a column, an index or partitions, in which AUTO_INCREMENT is an attribute.
var actionsOnParts = []string{"ADD", "ALTER", "MODIFY", "CONVERT", "ORDER", "PARTITION", "REORGANIZE", "COALESCE", "REBUILD", "OPTIMIZE", "REMOVE"}

// readOther looks for AUTO_INCREMENT among table options, which need no commas between them.
func (c *tokenCursor) readOther(action *alterAction) {
	for _, word := range actionsOnParts {
		if c.peek().isWord(word) {
			return
		}
	}
	depth := 0
	for ; !c.atEnd(); c.next++ {
		switch token := c.peek(); {
		case token.isSymbol('('):
			depth++
		case token.isSymbol(')'):
			depth--
		case depth == 0 && token.isWord("PARTITION"):
			return
		case depth == 0 && c.accept("AUTO_INCREMENT"):
			c.acceptSymbol('=')
			if c.peek().kind == tokenNumber {
				action.kind, action.name = setsAutoIncrement, c.peek().text
				return
			}
			c.next-- // what stands here has not been looked at
		}
	}
}

// facts sums up the actions.
func (r alterReading) facts() alterFacts {
	facts := alterFacts{renames: map[string]string{}, dropped: map[string]bool{}}
	for _, action := range r.actions {
		switch action.kind {
		case changeColumn, renameColumn:
			if !strings.EqualFold(action.name, action.newName) {
				facts.renames[action.name] = action.newName
			}
		case dropColumn:
			facts.dropped[action.name] = true
		case renameTable:
			facts.renamesTable = true
		case setsAutoIncrement:
			facts.autoIncrement = true
		case setsAlgorithm:
			facts.algorithm = action.name
		case setsLock:
			facts.lock = action.name
		}
	}
	return facts
}

// refusal returns what must not be run on a ghost table, or nil.
func (r alterReading) refusal() *RefusedAlterError {
	if r.excess != "" {
		return &RefusedAlterError{Reason: RefusedMultipleStatements, Action: r.excess}
	}
	for _, action := range r.actions {
		if action.kind == refusedAction {
			return &RefusedAlterError{Reason: action.refused, Action: action.text}
		}
	}
	return nil
}

func (f alterFacts) equal(other alterFacts) bool { return reflect.DeepEqual(f, other) }
