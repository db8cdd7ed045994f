package sql

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// JSONBinary is a JSON document in the form in which MySQL stores it and writes it to the binary log. The layout is
// described in MySQL's public documentation of its json_binary source file. An empty one stands for the document null.
type JSONBinary []byte

// The types of values in the binary form.
const (
	jsonSmallObject = 0x00
	jsonLargeObject = 0x01
	jsonSmallArray  = 0x02
	jsonLargeArray  = 0x03
	jsonLiteral     = 0x04
	jsonInt16       = 0x05
	jsonUint16      = 0x06
	jsonInt32       = 0x07
	jsonUint32      = 0x08
	jsonInt64       = 0x09
	jsonUint64      = 0x0a
	jsonDouble      = 0x0b
	jsonString      = 0x0c
	jsonOpaque      = 0x0f
)

// jsonMaxDepth is how deep servers let documents nest.
const jsonMaxDepth = 100

var errJSONTruncated = errors.New("the JSON document ends too early")

// The Go values of decoded parts are: nil, bool, int64, uint64, float64, string, and these.
type (
	jsonObject []jsonMember
	jsonArray  []any
)

type jsonMember struct {
	key   string
	value any
}

// jsonOpaqueValue is a value of an SQL type that JSON's text has no form for.
type jsonOpaqueValue struct {
	fieldType byte // as in the protocol's column types
	data      []byte
}

// decode returns the document's root.
func (j JSONBinary) decode() (any, error) {
	if len(j) == 0 {
		return nil, nil
	}
	return decodeJSONValue(j[0], j[1:], 0)
}

// decodeJSONValue decodes the value of the given type that begins at the start of data.
func decodeJSONValue(valueType byte, data []byte, depth int) (any, error) {
	if depth > jsonMaxDepth {
		return nil, fmt.Errorf("the JSON document is nested deeper than %d levels", jsonMaxDepth)
	}
	switch valueType {
	case jsonSmallObject:
		return decodeJSONObject(data, smallJSON, depth)
	case jsonLargeObject:
		return decodeJSONObject(data, largeJSON, depth)
	case jsonSmallArray:
		return decodeJSONArray(data, smallJSON, depth)
	case jsonLargeArray:
		return decodeJSONArray(data, largeJSON, depth)
	case jsonString:
		text, _, err := jsonVariableLength(data)
		return string(text), err
	case jsonOpaque:
		if len(data) == 0 {
			return nil, errJSONTruncated
		}
		content, _, err := jsonVariableLength(data[1:])
		return jsonOpaqueValue{fieldType: data[0], data: content}, err
	default:
		return decodeJSONScalar(valueType, data)
	}
}

func decodeJSONScalar(valueType byte, data []byte) (any, error) {
	size := map[byte]int{jsonLiteral: 1, jsonInt16: 2, jsonUint16: 2, jsonInt32: 4, jsonUint32: 4, jsonInt64: 8, jsonUint64: 8, jsonDouble: 8}[valueType]
	if size == 0 {
		return nil, fmt.Errorf("the JSON document has a value of unknown type %#x", valueType)
	}
	if len(data) < size {
		return nil, errJSONTruncated
	}
	switch valueType {
	case jsonInt16:
		return int64(int16(binary.LittleEndian.Uint16(data))), nil
	case jsonUint16:
		return uint64(binary.LittleEndian.Uint16(data)), nil
	case jsonInt32:
		return int64(int32(binary.LittleEndian.Uint32(data))), nil
	case jsonUint32:
		return uint64(binary.LittleEndian.Uint32(data)), nil
	case jsonInt64:
		return int64(binary.LittleEndian.Uint64(data)), nil
	case jsonUint64:
		return binary.LittleEndian.Uint64(data), nil
	case jsonDouble:
		return math.Float64frombits(binary.LittleEndian.Uint64(data)), nil
	}
	switch data[0] {
	case 0:
		return nil, nil
	case 1:
		return true, nil
	case 2:
		return false, nil
	}
	return nil, fmt.Errorf("the JSON document has an unknown literal %#x", data[0])
}

