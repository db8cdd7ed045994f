package sql

import (
	"fmt"
	"strings"
)

// missingCondition is true of the original's rows whose key the ghost does not hold. Text is compared as bytes too, because
// the ghost's collation may take for one what are two keys to the original.
func missingCondition(original, ghost TableName, shared []SharedColumn, key *UniqueKey, timeZones TimeZones) (string, error) {
	pairs, err := keyTargets(shared, key)
	if err != nil {
		return "", err
	}
	const alias = "`gh-ost ghost`"
	var terms []string
	for _, pair := range pairs {
		source := quotedTable(original) + "." + quoted(pair.Source.Name)
		target := alias + "." + quoted(pair.Target.Name)
		text := fmt.Sprintf("CONVERT(%s USING %s)", source, pair.Target.Charset)
		switch {
		case pair.Target.Type.IsCharacter():
			text = asStored(pair.Target.Type, text)
			terms = append(terms, fmt.Sprintf("%s = %s COLLATE %s", target, text, pair.Target.Collation),
				fmt.Sprintf("CAST(%s AS BINARY) = CAST(%s AS BINARY)", target, text))
		case pair.Source.Type.Kind == KindSet && pair.Target.Type.Kind == KindSet:
			terms = append(terms, target+" = "+movedMask(source, pair.Source.Type, pair.Target.Type))
		case pair.Target.Charset != "": // ENUM
			terms = append(terms, fmt.Sprintf("%s = %s COLLATE %s", target, text, pair.Target.Collation))
		case pair.Target.Type.Kind == KindBinary:
			terms = append(terms, fmt.Sprintf("%s = CAST(%s AS BINARY(%d))", target, source, pair.Target.Type.Length))
		default:
			if source, err = pair.copyExpression(source, timeZones); err != nil {
				return "", err
			}
			terms = append(terms, target+" = "+source)
		}
	}
	return fmt.Sprintf("NOT EXISTS (SELECT 1 FROM %s AS %s WHERE %s)", quotedTable(ghost), alias, strings.Join(terms, " AND ")), nil
}

// asStored is text as it stands in a column of the type: a CHAR has no spaces at its end.
func asStored(target ColumnType, text string) string {
	if target.Kind == KindChar {
		return "TRIM(TRAILING ' ' FROM " + text + ")"
	}
	return text
}

// movedMask is setComparison for a column; NULL, which equals nothing, if the target lacks a label.
func movedMask(name string, source, target ColumnType) string {
	places := source.labelPlaces(target)
	if places == nil {
		return "NULL"
	}
	var terms []string
	for i, place := range places {
		terms = append(terms, fmt.Sprintf("IF(%s & %d, %d, 0)", name, uint64(1)<<i, uint64(1)<<place))
	}
	return strings.Join(terms, " | ")
}

// Missing reads the keys of up to limit rows of a range that do not stand in the ghost, in the order of the key. It locks
// nothing. A row may be missing only because its event is still to be applied.
func (s *CopyStatements) Missing(from Bound, includeFrom bool, to Bound, limit int) (query string, args []any, err error) {
	var q statement
	q.write("SELECT ", comment(s.original, ""), " ", s.bound, s.from, " WHERE ")
	if err := s.key.appendRange(&q, from, includeFrom, to); err != nil {
		return "", nil, fmt.Errorf("range of %s: %w", s.original, err)
	}
	q.write(" AND ", s.missing, s.orderBy, fmt.Sprintf(" LIMIT %d", limit))
	return q.finish()
}

// InsertRow is InsertChunk for the row of one key, except that a row which meets another in the ghost on any unique key is
// the server's error.
func (s *CopyStatements) InsertRow(key Bound) (query string, args []any, err error) {
	var q statement
	q.write(s.copyHead, s.from, " WHERE ")
	if err := s.key.appendRange(&q, key, true, key); err != nil {
		return "", nil, fmt.Errorf("row of %s: %w", s.original, err)
	}
	q.write(s.lockTail)
	return q.finish()
}
