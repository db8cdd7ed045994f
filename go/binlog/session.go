package binlog

import (
	"context"
	"fmt"

	"github.com/go-mysql-org/go-mysql/client"
	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"

	"github.com/github/gh-ost/go/mysql"
)

// session is one connection that reads the log. The library registers it as a replica and hands over events as they
// stand in the log; decoding and order are ours.
type session struct {
	settings  Settings
	log       Logger
	decoder   *decoder
	sequencer *sequencer
	dialer    *dialer

	refused error // why an event was not taken; set and read by the library's goroutine, read after it has ended
}

// run connects and reads until the connection is lost, an event is refused, or ctx ends. The error is of one of these
// kinds: fatal says that another connection would end the same way.
func (s *session) run(ctx context.Context) (err error, fatal bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.dialer = newDialer(ctx)
	syncer := replication.NewBinlogSyncer(s.config())

	stream, err := s.start(syncer)
	if err == nil {
		// All events go to HandleEvent; what comes here is the end.
		_, err = stream.GetEvent(ctx)
	}
	s.dialer.close()
	syncer.Close() // waits for its goroutine

	if s.refused != nil {
		return s.refused, !isRetryable(s.refused)
	}
	if cause := s.dialer.cause(); cause != nil && serverError(err) == nil {
		err = cause
	}
	return err, false
}

func (s *session) config() replication.BinlogSyncerConfig {
	connection := s.settings.Connection
	return replication.BinlogSyncerConfig{
		ServerID:                s.settings.ServerID,
		Flavor:                  s.settings.Flavor,
		Host:                    connection.Key.Hostname,
		Port:                    uint16(connection.Key.Port),
		User:                    connection.User,
		Password:                connection.Password,
		TLSConfig:               connection.TLSConfig(),
		Logger:                  libraryLog(s.log),
		Dialer:                  s.dialer.dial,
		HeartbeatPeriod:         s.settings.heartbeat,
		DisableRetrySync:        true,
		RawModeEnabled:          true, // we decode
		DiscardGTIDSet:          true,
		EventCacheCount:         1, // unused
		SynchronousEventHandler: s,
		Option:                  s.prepare,
		// MariaDB 11.4 leaves positions out, which the library then sums up. It asks for the statements' texts as well,
		// since without them the sum would be wrong.
		FillZeroLogPos: s.settings.Flavor == mysql.MariaDBFlavor && !s.settings.UseGTID,
	}
}

// start asks for the log from the last completely read transaction on.
func (s *session) start(syncer *replication.BinlogSyncer) (*replication.BinlogStreamer, error) {
	switch from := s.sequencer.from().(type) {
	case *mysql.FileBinlogCoordinates:
		return syncer.StartSync(gomysql.Position{Name: from.LogFile, Pos: uint32(from.LogPos)})
	case *mysql.GTIDBinlogCoordinates:
		if s.settings.Flavor == mysql.MariaDBFlavor {
			// The set is told by a session variable, see prepare. The library would do the same, and then count
			// transactions in a way that writes warnings to stderr.
			return syncer.StartSync(gomysql.Position{})
		}
		return syncer.StartSyncGTID(from.GTIDSet)
	default:
		return nil, fmt.Errorf("cannot start from %T", from)
	}
}

// prepare sets up the connection before it registers as a replica.
func (s *session) prepare(conn *client.Conn) error {
	// While the handler is busy we do not read, and the server must not take that for a dead connection.
	_, err := conn.Execute(fmt.Sprintf("SET /* gh-ost */ SESSION net_write_timeout = %d", int(serverWriteTimeout.Seconds())))
	if err != nil && s.log != nil {
		s.log.Infof("net_write_timeout of the binary log connection cannot be set: %v; the server may drop it while writing is throttled", err)
	}
	if s.settings.Flavor != mysql.MariaDBFlavor || !s.settings.UseGTID {
		return nil
	}
	from := s.sequencer.from()
	_, err = conn.Execute(fmt.Sprintf("SET /* gh-ost */ @slave_connect_state = '%s', @slave_gtid_strict_mode = 1", from))
	if err != nil {
		return fmt.Errorf("setting the GTID position to start from: %w", err)
	}
	return nil
}

// HandleEvent takes an event from the library, and makes it wait while the read-ahead is full.
func (s *session) HandleEvent(event *replication.BinlogEvent) error {
	switch event.Header.EventType {
	case replication.FORMAT_DESCRIPTION_EVENT:
		s.dialer.flowing(s.settings.silence)
	case replication.ROTATE_EVENT, replication.HEARTBEAT_EVENT, replication.HEARTBEAT_LOG_EVENT_V2:
	default:
		if !s.sequencer.place.read(event.Header.LogPos, event.Header.EventSize) {
			s.refused = &PositionTooLargeError{At: s.sequencer.place.coordinates()}
			return s.refused
		}
	}
	if isPartOfTransaction(event.Header.EventType) {
		s.sequencer.trace.add(event.RawData, s.settings.UseGTID)
		if s.sequencer.proof != nil {
			s.refused = s.sequencer.prove()
			return s.refused
		}
	}
	s.refused = s.decoder.decode(event.RawData, s.sequencer.take)
	return s.refused
}
