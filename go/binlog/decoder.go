package binlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"time"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"

	"github.com/github/gh-ost/go/mysql"
)

// errChecksum says that an event was damaged on its way: another try may get it whole.
var errChecksum = errors.New("the checksum of an event is wrong")

// decoder turns events as they stand in the log into entries. It knows no order and no positions: what it remembers is
// the format of the current file and the tables of the current statements. Rows of tables that are not followed are
// passed over before they are parsed.
type decoder struct {
	flavor string
	follow func(schema, table string) bool
	where  func() mysql.BinlogCoordinates // for error messages

	parser      *replication.BinlogParser
	tables      map[uint64]*table // nil: not followed
	tableIDSize int
	checksums   bool
	format      []byte   // the FORMAT_DESCRIPTION event
	inner       *decoder // of the events inside payloads; nil until there is one

	compressed bool  // of the current row event: its images are
	refused    error // why the current row event was not decoded
}

func newDecoder(flavor string, follow func(schema, table string) bool, where func() mysql.BinlogCoordinates) *decoder {
	d := &decoder{flavor: flavor, follow: follow, where: where, tableIDSize: 6, tables: map[uint64]*table{}}
	d.parser = replication.NewBinlogParser()
	d.parser.SetFlavor(flavor)
	d.parser.SetTimestampStringLocation(time.UTC)
	d.parser.SetRowsEventDecodeFunc(d.decodeRowsEvent)
	return d
}

// decode gives what the event means to emit: nothing, one entry, or many if it is a compressed transaction. The event's
// memory belongs to the decoder, and to the values that it emits.
func (d *decoder) decode(raw []byte, emit func(entry) error) (err error) {
	var header replication.EventHeader
	if err := header.Decode(raw); err != nil {
		return d.failed(header.EventType, nil, err.Error())
	}
	emitting := false
	defer func() {
		// The library's parsers index into what they are given; an event cut short makes them panic.
		if reason := recover(); reason != nil && !emitting {
			err = d.failed(header.EventType, nil, fmt.Sprintf("%v: %v", errMalformed, reason))
		} else if reason != nil {
			panic(reason)
		}
	}()

	isFormat := header.EventType == replication.FORMAT_DESCRIPTION_EVENT
	body := raw[replication.EventHeaderSize:]
	if d.checksums && !isFormat {
		if body, err = d.checked(raw); err != nil {
			return fmt.Errorf("%s at %s: %w", header.EventType, d.where().DisplayString(), err)
		}
	}
	if header.EventType == replication.TRANSACTION_PAYLOAD_EVENT {
		emitting = true
		return d.decodePayload(header.EventType, body, emit)
	}
	result, err := d.decodeOne(header, raw, body)
	if err != nil || result.kind == entryNothing {
		return err
	}
	emitting = true
	return emit(result)
}

// checked verifies the checksum and returns the body without it.
func (d *decoder) checked(raw []byte) ([]byte, error) {
	end := len(raw) - replication.BinlogChecksumLength
	if end < replication.EventHeaderSize || crc32.ChecksumIEEE(raw[:end]) != binary.LittleEndian.Uint32(raw[end:]) {
		return nil, errChecksum
	}
	return raw[replication.EventHeaderSize:end], nil
}

