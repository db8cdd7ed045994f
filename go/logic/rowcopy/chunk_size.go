package rowcopy

import (
	"sync"
	"time"
)

const (
	// largestChunk bounds an adapted chunk, in rows; larger ones brought nothing in measurements.
	largestChunk = 20_000

	// growth bounds how much larger the next chunk may be than the last: one that was quick by chance (its rows were in
	// the ghost already) must not be followed by one that holds its locks for long.
	growth = 2
)

// chunkSizer adapts the number of rows in a chunk to the time that chunks take, beginning at the operator's chunk size.
// With a target of 0 the operator's size counts as it is. It is safe for concurrent use.
type chunkSizer struct {
	configured func() int64
	target     func() time.Duration

	mutex   sync.Mutex
	started int64 // the operator's size that adapted began at; another one begins anew
	adapted float64
}

// rows is the size of the next chunk.
func (s *chunkSizer) rows() int64 {
	configured := s.configured()
	if s.target() <= 0 {
		return configured
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.started != configured {
		s.started, s.adapted = configured, float64(configured)
	}
	return max(1, int64(s.adapted))
}

// contended takes in that a chunk met rows which clients kept locked: smaller chunks meet fewer, and hold fewer.
func (s *chunkSizer) contended() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.adapted = max(s.adapted/2, fewRows)
}

// observe takes in how long a chunk of that many rows took.
func (s *chunkSizer) observe(rows int64, took time.Duration) {
	target := s.target()
	if target <= 0 || rows <= 0 || took <= 0 {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	fitting := float64(rows) * float64(target) / float64(took)
	fitting = min(fitting, growth*float64(rows), largestChunk)
	s.adapted = max(s.adapted+(fitting-s.adapted)/2, 1) // half way, so that one slow chunk does not decide
}