// jsonFormat is what differs between small and large objects and arrays: the width of counts, sizes and offsets.
type jsonFormat struct {
	width int
}

var (
	smallJSON = jsonFormat{width: 2}
	largeJSON = jsonFormat{width: 4}
)

func (f jsonFormat) number(data []byte) int {
	if f.width == 2 {
		return int(binary.LittleEndian.Uint16(data))
	}
	return int(binary.LittleEndian.Uint32(data))
}

// isInlined is true if the value stands in the place of its offset.
func (f jsonFormat) isInlined(valueType byte) bool {
	switch valueType {
	case jsonLiteral, jsonInt16, jsonUint16:
		return true
	case jsonInt32, jsonUint32:
		return f.width == 4
	}
	return false
}

// header reads the number of elements, and cuts the container to its own size.
func (f jsonFormat) header(data []byte) (count int, container []byte, err error) {
	if len(data) < 2*f.width {
		return 0, nil, errJSONTruncated
	}
	count, size := f.number(data), f.number(data[f.width:])
	if size > len(data) || size < 2*f.width {
		return 0, nil, errJSONTruncated
	}
	return count, data[:size], nil
}

// element decodes the value whose entry, a type and an offset or inlined value, begins at the position.
// Values lie behind all entries, which end at entriesEnd.
func (f jsonFormat) element(container []byte, position, entriesEnd, depth int) (any, error) {
	valueType, place := container[position], container[position+1:position+1+f.width]
	if f.isInlined(valueType) {
		return decodeJSONScalar(valueType, place)
	}
	offset := f.number(place)
	if offset >= len(container) {
		return nil, errJSONTruncated
	}
	if offset < entriesEnd {
		return nil, fmt.Errorf("the JSON document has a value at %d, within its own header", offset)
	}
	return decodeJSONValue(valueType, container[offset:], depth+1)
}

func decodeJSONArray(data []byte, format jsonFormat, depth int) (any, error) {
	count, container, err := format.header(data)
	if err != nil {
		return nil, err
	}
	start, entry := 2*format.width, 1+format.width
	end := start + count*entry
	if end > len(container) {
		return nil, errJSONTruncated
	}
	array := make(jsonArray, count)
	for i := range array {
		if array[i], err = format.element(container, start+i*entry, end, depth); err != nil {
			return nil, err
		}
	}
	return array, nil
}

func decodeJSONObject(data []byte, format jsonFormat, depth int) (any, error) {
	count, container, err := format.header(data)
	if err != nil {
		return nil, err
	}
	keyStart, keyEntry := 2*format.width, format.width+2
	valueStart, valueEntry := keyStart+count*keyEntry, 1+format.width
	end := valueStart + count*valueEntry
	if end > len(container) {
		return nil, errJSONTruncated
	}
	object := make(jsonObject, count)
	for i := range object {
		entry := container[keyStart+i*keyEntry:]
		offset, length := format.number(entry), int(binary.LittleEndian.Uint16(entry[format.width:]))
		if offset+length > len(container) {
			return nil, errJSONTruncated
		}
		object[i].key = string(container[offset : offset+length])
		if object[i].value, err = format.element(container, valueStart+i*valueEntry, end, depth); err != nil {
			return nil, err
		}
	}
	return object, nil
}

// jsonVariableLength reads a length of one to five bytes, seven bits each, the lowest first, and that many bytes of content.
func jsonVariableLength(data []byte) (content []byte, size int, err error) {
	length := 0
	for i := 0; i < 5 && i < len(data); i++ {
		length |= int(data[i]&0x7f) << (7 * i)
		if data[i]&0x80 == 0 {
			size = i + 1 + length
			if size > len(data) {
				return nil, 0, errJSONTruncated
			}
			return data[i+1 : size], size, nil
		}
	}
	return nil, 0, errJSONTruncated
}
