package base

import (
	"fmt"
	"strings"
)

// iniSection holds values by key. Keys are in lower case, with underscores for dashes.
type iniSection map[string]string

// parseINI reads the format of the servers' own option files, so that one file can serve them and us:
//
//	[section]            names in any case; later sections of the same name add to earlier ones
//	key = value          the last one counts; blanks around both are dropped
//	key                  a value that is empty
//	key = "a value"      quotes, " or ', keep blanks, # and ;
//	# or ;               start a comment; behind a value, ; does so only after a blank
//
// In values, \n \t \r \b \s \\ \" and \' stand for newline, tab, carriage return, backspace, blank and the signs themselves;
// any other backslash stands for itself. Errors name the line. Including other files is refused and not passed over, since
// settings would silently be missing.
func parseINI(text string) (map[string]iniSection, error) {
	sections := map[string]iniSection{}
	var current iniSection
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '!':
			return nil, fmt.Errorf("line %d: %s: other files cannot be included; write the settings here", number, line)
		case line[0] == '[':
			name, rest, closed := strings.Cut(line[1:], "]")
			if !closed || !isBlankOrComment(rest) {
				return nil, fmt.Errorf("line %d: %s: a section is written [name]", number, line)
			}
			name = strings.ToLower(strings.TrimSpace(name))
			if sections[name] == nil {
				sections[name] = iniSection{}
			}
			current = sections[name]
		case current == nil:
			return nil, fmt.Errorf("line %d: a setting stands before the first [section]", number)
		default:
			key, rest, _ := strings.Cut(line, "=")
			if comment := strings.IndexAny(key, "#;"); comment >= 0 {
				key, rest = key[:comment], ""
			}
			key = strings.TrimSpace(key)
			value, err := iniValue(strings.TrimSpace(rest))
			if err != nil {
				return nil, fmt.Errorf("line %d: %s: %w", number, key, err) // without the value: it may be a password
			}
			current[strings.ReplaceAll(strings.ToLower(key), "-", "_")] = value
		}
	}
	return sections, nil
}

func iniValue(text string) (string, error) {
	if text == "" || (text[0] != '"' && text[0] != '\'') {
		return unescaped(strings.TrimSpace(beforeComment(text))), nil
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			if !isBlankOrComment(text[i+1:]) {
				return "", fmt.Errorf("something follows the closing quote; write \\%c for a quote inside the value", text[0])
			}
			return unescaped(text[1:i]), nil
		}
	}
	return "", fmt.Errorf("the quote that the value begins with is not closed")
}

func beforeComment(text string) string {
	for i := range len(text) {
		afterBlank := i == 0 || text[i-1] == ' ' || text[i-1] == '\t'
		if text[i] == '#' || (text[i] == ';' && afterBlank) {
			return text[:i]
		}
	}
	return text
}

func isBlankOrComment(text string) bool {
	text = strings.TrimSpace(text)
	return text == "" || text[0] == '#' || text[0] == ';'
}

var iniEscapes = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\r`, "\r", `\b`, "\b", `\s`, " ", `\\`, `\`, `\"`, `"`, `\'`, `'`)

func unescaped(text string) string {
	return iniEscapes.Replace(text)
}
