package sql

import "strings"

// tokenKind says what a piece of ALTER text is.
type tokenKind uint8

const (
	tokenEnd          tokenKind = iota // beyond the last token; never part of a text
	tokenSpace                         // a run of white space
	tokenComment                       // `-- …`, `# …` or `/* … */`; nobody executes it
	tokenCommentOpen                   // `/*!`, `/*!80000`, `/*M!`: what follows is executed by some servers
	tokenCommentClose                  // the `*/` that ends what tokenCommentOpen began
	tokenWord                          // an unquoted name, a keyword, an introducer such as _utf8mb4
	tokenNumber                        // 12, 1.5, .5, 1e-3, 0xFF
	tokenString                        // '…' or "…" (a name instead, under ANSI_QUOTES)
	tokenQuotedName                    // `…`
	tokenSymbol                        // any other single byte
)

// alterToken is a piece of the ALTER text. The tokens of a text, joined, are the text.
type alterToken struct {
	kind   tokenKind
	text   string
	offset int // of its first byte in the whole text

	// conditional marks what stands in an executable comment that depends on the server's kind or version.
	conditional bool
}

func (t alterToken) end() int { return t.offset + len(t.text) }

// isWord reports whether the token is the given keyword, which is upper case ASCII. Quoted names are never keywords.
func (t alterToken) isWord(keyword string) bool {
	return t.kind == tokenWord && len(t.text) == len(keyword) && strings.EqualFold(t.text, keyword)
}

func (t alterToken) isSymbol(symbol byte) bool {
	return t.kind == tokenSymbol && t.text[0] == symbol
}

// name returns the identifier that the token denotes, and whether it can denote one.
// A text in double quotes is taken for a name, as it is under ANSI_QUOTES: where a name is expected it can be nothing else.
func (t alterToken) name() (string, bool) {
	switch {
	case t.kind == tokenWord:
		return t.text, true
	case t.kind == tokenQuotedName:
		return strings.ReplaceAll(t.text[1:len(t.text)-1], "``", "`"), true
	case t.kind == tokenString && t.text[0] == '"':
		return strings.ReplaceAll(t.text[1:len(t.text)-1], `""`, `"`), true
	}
	return "", false
}

// quotingRules is how an sql_mode reads quotes; the zero value is that of the default sql_mode.
type quotingRules struct {
	plainBackslash bool // NO_BACKSLASH_ESCAPES: a backslash in a string is a byte like any other
	quotedNames    bool // ANSI_QUOTES: "…" is a name, in which nothing is escaped
}

// escapes reports whether a backslash escapes the byte behind it in such quotes.
func (r quotingRules) escapes(quote byte) bool {
	return !r.plainBackslash && quote != '`' && (quote != '"' || !r.quotedNames)
}

// alterTokenizer cuts ALTER text into tokens by the lexical rules that MySQL and MariaDB share. It works on bytes: all
// delimiters are ASCII, and every byte above ASCII may be part of a name.
type alterTokenizer struct {
	quotes quotingRules
	text   string
	offset int
	tokens []alterToken

	executable  int  // where the open executable comment begins; negative while none is open
	conditional bool // whether the open executable comment depends on the server
}

// tokenizeAlter returns the tokens of a text under the default sql_mode; see tokenizeUnder.
func tokenizeAlter(text string) ([]alterToken, error) { return tokenizeUnder(text, quotingRules{}) }

// tokenizeUnder returns the tokens of a text. With an error (an *AlterSyntaxError), it returns those before the faulty place.
func tokenizeUnder(text string, quotes quotingRules) ([]alterToken, error) {
	t := &alterTokenizer{quotes: quotes, text: text, executable: -1}
	for t.offset < len(text) {
		if err := t.scan(); err != nil {
			return t.tokens, err
		}
	}
	if t.executable >= 0 {
		return t.tokens, newAlterSyntaxError(text, t.executable, "the executable comment that begins here is not closed")
	}
	return t.tokens, nil
}

// emit makes a token of what lies between the current offset and end.
func (t *alterTokenizer) emit(kind tokenKind, end int) {
	t.tokens = append(t.tokens, alterToken{kind: kind, text: t.text[t.offset:end], offset: t.offset, conditional: t.conditional})
	t.offset = end
}

// emitOpaque makes a token whose contents are not looked at, such as a string. A server that skips an executable comment does not know of
// the strings in it, so with comment marks in them it would end the comment at another place than a server that executes it.
func (t *alterTokenizer) emitOpaque(kind tokenKind, end int) error {
	contents := t.text[t.offset:end]
	if t.conditional && (strings.Contains(contents, "*/") || strings.Contains(contents, "/*")) {
		return newAlterSyntaxError(t.text, t.offset, "a comment mark stands within quotes or a line comment of an executable comment")
	}
	t.emit(kind, end)
	return nil
}

func (t *alterTokenizer) scan() error {
	rest := t.text[t.offset:]
	switch c := rest[0]; {
	case isSpaceByte(c):
		t.emit(tokenSpace, t.endOfRun(isSpaceByte))
	case c == '\'' || c == '"' || c == '`':
		return t.scanQuoted(c)
	case c == '#' || startsDashComment(rest):
		return t.scanLineComment()
	case strings.HasPrefix(rest, "/*"):
		return t.scanBlockComment(rest)
	case t.executable >= 0 && strings.HasPrefix(rest, "*/"):
		t.executable, t.conditional = -1, false
		t.emit(tokenCommentClose, t.offset+2)
	case t.startsNumber(rest):
		kind, end := t.number()
		t.emit(kind, end)
	case isNameByte(c):
		t.emit(tokenWord, t.endOfRun(isNameByte))
	default:
		t.emit(tokenSymbol, t.offset+1)
	}
	return nil
}

