package binlog

import (
	"math"
	"sync"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"

	"github.com/github/gh-ost/go/mysql"
)

// place is where the stream stands: what it has read last, and up to where it has read whole transactions. Written by
// the reading goroutine, read by anybody.
type place struct {
	mu sync.Mutex

	// By file: the end and length of the last event, and the end of the last complete transaction.
	file          string
	end, size     int64
	completedFile string
	completedEnd  int64

	// By GTID: the complete transactions, and the one being read, zero between two. completed is nil if reading by file.
	completed gomysql.GTIDSet
	current   gtid
	snapshot  *mysql.GTIDBinlogCoordinates // of completed and current; nil: to be made when somebody asks
}

// newPlace starts at coordinates that Settings.validate has passed.
func newPlace(from mysql.BinlogCoordinates) *place {
	p := &place{}
	switch from := from.(type) {
	case *mysql.FileBinlogCoordinates:
		p.file, p.end = from.LogFile, max(from.LogPos, firstPosition)
		p.completedFile, p.completedEnd = p.file, p.end
	case *mysql.GTIDBinlogCoordinates:
		p.completed = from.GTIDSet.Clone()
	}
	return p
}

// firstPosition is where a file's first event begins.
const firstPosition = 4

// byGTID tells how coordinates are told. It never changes.
func (p *place) byGTID() bool {
	return p.completed != nil
}

// coordinates are those of the last event read.
func (p *place) coordinates() mysql.BinlogCoordinates {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.byGTID() {
		return &mysql.FileBinlogCoordinates{LogFile: p.file, LogPos: p.end, EventSize: p.size}
	}
	if p.snapshot == nil {
		set := p.completed.Clone()
		if !p.current.isZero() {
			_ = p.current.addTo(set) // begin has checked that it fits
		}
		p.snapshot = &mysql.GTIDBinlogCoordinates{GTIDSet: set}
	}
	return p.snapshot
}

// completedCoordinates are the end of the last completely read transaction: from there reading can go on.
func (p *place) completedCoordinates() mysql.BinlogCoordinates {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.byGTID() {
		return mysql.NewFileBinlogCoordinates(p.completedFile, p.completedEnd)
	}
	return &mysql.GTIDBinlogCoordinates{GTIDSet: p.completed.Clone()}
}

// read notes an event. end is zero if the server does not tell it. False: the file has grown beyond 4 GiB, where the
// ends of events, in 32 bits, begin anew.
func (p *place) read(end uint32, size uint32) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if end == 0 || p.byGTID() {
		return true
	}
	// Some servers leave ends out and the library sums up lengths instead: an end may be a little off.
	if p.end-int64(end) > math.MaxUint32/2 || p.end+int64(size) > math.MaxUint32 {
		return false
	}
	p.end, p.size = int64(end), int64(size)
	return true
}

// rotate notes that the following events are in a file, from an offset on.
func (p *place) rotate(file string, offset int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.file, p.end, p.size = file, offset, 0
	p.completedFile, p.completedEnd = file, offset
}

// begin notes that a transaction begins.
func (p *place) begin(id gtid) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.byGTID() || id.isZero() {
		return nil
	}
	p.current, p.snapshot = id, nil
	_, isMySQL := p.completed.(*gomysql.MysqlGTIDSet)
	if isMySQL == (id.mariadb != nil) {
		return id.addTo(p.completed) // says what does not fit
	}
	return nil
}

// lastOf is the last transaction read of the domain that id belongs to; nil on MySQL, and if there is none.
func (p *place) lastOf(id gtid) *gomysql.MariadbGTID {
	p.mu.Lock()
	defer p.mu.Unlock()
	if set, ok := p.completed.(*gomysql.MariadbGTIDSet); ok && id.mariadb != nil {
		return set.Sets[id.mariadb.DomainID]
	}
	return nil
}

// complete notes that the transaction has been read to its end.
func (p *place) complete() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.completedFile, p.completedEnd = p.file, p.end
	if !p.byGTID() || p.current.isZero() {
		return nil
	}
	err := p.current.addTo(p.completed)
	p.current = gtid{} // the snapshot, if there is one, holds the transaction already
	return err
}

// abandon forgets what was read of a transaction that was not read to its end.
func (p *place) abandon() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.file, p.end, p.size = p.completedFile, p.completedEnd, 0
	p.current, p.snapshot = gtid{}, nil
}
