package sql

import (
	"bytes"
	"fmt"
	"net/netip"
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

// inetEncoder writes MariaDB's addresses and UUIDs. The binary log has their stored bytes, as a string; a range read has
// their text, as bytes.
func inetEncoder(source, target ColumnType) encoder {
	expression := "?"
	if target.Name != source.Name && !target.IsCharacter() {
		expression = "CAST(? AS " + source.Name + ")"
	}
	return func(query *strings.Builder, args *[]any, value any) error {
		var text string
		switch value := value.(type) {
		case []byte:
			text = string(value)
		case string:
			if len(value) > source.Length {
				return fmt.Errorf("%d bytes are too many", len(value))
			}
			text = inetText(source, zeroPadded([]byte(value), source.Length))
		default:
			return unexpected(value)
		}
		query.WriteString(expression)
		*args = append(*args, text)
		return nil
	}
}

func inetText(column ColumnType, stored []byte) string {
	if column.Name == "uuid" {
		return uuidText(stored)
	}
	address, _ := netip.AddrFromSlice(stored) // the length is right: 4 or 16
	return address.String()
}

// uuidText reads a UUID as MariaDB stores it: of the versions 1 to 5 the five parts are in reverse order, so that those
// made in sequence are near to one another; others are as they are written.
func uuidText(stored []byte) string {
	parts := [][]byte{stored[12:16], stored[10:12], stored[8:10], stored[6:8], stored[0:6]}
	if isWrittenInOrder(stored) {
		parts = [][]byte{stored[0:4], stored[4:6], stored[6:8], stored[8:10], stored[10:16]}
	}
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = fmt.Sprintf("%x", part)
	}
	return strings.Join(texts, "-")
}

func isWrittenInOrder(stored []byte) bool {
	return false
}