func (d *decoder) decodeOne(header replication.EventHeader, raw, body []byte) (entry, error) {
	switch header.EventType {
	case replication.FORMAT_DESCRIPTION_EVENT:
		return d.decodeFormat(header.EventType, raw)
	case replication.ROTATE_EVENT:
		rotate, err := parsed[*replication.RotateEvent](d, header.EventType, raw)
		if err != nil {
			return entry{}, err
		}
		return entry{kind: entryRotate, file: string(rotate.NextLogName), pos: int64(rotate.Position)}, nil
	case replication.HEARTBEAT_EVENT, replication.HEARTBEAT_LOG_EVENT_V2:
		return entry{kind: entryHeartbeat}, nil
	case replication.PREVIOUS_GTIDS_EVENT, replication.MARIADB_GTID_LIST_EVENT, replication.MARIADB_BINLOG_CHECKPOINT_EVENT,
		replication.STOP_EVENT:
		return entry{kind: entryBetween}, nil

	case replication.ANONYMOUS_GTID_EVENT:
		return entry{kind: entryTransaction}, nil
	case replication.GTID_EVENT:
		event, err := parsed[*replication.GTIDEvent](d, header.EventType, raw)
		if err != nil {
			return entry{}, err
		}
		return entry{kind: entryTransaction, gtid: mysqlGTID(event)}, nil
	case replication.GTID_TAGGED_LOG_EVENT:
		event, err := parsed[*replication.GtidTaggedLogEvent](d, header.EventType, raw)
		if err != nil {
			return entry{}, err
		}
		return entry{kind: entryTransaction, gtid: mysqlGTID(&event.GTIDEvent)}, nil
	case replication.MARIADB_GTID_EVENT:
		event, err := parsed[*replication.MariadbGTIDEvent](d, header.EventType, raw)
		if err != nil {
			return entry{}, err
		}
		const preparedXA = 64 // FL_PREPARED_XA
		return entry{
			kind: entryTransaction, gtid: gtid{mariadb: &event.GTID},
			explicit: !event.IsStandalone(), xa: event.Flags&preparedXA != 0,
		}, nil

	case replication.XID_EVENT:
		return entry{kind: entryCommit}, nil
	case replication.XA_PREPARE_LOG_EVENT:
		return decodeXAPrepare(body), nil
	case replication.QUERY_EVENT, replication.MARIADB_QUERY_COMPRESSED_EVENT:
		if header.EventType == replication.MARIADB_QUERY_COMPRESSED_EVENT {
			if err := checkCompressedQuery(body); err != nil {
				return entry{}, d.failed(header.EventType, nil, err.Error())
			}
		}
		query, err := parsed[*replication.QueryEvent](d, header.EventType, raw)
		if err != nil {
			return entry{}, err
		}
		return statementEntry(string(query.Schema), string(query.Query), int(header.EventSize)), nil
	case replication.EXECUTE_LOAD_QUERY_EVENT:
		return decodeLoadQuery(body, int(header.EventSize)), nil
	case replication.INCIDENT_EVENT:
		message := "no reason is given"
		if len(body) > 3 {
			message = string(body[3:])
		}
		return entry{}, &IncidentError{Message: message, At: d.where()}

	case replication.TABLE_MAP_EVENT:
		return entry{}, d.decodeTableMap(header.EventType, raw, body)
	}
	if kind, ok := rowsKind(header.EventType); ok {
		return d.decodeRows(kind, header, raw, body)
	}
	return entry{}, nil
}

// parsed lets the library decode an event.
func parsed[T replication.Event](d *decoder, eventType replication.EventType, raw []byte) (T, error) {
	var none T
	event, err := d.parser.Parse(raw)
	if err != nil {
		return none, d.failed(eventType, nil, libraryReason(err))
	}
	result, ok := event.Event.(T)
	if !ok {
		return none, d.failed(eventType, nil, fmt.Sprintf("it was decoded as %T", event.Event))
	}
	return result, nil
}

func (d *decoder) decodeFormat(eventType replication.EventType, raw []byte) (entry, error) {
	format, err := parsed[*replication.FormatDescriptionEvent](d, eventType, raw)
	if err != nil {
		return entry{}, err
	}
	d.format, d.inner = raw, nil
	d.checksums = format.ChecksumAlgorithm == replication.BINLOG_CHECKSUM_ALG_CRC32
	d.tableIDSize = 6
	if format.EventTypeHeaderLengths[replication.TABLE_MAP_EVENT-1] == 6 {
		d.tableIDSize = 4
	}
	clear(d.tables)
	return entry{kind: entryFormat}, nil
}

func (d *decoder) decodePayload(eventType replication.EventType, body []byte, emit func(entry) error) error {
	if d.inner == nil {
		d.inner = newDecoder(d.flavor, d.follow, d.where)
		if err := d.inner.decode(patchChecksumOff(d.format), func(entry) error { return nil }); err != nil {
			return err
		}
	}
	var visitErr error
	err := eachInPayload(body, func(raw []byte) error {
		visitErr = d.inner.decode(raw, emit)
		return visitErr
	})
	if err != nil && visitErr == nil {
		return d.failed(eventType, nil, err.Error())
	}
	return err
}

func (d *decoder) decodeTableMap(eventType replication.EventType, raw, body []byte) error {
	found, err := peekTableMap(body, d.tableIDSize)
	if err != nil {
		return d.failed(eventType, nil, err.Error())
	}
	if !d.follow(found.schema, found.name) {
		d.tables[found.id] = nil
		return nil
	}
	table, err := found.disguise(d.flavor)
	if err != nil {
		return d.failed(eventType, &found, err.Error())
	}
	event, err := parsed[*replication.TableMapEvent](d, eventType, raw)
	if err != nil {
		return err
	}
	// Integers come out signed, whatever the column: those who write them know the column's type, and not every server
	// tells it here.
	event.SignednessBitmap = nil
	table.useNames(event)
	d.tables[found.id] = table
	return nil
}

