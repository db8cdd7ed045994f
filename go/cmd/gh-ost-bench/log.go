package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"
)

// mark is a line of the log that tells how far a migration is.
type mark int

const (
	markCopying    mark = iota // rows are about to be copied
	markCopied                 // all rows are copied
	markPreparing              // a cut-over attempt begins; nothing is locked
	markLocking                // the table is about to be locked
	markLocked                 // it is locked
	markTimedOut               // the events up to the lock did not arrive in time
	markUnlocked               // the lock is released
	markRenamed                // the tables are swapped
	markCutOverEnd             // the attempt has succeeded
)

// The phrases that every gh-ost compatible program logs, as people's scripts look for them.
var marks = []struct {
	mark    mark
	pattern *regexp.Regexp
}{
	{markCopying, regexp.MustCompile(`INFO Migration max values:`)},
	{markCopied, regexp.MustCompile(`INFO Row copy complete`)},
	{markPreparing, regexp.MustCompile(`INFO Grabbing voluntary lock:`)},
	{markLocking, regexp.MustCompile("INFO Locking `")},
	{markLocked, regexp.MustCompile(`INFO Tables locked`)},
	{markTimedOut, regexp.MustCompile(`ERROR .*timeout while waiting for events up to lock`)},
	{markUnlocked, regexp.MustCompile(`INFO Tables unlocked`)},
	{markRenamed, regexp.MustCompile(`INFO Tables renamed`)},
	{markCutOverEnd, regexp.MustCompile(`INFO Lock & rename duration`)},
}

// sighting is a mark that was seen.
type sighting struct {
	mark mark
	at   time.Time // when its line reached us
}

// watchedLog takes a program's log, keeps it in a file and notes the marks in it.
type watchedLog struct {
	file io.Writer

	mutex   sync.Mutex
	rest    []byte
	seen    []sighting
	last    []string      // the last lines
	changed chan struct{} // closed and replaced when a mark is seen, closed for good when the log ends
	ended   bool
}

// tailLines is how many lines of a log are shown after a failure.
const tailLines = 12

func newWatchedLog(file io.Writer) *watchedLog {
	return &watchedLog{file: file, changed: make(chan struct{})}
}

func (l *watchedLog) Write(data []byte) (int, error) {
	now := time.Now()
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.rest = append(l.rest, data...)
	for {
		end := bytes.IndexByte(l.rest, '\n')
		if end < 0 {
			break
		}
		l.see(string(l.rest[:end]), now)
		l.rest = l.rest[end+1:]
	}
	return l.file.Write(data)
}

func (l *watchedLog) see(line string, now time.Time) {
	l.last = append(l.last, line)
	l.last = l.last[max(0, len(l.last)-tailLines):]
	for _, candidate := range marks {
		if candidate.pattern.MatchString(line) {
			l.seen = append(l.seen, sighting{candidate.mark, now})
			close(l.changed)
			l.changed = make(chan struct{})
			return
		}
	}
}

// end tells those who wait that nothing more will come.
func (l *watchedLog) end() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.ended = true
	close(l.changed)
	l.changed = make(chan struct{})
}

var errLogEnded = errors.New("the program ended before it")

// await returns when one of the marks is seen.
func (l *watchedLog) await(ctx context.Context, wanted ...mark) (time.Time, error) {
	for {
		l.mutex.Lock()
		changed, ended := l.changed, l.ended
		at, found := first(l.seen, wanted)
		l.mutex.Unlock()
		if found {
			return at, nil
		}
		if ended {
			return time.Time{}, fmt.Errorf("waiting for the log line %q: %w:\n%s", marks[wanted[0]].pattern, errLogEnded, l.tail())
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return time.Time{}, fmt.Errorf("waiting for the log line %q: %w", marks[wanted[0]].pattern, context.Cause(ctx))
		}
	}
}

func first(seen []sighting, wanted []mark) (time.Time, bool) {
	for _, s := range seen {
		for _, m := range wanted {
			if s.mark == m {
				return s.at, true
			}
		}
	}
	return time.Time{}, false
}

func (l *watchedLog) sightings() []sighting {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return append([]sighting(nil), l.seen...)
}

func (l *watchedLog) tail() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return strings.Join(l.last, "\n")
}

// attempt is one cut-over attempt as the log tells it.
type attempt struct {
	from, to time.Time // to is the last sign of it; at least from
	timedOut bool      // the events did not arrive in time
	swapped  bool
}

// attempts reads the attempts out of the marks.
func attempts(seen []sighting) []attempt {
	var found []attempt
	for _, s := range seen {
		if s.mark == markLocking {
			found = append(found, attempt{from: s.at, to: s.at})
			continue
		}
		if len(found) == 0 {
			continue
		}
		last := &found[len(found)-1]
		switch s.mark {
		case markTimedOut:
			last.timedOut = true
			last.to = s.at
		case markUnlocked, markCutOverEnd:
			last.to = s.at
		case markRenamed:
			last.swapped = true
			last.to = s.at
		}
	}
	return found
}
