package sql

import "strings"

// StatementTouches tells whether a statement from a binary log changes the rows or the definition of a table, and names
// its verb for messages, such as "ALTER TABLE". The default schema is the one that the statement was run in.
//
// It is asked about statements whose effect no row event carries: definitions, and changes of rows that were logged as
// text. What merely mentions the table does not touch it: reads, CREATE TABLE … LIKE, views, triggers, ANALYZE, grants. Text
// that breaks off, or that this does not understand in full, touches the table if a name in it is the table's.
//
// It cannot see through a view, a stored function or a trigger: see ReadTextChange.
func StatementTouches(statement, defaultSchema string, table TableName, names NameCase) (verb string, touches bool) {
	for _, tokens := range readings(statement) {
		if verb, touches := tokens.touch(defaultSchema, table, names); touches {
			return verb, true
		}
	}
	return "", false
}

func (r reading) touch(defaultSchema string, table TableName, names NameCase) (verb string, touches bool) {
	reader := targetReader{tokenCursor: &tokenCursor{tokens: r.tokens}, defaultSchema: defaultSchema}
	verb, targets := reader.read()
	if verb == "" {
		return "", false
	}
	for _, target := range targets {
		if target.isTable(table, names) {
			return verb, true
		}
	}
	return verb, (r.broken || reader.lost) && namesTable(r.tokens, table, names)
}

// target is what a statement changes: a table, or a whole schema if the name is empty.
type target struct {
	TableName
	alias string // by which the rest of the statement calls it
}

func (t target) isTable(table TableName, names NameCase) bool {
	return names.Same(t.Schema, table.Schema) && (t.Name == "" || names.Same(t.Name, table.Name))
}

// isCalled tells whether the name's parts, [schema,] name, may mean this table in the statement that lists it: case is not minded.
func (t target) isCalled(parts []string) bool {
	if len(parts) == 2 {
		return strings.EqualFold(t.Schema, parts[0]) && strings.EqualFold(t.Name, parts[1])
	}
	if t.alias != "" {
		return strings.EqualFold(t.alias, parts[0])
	}
	return strings.EqualFold(t.Name, parts[0])
}

func namesTable(tokens []alterToken, table TableName, names NameCase) bool {
	for _, token := range tokens {
		if name, ok := token.name(); ok && names.Same(name, table.Name) {
			return true
		}
	}
	return false
}

// targetReader reads from the beginning of a statement what it changes.
type targetReader struct {
	*tokenCursor
	defaultSchema string
	lost          bool // something was not understood; the targets may be incomplete
}

func (r *targetReader) read() (verb string, targets []target) {
	r.skipPrelude()
	switch {
	case r.accept("ALTER"):
		return r.readAlter()
	case r.accept("TRUNCATE"):
		r.accept("TABLE")
		return "TRUNCATE TABLE", r.readNames()
	case r.accept("DROP"):
		return r.readDrop()
	case r.accept("RENAME", "TABLE"), r.accept("RENAME", "TABLES"):
		return "RENAME TABLE", r.readRenames()
	case r.accept("CREATE"):
		return r.readCreate()
	case r.accept("INSERT"):
		return "INSERT", r.readInsert()
	case r.accept("REPLACE"):
		return "REPLACE", r.readInsert()
	case r.accept("UPDATE"):
		return "UPDATE", r.readUpdate()
	case r.accept("DELETE"):
		return "DELETE", r.readDelete()
	case r.accept("LOAD", "DATA"), r.accept("LOAD", "XML"):
		return "LOAD DATA", r.readLoad()
	}
	return "", nil
}

// skipPrelude moves to the verb: behind MariaDB's SET STATEMENT … FOR, and behind common table expressions.
func (r *targetReader) skipPrelude() {
	for r.acceptSymbol(';') {
	}
	if r.accept("SET", "STATEMENT") {
		r.skipTo("FOR")
		r.accept("FOR")
	}
	if r.accept("WITH") {
		r.skipTo("UPDATE", "DELETE", "INSERT", "REPLACE", "SELECT")
	}
}

func (r *targetReader) readAlter() (verb string, targets []target) {
	for r.acceptAny("ONLINE", "OFFLINE", "IGNORE") {
	}
	if !r.accept("TABLE") {
		return "", nil
	}
	r.accept("IF", "EXISTS")
	targets = r.readName(nil)
	// A second table takes part where the table is renamed to it, or exchanges or takes over rows with it.
	for depth, first := 0, true; !r.atEnd(); {
		switch {
		case r.acceptSymbol('('):
			depth++
		case r.acceptSymbol(')'):
			depth--
		case depth > 0:
			r.next++
		case r.acceptSymbol(','):
			first = true
			continue
		case first && r.accept("RENAME"):
			if !r.acceptAny("COLUMN", "INDEX", "KEY") {
				_ = r.acceptAny("TO", "AS") || r.acceptSymbol('=')
				targets = r.readName(targets)
			}
		case r.accept("WITH", "TABLE"), r.accept("TO", "TABLE"), r.accept("CONVERT", "TABLE"):
			targets = r.readName(targets)
		default:
			r.next++
		}
		first = false
	}
	return "ALTER TABLE", targets
}

