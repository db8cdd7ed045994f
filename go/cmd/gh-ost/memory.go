package main

import (
	"os"
	"runtime/debug"
)

const (
	// gcPercent and memoryLimit, in bytes, make the collector work harder than it does by default: what is alive is bounded
	// by the queues, and what may come on top of it is not to double that.
	gcPercent   = 50
	memoryLimit = 112 << 20
)

// boundMemory keeps the process small, unless the user has chosen otherwise by GOGC or GOMEMLIMIT.
func boundMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}
