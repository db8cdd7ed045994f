package status

import (
	"fmt"
	"strings"
	"time"
)

// FlagFile is a file whose existence means something. An empty path means that none is configured.
type FlagFile struct {
	Path   string
	Exists bool // now
}

// Hints is what the hint block above the status line tells: who migrates what where, and the settings in force.
type Hints struct {
	Original, Ghost string // qualified and quoted, as in `db`.`table`

	Applier, Inspector string // host:port
	ExecutingHost      string
	Started            time.Time

	ChunkSize     int64
	MaxLag        time.Duration
	DMLBatchSize  int64
	MaxLoad       string // as a=1,b=2
	CriticalLoad  string // the same
	NiceRatio     float64
	ThrottleQuery string

	ThrottleFlagFile           FlagFile
	ThrottleAdditionalFlagFile FlagFile
	PostponeCutOverFlagFile    FlagFile
	PanicFlagFile              string

	ControlReplicas int // how many
	SocketFile      string
	TCPPort         int // zero: not serving on TCP
}

// Block is the hint block, each line ended by a line break. Lines about what is not configured are left out.
func (h Hints) Block() string {
	var block strings.Builder
	line := func(format string, args ...any) {
		block.WriteString("# " + oneLine(fmt.Sprintf(format, args...)) + "\n")
	}
	flagFile := func(label string, file FlagFile) {
		if file.Path == "" {
			return
		}
		indicator := ""
		if file.Exists {
			indicator = "[set]"
		}
		line("%s: %s %s", label, file.Path, indicator)
	}

	line("Migrating %s; Ghost table is %s", h.Original, h.Ghost)
	line("Migrating %s; inspecting %s; executing on %s", h.Applier, h.Inspector, h.ExecutingHost)
	line("Migration started at %s", h.Started.Format(time.RubyDate))
	line("chunk-size: %d; max-lag-millis: %dms; dml-batch-size: %d; max-load: %s; critical-load: %s; nice-ratio: %f",
		h.ChunkSize, h.MaxLag.Milliseconds(), h.DMLBatchSize, h.MaxLoad, h.CriticalLoad, h.NiceRatio)
	flagFile("throttle-flag-file", h.ThrottleFlagFile)
	flagFile("throttle-additional-flag-file", h.ThrottleAdditionalFlagFile)
	if h.ThrottleQuery != "" {
		line("throttle-query: %s", h.ThrottleQuery)
	}
	if h.ControlReplicas > 0 {
		line("throttle-control-replicas count: %d", h.ControlReplicas)
	}
	flagFile("postpone-cut-over-flag-file", h.PostponeCutOverFlagFile)
	if h.PanicFlagFile != "" {
		line("panic-flag-file: %s", h.PanicFlagFile)
	}
	line("Serving on unix socket: %s", h.SocketFile)
	if h.TCPPort > 0 {
		line("Serving on TCP port: %d", h.TCPPort)
	}
	return block.String()
}
