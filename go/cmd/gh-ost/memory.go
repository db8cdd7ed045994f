package main

import (
	"os"
	"runtime/debug"
)

const (
	// gcPercent and memoryLimit, in bytes: what is alive is bounded by the queues and mostly small, so the collector may
	// rest for long; what comes on top of it must not take the process over 150 MB.
	gcPercent   = 400
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
