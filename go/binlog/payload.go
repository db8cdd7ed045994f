package binlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"
	"github.com/klauspost/compress/zstd"
)

// maxEventSize is the largest event that servers write: max_allowed_packet and a header.
const maxEventSize = 1<<30 + 1<<20

// eachInPayload gives the events of a compressed transaction to visit, one by one as they are expanded: a transaction
// may be much larger than its payload.
func eachInPayload(body []byte, visit func(raw []byte) error) error {
	compression, payload, err := cutPayload(body)
	if err != nil {
		return err
	}
	var reader io.Reader = bytes.NewReader(payload)
	switch compression {
	case replication.ZSTD:
		decoder, err := zstd.NewReader(reader, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		if err != nil {
			return fmt.Errorf("its payload cannot be expanded: %w", err)
		}
		defer decoder.Close()
		reader = decoder
	case replication.NONE:
	default:
		return fmt.Errorf("its compression type %d is not known", compression)
	}
	for {
		raw, err := nextEvent(reader)
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("its payload cannot be expanded: %w", err)
		}
		if err := visit(raw); err != nil {
			return err
		}
	}
}

// nextEvent reads one event. io.EOF: there is no more. A damaged length does not allocate more than there is to read.
func nextEvent(reader io.Reader) ([]byte, error) {
	header := make([]byte, replication.EventHeaderSize)
	if _, err := io.ReadFull(reader, header); err != nil {
		return nil, err
	}
	size := eventSize(header)
	if size < replication.EventHeaderSize || size > maxEventSize {
		return nil, errMalformed
	}
	var raw bytes.Buffer
	raw.Grow(min(size, 1<<20) + bytes.MinRead)
	raw.Write(header)
	if _, err := io.CopyN(&raw, reader, int64(size-replication.EventHeaderSize)); errors.Is(err, io.EOF) {
		return nil, io.ErrUnexpectedEOF
	} else if err != nil {
		return nil, err
	}
	return raw.Bytes(), nil
}

// cutPayload reads the fields in front of the payload: a type, a length, a value each.
func cutPayload(body []byte) (compression uint64, payload []byte, err error) {
	for {
		field, rest, ok := cutInteger(body)
		if !ok {
			return 0, nil, errMalformed
		}
		if field == replication.OTW_PAYLOAD_HEADER_END_MARK {
			return compression, rest, nil
		}
		length, rest, ok := cutInteger(rest)
		if !ok || length > uint64(len(rest)) {
			return 0, nil, errMalformed
		}
		if field == replication.OTW_PAYLOAD_COMPRESSION_TYPE_FIELD {
			if compression, _, ok = cutInteger(rest[:length]); !ok {
				return 0, nil, errMalformed
			}
		}
		body = rest[length:]
	}
}

// checkExpandedSize looks at the length that a compressed event of MariaDB tells of its content, before the library
// allocates as much: a damaged one would end the process. The compressed data begin with a byte whose lowest three bits
// are the number of bytes that the length takes, most significant first; the method is zlib, which makes of a byte no
// more than 1032 (RFC 1951: a match of 258 bytes takes two bits).
func checkExpandedSize(data []byte) error {
	const mostOfOneByte = 1032
	if len(data) == 0 || len(data) < 1+int(data[0]&0x07) {
		return errMalformed
	}
	end := 1 + int(data[0]&0x07)
	size := uint64(0)
	for _, digit := range data[1:end] {
		size = size<<8 | uint64(digit)
	}
	if size > maxEventSize || size > mostOfOneByte*uint64(len(data)-end) {
		return fmt.Errorf("%w: its content cannot have %d bytes", errMalformed, size)
	}
	return nil
}

// checkCompressedQuery is checkExpandedSize for a QUERY_COMPRESSED event: its statement stands behind 13 bytes of which
// the ninth and the last two are lengths, status variables, and the schema with a zero byte.
func checkCompressedQuery(body []byte) error {
	const fixedLength = 4 + 4 + 1 + 2 + 2
	if len(body) < fixedLength {
		return errMalformed
	}
	start := fixedLength + int(binary.LittleEndian.Uint16(body[11:])) + int(body[8]) + 1
	if len(body) < start {
		return errMalformed
	}
	return checkExpandedSize(body[start:])
}

// cutInteger reads a length-encoded integer, the protocol's number of variable length.
func cutInteger(data []byte) (value uint64, rest []byte, ok bool) {
	if len(data) == 0 {
		return 0, nil, false
	}
	size := 1
	switch data[0] {
	case 0xfb, 0xff: // NULL, and not a number
		return 0, nil, false
	case 0xfc:
		size = 3
	case 0xfd:
		size = 4
	case 0xfe:
		size = 9
	}
	if len(data) < size {
		return 0, nil, false
	}
	value, _, _ = gomysql.LengthEncodedInt(data)
	return value, data[size:], true
}
