package binlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"strings"
	"testing"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/github/gh-ost/go/mysql"
)

// rawEvent makes an event as it stands in a log without checksums.
func rawEvent(eventType replication.EventType, body []byte) []byte {
	raw := make([]byte, replication.EventHeaderSize, replication.EventHeaderSize+len(body))
	raw[4] = byte(eventType)
	binary.LittleEndian.PutUint32(raw[9:], uint32(replication.EventHeaderSize+len(body)))
	return append(raw, body...)
}

// formatEvent announces a file of MySQL 9.7.
func formatEvent(checksums replication.BinlogChecksum) []byte {
	body := make([]byte, 2+50+4+1, 128)
	body[0] = 4
	copy(body[2:], "9.7.4")
	body[56] = replication.EventHeaderSize
	lengths := bytes.Repeat([]byte{8}, 44)
	lengths[replication.UPDATE_ROWS_EVENTv2-1] = 10
	body = append(append(body, lengths...), byte(checksums))
	return rawEvent(replication.FORMAT_DESCRIPTION_EVENT, append(body, 0, 0, 0, 0))
}

func testDecoder(t require.TestingT, checksums replication.BinlogChecksum) *decoder {
	at := mysql.NewFileBinlogCoordinates("log.1", 4)
	d := newDecoder(mysql.MySQLFlavor, func(_, table string) bool { return table == "t" },
		func() mysql.BinlogCoordinates { return at })
	require.NoError(t, d.decode(formatEvent(checksums), func(entry) error { return nil }))
	return d
}

// tableMapEvent describes test.<name> with one int and one varchar column.
func tableMapEvent(id byte, name string) []byte {
	body := []byte{id, 0, 0, 0, 0, 0, 1, 0, 4, 't', 'e', 's', 't', 0, byte(len(name))}
	body = append(append(body, name...), 0, 2, gomysql.MYSQL_TYPE_LONG, gomysql.MYSQL_TYPE_VARCHAR, 2, 10, 0, 2)
	return rawEvent(replication.TABLE_MAP_EVENT, body)
}

// insertEvent inserts (7, secret).
func insertEvent(id byte, images byte) []byte {
	body := []byte{id, 0, 0, 0, 0, 0, 1, 0, 2, 0, 2, images, 0, 7, 0, 0, 0, 6}
	return rawEvent(replication.WRITE_ROWS_EVENTv2, append(body, "secret"...))
}

func collect(into *[]entry) func(entry) error {
	return func(e entry) error {
		*into = append(*into, e)
		return nil
	}
}

func TestRowsOfOtherTablesAreNotParsed(t *testing.T) {
	d := testDecoder(t, replication.BINLOG_CHECKSUM_ALG_OFF)
	var got []entry
	for _, raw := range [][]byte{
		tableMapEvent(1, "t"), tableMapEvent(2, "u"), insertEvent(1, 0xff),
		rawEvent(replication.WRITE_ROWS_EVENTv2, []byte{2, 0, 0, 0, 0, 0, 1, 0, 0xff, 0xff}), // not a row at all
	} {
		require.NoError(t, d.decode(raw, collect(&got)))
	}
	require.Len(t, got, 1)
	assert.Equal(t, []RowChange{{After: []any{int32(7), "secret"}}}, got[0].event.Rows)
	assert.Equal(t, 2, got[0].event.ColumnCount)
	assert.Equal(t, len(insertEvent(1, 0xff)), got[0].event.Bytes)
}

func TestFingerprintDoesNotDependOnTheTablesID(t *testing.T) {
	d := testDecoder(t, replication.BINLOG_CHECKSUM_ALG_OFF)
	var got []entry
	for id := byte(1); id <= 2; id++ {
		require.NoError(t, d.decode(tableMapEvent(id, "t"), collect(&got)))
		require.NoError(t, d.decode(insertEvent(id, 0xff), collect(&got)))
	}
	assert.Equal(t, got[0].fingerprint, got[1].fingerprint)
}

func TestRowsWithoutTheirTableAreAnError(t *testing.T) {
	d := testDecoder(t, replication.BINLOG_CHECKSUM_ALG_OFF)
	assert.ErrorContains(t, d.decode(insertEvent(1, 0xff), nil), "lies inside a transaction")

	dummy := rawEvent(replication.WRITE_ROWS_EVENTv2, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 2, 0, 0})
	assert.NoError(t, d.decode(dummy, nil), "the end of a statement without rows")
}

