package sql

import (
	"fmt"
	"strconv"
	"strings"
)

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
	if column.Kind == KindBinary {
		text = strings.TrimRight(text, "\x00")
	}
	return text, nil
}
