package binlog

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"golang.org/x/sync/errgroup"

	"github.com/github/gh-ost/go/mysql"
)

// Stream reads a server's binary log. It is run once.
type Stream struct {
	settings Settings
	log      Logger
	started  atomic.Bool
	place    atomic.Pointer[place] // nil before Run

	mu          sync.Mutex
	handledFile mysql.FileBinlogCoordinates
	handledSet  gomysql.GTIDSet // nil if reading by file
}

// NewStream returns a stream that is not connected yet. log may be nil.
func NewStream(settings Settings, log Logger) *Stream {
	return &Stream{settings: settings.withDefaults(), log: log}
}

// Run reads the log from a place on and gives what it finds to handler, until ctx ends, which is no error, or until the
// stream cannot go on. It reconnects as long as that may help. from is where a transaction ends, a server's current
// position, say; it is a *mysql.FileBinlogCoordinates or, with UseGTID, a *mysql.GTIDBinlogCoordinates.
//
// connected, if not nil, is called once, before the first event, by the goroutine that will call handler: the server has
// begun to send, so nothing that is committed from now on will be missed.
//
// When Run returns, its goroutines have ended and its connection is closed. An error of handler is returned as it is.
func (s *Stream) Run(ctx context.Context, from mysql.BinlogCoordinates, connected func(), handler Handler) error {
	if err := s.settings.validate(from); err != nil {
		return err
	}
	if !s.started.CompareAndSwap(false, true) {
		return errors.New("binary log stream: it has been run before")
	}
	s.startFrom(from)
	at := newPlace(from)
	s.place.Store(at)

	group, groupCtx := errgroup.WithContext(ctx)
	ahead := newQueue(s.settings.ReadAheadEvents, s.settings.ReadAheadBytes)
	r := &reader{settings: s.settings, log: s.log}
	r.sequencer = newSequencer(at, s.settings.MaxXABytes, func(it item) error { return ahead.put(groupCtx, it) })
	group.Go(func() error { return r.run(groupCtx) })
	group.Go(func() error { return s.consume(groupCtx, ahead, connected, handler) })
	err := group.Wait()
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// consume hands over what has been read.
func (s *Stream) consume(ctx context.Context, ahead *queue, connected func(), handler Handler) error {
	for {
		it, err := ahead.take(ctx)
		if err != nil {
			return err
		}
		switch {
		case it.connected:
			if connected != nil {
				connected()
			}
		case it.event != nil:
			err = handler(ctx, it.event)
		case it.progress != nil:
			err = s.advance(it.progress)
		case it.unseenXA != "" && s.settings.OnUnseenXA != nil:
			err = s.settings.OnUnseenXA(it.unseenXA, it.at)
		case it.unseenXA != "":
			err = &UnseenXAError{XID: it.unseenXA, At: it.at}
		}
		ahead.done(it)
		if err != nil {
			return err
		}
	}
}

// Coordinates are those of the last event read, handled or not; nil before Run. Safe for concurrent use. By GTID they
// include the transaction that is being read.
func (s *Stream) Coordinates() mysql.BinlogCoordinates {
	at := s.place.Load()
	if at == nil {
		return nil
	}
	return at.coordinates()
}

// HandledTransaction is the place up to which all transactions have been handled completely: handler has returned from
// every event before it. Who starts another stream there misses nothing; it may see again what follows. It stays behind
// the rows of XA transactions that are prepared and neither committed nor rolled back. nil before Run. Safe for
// concurrent use.
func (s *Stream) HandledTransaction() mysql.BinlogCoordinates {
	if s.place.Load() == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.handledSet != nil {
		return &mysql.GTIDBinlogCoordinates{GTIDSet: s.handledSet.Clone()}
	}
	return s.handledFile.Clone()
}

func (s *Stream) startFrom(from mysql.BinlogCoordinates) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch from := from.(type) {
	case *mysql.FileBinlogCoordinates:
		s.handledFile = *mysql.NewFileBinlogCoordinates(from.LogFile, from.LogPos)
	case *mysql.GTIDBinlogCoordinates:
		s.handledSet = from.GTIDSet.Clone()
	}
}

func (s *Stream) advance(to *progress) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.handledSet == nil {
		s.handledFile = *mysql.NewFileBinlogCoordinates(to.file, to.end)
		return nil
	}
	for _, id := range to.ids {
		if err := id.addTo(s.handledSet); err != nil {
			return err
		}
	}
	return nil
}
