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
	fieldMediumBlob = 250
	fieldLongBlob   = 251
	fieldBlob       = 252
	fieldVarString  = 253
	fieldString     = 254
)

// appendExpression recreates the value in its own type. Types that no expression has, only columns do, are borrowed from a
// column of JSON_TABLE, which MySQL has since 8.0.
func (o jsonOpaqueValue) appendExpression(query *strings.Builder, args *[]any) error {
	switch o.fieldType {
	case fieldNewDecimal:
		return o.appendDecimal(query, args)
	case fieldDate, fieldNewDate, fieldTime, fieldDateTime, fieldTimestamp:
		return o.appendTemporal(query, args)
	case fieldBit:
		return o.appendBits(query, args)
	case fieldTinyBlob:
		return appendJSONColumn(query, args, "TINYBLOB", o.data)
	case fieldMediumBlob:
		return appendJSONColumn(query, args, "MEDIUMBLOB", o.data)
	case fieldLongBlob:
		return appendJSONColumn(query, args, "LONGBLOB", o.data)
	case fieldBlob:
		return appendJSONColumn(query, args, "BLOB", o.data)
	case fieldString:
		return appendJSONColumn(query, args, fmt.Sprintf("BINARY(%d)", len(o.data)), o.data)
	case fieldVarChar, fieldVarString:
		query.WriteString("CAST(? AS JSON)")
		*args = append(*args, o.data)
		return nil
	}
	return fmt.Errorf("a value of the type number %d within a JSON document cannot be written; rewrite the document without it", o.fieldType)
}

func appendJSONColumn(query *strings.Builder, args *[]any, columnType string, value any) error {
	fmt.Fprintf(query, "(SELECT CAST(c AS JSON) FROM JSON_TABLE(JSON_ARRAY(?), '$[*]' COLUMNS (c %s PATH '$')) AS t)", columnType)
	*args = append(*args, value)
	return nil
}

func (o jsonOpaqueValue) appendBits(query *strings.Builder, args *[]any) error {
	bits, err := bitValue(ColumnType{Length: 64}, o.data)
	if err != nil {
		return err
	}
	return appendJSONColumn(query, args, fmt.Sprintf("BIT(%d)", max(1, 8*len(o.data))), bits)
}

func (o jsonOpaqueValue) appendDecimal(query *strings.Builder, args *[]any) error {
	precision, scale, text, err := decodeJSONDecimal(o.data)
	if err != nil {
		return err
	}
	return appendJSONCast(query, args, fmt.Sprintf("DECIMAL(%d,%d)", precision, scale), text)
}

func (o jsonOpaqueValue) appendTemporal(query *strings.Builder, args *[]any) error {
	if len(o.data) != 8 {
		return errJSONTruncated
	}
	packed := int64(binary.LittleEndian.Uint64(o.data))
	switch o.fieldType {
	case fieldTimestamp:
		return appendJSONColumn(query, args, "TIMESTAMP(6)", packedDateTime(packed))
	case fieldDateTime:
		return appendJSONCast(query, args, "DATETIME(6)", packedDateTime(packed))
	case fieldTime:
		return appendJSONCast(query, args, "TIME(6)", packedTime(packed))
	default:
		return appendJSONCast(query, args, "DATE", packedDateTime(packed)[:len("0000-00-00")])
	}
}

func appendJSONCast(query *strings.Builder, args *[]any, castType, text string) error {
	fmt.Fprintf(query, "CAST(CAST(? AS %s) AS JSON)", castType)
	*args = append(*args, text)
	return nil
}
