package binlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"

	"github.com/github/gh-ost/go/mysql"
)

// Column types of MariaDB that the library does not know: columns declared COMPRESSED.
const (
	typeBlobCompressed    = 140
	typeVarcharCompressed = 141
)

// table is a followed table as the log describes it for the row events that come next.
type table struct {
	schema, name string
	names        []string // of the columns; nil unless the server logs them
	json         []int    // columns
	remedies     []remedy
}

// remedy is what is to be done to one column's values after the library has decoded them.
type remedy struct {
	column int
	apply  func(value any) (any, error)
}

// tableMap is a TABLE_MAP event, read as far as needed to find its column types.
type tableMap struct {
	id           uint64
	schema, name string
	types        []byte // part of the event: may be written to
}

var errMalformed = errors.New("it is malformed")

// peekTableMap reads an event's body. The library decodes more than is needed for tables that are not followed.
func peekTableMap(body []byte, idSize int) (tableMap, error) {
	var result tableMap
	if len(body) < idSize+2 {
		return result, errMalformed
	}
	result.id = gomysql.FixedLengthInt(body[:idSize])
	rest := body[idSize+2:]
	var err error
	if result.schema, rest, err = cutName(rest); err != nil {
		return result, err
	}
	if result.name, rest, err = cutName(rest); err != nil {
		return result, err
	}
	count, rest, ok := cutInteger(rest)
	if !ok || count > uint64(len(rest)) {
		return result, errMalformed
	}
	result.types = rest[:count]
	return result, nil
}

// cutName reads a byte of length, the name, and a zero byte.
func cutName(data []byte) (name string, rest []byte, err error) {
	if len(data) == 0 || len(data) < int(data[0])+2 {
		return "", nil, errMalformed
	}
	end := 1 + int(data[0])
	return string(data[1:end]), data[end+1:], nil
}

// disguise rewrites the types of columns that the library would not decode, or not byte for byte, into types of the
// same layout, and returns what has to be done to their values afterwards.
func (m tableMap) disguise(flavor string) (*table, error) {
	result := &table{schema: m.schema, name: m.name}
	add := func(column int, apply func(any) (any, error)) {
		result.remedies = append(result.remedies, remedy{column, apply})
	}
	for i, columnType := range m.types {
		switch columnType {
		case gomysql.MYSQL_TYPE_JSON:
			// The library would turn it into text, which says less than the document.
			m.types[i] = gomysql.MYSQL_TYPE_BLOB
			result.json = append(result.json, i)
			add(i, jsonBinary)
		case typeBlobCompressed:
			m.types[i] = gomysql.MYSQL_TYPE_BLOB
			add(i, decompressed)
		case typeVarcharCompressed:
			m.types[i] = gomysql.MYSQL_TYPE_VARCHAR
			add(i, decompressed)
		case gomysql.MYSQL_TYPE_TIME, gomysql.MYSQL_TYPE_DATETIME, gomysql.MYSQL_TYPE_TIMESTAMP:
			if flavor == mysql.MariaDBFlavor {
				return nil, fmt.Errorf("column %s has the temporal format of MariaDB before 10.1, whose length the log does not tell. "+
					"With mysql56_temporal_format=ON, rebuild the table with ALTER TABLE ... FORCE, ALGORITHM=COPY", columnNumber(i))
			}
			if columnType == gomysql.MYSQL_TYPE_TIME {
				// Three bytes as well; the library would lose the sign.
				m.types[i] = gomysql.MYSQL_TYPE_INT24
				add(i, oldTime)
			}
		}
	}
	return result, nil
}

// columnNumber names a column by its place, from one on.
func columnNumber(i int) string {
	return "#" + strconv.Itoa(i+1)
}

// missingColumns names the columns whose bit is not set.
func (t *table) missingColumns(bitmap []byte, count int) []string {
	var missing []string
	for i := range count {
		if bitmap[i/8]&(1<<(i%8)) != 0 {
			continue
		}
		missing = append(missing, t.columnName(i))
	}
	return missing
}

func (t *table) jsonColumns() []string {
	var names []string
	for _, column := range t.json {
		names = append(names, t.columnName(column))
	}
	return names
}

// columnName is the column's name if the log tells it, else its number.
func (t *table) columnName(column int) string {
	if column < len(t.names) {
		return t.names[column]
	}
	return columnNumber(column)
}

// useNames takes the columns' names, which are there with binlog_row_metadata=FULL.
func (t *table) useNames(event *replication.TableMapEvent) {
	for _, name := range event.ColumnName {
		t.names = append(t.names, string(name))
	}
}

// isDummyTable tells the id that ends a statement without belonging to a table.
func isDummyTable(id uint64, idSize int) bool {
	return id == 1<<(8*idSize)-1 || id == 0x00ffffff
}

// withoutTableID excludes the table's id, which every server gives out anew, from what identifies an event.
func withoutTableID(body []byte, idSize int) []byte {
	return body[min(idSize, len(body)):]
}

// patchChecksumOff returns a copy of a FORMAT_DESCRIPTION event that announces events without checksums: those inside
// a payload have none.
func patchChecksumOff(format []byte) []byte {
	result := bytes.Clone(format)
	result[len(result)-replication.BinlogChecksumLength-1] = byte(replication.BINLOG_CHECKSUM_ALG_OFF)
	return result
}

// eventSize reads the length of an event from its header.
func eventSize(header []byte) int {
	return int(binary.LittleEndian.Uint32(header[9:]))
}
