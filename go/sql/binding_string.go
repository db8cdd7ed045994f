package sql

import (
	"bytes"
	"fmt"
	"strings"
)

// characterEncoder hands the column's own bytes to the server and names their character set; the server converts.
func characterEncoder(source Column) encoder {
	if source.Charset == "" || source.Charset == "binary" {
		return rawEncoder
	}
	expression := introducer(source.Charset) + " ?"
	return func(query *strings.Builder, args *[]any, value any) error {
		text, ok := textOf(value)
		if !ok {
			return unexpected(value)
		}
		query.WriteString(expression)
		*args = append(*args, text)
		return nil
	}
}

// introducer names the character set of the literal that follows. The names of the three-byte UTF-8, which differ between
// versions and raise warnings, are spared: its strings are valid utf8mb4 as they are.
func introducer(charset string) string {
	switch charset {
	case "utf8", "utf8mb3":
		return "_utf8mb4"
	default:
		return "_" + charset
	}
}

func binaryEncoder(source ColumnType) encoder {
	if source.Kind != KindBinary {
		return rawEncoder
	}
	return func(query *strings.Builder, args *[]any, value any) error {
		raw, err := rawBytes(value)
		if err != nil {
			return err
		}
		appendArgument(query, args, zeroPadded(raw, source.Length))
		return nil
	}
}

// paddedEncoder writes bytes as they stand in a BINARY, for comparisons, which servers make without padding.
func paddedEncoder(target ColumnType) encoder {
	return func(query *strings.Builder, args *[]any, value any) error {
		raw, err := rawBytes(value)
		if err != nil {
			return err
		}
		appendArgument(query, args, zeroPadded(raw, target.Length))
		return nil
	}
}

// rawEncoder writes bytes without a character set.
func rawEncoder(query *strings.Builder, args *[]any, value any) error {
	raw, err := rawBytes(value)
	if err != nil {
		return err
	}
	appendArgument(query, args, raw)
	return nil
}

// rawBytes never returns nil, which the driver would send as NULL.
func rawBytes(value any) ([]byte, error) {
	switch value := value.(type) {
	case []byte:
		if value == nil {
			return []byte{}, nil
		}
		return value, nil
	case string:
		return []byte(value), nil
	}
	return nil, unexpected(value)
}

// zeroPadded restores the zero bytes at the end of a BINARY, which the binary log leaves out.
func zeroPadded(raw []byte, length int) []byte {
	if len(raw) >= length {
		return raw
	}
	return append(bytes.Clone(raw), make([]byte, length-len(raw))...)
}

// inetEncoder writes MariaDB's addresses and UUIDs. The binary log has their bytes, as a string that lacks zero bytes at its
// end; a range read has their text, as bytes. The cast takes both, and the server makes text of it where text is wanted.
func inetEncoder(source, target ColumnType) encoder {
	expression := "CAST(? AS " + source.Name + ")"
	if target.IsBinary() {
		expression = fmt.Sprintf("CAST(%s AS BINARY(%d))", expression, source.Length)
	}
	return func(query *strings.Builder, args *[]any, value any) error {
		var argument any
		switch value := value.(type) {
		case []byte:
			argument = string(value)
		case string:
			argument = zeroPadded([]byte(value), source.Length)
		default:
			return unexpected(value)
		}
		query.WriteString(expression)
		*args = append(*args, argument)
		return nil
	}
}
