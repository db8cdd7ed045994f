package sql

import (
	"fmt"
	"strconv"
	"strings"
)

// keyString encodes the values of a key's columns so that the encodings of two keys are equal if and only if all their
// values have the same texts.
func keyString(columns []Column, values []any) (string, error) {
	var encoded strings.Builder
	for i, value := range values {
		text, err := keyText(columns[i].Type, value)
		if err != nil {
			return "", fmt.Errorf("value of column %s %s: %w", EscapeName(columns[i].Name), columns[i].Type.Text, err)
		}
		fmt.Fprintf(&encoded, "%d:", len(text))
		encoded.WriteString(text)
	}
	return encoded.String(), nil
}

// keyText returns a key column's value as text such that equal values have equal texts, however they were decoded.
func keyText(column ColumnType, value any) (string, error) {
	switch {
	case column.IsInteger():
		number, err := integerValue(column, value)
		return fmt.Sprint(number), err
	case column.IsFloat():
		number, err := floatValue(value)
		return strconv.FormatFloat(number+0, 'e', -1, 64), err // adding zero makes the negative zero positive
	case column.Kind == KindBit:
		bits, err := bitValue(column, value)
		return strconv.FormatUint(bits, 10), err
	case column.Kind == KindYear:
		year, err := integerValue(ColumnType{Kind: KindBigInt}, value)
		return fmt.Sprint(year), err
	case column.Kind == KindEnum:
		index, err := labelIndex(column, value)
		return strconv.FormatInt(index, 10), err
	case column.Kind == KindSet:
		mask, err := setMask(column, value)
		return strconv.FormatUint(mask, 10), err
	}
	text, ok := textOf(value)
	if !ok {
		return "", unexpected(value)
	}
	switch {
	case column.IsTemporal(), column.Kind == KindDecimal:
		if strings.Contains(text, ".") {
			text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
		}
		if column.ZeroFill {
			text = strings.TrimLeft(text, "0")
		}
	case column.Kind == KindBinary:
		text = strings.TrimRight(text, "\x00")
	}
	return text, nil
}
