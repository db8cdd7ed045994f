package sql

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// jsonEncoder writes a JSON document as an expression that recreates it with the same JSON_TYPE in every element. What is
// already text, as a range read gives it, is parsed by the server.
func jsonEncoder(query *strings.Builder, args *[]any, value any) error {
	if document, ok := value.(JSONBinary); ok {
		root, err := document.decode()
		if err != nil {
			return err
		}
		return appendJSON(query, args, root)
	}
	text, ok := textOf(value)
	if !ok {
		return unexpected(value)
	}
	appendJSONText(query, args, text)
	return nil
}

func appendJSONText(query *strings.Builder, args *[]any, text string) {
	query.WriteString("CAST(_utf8mb4 ? AS JSON)")
	*args = append(*args, text)
}

// appendJSON writes the largest parts that it can as text, and builds only what encloses a part without textual form.
func appendJSON(query *strings.Builder, args *[]any, value any) error {
	if hasJSONText(value) {
		appendJSONText(query, args, string(appendAsJSONText(nil, value)))
		return nil
	}
	switch value := value.(type) {
	case jsonArray:
		query.WriteString("JSON_ARRAY(")
		for i, element := range value {
			writeSeparator(query, i)
			if err := appendJSON(query, args, element); err != nil {
				return err
			}
		}
		query.WriteByte(')')
	case jsonObject:
		query.WriteString("JSON_OBJECT(")
		for i, member := range value {
			writeSeparator(query, i)
			appendText(query, args, member.key)
			query.WriteString(", ")
			if err := appendJSON(query, args, member.value); err != nil {
				return err
			}
		}
		query.WriteByte(')')
	case uint64:
		query.WriteString("CAST(CAST(? AS UNSIGNED) AS JSON)")
		*args = append(*args, value)
	case float64:
		query.WriteString("CAST(" + doubleLiteral(value) + " AS JSON)")
	case jsonOpaqueValue:
		return value.appendExpression(query, args)
	default:
		return fmt.Errorf("a %T in a JSON document", value)
	}
	return nil
}

func writeSeparator(query *strings.Builder, i int) {
	if i > 0 {
		query.WriteString(", ")
	}
}

// hasJSONText is true if the server makes the same value out of its text. An unsigned number has no such text unless it
// is too large for a signed one.
func hasJSONText(value any) bool {
	switch value := value.(type) {
	case uint64:
		return value > math.MaxInt64
	case jsonOpaqueValue:
		return false
	case jsonArray:
		for _, element := range value {
			if !hasJSONText(element) {
				return false
			}
		}
	case jsonObject:
		for _, member := range value {
			if !hasJSONText(member.value) {
				return false
			}
		}
	}
	return true
}

func appendAsJSONText(text []byte, value any) []byte {
	switch value := value.(type) {
	case nil:
		return append(text, "null"...)
	case bool:
		return strconv.AppendBool(text, value)
	case int64:
		return strconv.AppendInt(text, value, 10)
	case uint64:
		return strconv.AppendUint(text, value, 10)
	case float64:
		return append(text, jsonDoubleText(value)...)
	case string:
		return appendJSONString(text, value)
	case jsonArray:
		text = append(text, '[')
		for i, element := range value {
			if i > 0 {
				text = append(text, ',')
			}
			text = appendAsJSONText(text, element)
		}
		return append(text, ']')
	case jsonObject:
		text = append(text, '{')
		for i, member := range value {
			if i > 0 {
				text = append(text, ',')
			}
			text = append(appendJSONString(text, member.key), ':')
			text = appendAsJSONText(text, member.value)
		}
		return append(text, '}')
	}
	panic(fmt.Sprintf("no JSON text for a %T", value)) // hasJSONText was asked before
}

// jsonDoubleText writes a double so that it is read back as a double: a number without point and exponent would be an
// integer.
func jsonDoubleText(number float64) string {
	text := strconv.FormatFloat(number, 'g', -1, 64)
	if strings.ContainsAny(text, ".e") {
		return text
	}
	return text + ".0"
}

func appendJSONString(text []byte, value string) []byte {
	const hex = "0123456789abcdef"
	text = append(text, '"')
	for i := 0; i < len(value); i++ {
		switch char := value[i]; {
		case char == '"' || char == '\\':
			text = append(text, '\\', char)
		case char < ' ':
			text = append(text, '\\', 'u', '0', '0', hex[char>>4], hex[char&0xf])
		default:
			text = append(text, char)
		}
	}
	return append(text, '"')
}

// Types of opaque values, numbered as columns are in the protocol.
const (
	fieldTimestamp  = 7
	fieldDate       = 10
	fieldTime       = 11
	fieldDateTime   = 12
	fieldNewDate    = 14
	fieldVarChar    = 15
	fieldBit        = 16
	fieldNewDecimal = 246
	fieldTinyBlob   = 249
	fieldBlob       = 252
	fieldVarString  = 253
	fieldString     = 254
)

