package binlog

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"errors"
	"fmt"
	"io"

	"github.com/github/gh-ost/go/sql"
)

// jsonBinary gives a document, decoded as a BLOB, its type back.
func jsonBinary(value any) (any, error) {
	if raw, ok := value.([]byte); ok {
		return sql.JSONBinary(raw), nil
	}
	return nil, fmt.Errorf("a JSON document is a %T", value)
}

// decompressed returns the content of a column declared COMPRESSED, whose values are logged as they are stored.
func decompressed(value any) (any, error) {
	switch value := value.(type) {
	case []byte:
		return decompress(value)
	case string:
		content, err := decompress([]byte(value))
		return string(content), err
	}
	return nil, fmt.Errorf("a compressed value is a %T", value)
}

// decompress reads MariaDB's storage format, told by looking at stored values: nothing for an empty value; else a byte
// whose high half is the method (0: none, 8: zlib), whose lowest three bits are the number of bytes, most significant
// first, of the content's length, and whose bit 3 says that the compressed data have no zlib header and checksum.
func decompress(stored []byte) ([]byte, error) {
	if len(stored) == 0 {
		return []byte{}, nil
	}
	header, rest := stored[0], stored[1:]
	switch method := header >> 4; method {
	case 0:
		return rest, nil
	case 8:
	default:
		return nil, fmt.Errorf("its compression method %d is not known", method)
	}
	lengthBytes := int(header & 0x07)
	if len(rest) < lengthBytes {
		return nil, errors.New("a compressed value is too short")
	}
	length := 0
	for _, digit := range rest[:lengthBytes] {
		length = length<<8 | int(digit)
	}
	var reader io.ReadCloser
	if header&0x08 != 0 {
		reader = flate.NewReader(bytes.NewReader(rest[lengthBytes:]))
	} else {
		var err error
		if reader, err = zlib.NewReader(bytes.NewReader(rest[lengthBytes:])); err != nil {
			return nil, fmt.Errorf("a compressed value cannot be expanded: %w", err)
		}
	}
	defer reader.Close()
	content, err := io.ReadAll(io.LimitReader(reader, int64(length)+1))
	if err != nil {
		return nil, fmt.Errorf("a compressed value cannot be expanded: %w", err)
	}
	if len(content) != length {
		return nil, errors.New("a compressed value has not the length that it tells")
	}
	return content, nil
}

// oldTime reads the TIME of MySQL before 5.6.4, decoded as a three-byte integer: the digits hhmmss.
func oldTime(value any) (any, error) {
	digits, ok := value.(int32)
	if !ok {
		return nil, fmt.Errorf("a TIME is a %T", value)
	}
	sign := ""
	if digits < 0 {
		sign, digits = "-", -digits
	}
	return fmt.Sprintf("%s%02d:%02d:%02d", sign, digits/10000, digits/100%100, digits%100), nil
}
