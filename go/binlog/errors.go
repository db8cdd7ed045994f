package binlog

import (
	"errors"
	"fmt"
	"strings"

	"github.com/github/gh-ost/go/mysql"
)

// PurgedError says that the server cannot send its log from where it was asked to: the files are purged, or never
// contained the place. Trying again is no use.
type PurgedError struct {
	At  mysql.BinlogCoordinates // from where it should have been sent
	Err error                   // what the server said
}

func (e *PurgedError) Error() string {
	return fmt.Sprintf("the server cannot send its binary log from %s on: %v. "+
		"Its files have been purged or do not contain that place; this migration has to start anew, "+
		"and the server has to keep its binary logs longer (binlog_expire_logs_seconds)", e.At.DisplayString(), e.Err)
}

func (e *PurgedError) Unwrap() error { return e.Err }

// IsLost tells errors after which no other stream can go on from a place that this one has read: the log is another one, or
// is gone.
func IsLost(err error) bool {
	var purged *PurgedError
	var foreign *ForeignLogError
	var torn *TornTransactionError
	return errors.As(err, &purged) || errors.As(err, &foreign) || errors.As(err, &torn)
}

// PartialRowError says that a row of a followed table was logged without some of its columns.
type PartialRowError struct {
	Schema, Table string
	Columns       []string // names where the log has them (binlog_row_metadata=FULL), else "#1" for the first
	Setting       string   // the session setting that did it
	At            mysql.BinlogCoordinates
}

func (e *PartialRowError) Error() string {
	return fmt.Sprintf("a row of %s.%s was logged incompletely at %s: column %s is missing. "+
		"Some client session has changed %s; it must not while the table is migrated",
		e.Schema, e.Table, e.At.DisplayString(), strings.Join(e.Columns, ", "), e.Setting)
}

// StalledError says that the connection was lost and successive attempts to get on have failed.
type StalledError struct {
	Attempts int
	At       mysql.BinlogCoordinates // the last completely read transaction
	Err      error                   // why the last attempt failed
}

func (e *StalledError) Error() string {
	return fmt.Sprintf("reading the binary log does not get beyond %s, given up after %d attempts: %v",
		e.At.DisplayString(), e.Attempts, e.Err)
}

func (e *StalledError) Unwrap() error { return e.Err }

// ServerIDInUseError says that the server threw the stream out, several times, for another replica of the same id.
type ServerIDInUseError struct {
	ServerID uint32
	Err      error
}

func (e *ServerIDInUseError) Error() string {
	return fmt.Sprintf("server id %d is used by another replica of the same server (%v): "+
		"give each running process its own with replica-server-id", e.ServerID, e.Err)
}

func (e *ServerIDInUseError) Unwrap() error { return e.Err }

// UnseenXAError says that an XA transaction was committed whose rows were logged before the stream began.
type UnseenXAError struct {
	XID string
	At  mysql.BinlogCoordinates
}

func (e *UnseenXAError) Error() string {
	return fmt.Sprintf("XA transaction %s, committed at %s, was prepared before this process began to read the binary log, "+
		"so its rows have not been seen. Start when XA RECOVER lists no transaction", e.XID, e.At.DisplayString())
}

// XATooLargeError says that an XA transaction changes more of the followed tables than may be held until its commit.
type XATooLargeError struct {
	Limit int64 // bytes
	At    mysql.BinlogCoordinates
}

func (e *XATooLargeError) Error() string {
	return fmt.Sprintf("prepared XA transactions change so many rows of the migrated table that holding them until their commit "+
		"would need more than %d bytes, at %s. Commit them in smaller portions while the table is migrated", e.Limit, e.At.DisplayString())
}

// RolledBackError says that a server logged rows, then their rollback, when the rows had been handed over already.
type RolledBackError struct {
	At mysql.BinlogCoordinates
}

func (e *RolledBackError) Error() string {
	return fmt.Sprintf("a large transaction that also wrote to a table without transactions, or to a temporary one, "+
		"was rolled back at %s, after its rows in the binary log had been passed on", e.At.DisplayString())
}

// TornTransactionError says that the log continues differently from what was read of a transaction before: the server
// crashed in its middle, or another server answers now.
type TornTransactionError struct {
	Transaction string
	At          mysql.BinlogCoordinates
}

func (e *TornTransactionError) Error() string {
	return fmt.Sprintf("transaction %s, read in part and passed on, is not as before in the binary log (at %s): "+
		"the server lost it in a crash, or another server answers now", e.Transaction, e.At.DisplayString())
}

// IncidentError says that the server itself reports lost events.
type IncidentError struct {
	Message string
	At      mysql.BinlogCoordinates
}

func (e *IncidentError) Error() string {
	return fmt.Sprintf("the server reports at %s that its binary log lacks changes: %s", e.At.DisplayString(), e.Message)
}

// PositionTooLargeError says that a file has grown beyond what the protocol can name.
type PositionTooLargeError struct {
	At mysql.BinlogCoordinates // the last event within bounds
}

func (e *PositionTooLargeError) Error() string {
	return fmt.Sprintf("the binary log file at %s exceeds 4 GiB, beyond which positions cannot be told: "+
		"read by GTID (flag gtid), or split the transaction that is so large", e.At.DisplayString())
}

// DecodeError says that an event could not be understood. It never quotes row values.
type DecodeError struct {
	Schema, Table string // empty if the event belongs to no table
	Event         string // the event's type
	Reason        string
	At            mysql.BinlogCoordinates
}

func (e *DecodeError) Error() string {
	of := ""
	if e.Table != "" {
		of = fmt.Sprintf(" of %s.%s", e.Schema, e.Table)
	}
	return fmt.Sprintf("binary log event %s%s at %s cannot be read: %s", e.Event, of, e.At.DisplayString(), e.Reason)
}
