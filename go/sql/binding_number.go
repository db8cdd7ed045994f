package sql

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

func integerEncoder(source, target ColumnType) encoder {
	return func(query *strings.Builder, args *[]any, value any) error {
		number, err := integerValue(source, value)
		if err != nil {
			return err
		}
		if takesDigits(target) {
			appendNumberText(query, args, source, target, zeroFilled(source, fmt.Sprint(number)))
			return nil
		}
		query.WriteString(numberAsDate(source, target, zeroFilledDate(source, target, "?", fmt.Sprint(number))))
		*args = append(*args, number)
		return nil
	}
}

// integerValue returns the value as int64, or as uint64 if the column is unsigned. The binary log does not say whether an
// integer is signed, so decoded values are signed and are read again by the column's width.
func integerValue(column ColumnType, value any) (any, error) {
	if text, ok := textOf(value); ok {
		if column.Unsigned {
			return parseNumber(strconv.ParseUint(text, 10, 64))
		}
		return parseNumber(strconv.ParseInt(text, 10, 64))
	}
	if unsigned, ok := value.(uint64); ok && (column.Unsigned || unsigned <= math.MaxInt64) {
		if column.Unsigned {
			return unsigned, nil
		}
		return int64(unsigned), nil
	}
	signed, ok := signedValue(value)
	if !ok {
		return nil, unexpected(value)
	}
	if !column.Unsigned {
		return signed, nil
	}
	if bits := column.bits(); bits < 64 {
		return uint64(signed) & (1<<bits - 1), nil
	}
	return uint64(signed), nil
}

func signedValue(value any) (int64, bool) {
	switch number := value.(type) {
	case int:
		return int64(number), true
	case int8:
		return int64(number), true
	case int16:
		return int64(number), true
	case int32:
		return int64(number), true
	case int64:
		return number, true
	case uint8:
		return int64(number), true
	case uint16:
		return int64(number), true
	case uint32:
		return int64(number), true
	}
	return 0, false
}

// textOf returns the characters of a string or of a range read's bytes.
func textOf(value any) (string, bool) {
	switch text := value.(type) {
	case string:
		return text, true
	case []byte:
		return string(text), true
	}
	return "", false
}

func parseNumber[T int64 | uint64](number T, err error) (any, error) {
	if err != nil {
		return nil, fmt.Errorf("not a number of this type: %w", err)
	}
	return number, nil
}

func unexpected(value any) error {
	return fmt.Errorf("a %T does not come from such a column", value)
}

// zeroFilled pads a number's text to the column's display width, as the server does where a ZEROFILL column becomes text.
func zeroFilled(column ColumnType, text string) string {
	width := displayWidth(column)
	if !column.ZeroFill || len(text) >= width {
		return text
	}
	return strings.Repeat("0", width-len(text)) + text
}

// displayWidth is how many characters a ZEROFILL column has at least. Of a FLOAT and a DOUBLE without digits it is the servers' own.
func displayWidth(column ColumnType) int {
	switch {
	case column.Kind == KindDecimal && column.Decimals > 0:
		return column.Length + 1 // the point
	case column.Kind == KindFloat && column.Length == 0:
		return 12
	case column.Kind == KindDouble && column.Length == 0:
		return 22
	}
	return column.Length
}

// zeroFilledDate is an expression of a number for numberAsDate, by which MySQL reads its digits with the zeros of ZEROFILL. text
// is the number's own.
func zeroFilledDate(source, target ColumnType, number, text string) string {
	if !source.ZeroFill || !target.IsTemporal() {
		return number
	}
	return forMySQL("LPAD(", fmt.Sprintf(", %d, '0')", len(zeroFilled(source, text)))).of(number)
}

// decimalEncoder writes exact decimals. The cast matters in comparisons, since servers compare a decimal column with a
// string as doubles.
func decimalEncoder(source, target ColumnType) encoder {
	cast := fmt.Sprintf("CAST(? AS DECIMAL(%d,%d))", source.Length, source.Decimals)
	return func(query *strings.Builder, args *[]any, value any) error {
		text, ok := textOf(value)
		if !ok {
			return unexpected(value)
		}
		if takesDigits(target) {
			appendNumberText(query, args, source, target, zeroFilled(source, text))
			return nil
		}
		query.WriteString(numberAsDate(source, target, zeroFilledDate(source, target, cast, text)))
		*args = append(*args, text)
		return nil
	}
}

// floatTextDigits is how many significant digits servers show of a FLOAT.
const floatTextDigits = 6

