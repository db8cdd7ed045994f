package sql

import (
	"context"
	gosql "database/sql"
	"testing"
	"time"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

// binlogEnd is where the server's binary log ends now.
func binlogEnd(t *testing.T, server *testserver.Server, db *gosql.DB) gomysql.Position {
	t.Helper()
	statement := "SHOW BINARY LOG STATUS"
	if server.Flavor == testserver.MariaDB {
		statement = "SHOW MASTER STATUS"
	}
	rows, err := db.QueryContext(t.Context(), statement)
	require.NoError(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(t, err)
	values, targets := make([]gosql.RawBytes, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	require.True(t, rows.Next())
	var position gomysql.Position
	var offset uint32
	targets[1] = &offset
	require.NoError(t, rows.Scan(targets...))
	position.Name, position.Pos = string(values[0]), offset
	return position
}

// insertedRows returns the rows that were inserted into the tables since the position, by table, as decoded from the binary
// log, until end; JSON documents are raw.
func insertedRows(t *testing.T, server *testserver.Server, schema string, from, end gomysql.Position) map[string][][]any {
	t.Helper()
	syncer := replication.NewBinlogSyncer(replication.BinlogSyncerConfig{
		ServerID: 4711, Flavor: string(server.Flavor), Host: server.Host, Port: uint16(server.Port),
		User: server.AdminUser, Password: server.AdminPassword, TimestampStringLocation: time.UTC,
		RowsEventDecodeFunc: decodeRowsWithRawJSON,
	})
	defer syncer.Close()
	streamer, err := syncer.StartSync(from)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()

	rows := map[string][][]any{}
	for {
		event, err := streamer.GetEvent(ctx)
		require.NoError(t, err)
		if rowsEvent, ok := event.Event.(*replication.RowsEvent); ok && string(rowsEvent.Table.Schema) == schema {
			for _, row := range rowsEvent.Rows {
				table := string(rowsEvent.Table.Table)
				rows[table] = append(rows[table], markJSON(rowsEvent, row))
			}
		}
		if event.Header.LogPos >= end.Pos {
			return rows
		}
	}
}

// columnTypeBlobAsJSON has the decoder return a JSON column's bytes as those of a BLOB, which are framed alike.
func decodeRowsWithRawJSON(event *replication.RowsEvent, data []byte) error {
	position, err := event.DecodeHeader(data)
	if err != nil {
		return err
	}
	table := *event.Table
	table.ColumnType = append([]byte(nil), table.ColumnType...)
	for i, columnType := range table.ColumnType {
		if columnType == gomysql.MYSQL_TYPE_JSON {
			table.ColumnType[i] = gomysql.MYSQL_TYPE_BLOB
		}
	}
	original := event.Table
	event.Table = &table
	err = event.DecodeData(position, data)
	event.Table = original
	return err
}

func markJSON(event *replication.RowsEvent, row []any) []any {
	for i, value := range row {
		if raw, ok := value.([]byte); ok && event.Table.ColumnType[i] == gomysql.MYSQL_TYPE_JSON {
			row[i] = JSONBinary(raw)
		}
	}
	return row
}
