package binlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/go-mysql-org/go-mysql/replication"
	"github.com/stretchr/testify/assert"

	"github.com/github/gh-ost/go/mysql"
)

// FuzzDecode holds the decoder to what must be true of any log: it understands an event or says by a typed error that it
// cannot, never panics, never runs without end, and gives out no row of which something is missing.
//
// The log is events one behind the other, without checksums. The corpus holds events that servers have written: tables of
// most types with their inserts, updates and deletes, transactions, XA, compressed ones, statements.
func FuzzDecode(f *testing.F) {
	f.Add(false, bytes.Join([][]byte{tableMapEvent(1, "t"), insertEvent(1, 0xff), rawEvent(replication.XID_EVENT, make([]byte, 8))}, nil))
	f.Add(true, rawEvent(replication.INCIDENT_EVENT, []byte("\x01\x00\x05error")))
	f.Add(false, []byte("short"))
	f.Add(false, bytes.Join([][]byte{tableOfNothing, rowOfNothing}, nil))
	f.Add(true, hugeQuery)
	f.Add(true, bytes.Join([][]byte{tableMapEvent(1, "t"), hugeRows}, nil))
	f.Fuzz(func(t *testing.T, mariadb bool, log []byte) {
		flavor := mysql.MySQLFlavor
		if mariadb {
			flavor = mysql.MariaDBFlavor
		}
		at := mysql.NewFileBinlogCoordinates("log.1", 4)
		d := newDecoder(flavor, func(_, table string) bool { return table != "other" }, func() mysql.BinlogCoordinates { return at })
		if err := d.decode(formatEvent(replication.BINLOG_CHECKSUM_ALG_OFF), func(entry) error { return nil }); err != nil {
			t.Fatal(err)
		}
		for len(log) > 0 {
			var raw []byte
			raw, log = cutEvent(log)
			requireTyped(t, d.decode(bytes.Clone(raw), func(e entry) error {
				requireWhole(t, e)
				return nil
			}))
		}
	})
}

// Events that once made the library allocate or run without end.
var (
	tableOfNothing = rawEvent(replication.TABLE_MAP_EVENT, []byte{1, 0, 0, 0, 0, 0, 1, 0, 1, 'd', 0, 1, 't', 0, 0, 0, 0})
	rowOfNothing   = rawEvent(replication.WRITE_ROWS_EVENTv1, []byte{1, 0, 0, 0, 0, 0, 1, 0, 0, 1})
	hugeLength     = []byte{0x87, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 'z'}
	hugeQuery      = rawEvent(replication.MARIADB_QUERY_COMPRESSED_EVENT, append(make([]byte, 14), hugeLength...))
	hugeRows       = rawEvent(replication.MARIADB_WRITE_ROWS_COMPRESSED_EVENT_V1, append([]byte{1, 0, 0, 0, 0, 0, 1, 0, 2, 0xff}, hugeLength...))
)

func TestDamagedLengthsAreErrorsAndNotAllocated(t *testing.T) {
	for name, events := range map[string][][]byte{
		"rows without columns": {tableOfNothing, rowOfNothing},
		"compressed statement": {hugeQuery},
		"compressed rows":      {tableMapEvent(1, "t"), hugeRows},
	} {
		t.Run(name, func(t *testing.T) {
			d := testDecoder(t, replication.BINLOG_CHECKSUM_ALG_OFF)
			d.flavor = mysql.MariaDBFlavor
			d.parser.SetFlavor(mysql.MariaDBFlavor)
			var err error
			for _, event := range events {
				err = d.decode(event, func(entry) error { return nil })
			}
			assert.ErrorContains(t, err, "malformed")
			requireTyped(t, err)
		})
	}
}

// cutEvent takes the first event of a log, all of the log if its length is wrong.
func cutEvent(log []byte) (event, rest []byte) {
	if len(log) < replication.EventHeaderSize {
		return log, nil
	}
	size := binary.LittleEndian.Uint32(log[9:])
	if size < replication.EventHeaderSize || int64(size) > int64(len(log)) {
		return log, nil
	}
	return log[:size], log[size:]
}

func requireTyped(t *testing.T, err error) {
	var decode *DecodeError
	var partial *PartialRowError
	var incident *IncidentError
	if err != nil && !errors.As(err, &decode) && !errors.As(err, &partial) && !errors.As(err, &incident) && !errors.Is(err, errChecksum) {
		t.Fatalf("not an error of ours: %v", err)
	}
}

func requireWhole(t *testing.T, e entry) {
	if e.kind != entryRows {
		return
	}
	for _, row := range e.event.Rows {
		if (row.Before == nil) != (e.event.Kind == Insert) || (row.After == nil) != (e.event.Kind == Delete) {
			t.Fatalf("a row of kind %v has the wrong images: %v", e.event.Kind, row)
		}
		for _, image := range [][]any{row.Before, row.After} {
			if image != nil && len(image) != e.event.ColumnCount {
				t.Fatalf("an image has %d values, the table %d columns", len(image), e.event.ColumnCount)
			}
		}
	}
}
