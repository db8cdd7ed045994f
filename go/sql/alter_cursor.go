package sql

// tokenCursor reads the significant tokens of one action.
type tokenCursor struct {
	tokens []alterToken
	next   int
}

func (c *tokenCursor) atEnd() bool { return c.next == len(c.tokens) }

func (c *tokenCursor) peek() alterToken {
	if c.atEnd() {
		return alterToken{}
	}
	return c.tokens[c.next]
}

// accept moves behind the keywords if all of them follow, one after the other.
func (c *tokenCursor) accept(keywords ...string) bool {
	if len(c.tokens)-c.next < len(keywords) {
		return false
	}
	for i, keyword := range keywords {
		if !c.tokens[c.next+i].isWord(keyword) {
			return false
		}
	}
	c.next += len(keywords)
	return true
}

func (c *tokenCursor) acceptSymbol(symbol byte) bool {
	if !c.peek().isSymbol(symbol) {
		return false
	}
	c.next++
	return true
}

// acceptName reads a name of up to three parts joined by dots.
func (c *tokenCursor) acceptName() (parts []string) {
	for {
		part, ok := c.peek().name()
		if !ok || part == "" {
			return nil
		}
		c.next++
		parts = append(parts, part)
		if len(parts) == 3 || !c.acceptSymbol('.') {
			return parts
		}
	}
}

// acceptColumn reads a column's name. Old servers allow the table's name before it.
func (c *tokenCursor) acceptColumn(name *string) bool {
	parts := c.acceptName()
	if parts == nil {
		return false
	}
	*name = parts[len(parts)-1]
	return true
}

// skipLockWait skips MariaDB's WAIT n or NOWAIT, which may stand before the first action.
func (c *tokenCursor) skipLockWait() {
	if c.accept("NOWAIT") {
		return
	}
	if len(c.tokens) > 1 && c.tokens[0].isWord("WAIT") && c.tokens[1].kind == tokenNumber {
		c.next = 2
	}
}

// missing returns the offset of the place where something was expected in vain.
func (c *tokenCursor) missing() int {
	if c.atEnd() {
		return c.tokens[len(c.tokens)-1].end()
	}
	return c.peek().offset
}
