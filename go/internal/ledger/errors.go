package ledger

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"

	"github.com/go-sql-driver/mysql"
)

// numbers of server errors that the ledger decides on
const (
	errServerShutdown    = 1053
	errNoSuchTable       = 1146
	errLockWaitTimeout   = 1205
	errDeadlock          = 1213
	errQueryInterrupted  = 1317
	errConnectionKilled  = 1927 // MariaDB
	errStatementTimeout  = 1969 // MariaDB
	errQueryTimeout      = 3024
	errClientInteraction = 4031 // MySQL closes a session that was idle for too long
)

// isLost says whether the connection has gone, whoever closed it.
func isLost(err error) bool {
	switch serverError(err) {
	case errServerShutdown, errConnectionKilled, errClientInteraction:
		return true
	}
	var network net.Error
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, sql.ErrConnDone) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, context.DeadlineExceeded) || errors.As(err, &network)
}

// isRefusal says whether the server itself said that the statement was not done. A statement that was interrupted is
// none: it may have been past the point of no return.
func isRefusal(err error) bool {
	switch serverError(err) {
	case 0, errServerShutdown, errConnectionKilled, errClientInteraction, errQueryInterrupted, errStatementTimeout, errQueryTimeout:
		return false
	}
	return true
}

// serverError returns the number of the error that the server answered, or 0.
func serverError(err error) uint16 {
	var answered *mysql.MySQLError
	if errors.As(err, &answered) {
		return answered.Number
	}
	return 0
}
