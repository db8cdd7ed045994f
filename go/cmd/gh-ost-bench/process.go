package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// tick is the unit of processor times in /proc, 1/100 s on every Linux.
const tick = 10 * time.Millisecond

// processorTime is what a process has used so far, in user and system mode.
func processorTime(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	return parseStat(text)
}

// parseStat reads utime and stime, the 14th and 15th field. The 2nd, the name, may hold blanks and parentheses.
func parseStat(text []byte) (time.Duration, error) {
	end := bytes.LastIndexByte(text, ')')
	fields := strings.Fields(string(text[end+1:]))
	if end < 0 || len(fields) < 13 {
		return 0, fmt.Errorf("not a line of /proc/PID/stat: %q", text)
	}
	var ticks int64
	for _, field := range fields[11:13] {
		number, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("not a line of /proc/PID/stat: %q", text)
		}
		ticks += number
	}
	return time.Duration(ticks) * tick, nil
}

// peakMemory is the most that a process has had in memory so far, in bytes.
func peakMemory(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	return parsePeak(string(text))
}

func parsePeak(status string) (int64, error) {
	for line := range strings.Lines(status) {
		if value, found := strings.CutPrefix(line, "VmHWM:"); found {
			kilobytes, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, fmt.Errorf("no VmHWM: the process has ended")
}

// sampler watches a process for as long as it lives: what /proc tells of it is gone when it ends.
type sampler struct {
	mutex sync.Mutex
	used  time.Duration
	peak  int64

	stop, stopped chan struct{}
}

const sampleInterval = 50 * time.Millisecond

func sample(pid int) *sampler {
	s := &sampler{stop: make(chan struct{}), stopped: make(chan struct{})}
	go func() {
		defer close(s.stopped)
		ticker := time.NewTicker(sampleInterval)
		defer ticker.Stop()
		for {
			s.look(pid)
			select {
			case <-ticker.C:
			case <-s.stop:
				return
			}
		}
	}()
	return s
}

func (s *sampler) look(pid int) {
	used, usedErr := processorTime(pid)
	peak, peakErr := peakMemory(pid)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if usedErr == nil {
		s.used = max(s.used, used)
	}
	if peakErr == nil {
		s.peak = max(s.peak, peak)
	}
}

func (s *sampler) end() {
	close(s.stop)
	<-s.stopped
}

// figures are the last that were seen.
func (s *sampler) figures() (used time.Duration, peak int64) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.used, s.peak
}

func processors() int { return runtime.NumCPU() }

func processorModel() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if name, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

func kernel() string {
	text, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