func (o jsonOpaqueValue) appendExpression(query *strings.Builder, args *[]any) error {
	switch o.fieldType {
	case fieldNewDecimal:
		return o.appendDecimal(query, args)
	case fieldDate, fieldNewDate, fieldTime, fieldDateTime, fieldTimestamp:
		return o.appendTemporal(query, args)
	default:
		return o.appendBytes(query, args)
	}
}

func (o jsonOpaqueValue) appendDecimal(query *strings.Builder, args *[]any) error {
	precision, scale, text, err := decodeJSONDecimal(o.data)
	if err != nil {
		return err
	}
	fmt.Fprintf(query, "CAST(CAST(? AS DECIMAL(%d,%d)) AS JSON)", precision, scale)
	*args = append(*args, text)
	return nil
}

func (o jsonOpaqueValue) appendTemporal(query *strings.Builder, args *[]any) error {
	if len(o.data) != 8 {
		return errJSONTruncated
	}
	packed := int64(binary.LittleEndian.Uint64(o.data))
	castType, text := "DATETIME(6)", packedDateTime(packed)
	switch o.fieldType {
	case fieldTime:
		castType, text = "TIME(6)", packedTime(packed)
	case fieldDate, fieldNewDate:
		castType, text = "DATE", text[:len("0000-00-00")]
	}
	fmt.Fprintf(query, "CAST(CAST(? AS %s) AS JSON)", castType)
	*args = append(*args, text)
	return nil
}

// packedDateTime reads a moment packed in a number: from the highest bits, year times 13 plus month, day (5 bits),
// hour (5), minute (6), second (6) and microseconds (24).
func packedDateTime(packed int64) string {
	micros, seconds := packed&(1<<24-1), packed>>24
	date, clock := seconds>>17, seconds&(1<<17-1)
	month := date >> 5
	return fmt.Sprintf("%04d-%02d-%02d %02d:%02d:%02d.%06d", month/13, month%13, date&31, clock>>12, clock>>6&63, clock&63, micros)
}

// packedTime reads a time, which may be negative as a whole: hours (10 bits), minutes (6), seconds (6), microseconds (24).
func packedTime(packed int64) string {
	sign := ""
	if packed < 0 {
		sign, packed = "-", -packed
	}
	micros, seconds := packed&(1<<24-1), packed>>24
	return fmt.Sprintf("%s%02d:%02d:%02d.%06d", sign, seconds>>12&1023, seconds>>6&63, seconds&63, micros)
}

// decodeJSONDecimal reads precision, scale, and the binary form of DECIMAL: groups of nine digits in four bytes, counted
// from the point, an incomplete group at either end in fewer; the first bit is inverted, and all bits of negative numbers.
func decodeJSONDecimal(data []byte) (precision, scale int, text string, err error) {
	if len(data) < 2 {
		return 0, 0, "", errJSONTruncated
	}
	precision, scale = int(data[0]), int(data[1])
	whole := precision - scale
	if precision == 0 || whole < 0 {
		return 0, 0, "", fmt.Errorf("the JSON document has a DECIMAL(%d,%d)", precision, scale)
	}
	groups := decimalGroups(whole, scale)
	size := 0
	for _, digits := range groups {
		size += decimalGroupBytes[digits]
	}
	if len(data) < 2+size {
		return 0, 0, "", errJSONTruncated
	}
	number := append([]byte(nil), data[2:2+size]...)
	number[0] ^= 0x80
	negative := number[0]&0x80 != 0
	if negative {
		for i := range number {
			number[i] ^= 0xff
		}
	}
	var result strings.Builder
	for _, digits := range groups {
		value := 0
		for range decimalGroupBytes[digits] {
			value = value<<8 | int(number[0])
			number = number[1:]
		}
		fmt.Fprintf(&result, "%0*d", digits, value)
	}
	text = result.String()
	text = text[:whole] + "." + text[whole:]
	text = strings.TrimSuffix(strings.TrimLeft(text, "0"), ".")
	if text == "" || text[0] == '.' {
		text = "0" + text
	}
	if negative {
		text = "-" + text
	}
	return precision, scale, text, nil
}

// decimalGroupBytes is how many bytes a group of so many digits takes.
var decimalGroupBytes = [...]int{0, 1, 1, 2, 2, 3, 3, 4, 4, 4}

const decimalGroupDigits = 9

// decimalGroups returns the groups' numbers of digits, from the left.
func decimalGroups(whole, scale int) []int {
	var groups []int
	if rest := whole % decimalGroupDigits; rest > 0 {
		groups = append(groups, rest)
	}
	for range whole/decimalGroupDigits + scale/decimalGroupDigits {
		groups = append(groups, decimalGroupDigits)
	}
	if rest := scale % decimalGroupDigits; rest > 0 {
		groups = append(groups, rest)
	}
	return groups
}

// appendBytes writes a binary string or bits.
func (o jsonOpaqueValue) appendBytes(query *strings.Builder, args *[]any) error {
	query.WriteString("CAST(? AS JSON)")
	*args = append(*args, o.data)
	return nil
}
