package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// machine is what was measured on.
type machine struct {
	Server      string `json:"server"`
	Flavor      string `json:"flavor"`
	Processors  int    `json:"processors"`
	Model       string `json:"model"`
	Kernel      string `json:"kernel"`
	LoadAtStart string `json:"load_at_start"`
}

// header stands at the beginning of each file of results.
type header struct {
	Began      time.Time `json:"began"`
	Ended      time.Time `json:"ended"`
	Machine    machine   `json:"machine"`
	Contenders []string  `json:"contenders"`
	Rows       int       `json:"rows"`
}

// run is one run of one contender. Durations are seconds unless the name says milliseconds.
type run struct {
	Workload  string `json:"workload"`
	Contender string `json:"contender"`
	Round     int    `json:"round"`

	Counts  bool   `json:"counts"`            // it succeeded, and the table is right
	Problem string `json:"problem,omitempty"` // why it does not count, or why it was not done in time
	Timely  bool   `json:"timely"`            // it ended by itself; else it was ended, and Value is the limit

	Value float64 `json:"value"` // what the workload measures, in its unit

	Seconds     float64 `json:"seconds"`                // from the program's start to its end
	CopySeconds float64 `json:"copy_seconds,omitempty"` // from its start to the end of the copy
	ToolCPU     float64 `json:"tool_cpu_seconds"`       // while what Value measures went on
	ServerCPU   float64 `json:"server_cpu_seconds"`     // likewise
	ToolMemory  int64   `json:"tool_peak_bytes"`        // of the whole run
	Events      int64   `json:"events,omitempty"`       // row events that were drained
	ServerLoad  float64 `json:"load_average,omitempty"` // of the machine when the run began

	Clients *clients `json:"clients,omitempty"`
}

// clients is what they felt.
type clients struct {
	Before         float64 `json:"transactions_per_second_before"`
	During         float64 `json:"transactions_per_second_during"`
	WriteP99Before float64 `json:"write_p99_before_millis"`
	WriteP99       float64 `json:"write_p99_millis"`
	WriteLongest   float64 `json:"write_longest_millis"`
	ReadP99        float64 `json:"read_p99_millis"`
	ReadLongest    float64 `json:"read_longest_millis"`
	Reads          int     `json:"reads"`
	Deadlocks      int64   `json:"deadlocks"`
	LockWaits      int64   `json:"lock_wait_timeouts"`
	Transactions   int64   `json:"transactions"`
}

// lost is the share of the throughput that the migration took, 0 to 1; negative if there was more than before.
func (c *clients) lost() float64 {
	if c.Before == 0 {
		return 0
	}
	return 1 - c.During/c.Before
}

// engineResults is the file of the command engine.
type engineResults struct {
	header
	Runs []run `json:"runs"`
}

// cutOverResults is the file of the command cutover.
type cutOverResults struct {
	header
	LockTimeout float64         `json:"lock_timeout_seconds"`
	Runs        []cutOverSample `json:"runs"`
}

// cutOverSample is one migration with a cut-over that was measured.
type cutOverSample struct {
	Kind      string `json:"kind"` // successful or timed out
	Contender string `json:"contender"`
	Round     int    `json:"round"`
	Counts    bool   `json:"counts"`
	Problem   string `json:"problem,omitempty"`

	WriteStall    float64 `json:"write_stall_millis"`    // longest wait of a writer's statement in the window of the attempt
	ReadStall     float64 `json:"read_stall_millis"`     // likewise of a reader's
	OrdinaryWrite float64 `json:"ordinary_write_millis"` // longest wait in a window as long, before the migration began
	OrdinaryRead  float64 `json:"ordinary_read_millis"`
	Window        float64 `json:"window_millis"` // from the first sign of the lock to the last of its end, in the log
	Attempts      int     `json:"attempts"`
}

// chunksResults is the file of the command chunks.
type chunksResults struct {
	header
	Runs []chunkRun `json:"runs"`
}

// chunkRun is one copy in plain SQL; Sessions is 0 for the native ALTER.
type chunkRun struct {
	Sessions  int     `json:"sessions"`
	Chunk     int     `json:"chunk"`
	Round     int     `json:"round"`
	Seconds   float64 `json:"seconds"`
	ServerCPU float64 `json:"server_cpu_seconds"`
}

func (s *server) header(contenders []contender, rows int) header {
	h := header{Began: time.Now().UTC().Truncate(time.Second), Machine: s.machine(), Rows: rows}
	for _, c := range contenders {
		h.Contenders = append(h.Contenders, c.name)
	}
	return h
}

// write replaces the file as a whole, so that an interrupted benchmark leaves what it has measured.
func write(folder, name string, results any) (path string, err error) {
	text, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return "", fmt.Errorf("writing results: %w", err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("writing results: %w", err)
	}
	path = filepath.Join(folder, name+".json")
	if err := os.WriteFile(path+".new", append(text, '\n'), 0o644); err != nil {
		return "", fmt.Errorf("writing results: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return "", fmt.Errorf("writing results: %w", err)
	}
	return path, nil
}

func read(path string, results any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading results: %w", err)
	}
	if err := json.Unmarshal(text, results); err != nil {
		return fmt.Errorf("reading results from %s: %w", path, err)
	}
	return nil
}