// scanQuoted reads up to the closing quote. A doubled quote stands for itself; so does, where backslashes escape, what follows one.
func (t *alterTokenizer) scanQuoted(quote byte) error {
	kind, what := tokenString, "string"
	if quote == '`' {
		kind, what = tokenQuotedName, "quoted name"
	}
	for i := t.offset + 1; i < len(t.text); i++ {
		switch {
		case t.text[i] == '\\' && t.quotes.escapes(quote):
			i++
		case t.text[i] != quote:
		case i+1 < len(t.text) && t.text[i+1] == quote:
			i++
		default:
			return t.emitOpaque(kind, i+1)
		}
	}
	return newAlterSyntaxError(t.text, t.offset, "the %s that begins here is not closed", what)
}

func (t *alterTokenizer) scanLineComment() error {
	end := len(t.text)
	if line := strings.IndexByte(t.text[t.offset:], '\n'); line >= 0 {
		end = t.offset + line
	}
	return t.emitOpaque(tokenComment, end)
}

func (t *alterTokenizer) scanBlockComment(rest string) error {
	if length, conditional := executableCommentMark(rest); length > 0 {
		if t.executable >= 0 {
			return newAlterSyntaxError(t.text, t.offset, "an executable comment begins within another one")
		}
		t.executable, t.conditional = t.offset, conditional
		t.emit(tokenCommentOpen, t.offset+length)
		return nil
	}
	closing := strings.Index(rest[2:], "*/")
	if closing < 0 {
		return newAlterSyntaxError(t.text, t.offset, "the comment that begins here is not closed")
	}
	t.emit(tokenComment, t.offset+closing+len("/**/"))
	return nil
}

// executableCommentMark returns the length of the mark that opens an executable comment at the start of the text (zero if there
// is none) and whether only some servers execute it: those of a version (five or six digits), or MariaDB.
func executableCommentMark(text string) (length int, conditional bool) {
	switch {
	case strings.HasPrefix(text, "/*!"):
		length = 3
	case strings.HasPrefix(text, "/*M!"):
		length, conditional = 4, true
	default:
		return 0, false
	}
	digits := 0
	for digits < 6 && length+digits < len(text) && isDigitByte(text[length+digits]) {
		digits++
	}
	if digits >= 5 {
		return length + digits, true
	}
	return length, conditional
}

// startsNumber reports whether a number begins here. What follows the dot of a qualified name is a name even if it is all digits.
func (t *alterTokenizer) startsNumber(rest string) bool {
	var last alterToken
	if len(t.tokens) > 0 {
		last = t.tokens[len(t.tokens)-1]
	}
	if rest[0] == '.' {
		_, afterName := last.name()
		return len(rest) > 1 && isDigitByte(rest[1]) && !afterName
	}
	return isDigitByte(rest[0]) && !last.isSymbol('.')
}

// number returns the extent of the number, or of the unquoted name beginning with digits, that stands here.
func (t *alterTokenizer) number() (kind tokenKind, end int) {
	if run := t.text[t.offset:t.endOfRun(isNameByte)]; isRadixLiteral(run) {
		return tokenNumber, t.offset + len(run)
	}
	end = t.endOfDigits(t.offset)
	fraction := end < len(t.text) && t.text[end] == '.'
	if fraction {
		end = t.endOfDigits(end + 1)
	}
	if end < len(t.text) && (t.text[end] == 'e' || t.text[end] == 'E') {
		exponent := end + 1
		if exponent < len(t.text) && (t.text[exponent] == '+' || t.text[exponent] == '-') {
			exponent++
		}
		if last := t.endOfDigits(exponent); last > exponent {
			return tokenNumber, last
		}
	}
	if word := t.endOfRun(isNameByte); !fraction && word > end {
		return tokenWord, word
	}
	return tokenNumber, end
}

func (t *alterTokenizer) endOfRun(belongs func(byte) bool) int {
	end := t.offset
	for end < len(t.text) && belongs(t.text[end]) {
		end++
	}
	return end
}

func (t *alterTokenizer) endOfDigits(from int) int {
	for from < len(t.text) && isDigitByte(t.text[from]) {
		from++
	}
	return from
}

// startsDashComment reports whether a `-- ` comment begins here: the dashes need white space, a control byte or the end behind them.
func startsDashComment(text string) bool {
	return strings.HasPrefix(text, "--") && (len(text) == 2 || text[2] <= ' ' || text[2] == 0x7f)
}

// isRadixLiteral reports whether a run of name bytes is a literal like 0x1F or 0b01.
func isRadixLiteral(run string) bool {
	if len(run) < 3 || run[0] != '0' {
		return false
	}
	switch run[1] {
	case 'x':
		return strings.Trim(run[2:], "0123456789abcdefABCDEF") == ""
	case 'b':
		return strings.Trim(run[2:], "01") == ""
	}
	return false
}

func isSpaceByte(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

func isDigitByte(c byte) bool { return '0' <= c && c <= '9' }

func isNameByte(c byte) bool {
	return isDigitByte(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$' || c >= 0x80
}
