package sql

import "strings"

// reading is how a statement reads under some sql_mode.
type reading struct {
	tokens []alterToken
	broken bool // the text breaks off
}

// readings are those under the modes by which the whole text can be read, since it does not say under which it was run. If there is
// none, it is the reading under the default one.
func readings(statement string) (whole []reading) {
	tokens, err := tokenizeAlter(statement)
	first := reading{significantTokens(tokens), err != nil}
	if !strings.Contains(statement, `\`) {
		return []reading{first}
	}
	if err == nil {
		whole = append(whole, first)
	}
	for _, quotes := range []quotingRules{{plainBackslash: true}, {quotedNames: true}} { // both together read as the first of them
		if tokens, err := tokenizeUnder(statement, quotes); err == nil {
			whole = append(whole, reading{tokens: significantTokens(tokens)})
		}
	}
	if len(whole) == 0 {
		return []reading{first}
	}
	return whole
}