func (r *targetReader) readDrop() (verb string, targets []target) {
	switch {
	case r.accept("TABLE"), r.accept("TABLES"):
		r.accept("IF", "EXISTS")
		return "DROP TABLE", r.readNames()
	case r.accept("DATABASE"), r.accept("SCHEMA"):
		r.accept("IF", "EXISTS")
		if schema, ok := r.peek().name(); ok {
			return "DROP DATABASE", []target{{TableName: TableName{Schema: schema}}}
		}
		r.lost = true
		return "DROP DATABASE", nil
	}
	for r.acceptAny("ONLINE", "OFFLINE") {
	}
	if r.accept("INDEX") {
		return "DROP INDEX", r.readIndexed()
	}
	return "", nil
}

func (r *targetReader) readCreate() (verb string, targets []target) {
	replaces := r.accept("OR", "REPLACE")
	if r.accept("TABLE") {
		if !replaces {
			return "", nil
		}
		return "CREATE OR REPLACE TABLE", r.readName(nil)
	}
	for r.acceptAny("ONLINE", "OFFLINE", "UNIQUE", "FULLTEXT", "SPATIAL", "VECTOR") {
	}
	if r.accept("INDEX") {
		return "CREATE INDEX", r.readIndexed()
	}
	return "", nil
}

// readIndexed reads the table's name in CREATE or DROP INDEX. The index's own name may be any word, also ON if in quotes.
func (r *targetReader) readIndexed() []target {
	if !r.accept("IF", "NOT", "EXISTS") {
		r.accept("IF", "EXISTS")
	}
	r.acceptName()
	r.skipTo("ON")
	r.accept("ON")
	return r.readName(nil)
}

// readRenames reads `a TO b, c TO d`.
func (r *targetReader) readRenames() (targets []target) {
	r.accept("IF", "EXISTS")
	for {
		targets = r.readName(targets)
		r.skipLock()
		if !r.accept("TO") {
			r.lost = true
			return targets
		}
		targets = r.readName(targets)
		if !r.acceptSymbol(',') {
			return targets
		}
	}
}

// skipLock skips MariaDB's WAIT n and NOWAIT behind a table's name.
func (r *targetReader) skipLock() {
	if r.accept("WAIT") {
		r.next++
	} else {
		r.accept("NOWAIT")
	}
}

func (r *targetReader) readInsert() []target {
	for r.acceptAny("LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY", "IGNORE") {
	}
	r.accept("INTO")
	return r.readName(nil)
}

func (r *targetReader) readLoad() []target {
	r.skipTo("INTO")
	if !r.accept("INTO", "TABLE") {
		r.lost = true
		return nil
	}
	return r.readName(nil)
}

// readUpdate reads `references SET [table.]column = …, …`. Of several tables, those change whose columns are set; a column
// without its table's name may be of any.
func (r *targetReader) readUpdate() []target {
	for r.acceptAny("LOW_PRIORITY", "IGNORE") {
	}
	listed := r.readReferences()
	if !r.accept("SET") {
		r.lost = true
		return listed
	}
	if len(listed) < 2 {
		return listed
	}
	var changed []target
	for {
		parts := r.acceptName()
		if len(parts) < 2 {
			return listed
		}
		changed = append(changed, called(listed, parts[:len(parts)-1])...)
		r.skipTo("WHERE", "ORDER", "LIMIT", "RETURNING", ",")
		if !r.acceptSymbol(',') {
			return changed
		}
	}
}

// readDelete reads the three forms `FROM table …`, `a, b.* FROM references …` and `FROM a, b.* USING references …`.
func (r *targetReader) readDelete() []target {
	for r.acceptAny("LOW_PRIORITY", "QUICK", "IGNORE", "HISTORY") {
	}
	usingForm := r.accept("FROM")
	begin := r.next
	var named [][]string
	for {
		parts := r.acceptTableOrAll()
		if parts == nil {
			r.lost = true
			return nil
		}
		named = append(named, parts)
		if !r.acceptSymbol(',') {
			break
		}
	}
	switch {
	case usingForm && r.accept("USING"):
	case usingForm:
		r.next = begin
		return r.readReferences()
	case !r.accept("FROM"):
		r.lost = true
		return nil
	}
	listed := r.readReferences()
	var changed []target
	for _, parts := range named {
		found := called(listed, parts)
		if found == nil {
			found = []target{r.target(parts)} // an alias that was not understood, or text that the server would refuse
		}
		changed = append(changed, found...)
	}
	return changed
}

func called(listed []target, parts []string) (found []target) {
	for _, table := range listed {
		if table.isCalled(parts) {
			found = append(found, table)
		}
	}
	return found
}

