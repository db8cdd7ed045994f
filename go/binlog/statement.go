package binlog

import (
	"encoding/hex"
	"strings"
)

// classify tells what a logged statement means for transactions. The name is a savepoint or an xid.
func classify(query string) (kind entryKind, name string) {
	text := strings.TrimRight(skipComments(query), " \t\r\n;")
	word, rest := cutWord(text)
	switch word {
	case "":
		if text == "" {
			return entryNothing, "" // MariaDB sends comments in place of events that a replica would not understand
		}
	case "BEGIN":
		if rest == "" {
			return entryBegin, ""
		}
	case "COMMIT":
		if rest == "" {
			return entryCommit, ""
		}
	case "ROLLBACK":
		if rest == "" {
			return entryRollback, ""
		}
		if to, savepoint := cutWord(rest); to == "TO" {
			if word, after := cutWord(savepoint); word == "SAVEPOINT" && after != "" {
				savepoint = after
			}
			return entryRollbackTo, savepointName(savepoint)
		}
	case "SAVEPOINT":
		return entrySavepoint, savepointName(rest)
	case "RELEASE":
		if word, _ := cutWord(rest); word == "SAVEPOINT" {
			return entryNothing, ""
		}
	case "XA":
		return classifyXA(rest)
	}
	return entryStatement, ""
}

func classifyXA(text string) (kind entryKind, name string) {
	verb, xid := cutWord(text)
	switch verb {
	case "START", "BEGIN":
		return entryXAStart, normalXID(xid)
	case "END":
		return entryNothing, ""
	case "PREPARE":
		return entryXAPrepare, normalXID(xid)
	case "COMMIT":
		return entryXACommit, normalXID(xid)
	case "ROLLBACK":
		return entryXARollback, normalXID(xid)
	}
	return entryStatement, ""
}

// skipComments drops comments and blanks in front of a statement. Comments that servers execute are left.
func skipComments(text string) string {
	for {
		text = strings.TrimLeft(text, " \t\r\n;")
		var found bool
		switch {
		case strings.HasPrefix(text, "/*!"), strings.HasPrefix(text, "/*M!"):
			return text
		case strings.HasPrefix(text, "/*"):
			_, text, found = strings.Cut(text, "*/")
		case strings.HasPrefix(text, "#"), strings.HasPrefix(text, "-- "), strings.HasPrefix(text, "--\t"), strings.HasPrefix(text, "--\n"):
			_, text, found = strings.Cut(text, "\n")
		default:
			return text
		}
		if !found {
			return ""
		}
	}
}

// cutWord parts the first word, in capitals, from what follows. No keyword here has more than nine letters.
func cutWord(text string) (word, rest string) {
	end := 0
	for end < len(text) && end < 16 && ('a' <= text[end] && text[end] <= 'z' || 'A' <= text[end] && text[end] <= 'Z') {
		end++
	}
	return strings.ToUpper(text[:end]), strings.TrimLeft(text[end:], " \t\r\n")
}

// savepointName makes names comparable: without quotes, without case.
func savepointName(text string) string {
	if len(text) >= 2 && text[0] == '`' && text[len(text)-1] == '`' {
		text = strings.ReplaceAll(text[1:len(text)-1], "``", "`")
	}
	return strings.ToLower(text)
}

// normalXID gives the name of an XA transaction one form, that in which servers log it: X'gtrid',X'bqual',format.
func normalXID(text string) string {
	text = strings.TrimSpace(text)
	if upper := strings.ToUpper(text); strings.HasSuffix(upper, "ONE PHASE") {
		text = strings.TrimSpace(text[:len(text)-len("ONE PHASE")])
	}
	parts := [3]string{"", "", "1"}
	for i := 0; i < len(parts) && text != ""; i++ {
		var part string
		part, text = cutXIDPart(text)
		if i < 2 {
			part = "X'" + part + "'"
		}
		parts[i] = part
	}
	if parts[1] == "" {
		parts[1] = "X''"
	}
	return strings.Join(parts[:], ",")
}

// cutXIDPart parts the first of a list of strings and numbers, strings as hexadecimal digits, from the rest.
func cutXIDPart(text string) (part, rest string) {
	text = strings.TrimLeft(text, " \t")
	isHex := strings.HasPrefix(text, "X'") || strings.HasPrefix(text, "x'")
	if isHex {
		text = text[1:]
	}
	if !strings.HasPrefix(text, "'") {
		part, rest, _ = strings.Cut(text, ",")
		part = strings.TrimSpace(part)
		return strings.ToLower(strings.TrimPrefix(part, "0x")), rest
	}
	var value strings.Builder
	i := 1
	for ; i < len(text); i++ {
		if text[i] == '\'' {
			if i+1 == len(text) || text[i+1] != '\'' {
				i++
				break
			}
			i++
		}
		value.WriteByte(text[i])
	}
	_, rest, _ = strings.Cut(text[i:], ",")
	if isHex {
		return strings.ToLower(value.String()), rest
	}
	return hex.EncodeToString([]byte(value.String())), rest
}
