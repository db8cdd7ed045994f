package sql

import (
	"fmt"
	"strings"
)

// verifiedKey finds and names rows of both tables by the values that the original's key columns have: a row of the ghost
// by what those were before the conversion.
type verifiedKey struct {
	columns  []Column // of the original
	original ApplyStatements
	ghost    ApplyStatements
	ordered  bool // both tables hold their rows in the same order of the key
}

func newVerifiedKey(shared []SharedColumn, key *UniqueKey, timeZones TimeZones) (*verifiedKey, error) {
	pairs, err := keyTargets(shared, key)
	if err != nil {
		return nil, err
	}
	k := &verifiedKey{ordered: true}
	for _, pair := range pairs {
		if !isNamedAlike(pair) {
			return nil, fmt.Errorf("the rows of both tables cannot be paired by column %s of the unique key %s, which changes from %s to %s",
				EscapeName(pair.Source.Name), EscapeName(key.Name), pair.Source.Type.Text, pair.Target.Type.Text)
		}
		same, err := bindColumn(SharedColumn{Source: pair.Source, Target: pair.Source}, timeZones)
		if err != nil {
			return nil, err
		}
		converted, err := bindColumn(pair, timeZones)
		if err != nil {
			return nil, err
		}
		k.columns = append(k.columns, pair.Source)
		k.original.key, k.ghost.key = append(k.original.key, same), append(k.ghost.key, converted)
		k.ordered = k.ordered && pair.Source.Charset == pair.Target.Charset && pair.Source.Collation == pair.Target.Collation
	}
	return k, nil
}

// isNamedAlike tells whether the original's key value can be read from the ghost's.
func isNamedAlike(pair SharedColumn) bool {
	source, target := pair.Source.Type, pair.Target.Type
	switch source.Kind {
	case KindDecimal:
		return target.Kind == source.Kind && target.Decimals >= source.Decimals && target.Length-target.Decimals >= source.Length-source.Decimals
	case KindTime, KindDateTime, KindTimestamp:
		return target.Kind == source.Kind && target.Decimals >= source.Decimals
	case KindBit:
		return target.Kind == source.Kind && target.Length >= source.Length
	}
	return storesAlike(pair) || areIntegers(pair) || source.IsInteger() && target.IsCharacter()
}

// ghostKey is the list of the original's key values as the ghost shows them. A value that no row of the original can have is
// NULL in it.
func ghostKey(pairs []SharedColumn) string {
	var expressions []string
	for _, pair := range pairs {
		name := pair.Target.BoundExpression()
		switch {
		case pair.Source.Charset == pair.Target.Charset:
		case !pair.Source.Type.IsCharacter(): // digits
			name = "CONVERT(" + name + " USING utf8mb4)"
		default:
			name = fmt.Sprintf("IF(CAST(CONVERT(CONVERT(%[1]s USING %[2]s) USING %[3]s) AS BINARY) = CAST(%[1]s AS BINARY), CONVERT(%[1]s USING %[2]s), NULL)",
				EscapeName(pair.Target.Name), pair.Source.Charset, pair.Target.Charset)
		}
		expressions = append(expressions, strings.ReplaceAll(name, "?", heldQuestionMark))
	}
	return strings.Join(expressions, ", ")
}

// boundList is the list of columns as range reads select them.
func boundList(columns []Column) string {
	expressions := make([]string, len(columns))
	for i, column := range columns {
		expressions[i] = strings.ReplaceAll(column.BoundExpression(), "?", heldQuestionMark)
	}
	return strings.Join(expressions, ", ")
}

// KeyString returns the encoding of a key's values, whether they came from the binary log or from a read, for use in maps:
// different for different values. Values that only a collation holds for equal are different here.
func (s *VerifyStatements) KeyString(key Bound) (string, error) {
	if len(key) != len(s.key.columns) {
		return "", fmt.Errorf("a key has %d values, the unique key has %d columns", len(key), len(s.key.columns))
	}
	return keyString(s.key.columns, key)
}

// FormatKey shows a key to people.
func (s *VerifyStatements) FormatKey(key Bound) string {
	texts := make([]string, len(key))
	for i, value := range key {
		texts[i] = EscapeName(s.key.columns[i].Name) + " = "
		if text, err := keyText(s.key.columns[i].Type, value); err == nil {
			texts[i] += fmt.Sprintf("%q", text)
		} else {
			texts[i] += fmt.Sprint(value)
		}
	}
	return strings.Join(texts, ", ")
}