// failed makes the error for an event that cannot be understood.
func (d *decoder) failed(eventType replication.EventType, of *tableMap, reason string) error {
	err := &DecodeError{Event: eventType.String(), Reason: reason, At: d.where()}
	if of != nil {
		err.Schema, err.Table = of.schema, of.name
	}
	return err
}

// libraryReason takes the reason out of an error of the library, which also dumps the event with the rows' values.
func libraryReason(err error) string {
	reason := err.Error()
	if eventError := (*replication.EventError)(nil); errors.As(err, &eventError) {
		reason = eventError.Err
	}
	reason, _, _ = strings.Cut(reason, ", data ")
	if len(reason) > 200 {
		reason = reason[:200] + "…"
	}
	return reason
}

func mysqlGTID(event *replication.GTIDEvent) gtid {
	result := gtid{tag: event.Tag, gno: event.GNO}
	copy(result.sid[:], event.SID)
	return result
}

// decodeXAPrepare reads the event that ends the rows of an XA transaction: whether it is a commit in one phase, and the
// transaction's name as format, two lengths, two parts.
func decodeXAPrepare(body []byte) entry {
	globalLength := binary.LittleEndian.Uint32(body[5:])
	branchLength := binary.LittleEndian.Uint32(body[9:])
	name := body[13 : 13+globalLength+branchLength]
	xid := fmt.Sprintf("X'%x',X'%x',%d", name[:globalLength], name[globalLength:], int32(binary.LittleEndian.Uint32(body[1:])))
	return entry{kind: entryXAPrepare, name: xid, onePhase: body[0] != 0}
}

// decodeLoadQuery reads the statement of a LOAD DATA in STATEMENT format, of which the library keeps only lengths.
func decodeLoadQuery(body []byte, size int) entry {
	const fixedLength = 4 + 4 + 1 + 2 + 2 + 4 + 4 + 4 + 1
	schemaLength := int(body[8])
	schemaStart := fixedLength + int(binary.LittleEndian.Uint16(body[11:]))
	schemaEnd := schemaStart + schemaLength
	return statementEntry(string(body[schemaStart:schemaEnd]), string(body[schemaEnd+1:]), size)
}

func statementEntry(schema, query string, size int) entry {
	kind, name := classify(query)
	result := entry{kind: kind, name: name}
	if kind == entryStatement {
		result.event = &Event{Kind: Statement, Schema: schema, Statement: query, Bytes: size}
		result.fingerprint = fingerprint(schema, query)
	}
	return result
}

func fingerprint(parts ...string) uint32 {
	var sum uint32
	for _, part := range parts {
		sum = crc32.Update(sum, crc32.IEEETable, []byte(part))
	}
	return sum
}

// rowsKind tells which change an event type reports.
func rowsKind(eventType replication.EventType) (Kind, bool) {
	switch eventType {
	case replication.WRITE_ROWS_EVENTv0, replication.WRITE_ROWS_EVENTv1, replication.WRITE_ROWS_EVENTv2,
		replication.MARIADB_WRITE_ROWS_COMPRESSED_EVENT_V1:
		return Insert, true
	case replication.UPDATE_ROWS_EVENTv0, replication.UPDATE_ROWS_EVENTv1, replication.UPDATE_ROWS_EVENTv2,
		replication.MARIADB_UPDATE_ROWS_COMPRESSED_EVENT_V1, replication.PARTIAL_UPDATE_ROWS_EVENT:
		return Update, true
	case replication.DELETE_ROWS_EVENTv0, replication.DELETE_ROWS_EVENTv1, replication.DELETE_ROWS_EVENTv2,
		replication.MARIADB_DELETE_ROWS_COMPRESSED_EVENT_V1:
		return Delete, true
	}
	return 0, false
}

// isCompressed tells whether the images of a row event are compressed, as MariaDB does with log_bin_compress.
func isCompressed(eventType replication.EventType) bool {
	switch eventType {
	case replication.MARIADB_WRITE_ROWS_COMPRESSED_EVENT_V1, replication.MARIADB_UPDATE_ROWS_COMPRESSED_EVENT_V1,
		replication.MARIADB_DELETE_ROWS_COMPRESSED_EVENT_V1:
		return true
	}
	return false
}

// tableID reads the id with which a row event begins.
func (d *decoder) tableID(body []byte) uint64 {
	return gomysql.FixedLengthInt(body[:d.tableIDSize])
}
