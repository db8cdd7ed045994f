package mysql

import (
	"context"
	gosql "database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"io"
	"net"
	"syscall"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	driver "github.com/go-sql-driver/mysql"
)

// Server error numbers that code decides on. MySQL and MariaDB agree on those below 1900; above, each counts for itself.
const (
	errAccessDeniedDatabase = 1044
	errAccessDenied         = 1045
	errTableExists          = 1050
	errDuplicateEntry       = 1062
	errNoSuchThread         = 1094
	errNoSuchTable          = 1146
	errNoSuchRoutine        = 1305
	errNoSuchFunction       = 1630
	errPacketTooLarge       = 1153
	errLockWaitTimeout      = 1205
	errDeadlock             = 1213
	errQueryInterrupted     = 1317
	errStatementTimeout     = 1969 // MariaDB: max_statement_time
	errQueryTimeout         = 3024 // MySQL: max_execution_time
)

// An ErrorClass says what to do about an error.
type ErrorClass uint8

const (
	// UnknownError: not listed here, or not a server's error. Whether trying again makes sense is the caller's guess.
	UnknownError ErrorClass = iota
	// TransientError: the same statement may well succeed in a moment.
	TransientError
	// ConnectionError: the connection is gone; what it was doing may or may not have happened.
	ConnectionError
	// DataError: a value does not fit its target. The same statement fails for ever.
	DataError
	// AccessError: the account lacks a right, or the server is read-only.
	AccessError
	// SchemaError: a table or column is not (or no longer) what the statement takes it for, or the server does not
	// know its syntax.
	SchemaError
)

var numbersByClass = map[ErrorClass][]uint16{
	TransientError: {
		1020,       // record changed since last read (MariaDB, snapshot isolation)
		1021, 1114, // disk or table full: somebody may make room
		1040, 1203, 1226, // too many connections, of all, of the account, by resource limit
		1047, // cluster node not ready
		errLockWaitTimeout, 1206, errDeadlock,
		errQueryInterrupted, errStatementTimeout, errQueryTimeout,
		1412, // table definition has changed, retry the transaction
		1614, // transaction branch was rolled back: deadlock was detected
		1615, // prepared statement needs to be prepared again
		1637, // too many active concurrent transactions
		3101, // rolled back by the group or the cluster's certification
		3572, // NOWAIT met a lock
	},
	ConnectionError: {
		1053,       // server shutdown in progress
		1077, 1079, // normal shutdown, shutdown by signal
		1080,       // forcing close of thread
		1152, 1184, // aborted connection
		1156, 1157, 1158, 1159, 1160, 1161, // packets out of order, network read and write errors and time-outs
		1927,       // MariaDB: connection was killed
		2006, 2013, // client's numbers, passed on by proxies: gone away, lost during query
		3169, // MySQL: session was killed
		4031, // MySQL: disconnected because of inactivity
	},
	DataError: {
		1048, errDuplicateEntry, 1138, errPacketTooLarge, 1216, 1217, 1264, 1265, 1292, 1300, 1301, 1364, 1365, 1366, 1367, 1406,
		1411, 1416, 1451, 1452, 1526, 1586, 1690, 1748,
		1906, 3105, // a value for a generated column (MariaDB, MySQL)
		3140, 3141, 3144, 3156, 3157, // JSON text, value, character set, cast, depth
		3819, 4025, // check constraint (MySQL, MariaDB)
		3854, 3988, // character without counterpart in the target's character set
		3643, // another spatial reference system (MySQL)
	},
	AccessError: {
		errAccessDeniedDatabase, errAccessDenied, 1142, 1143, 1227, 1290, 1370, 1698, 1792, 1820, 1836, 1862, 3118, 3530,
	},
	SchemaError: {
		1049, errTableExists, 1051, 1054, 1060, 1061, 1064, 1072, 1091, 1109, 1136, errNoSuchTable, 1168, 1176, 1932,
	},
}

var classes = classByNumber(numbersByClass)

func classByNumber(numbers map[ErrorClass][]uint16) map[uint16]ErrorClass {
	byNumber := map[uint16]ErrorClass{}
	for class, list := range numbers {
		for _, number := range list {
			byNumber[number] = class
		}
	}
	return byNumber
}

