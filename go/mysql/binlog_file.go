package mysql

import (
	"fmt"
	"strconv"
	"strings"
)

// FileBinlogCoordinates is a place in one server's binary log files. It has a meaning on that server only.
type FileBinlogCoordinates struct {
	// LogFile is the file's base name, such as binlog.000042.
	LogFile string
	// LogPos is an offset in bytes: the end of the last event that was read, where the next one starts.
	LogPos int64
	// EventSize is the length in bytes of the event that ends at LogPos; zero if not known. It takes no part in
	// comparisons.
	EventSize int64
}

var _ BinlogCoordinates = (*FileBinlogCoordinates)(nil)

// NewFileBinlogCoordinates returns the coordinates of an offset in a file.
func NewFileBinlogCoordinates(logFile string, logPos int64) *FileBinlogCoordinates {
	return &FileBinlogCoordinates{LogFile: logFile, LogPos: logPos}
}

// ParseFileBinlogCoordinates reads "file:position".
func ParseFileBinlogCoordinates(logFileLogPos string) (*FileBinlogCoordinates, error) {
	// A file name may have colons in it, a position may not.
	colon := strings.LastIndexByte(logFileLogPos, ':')
	if colon <= 0 {
		return nil, fmt.Errorf("binary log coordinates %q are not of the form file:position", logFileLogPos)
	}
	position, err := strconv.ParseInt(logFileLogPos[colon+1:], 10, 64)
	if err != nil || position < 0 {
		return nil, fmt.Errorf("binary log coordinates %q: the position after the colon is not a whole number of bytes", logFileLogPos)
	}
	return NewFileBinlogCoordinates(logFileLogPos[:colon], position), nil
}

// String returns file:position.
func (c *FileBinlogCoordinates) String() string {
	return c.LogFile + ":" + strconv.FormatInt(c.LogPos, 10)
}

// DisplayString returns file:position.
func (c *FileBinlogCoordinates) DisplayString() string {
	return c.String()
}

// IsEmpty tells whether no file is named.
func (c *FileBinlogCoordinates) IsEmpty() bool {
	return c == nil || c.LogFile == ""
}

// Equals tells whether file and position are the same.
func (c *FileBinlogCoordinates) Equals(other BinlogCoordinates) bool {
	o, ok := other.(*FileBinlogCoordinates)
	if !ok || c == nil || o == nil {
		return false
	}
	return c.LogFile == o.LogFile && c.LogPos == o.LogPos
}

// SmallerThan orders by file, then position. Files are ordered by their number: binlog.999999 comes before
// binlog.1000000.
func (c *FileBinlogCoordinates) SmallerThan(other BinlogCoordinates) bool {
	o, ok := other.(*FileBinlogCoordinates)
	if !ok || c == nil || o == nil {
		return false
	}
	if order := compareLogFiles(c.LogFile, o.LogFile); order != 0 {
		return order < 0
	}
	return c.LogPos < o.LogPos
}

// SmallerThanOrEquals tells whether this place is the other or comes before it.
func (c *FileBinlogCoordinates) SmallerThanOrEquals(other BinlogCoordinates) bool {
	return c.SmallerThan(other) || c.Equals(other)
}

// Clone returns an independent copy.
func (c *FileBinlogCoordinates) Clone() BinlogCoordinates {
	clone := *c
	return &clone
}

// compareLogFiles orders binary log file names as the server counts them. Names whose base differs (the server was
// renamed, say) have no order in time; they are ordered as text, so that there is one order at least.
func compareLogFiles(a, b string) int {
	baseA, numberA, okA := splitLogFile(a)
	baseB, numberB, okB := splitLogFile(b)
	if !okA || !okB || baseA != baseB {
		return strings.Compare(a, b)
	}
	// Compared as digits: no width is too large.
	if len(numberA) != len(numberB) {
		return len(numberA) - len(numberB)
	}
	return strings.Compare(numberA, numberB)
}

// splitLogFile parts "binlog.000042" into "binlog" and "42".
func splitLogFile(name string) (base, number string, ok bool) {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 || dot == len(name)-1 || strings.Trim(name[dot+1:], "0123456789") != "" {
		return "", "", false
	}
	return name[:dot], strings.TrimLeft(name[dot+1:], "0"), true
}
