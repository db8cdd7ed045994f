package server

import (
	"context"
	"io"
)

// Controls is what an operator can see and change of a running migration. All methods are safe for concurrent use, and take
// effect before they return. Values arrive within the bounds that the command table states.
type Controls interface {
	// WriteStatus writes the hint block and the status line; WriteStatusLine the line, with the hints only when a tick would
	// show them. Both do with the text whatever the migration does with each status that it prints.
	WriteStatus(ctx context.Context, w io.Writer) error
	WriteStatusLine(ctx context.Context, w io.Writer) error

	Table() string               // name of the original, without its schema
	Coordinates() string         // the newest position read from the stream
	ApplierIdentity() Identity   // as the server itself reports it
	InspectorIdentity() Identity // the same
	RequiresNamedCutOver() bool  // unpostpone must name the table
	RequiresNamedPanic() bool    // panic must name the table

	ChunkSize() int64
	SetChunkSize(rows int64)
	DMLBatchSize() int64
	SetDMLBatchSize(events int64)
	MaxLagMillis() int64
	SetMaxLagMillis(millis int64)
	NiceRatio() float64
	SetNiceRatio(ratio float64)

	MaxLoad() string // as a=1,b=2, sorted by name
	SetMaxLoad(list string) error
	CriticalLoad() string // the same
	SetCriticalLoad(list string) error
	ThrottleQuery() string
	SetThrottleQuery(query string)
	ThrottleHTTP() string
	SetThrottleHTTP(url string)
	ControlReplicas() string // as host:port,host:port
	SetControlReplicas(list string) error
	ThrottleByUser(throttle bool)

	// PostponeCutOver creates the flag file if it is absent and makes it the one that postpones the cut-over; the file used
	// before is left alone.
	PostponeCutOver(flagFile string) error

	// Unpostpone lets a postponed cut-over go on. It returns false, and does nothing, if the cut-over is not being postponed.
	Unpostpone() bool

	// Panic ends the migration at once, without cleaning up. Further calls have no effect.
	Panic(reason error)
}

// CutOverReporter is implemented by Controls of migrations that keep a report of each cut-over attempt. Without it the command
// cut-over-report does not exist.
type CutOverReporter interface {
	CutOverReport() string // of the latest attempt; "" before the first
}

// Identity names a server.
type Identity struct {
	Host    string // host:port
	Version string
}

// Logger is what the server logs to.
type Logger interface {
	Infof(format string, args ...interface{})
	Warningf(format string, args ...interface{}) error
	Errorf(format string, args ...interface{}) error
}