func floatEncoder(source, target ColumnType) encoder {
	return func(query *strings.Builder, args *[]any, value any) error {
		number, err := floatValue(value)
		if err != nil {
			return err
		}
		switch {
		case !takesDigits(target) && !target.IsTemporal():
			query.WriteString(doubleLiteral(number))
		case source.FixedDecimals:
			appendNumberText(query, args, source, target, zeroFilled(source, strconv.FormatFloat(number, 'f', source.Decimals, 64)))
		default:
			query.WriteString(numberAsLabel(source, target).of(floatText(source, number)))
		}
		return nil
	}
}

// floatText has the server write a number's digits. MySQL writes those of a FLOAT in another form than those of a DOUBLE: one such as
// 1e12 or 1.5e-6 with its exponent.
func floatText(source ColumnType, number float64) string {
	literal := doubleLiteral(number)
	if source.Kind == KindFloat {
		literal = strconv.FormatFloat(number, 'e', floatTextDigits-1, 64)
		literal = wrapping{onlyThere("/*!80017 ", "CAST("), onlyThere("/*!80017 ", "AS FLOAT)")}.of(literal)
	}
	if source.ZeroFill {
		return fmt.Sprintf("LPAD(%[1]s, GREATEST(LENGTH(%[1]s), %[2]d), '0')", literal, displayWidth(source))
	}
	return "CONCAT(" + literal + ")"
}

// floatValue widens a FLOAT exactly; it is stored back without loss.
func floatValue(value any) (float64, error) {
	switch number := value.(type) {
	case float32:
		return float64(number), nil
	case float64:
		return number, nil
	}
	text, ok := textOf(value)
	if !ok {
		return 0, unexpected(value)
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("not a number of this type: %w", err)
	}
	return number, nil
}

// numberAsDate is how a number is written where the target is a date or a time. A native ALTER of MySQL reads its digits as text, in
// which 70101 is 1970-10-01, and so does MariaDB's those of a FLOAT or DOUBLE; to MariaDB's all others are numbers, as in an INSERT.
func numberAsDate(source, target ColumnType, number string) string {
	switch {
	case !source.IsNumeric() || !target.IsTemporal():
		return number
	case source.IsFloat():
		return "CONCAT(" + number + ")"
	}
	return forMySQL("CONCAT(", ")").of(number)
}

// doubleLiteral writes the shortest number that reads back as the same double. The exponent makes it a DOUBLE in SQL: a
// number without one is a DECIMAL, or an integer that has no negative zero.
func doubleLiteral(number float64) string {
	return strconv.FormatFloat(number, 'e', -1, 64)
}

// bitEncoder writes bits as a number, which short strings show in digits. TEXT and BLOB types take the bytes, and so would
// JSON, which refuses them.
func bitEncoder(source, target ColumnType) encoder {
	return func(query *strings.Builder, args *[]any, value any) error {
		bits, err := bitValue(source, value)
		if err != nil {
			return err
		}
		switch {
		case target.isLong(), target.Kind == KindJSON:
			appendArgument(query, args, binary.BigEndian.AppendUint64(nil, bits)[8-(source.Length+7)/8:])
		case target.IsCharacter(), target.IsBinary():
			appendText(query, args, strconv.FormatUint(bits, 10))
		default:
			appendArgument(query, args, bits)
		}
		return nil
	}
}

// bitValue takes a decoded number, or the bytes of a range read, the most significant first.
func bitValue(column ColumnType, value any) (uint64, error) {
	var bits uint64
	switch value := value.(type) {
	case []byte:
		if len(value) > 8 {
			return 0, fmt.Errorf("%d bytes are too many", len(value))
		}
		for _, b := range value {
			bits = bits<<8 | uint64(b)
		}
	case uint64:
		bits = value
	default:
		signed, ok := signedValue(value)
		if !ok {
			return 0, unexpected(value)
		}
		bits = uint64(signed)
	}
	if column.Length < 64 && bits>>column.Length != 0 {
		return 0, fmt.Errorf("%d has more bits than the column", bits)
	}
	return bits, nil
}

// yearEncoder writes years as numbers: the number 0 is the year 0000, while the text '0' would be 2000.
func yearEncoder(target ColumnType) encoder {
	return func(query *strings.Builder, args *[]any, value any) error {
		year, err := integerValue(ColumnType{Kind: KindBigInt}, value)
		if err != nil {
			return err
		}
		if takesDigits(target) {
			appendNumberText(query, args, ColumnType{Kind: KindYear}, target, fmt.Sprintf("%04d", year))
		} else {
			appendArgument(query, args, year)
		}
		return nil
	}
}