// behindTable are the words that can follow a table in a list of references and are not its alias.
var behindTable = []string{"JOIN", "INNER", "CROSS", "LEFT", "RIGHT", "NATURAL", "STRAIGHT_JOIN", "ON", "USING", "SET", "WHERE", "ORDER", "LIMIT",
	"PARTITION", "USE", "FORCE", "IGNORE", "FOR", "RETURNING", "GROUP", "HAVING", "OUTER", "WINDOW", "TABLESAMPLE"}

// readReferences reads tables that are joined in any way, up to the clause behind them.
func (r *targetReader) readReferences() (tables []target) {
	for expected, depth := true, 0; !r.atEnd(); {
		token := r.peek()
		switch {
		case token.isSymbol('{'): // of an outer join as ODBC writes it: { OJ … }
			r.next += 2
		case token.isSymbol('(') && expected && !r.opensQuery():
			depth++
			r.next++
		case token.isSymbol('('):
			r.skipParentheses()
			if expected {
				r.acceptAlias()
				expected = false
			}
		case token.isSymbol(')'):
			depth--
			r.next++
		case token.isSymbol(','), token.isWord("JOIN"), token.isWord("STRAIGHT_JOIN"):
			expected = true
			r.next++
		case expected && token.isWord("LATERAL"):
			r.next++
		case expected:
			expected = false
			parts := r.acceptName()
			if parts == nil {
				r.lost = true
				return tables
			}
			if r.peek().isSymbol('(') { // a table function
				r.skipParentheses()
				r.acceptAlias()
				continue
			}
			if r.accept("PARTITION") {
				r.skipParentheses()
			}
			table := r.target(parts)
			table.alias = r.acceptAlias()
			tables = append(tables, table)
		case depth <= 0 && isClause(token):
			return tables
		default:
			r.next++
		}
	}
	return tables
}

func isClause(token alterToken) bool {
	for _, word := range []string{"SET", "WHERE", "ORDER", "LIMIT", "RETURNING"} {
		if token.isWord(word) {
			return true
		}
	}
	return false
}

func (r *targetReader) opensQuery() bool {
	if r.next+1 >= len(r.tokens) {
		return false
	}
	for _, word := range []string{"SELECT", "WITH", "VALUES", "TABLE"} {
		if r.tokens[r.next+1].isWord(word) {
			return true
		}
	}
	return false
}

func (r *targetReader) acceptAlias() string {
	explicit := r.accept("AS")
	token := r.peek()
	name, ok := token.name()
	if !ok {
		return ""
	}
	for _, word := range behindTable {
		if !explicit && token.isWord(word) {
			return ""
		}
	}
	r.next++
	return name
}

// acceptTableOrAll reads a table's name, perhaps followed by `.*`.
func (r *targetReader) acceptTableOrAll() (parts []string) {
	for {
		part, ok := r.peek().name()
		if !ok {
			return nil
		}
		r.next++
		parts = append(parts, part)
		if !r.acceptSymbol('.') || r.acceptSymbol('*') {
			return parts
		}
	}
}

// readNames reads a list of tables.
func (r *targetReader) readNames() (targets []target) {
	for {
		targets = r.readName(targets)
		if !r.acceptSymbol(',') {
			return targets
		}
	}
}

// readName adds the table whose name stands here.
func (r *targetReader) readName(targets []target) []target {
	r.acceptSymbol('.') // `.t` is t in the default schema
	parts := r.acceptName()
	if parts == nil {
		r.lost = true
		return targets
	}
	return append(targets, r.target(parts))
}

func (r *targetReader) target(parts []string) target {
	if len(parts) == 1 {
		return target{TableName: TableName{Schema: r.defaultSchema, Name: parts[0]}}
	}
	return target{TableName: TableName{Schema: parts[0], Name: parts[1]}}
}

func (r *targetReader) acceptAny(keywords ...string) bool {
	for _, keyword := range keywords {
		if r.accept(keyword) {
			return true
		}
	}
	return false
}

// skipTo moves to the first of the keywords outside parentheses, or a comma if that is among them; to the end if there is none.
func (r *targetReader) skipTo(keywords ...string) {
	for !r.atEnd() {
		token := r.peek()
		if token.isSymbol('(') {
			r.skipParentheses()
			continue
		}
		for _, keyword := range keywords {
			if token.isWord(keyword) || keyword == "," && token.isSymbol(',') {
				return
			}
		}
		r.next++
	}
}

// skipParentheses moves behind the parenthesis that closes the one that opens here.
func (r *targetReader) skipParentheses() {
	for depth := 0; !r.atEnd(); {
		switch {
		case r.acceptSymbol('('):
			depth++
			continue
		case r.acceptSymbol(')'):
			depth--
		case depth > 0:
			r.next++
		}
		if depth == 0 {
			return
		}
	}
}
