package hooks

import (
	"bytes"
	"io"
	"sync"
)

// longestLine is how many bytes without a newline are held back, before they are passed on all the same.
const longestLine = 64 << 10

// lineWriter passes on what it is given in whole lines, each in one Write. It serves one goroutine.
//
// The writer behind it may fail (a closed terminal, a full disk). The hook must not hang or die of that: the rest of its output is then
// discarded, and Flush returns the error.
type lineWriter struct {
	writer io.Writer
	held   []byte // the beginning of a line; less than longestLine bytes
	err    error  // the first error of writer
}

func newLineWriter(writer io.Writer) *lineWriter { return &lineWriter{writer: writer} }

// Write never fails.
func (w *lineWriter) Write(data []byte) (int, error) {
	w.held = append(w.held, data...)
	if end := bytes.LastIndexByte(w.held, '\n') + 1; end > 0 {
		w.pass(w.held[:end])
		w.held = append(w.held[:0], w.held[end:]...)
	}
	if len(w.held) >= longestLine {
		w.pass(w.held)
		w.held = w.held[:0]
	}
	return len(data), nil
}

// Flush passes on what is left of the last line, closing it with a newline, and returns the first error of the writer.
func (w *lineWriter) Flush() error {
	if len(w.held) > 0 {
		w.pass(append(w.held, '\n'))
		w.held = nil
	}
	return w.err
}

func (w *lineWriter) pass(lines []byte) {
	if w.err == nil {
		_, w.err = w.writer.Write(lines)
	}
}

// lockedWriter lets one goroutine write at a time.
type lockedWriter struct {
	mutex  *sync.Mutex
	writer io.Writer
}

func (w *lockedWriter) Write(data []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.writer.Write(data)
}
