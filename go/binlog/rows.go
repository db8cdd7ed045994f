package binlog

import (
	"fmt"
	"hash/crc32"

	"github.com/go-mysql-org/go-mysql/replication"
)

// decodeRows decodes a row event of a followed table and skips any other.
func (d *decoder) decodeRows(kind Kind, header replication.EventHeader, raw, body []byte) (entry, error) {
	id := d.tableID(body)
	table, known := d.tables[id]
	if !known && !isDummyTable(id, d.tableIDSize) {
		return entry{}, d.failed(header.EventType, nil, fmt.Sprintf("its table %d has not been described before: "+
			"the place where reading began lies inside a transaction", id))
	}
	if table == nil {
		return entry{}, nil
	}
	of := &tableMap{schema: table.schema, name: table.name}
	if header.EventType == replication.PARTIAL_UPDATE_ROWS_EVENT && len(table.json) > 0 {
		return entry{}, &PartialRowError{
			Schema: table.schema, Table: table.name, Columns: table.jsonColumns(),
			Setting: "binlog_row_value_options=PARTIAL_JSON", At: d.where(),
		}
	}

	sum := crc32.ChecksumIEEE(withoutTableID(body, d.tableIDSize))
	d.compressed, d.refused = isCompressed(header.EventType), nil
	parsed, err := d.parser.Parse(raw)
	if d.refused != nil {
		return entry{}, d.refused
	}
	if err != nil {
		return entry{}, d.failed(header.EventType, of, libraryReason(err))
	}
	rows, ok := parsed.Event.(*replication.RowsEvent)
	if !ok {
		return entry{}, d.failed(header.EventType, of, fmt.Sprintf("it was decoded as %T", parsed.Event))
	}
	for _, row := range rows.Rows {
		if err := table.remedy(row); err != nil {
			return entry{}, d.failed(header.EventType, of, err.Error())
		}
	}
	event := &Event{
		Kind: kind, Schema: table.schema, Table: table.name, Rows: changes(kind, rows.Rows),
		ColumnCount: int(rows.ColumnCount), Bytes: int(header.EventSize),
	}
	return entry{kind: entryRows, event: event, fingerprint: sum}, nil
}

// decodeRowsEvent is called by the library instead of its own decoding. It looks at the images' columns first: where
// one is missing the row must not be taken for whole.
func (d *decoder) decodeRowsEvent(event *replication.RowsEvent, body []byte) error {
	start, err := event.DecodeHeader(body)
	if err != nil {
		return err
	}
	table := d.tables[event.TableID]
	if event.ColumnCount != event.Table.ColumnCount {
		return fmt.Errorf("it has %d columns, its table %d", event.ColumnCount, event.Table.ColumnCount)
	}
	if event.ColumnCount == 0 {
		return errMalformed // the library would look for rows of no length without end
	}
	if d.compressed {
		if err := checkExpandedSize(body[start:]); err != nil {
			return err
		}
	}
	missing := table.missingColumns(event.ColumnBitmap1, int(event.ColumnCount))
	if len(missing) == 0 && event.ColumnBitmap2 != nil {
		missing = table.missingColumns(event.ColumnBitmap2, int(event.ColumnCount))
	}
	if len(missing) > 0 {
		d.refused = &PartialRowError{
			Schema: table.schema, Table: table.name, Columns: missing,
			Setting: "binlog_row_image from FULL to MINIMAL or NOBLOB", At: d.where(),
		}
		return d.refused
	}
	return event.DecodeData(start, body)
}

// remedy puts right the values that the library decoded under another type.
func (t *table) remedy(row []any) error {
	for _, r := range t.remedies {
		if row[r.column] == nil {
			continue
		}
		value, err := r.apply(row[r.column])
		if err != nil {
			return fmt.Errorf("column %s: %w", t.columnName(r.column), err)
		}
		row[r.column] = value
	}
	return nil
}

// changes pairs the images of an event.
func changes(kind Kind, images [][]any) []RowChange {
	if kind == Update {
		result := make([]RowChange, 0, len(images)/2)
		for i := 0; i+1 < len(images); i += 2 {
			result = append(result, RowChange{Before: images[i], After: images[i+1]})
		}
		return result
	}
	result := make([]RowChange, len(images))
	for i, image := range images {
		if kind == Insert {
			result[i].After = image
		} else {
			result[i].Before = image
		}
	}
	return result
}
