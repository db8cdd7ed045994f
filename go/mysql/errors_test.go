package mysql

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	driver "github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
)

func serverError(number uint16) error {
	return fmt.Errorf("copying a chunk: %w", &driver.MySQLError{Number: number, Message: "as the server puts it"})
}

func TestErrorsAreClassedByNumber(t *testing.T) {
	for class, numbers := range map[ErrorClass][]uint16{
		TransientError:  {1205, 1213, 1317, 1040, 3024, 1969},
		ConnectionError: {1053, 2006, 2013, 1927, 4031},
		DataError:       {1048, 1062, 1264, 1265, 1366, 1406, 1526, 3819, 4025},
		AccessError:     {1044, 1045, 1142, 1227, 1290},
		SchemaError:     {1050, 1054, 1064, 1146},
		UnknownError:    {1105, 60000},
	} {
		for _, number := range numbers {
			err := serverError(number)
			assert.Equal(t, class, Classify(err), number)
			assert.Equal(t, class == TransientError || class == ConnectionError, IsRetryable(err), number)
			assert.Equal(t, class == DataError || class == AccessError || class == SchemaError, IsPermanent(err), number)
			assert.Equal(t, class == ConnectionError, IsConnectionLost(err), number)
		}
	}
}

func TestNoNumberHasTwoClasses(t *testing.T) {
	listed := 0
	for _, numbers := range numbersByClass {
		listed += len(numbers)
	}
	assert.Len(t, classes, listed)
	assert.NotContains(t, numbersByClass, UnknownError)
	assert.NotContains(t, classes, uint16(0))
}

func TestBrokenConnectionsAreKnownWithoutANumber(t *testing.T) {
	for _, err := range []error{
		driver.ErrInvalidConn, sqldriver.ErrBadConn, gomysql.ErrBadConn, io.EOF, io.ErrUnexpectedEOF,
		&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, &net.OpError{Op: "read", Err: syscall.ECONNRESET}, syscall.EPIPE,
		&LimitError{ConnectionID: 7},
	} {
		assert.True(t, IsConnectionLost(fmt.Errorf("applying: %w", err)), err)
		assert.True(t, IsRetryable(errors.Join(err, errors.New("something else"))), err)
	}
}

func TestTheEndOfAContextIsNotABrokenConnection(t *testing.T) {
	for _, err := range []error{nil, context.Canceled, fmt.Errorf("copying: %w", context.DeadlineExceeded), errors.New("other")} {
		assert.Equal(t, UnknownError, Classify(err), err)
		assert.False(t, IsRetryable(err) || IsPermanent(err) || IsConnectionLost(err), err)
	}
}

func TestErrorsOfTheBinlogConnectionCountToo(t *testing.T) {
	err := fmt.Errorf("streaming: %w", &gomysql.MyError{Code: 1045})
	assert.True(t, IsAccessDenied(err))
	assert.EqualValues(t, 1045, ErrorNumber(err))
	assert.Zero(t, ErrorNumber(io.EOF))
}

func TestSingleErrorsAreRecognised(t *testing.T) {
	for number, is := range map[uint16]func(error) bool{
		1205: IsLockWaitTimeout, 1213: IsDeadlock, 1317: IsInterrupted, 1969: IsInterrupted, 3024: IsInterrupted, 1062: IsDuplicateEntry,
		1050: IsTableExists, 1146: IsNoSuchTable, 1094: IsNoSuchThread, 1142: IsAccessDenied, 1048: IsDataError,
	} {
		assert.True(t, is(serverError(number)), number)
		assert.False(t, is(serverError(1105)), number)
		assert.False(t, is(nil), number)
	}
	assert.True(t, IsDataError(driver.ErrPktTooLarge))
}
