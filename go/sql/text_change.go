package sql

import "slices"

// TextChange is a change of rows that was logged as text, and by what it may reach other tables than it names.
type TextChange struct {
	Verb string // such as "INSERT", for messages
	// Targets are the tables that it names as changed: any of them may be a view, or have triggers.
	Targets []TableName
	// Calls are those of what may be stored functions. Most are the server's own.
	Calls []Call
}

// Call is the call of a function.
type Call struct {
	Function TableName // if it is a stored one; the schema may be the default one
	// Text is the name as the statement has it, if that leaves open whether it means a function of the server; "" if it is
	// that of a stored one.
	Text string
}

// ReadTextChange reads a statement from a binary log. ok is false of a statement that changes no rows, such as a
// definition. A SELECT or DO is logged only if a function in it changes rows.
func ReadTextChange(statement, defaultSchema string) (change TextChange, ok bool) {
	cursor := &tokenCursor{tokens: readings(statement)[0].tokens} // what breaks off is read as far as it goes
	reader := targetReader{tokenCursor: cursor, defaultSchema: defaultSchema}
	verb, targets := reader.read()
	change.Verb = verb
	if verb == "" && (reader.accept("SELECT") || reader.accept("DO")) {
		change.Verb = "a function"
	}
	if !slices.Contains([]string{"INSERT", "REPLACE", "UPDATE", "DELETE", "LOAD DATA", "a function"}, change.Verb) {
		return TextChange{}, false
	}
	for _, target := range targets {
		change.Targets = appendNew(change.Targets, target.TableName)
	}
	change.Calls = readCalls(cursor.tokens, defaultSchema, change.Targets)
	return change, true
}

// beforeParentheses are words that a parenthesis follows often and that are no function's name unless quoted.
var beforeParentheses = []string{"IN", "VALUES", "VALUE", "AND", "OR", "NOT", "ON", "USING", "FROM", "JOIN", "SET", "WHERE", "SELECT", "AS", "EXISTS", "ANY", "ALL", "SOME",
	"BETWEEN", "LIKE", "THEN", "WHEN", "ELSE", "CASE", "OVER", "BY", "KEY", "INTO", "UNION", "EXCEPT", "INTERSECT", "WITH", "RETURNING", "LATERAL", "PARTITION", "INTERVAL", "CAST", "CONVERT",
	"COUNT", "SUM", "MIN", "MAX", "IF", "COALESCE", "CONCAT", "NOW", "CHAR", "DECIMAL", "ROW", "DISTINCT"}

// readCalls finds names that parentheses follow and that are not those of tables with a list of columns.
func readCalls(tokens []alterToken, defaultSchema string, targets []TableName) (calls []Call) {
	for i := 1; i < len(tokens); i++ {
		token := tokens[i-1]
		name, isName := token.name()
		if !tokens[i].isSymbol('(') || !isName {
			continue
		}
		call := Call{Function: TableName{Schema: defaultSchema, Name: name}, Text: token.text}
		before := i - 2
		if i >= 3 && tokens[i-2].isSymbol('.') {
			if schema, ok := tokens[i-3].name(); ok {
				call, before = Call{Function: TableName{Schema: schema, Name: name}}, i-4
			}
		}
		switch {
		case call.Text != "" && slices.ContainsFunc(beforeParentheses, token.isWord):
		case before >= 0 && slices.ContainsFunc(beforeTables, tokens[before].isWord), slices.Contains(targets, call.Function):
		case call.Function.Schema == "": // without a default schema only the server's own are called like this
		default:
			calls = appendNew(calls, call)
		}
	}
	return calls
}

// beforeTables are words before the name of a table, a view of the statement's own, or an index.
var beforeTables = []string{"INTO", "TABLE", "WITH", "RECURSIVE", "AS", "REPLACE", "INSERT", "IGNORE", "INDEX", "KEY"}

func appendNew[T comparable](list []T, one T) []T {
	if slices.Contains(list, one) {
		return list
	}
	return append(list, one)
}
