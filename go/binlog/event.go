package binlog

import (
	"context"

	"github.com/github/gh-ost/go/mysql"
)

// Kind is what an event reports.
type Kind uint8

const (
	// Insert, Update and Delete report rows of a followed table.
	Insert Kind = iota + 1
	Update
	Delete
	// Statement reports a statement in the log: DDL, DML in STATEMENT format, administration. Of any schema and table.
	Statement
)

// String names the kind for people.
func (k Kind) String() string {
	switch k {
	case Insert:
		return "insert"
	case Update:
		return "update"
	case Delete:
		return "delete"
	case Statement:
		return "statement"
	}
	return "unknown"
}

// RowChange is one row. Insert has After, Delete has Before, Update both. Each holds all columns, by their place in the
// table; the Go types are listed in the package documentation.
type RowChange struct {
	Before, After []any
}

// Event is one change in the log. It must not be changed by those who get it.
type Event struct {
	Kind Kind
	// Schema and Table are the changed table. Of a Statement, Schema is its session's default schema, perhaps empty.
	Schema, Table string
	// Rows is empty for a Statement.
	Rows []RowChange
	// ColumnCount is how many columns the table had when the rows were logged: a DDL in the middle shows here.
	ColumnCount int
	// Statement is the text of a Statement, in the character set of its session.
	Statement string
	// Coordinates are the end of the event in its file, or the transactions up to and with the one it belongs to.
	Coordinates mysql.BinlogCoordinates
	// Bytes is the event's length in the log, uncompressed.
	Bytes int
}

// Handler gets the events, one at a time, in the order of the log. While it runs nothing else is handed over; when the
// read-ahead is full, reading stops until it returns. Its error ends the stream. ctx ends with the stream.
type Handler func(ctx context.Context, event *Event) error