func TestMissingColumnsAreSeenInTheEventItself(t *testing.T) {
	d := testDecoder(t, replication.BINLOG_CHECKSUM_ALG_OFF)
	require.NoError(t, d.decode(tableMapEvent(1, "t"), nil))
	var partial *PartialRowError
	require.ErrorAs(t, d.decode(insertEvent(1, 0xfe), nil), &partial)
	assert.Equal(t, []string{"#1"}, partial.Columns)
}

func TestDamagedEventsAreToldByTheirChecksum(t *testing.T) {
	d := testDecoder(t, replication.BINLOG_CHECKSUM_ALG_CRC32)
	raw := rawEvent(replication.XID_EVENT, make([]byte, 12))
	end := len(raw) - 4
	binary.LittleEndian.PutUint32(raw[end:], crc32.ChecksumIEEE(raw[:end]))
	var got []entry
	require.NoError(t, d.decode(raw, collect(&got)))
	assert.Equal(t, entryCommit, got[0].kind)

	raw[20] ^= 1
	err := d.decode(raw, nil)
	assert.ErrorIs(t, err, errChecksum)
	assert.True(t, isRetryable(err))
}

func TestPayloadsAreExpandedWithChecksumsOutsideOnly(t *testing.T) {
	inside := bytes.Join([][]byte{tableMapEvent(1, "t"), insertEvent(1, 0xff), rawEvent(replication.XID_EVENT, make([]byte, 8))}, nil)
	encoder, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	defer encoder.Close()
	for name, body := range map[string][]byte{
		"zstd": append([]byte{2, 1, 0, 0}, encoder.EncodeAll(inside, nil)...),
		"none": append([]byte{2, 3, 0xfc, 255, 0, 0}, inside...),
	} {
		d := testDecoder(t, replication.BINLOG_CHECKSUM_ALG_CRC32)
		raw := rawEvent(replication.TRANSACTION_PAYLOAD_EVENT, append(body, 0, 0, 0, 0))
		end := len(raw) - 4
		binary.LittleEndian.PutUint32(raw[end:], crc32.ChecksumIEEE(raw[:end]))
		var got []entry
		require.NoError(t, d.decode(raw, collect(&got)), name)
		require.Len(t, got, 2, name)
		assert.Equal(t, "secret", got[0].event.Rows[0].After[1], name)
		assert.Equal(t, entryCommit, got[1].kind, name)
	}

	d := testDecoder(t, replication.BINLOG_CHECKSUM_ALG_OFF)
	unknown := rawEvent(replication.TRANSACTION_PAYLOAD_EVENT, []byte{2, 1, 77, 0})
	assert.ErrorContains(t, d.decode(unknown, nil), "compression type 77")
}

func TestReportedIncidentIsAnError(t *testing.T) {
	d := testDecoder(t, replication.BINLOG_CHECKSUM_ALG_OFF)
	var incident *IncidentError
	err := d.decode(rawEvent(replication.INCIDENT_EVENT, []byte("\x01\x00\x05error")), nil)
	require.ErrorAs(t, err, &incident)
	assert.Equal(t, "error", incident.Message)
}

// Whatever is in an event, it is understood or an error of ours, which does not quote rows.
func TestMalformedEventsAreErrors(t *testing.T) {
	types := []replication.EventType{
		replication.QUERY_EVENT, replication.ROTATE_EVENT, replication.GTID_EVENT, replication.GTID_TAGGED_LOG_EVENT, replication.MARIADB_GTID_EVENT,
		replication.XID_EVENT, replication.XA_PREPARE_LOG_EVENT, replication.EXECUTE_LOAD_QUERY_EVENT, replication.TABLE_MAP_EVENT,
		replication.WRITE_ROWS_EVENTv2, replication.UPDATE_ROWS_EVENTv1, replication.MARIADB_QUERY_COMPRESSED_EVENT,
		replication.TRANSACTION_PAYLOAD_EVENT, replication.HEARTBEAT_LOG_EVENT_V2, replication.EventType(200),
	}
	rapid.Check(t, func(t *rapid.T) {
		d := testDecoder(t, replication.BINLOG_CHECKSUM_ALG_OFF)
		require.NoError(t, d.decode(tableMapEvent(1, "t"), nil))
		body := rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "body")
		if rapid.Bool().Draw(t, "cut") {
			whole := insertEvent(1, 0xff)[replication.EventHeaderSize:]
			body = whole[:rapid.IntRange(0, len(whole)).Draw(t, "at")]
		}
		err := d.decode(rawEvent(rapid.SampledFrom(types).Draw(t, "type"), body), func(entry) error { return nil })
		var decode *DecodeError
		var partial *PartialRowError
		if err != nil && !errors.As(err, &decode) && !errors.As(err, &partial) {
			t.Fatalf("unexpected: %v", err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Fatalf("quotes a row: %v", err)
		}
	})
}
