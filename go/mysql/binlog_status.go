package mysql

import (
	"context"
	gosql "database/sql"
	"fmt"
	"strconv"
)

// ReadFileBinlogCoordinates returns the end of the server's binary log at this moment.
func ReadFileBinlogCoordinates(ctx context.Context, q Querier, dialect Dialect) (*FileBinlogCoordinates, error) {
	rows, err := readRows(ctx, q, dialect.ShowBinaryLogStatus())
	if err != nil {
		return nil, fmt.Errorf("reading the position of the binary log: %w", err)
	}
	if len(rows) == 0 || rows[0]["File"].String == "" {
		return nil, fmt.Errorf("the server writes no binary log: start it with log_bin")
	}
	position, err := strconv.ParseInt(rows[0]["Position"].String, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("reading the position of the binary log: %w", err)
	}
	return NewFileBinlogCoordinates(rows[0]["File"].String, position), nil
}

// ReadGTIDBinlogCoordinates returns the transactions in the server's binary log at this moment.
func ReadGTIDBinlogCoordinates(ctx context.Context, q Querier, dialect Dialect) (*GTIDBinlogCoordinates, error) {
	rows, err := readRows(ctx, q, "SELECT /* gh-ost */ "+dialect.GTIDExecuted()+" AS gtid_set")
	if err != nil {
		return nil, fmt.Errorf("reading the executed GTID set: %w", err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("reading the executed GTID set: %w", gosql.ErrNoRows)
	}
	return NewGTIDBinlogCoordinates(dialect.Flavor(), rows[0]["gtid_set"].String)
}