// ErrorNumber returns the number that the server gave the error, from a SQL or a binlog connection; zero if it does not
// come from a server.
func ErrorNumber(err error) uint16 {
	if sqlError, ok := errors.AsType[*driver.MySQLError](err); ok {
		return sqlError.Number
	}
	if binlogError, ok := errors.AsType[*gomysql.MyError](err); ok {
		return binlogError.Code
	}
	return 0
}

// Classify tells what to do about an error. Nil, and the end of a context, are UnknownError.
func Classify(err error) ErrorClass {
	if number := ErrorNumber(err); number != 0 {
		return classes[number]
	}
	if _, warned := errors.AsType[*WarningsError](err); warned {
		return DataError
	}
	if _, isLimit := errors.AsType[*LimitError](err); isLimit || isBrokenConnection(err) {
		return ConnectionError
	}
	if errors.Is(err, driver.ErrPktTooLarge) { // the driver's own check of max_allowed_packet
		return DataError
	}
	return UnknownError
}

// IsPacketTooLarge tells whether a statement was longer than the server's max_allowed_packet.
func IsPacketTooLarge(err error) bool {
	return errors.Is(err, driver.ErrPktTooLarge) || ErrorNumber(err) == errPacketTooLarge
}

// IsConnectionLost tells whether the connection on which the error occurred is gone: broken, closed by the server,
// killed, or given up by a Session whose limit passed. It is false when the caller's own context ended the statement,
// although the driver then closes the connection too.
func IsConnectionLost(err error) bool { return Classify(err) == ConnectionError }

func isBrokenConnection(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	for _, broken := range []error{
		driver.ErrInvalidConn, sqldriver.ErrBadConn, gomysql.ErrBadConn, gosql.ErrConnDone, net.ErrClosed,
		io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.ECONNREFUSED, syscall.EPIPE,
	} {
		if errors.Is(err, broken) {
			return true
		}
	}
	_, isNetwork := errors.AsType[*net.OpError](err)
	return isNetwork
}

// IsRetryable tells whether the work is worth trying again, if need be on a new connection. After a lost connection the
// first try may have taken effect, so the work must be repeatable.
func IsRetryable(err error) bool {
	class := Classify(err)
	return class == TransientError || class == ConnectionError
}

// IsPermanent tells whether trying again is known to be of no use.
func IsPermanent(err error) bool {
	class := Classify(err)
	return class == DataError || class == AccessError || class == SchemaError
}

// IsDataError tells whether a value does not fit its target column, key, partition or check.
func IsDataError(err error) bool { return Classify(err) == DataError }

// IsAccessDenied tells whether the account may not do this, or the server is read-only.
func IsAccessDenied(err error) bool { return Classify(err) == AccessError }

// IsLockWaitTimeout tells whether a lock, of rows or of a table, was not got in time.
func IsLockWaitTimeout(err error) bool { return ErrorNumber(err) == errLockWaitTimeout }

// IsDeadlock tells whether the transaction was rolled back as a deadlock's victim.
func IsDeadlock(err error) bool { return ErrorNumber(err) == errDeadlock }

// IsInterrupted tells whether the statement was ended by KILL QUERY or a statement time-out; its session lives.
func IsInterrupted(err error) bool {
	switch ErrorNumber(err) {
	case errQueryInterrupted, errStatementTimeout, errQueryTimeout:
		return true
	default:
		return false
	}
}

// IsDuplicateEntry tells whether a unique key refused a row.
func IsDuplicateEntry(err error) bool { return ErrorNumber(err) == errDuplicateEntry }

// IsTableExists tells whether a table is there already.
func IsTableExists(err error) bool { return ErrorNumber(err) == errTableExists }

// IsNoSuchTable tells whether a table is not there.
func IsNoSuchTable(err error) bool { return ErrorNumber(err) == errNoSuchTable }

// IsUnknownFunction tells whether there is no stored function of the name.
func IsUnknownFunction(err error) bool {
	number := ErrorNumber(err)
	return number == errNoSuchRoutine || number == errNoSuchFunction
}

// IsNoSuchThread tells whether KILL found no session of that id.
func IsNoSuchThread(err error) bool { return ErrorNumber(err) == errNoSuchThread }
