package mysql

import (
	"fmt"
	"strings"
)

// grantLine is one line of SHOW GRANTS, taken apart.
type grantLine struct {
	verb       string   // GRANT or REVOKE; anything else has no further parts
	privileges []string // upper case; names of roles if level is empty. Rights on columns are left out
	level      string   // what the rights are on: *.*, `schema`.*, `schema`.`table` …; empty for a grant of roles
	schema     string   // pattern, quotes taken off; only for a level of tables
	object     string   // "*" or a table
	grantee    string   // as written
}

// parseGrant reads a line of SHOW GRANTS. The server writes names in backquotes, double quotes, single quotes or bare,
// as product, version and sql_mode have it.
func parseGrant(line string) (grantLine, error) {
	tokens, err := tokenizeGrant(line)
	if err != nil {
		return grantLine{}, err
	}
	grant := grantLine{verb: strings.ToUpper(tokens[0].text)}
	if grant.verb != "GRANT" && grant.verb != "REVOKE" {
		return grant, nil // SET DEFAULT ROLE, …
	}
	on := findWord(tokens, "ON")
	to := findWord(tokens, "TO")
	if grant.verb == "REVOKE" {
		to = findWord(tokens, "FROM")
	}
	if to < 0 || to == len(tokens)-1 || on > to {
		return grantLine{}, fmt.Errorf("cannot read %q, a line of SHOW GRANTS", line)
	}
	grant.grantee = granteeOf(tokens[to+1:])
	if on < 0 {
		for _, part := range splitAtCommas(tokens[1:to]) {
			grant.privileges = append(grant.privileges, accountName(part))
		}
		return grant, nil
	}
	grant.readLevel(tokens[on+1 : to])
	for _, part := range splitAtCommas(tokens[1:on]) {
		if privilege, whole := privilegeName(part); whole {
			grant.privileges = append(grant.privileges, privilege)
		}
	}
	return grant, nil
}

// readLevel reads *.*, schema.*, schema.table; other levels (routines, PROXY) have neither schema nor object.
func (g *grantLine) readLevel(tokens []grantToken) {
	for _, token := range tokens {
		g.level += token.text
	}
	if len(tokens) > 1 && !tokens[0].quoted && strings.EqualFold(tokens[0].text, "TABLE") && tokens[1].text != "." {
		tokens = tokens[1:]
	}
	if len(tokens) == 3 && tokens[1].text == "." && !tokens[1].quoted {
		g.schema, g.object = tokens[0].text, tokens[2].text
		if tokens[2].quoted && g.object == "*" {
			g.object = "table *" // a table of that name
		}
	}
}

// schemaMatches tells whether the grant's schema, a pattern as of LIKE, covers a schema. Case is not minded: whether the
// server does depends on its file system, and a wrong "yes" ends in a clear error of its own.
func (g *grantLine) schemaMatches(schema string) bool {
	return likePattern([]rune(strings.ToLower(g.schema)), []rune(strings.ToLower(schema)))
}

func likePattern(pattern, text []rune) bool {
	for len(pattern) > 0 {
		switch {
		case pattern[0] == '%':
			for skip := 0; skip <= len(text); skip++ {
				if likePattern(pattern[1:], text[skip:]) {
					return true
				}
			}
			return false
		case len(text) == 0:
			return false
		case pattern[0] == '_':
			pattern, text = pattern[1:], text[1:]
			continue
		case pattern[0] == '\\' && len(pattern) > 1:
			pattern = pattern[1:]
		}
		if pattern[0] != text[0] {
			return false
		}
		pattern, text = pattern[1:], text[1:]
	}
	return len(text) == 0
}

// grantToken is a word, a name without its quotes, or a single sign.
type grantToken struct {
	text   string
	quoted bool
}

func tokenizeGrant(line string) ([]grantToken, error) {
	var tokens []grantToken
	for rest := strings.TrimSpace(line); rest != ""; rest = strings.TrimLeft(rest, " ") {
		switch first := rest[0]; first {
		case '`', '"', '\'':
			name, after, err := cutQuoted(rest)
			if err != nil {
				return nil, fmt.Errorf("cannot read %q, a line of SHOW GRANTS: %w", line, err)
			}
			tokens = append(tokens, grantToken{text: name, quoted: true})
			rest = after
		case ',', '(', ')', '.', '@', '*':
			tokens = append(tokens, grantToken{text: string(first)})
			rest = rest[1:]
		default:
			end := strings.IndexAny(rest, " ,().@*`\"'")
			if end < 0 {
				end = len(rest)
			}
			tokens = append(tokens, grantToken{text: rest[:end]})
			rest = rest[end:]
		}
	}
	if len(tokens) == 0 {
		return nil, fmt.Errorf("an empty line in the result of SHOW GRANTS")
	}
	return tokens, nil
}

// cutQuoted takes a quoted name off the front; its quote is doubled inside.
func cutQuoted(text string) (name, rest string, err error) {
	quote := text[:1]
	for rest = text[1:]; ; {
		part, after, found := strings.Cut(rest, quote)
		if !found {
			return "", "", fmt.Errorf("a quote is not closed")
		}
		name += part
		if !strings.HasPrefix(after, quote) {
			return name, after, nil
		}
		name, rest = name+quote, after[1:]
	}
}

// findWord returns the place of the first such keyword outside of parentheses, -1 if there is none.
func findWord(tokens []grantToken, word string) int {
	depth := 0
	for i, token := range tokens {
		switch {
		case token.quoted:
		case token.text == "(":
			depth++
		case token.text == ")":
			depth--
		case depth == 0 && strings.EqualFold(token.text, word):
			return i
		}
	}
	return -1
}

func splitAtCommas(tokens []grantToken) [][]grantToken {
	var parts [][]grantToken
	depth, start := 0, 0
	for i, token := range tokens {
		switch {
		case token.quoted:
		case token.text == "(":
			depth++
		case token.text == ")":
			depth--
		case token.text == "," && depth == 0:
			parts = append(parts, tokens[start:i])
			start = i + 1
		}
	}
	return append(parts, tokens[start:])
}

// privilegeName joins the words of a privilege; whole is false if it is on some columns only.
func privilegeName(tokens []grantToken) (name string, whole bool) {
	var words []string
	for _, token := range tokens {
		if token.text == "(" && !token.quoted {
			return "", false
		}
		words = append(words, strings.ToUpper(token.text))
	}
	name = strings.Join(words, " ")
	if name == "ALL" {
		name = allPrivileges
	}
	return name, true
}

// granteeOf reads the account in front of clauses such as IDENTIFIED BY and WITH GRANT OPTION.
func granteeOf(tokens []grantToken) string {
	end := 1
	if len(tokens) >= 3 && tokens[1].text == "@" && !tokens[1].quoted {
		end = 3
	}
	return accountName(tokens[:end])
}

// accountName joins user, @ and host, as CURRENT_USER() does.
func accountName(tokens []grantToken) string {
	var name strings.Builder
	for _, token := range tokens {
		name.WriteString(token.text)
	}
	return name.String()
}

// splitRoles reads the value of CURRENT_ROLE(): on MySQL a list of quoted accounts, on MariaDB one bare name.
func splitRoles(currentRole string) []string {
	tokens, err := tokenizeGrant(currentRole)
	if err != nil || !tokens[0].quoted {
		return []string{currentRole}
	}
	var roles []string
	for _, part := range splitAtCommas(tokens) {
		roles = append(roles, accountName(part))
	}
	return roles
}
