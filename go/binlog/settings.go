package binlog

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/github/gh-ost/go/mysql"
)

const (
	defaultReadAheadBytes  = 16 << 20
	defaultReadAheadEvents = 8192
	defaultMaxXABytes      = 128 << 20

	// heartbeatPeriod is how often an idle server says that it lives; silenceTimeout is how long it may say nothing once
	// the stream flows. Before that it may need longer: by GTID it has to search its files for the place to start.
	heartbeatPeriod = 3 * time.Second
	silenceTimeout  = 10 * time.Second
	startTimeout    = 60 * time.Second
	dialTimeout     = 10 * time.Second
	writeTimeout    = 10 * time.Second

	// serverWriteTimeout is how long the server waits for us while we do not read because the handler is busy.
	serverWriteTimeout = 24 * time.Hour

	// initialAttempts bounds attempts before there ever was a connection, if MaxReconnectAttempts does not: a server that
	// has never answered is more likely a mistake than a restart.
	initialAttempts = 5
)

// Logger is what the stream tells of itself, for debugging and of reconnects. base.Logger is one.
type Logger interface {
	Debugf(format string, args ...interface{})
	Infof(format string, args ...interface{})
}

// Settings say which server to read, and what of it.
type Settings struct {
	// Connection is the server and account. The account needs REPLICATION SLAVE.
	Connection *mysql.ConnectionConfig
	// ServerID registers the stream with the server. Not zero; no other replica may have it.
	ServerID uint32
	// Flavor is mysql.MySQLFlavor or mysql.MariaDBFlavor.
	Flavor string
	// UseGTID reads by GTID set instead of by file and position.
	UseGTID bool
	// MaxReconnectAttempts bounds successive attempts to reconnect that bring nothing new. 0 or less: no bound.
	MaxReconnectAttempts int

	// Follow tells whether rows of a table are wanted. It is asked by the reading goroutine for every statement's tables,
	// ahead of the handler: it must be quick, must not block, and should know its tables before Run. Names are as the
	// server logs them.
	Follow func(schema, table string) bool
	// OnReconnect, if not nil, is told of each lost connection before the stream waits and reconnects; at is the last
	// completely read transaction. Called by the reading goroutine.
	OnReconnect func(err error, at mysql.BinlogCoordinates)
	// OnUnseenXA, if not nil, decides about the commit of an XA transaction that was prepared before the stream began, so
	// that its rows were not seen. That is harmless while nothing has been copied yet. It is called in the order of the
	// log, by the handler's goroutine; an error ends the stream. If nil, the stream ends with *UnseenXAError.
	OnUnseenXA func(xid string, at mysql.BinlogCoordinates) error

	// ReadAheadBytes bounds the memory of events that are read and not yet handled, estimated from their length and number
	// of values. 0: 16 MiB. A single larger event is let through by itself.
	ReadAheadBytes int64
	// ReadAheadEvents bounds their number. 0: 8192.
	ReadAheadEvents int
	// MaxXABytes bounds the memory of rows of prepared XA transactions that wait for their commit. 0: 128 MiB.
	MaxXABytes int64

	// Shortened by tests; 0: heartbeatPeriod and silenceTimeout.
	heartbeat, silence time.Duration
}

func (s Settings) withDefaults() Settings {
	if s.ReadAheadBytes <= 0 {
		s.ReadAheadBytes = defaultReadAheadBytes
	}
	if s.ReadAheadEvents <= 0 {
		s.ReadAheadEvents = defaultReadAheadEvents
	}
	if s.MaxXABytes <= 0 {
		s.MaxXABytes = defaultMaxXABytes
	}
	if s.heartbeat <= 0 {
		s.heartbeat = heartbeatPeriod
	}
	if s.silence <= 0 {
		s.silence = silenceTimeout
	}
	return s
}

func (s Settings) validate(from mysql.BinlogCoordinates) error {
	switch {
	case s.Connection == nil:
		return errors.New("binary log stream: no connection is configured")
	case !s.Connection.Key.IsValid():
		return fmt.Errorf("binary log stream: %q is not a server's host and port", s.Connection.Key.DisplayString())
	case s.ServerID == 0:
		return errors.New("binary log stream: server id 0 cannot register as a replica (flag replica-server-id)")
	case s.Flavor != mysql.MySQLFlavor && s.Flavor != mysql.MariaDBFlavor:
		return fmt.Errorf("binary log stream: server flavor %q is not known", s.Flavor)
	case s.Follow == nil:
		return errors.New("binary log stream: nothing says which tables to follow")
	}
	switch at := from.(type) {
	case *mysql.FileBinlogCoordinates:
		if s.UseGTID {
			return fmt.Errorf("binary log stream: asked to read by GTID, but %s is a file position", at.DisplayString())
		}
		if at.IsEmpty() {
			return errors.New("binary log stream: no file and position to start from")
		}
		if at.LogPos > math.MaxUint32 {
			return &PositionTooLargeError{At: at.Clone()}
		}
	case *mysql.GTIDBinlogCoordinates:
		if !s.UseGTID {
			return errors.New("binary log stream: asked to read by file position, but a GTID set was given")
		}
		if at == nil || at.GTIDSet == nil {
			return errors.New("binary log stream: no GTID set to start from")
		}
	default:
		return fmt.Errorf("binary log stream: cannot start from coordinates of type %T", from)
	}
	return nil
}
