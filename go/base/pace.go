package base

import "time"

// The defaults of the pace, as measured best on a small server, and its bounds.
const (
	DefaultCopyConcurrency  = 2
	DefaultApplyConcurrency = 2
	DefaultChunkTimeMillis  = 50
	DefaultCopyYieldRatio   = 1

	MaxCopyYieldRatio  = 100
	MaxConcurrency     = 16
	MaxChunkTimeMillis = 10_000
)

// PaceSettings says with how many sessions the table is copied and events are applied, and how long one chunk may take.
type PaceSettings struct {
	// CopyConcurrency is the number of sessions that copy rows, 1…16.
	CopyConcurrency int64
	// ApplyConcurrency is the number of sessions that apply events, 1…16.
	ApplyConcurrency int64
	// ChunkTimeMillis is the time, in milliseconds, that the size of chunks is adapted to. 0: all have the chunk size.
	ChunkTimeMillis int64
	// CopyYieldRatio is the time that the copy rests after each chunk while clients write to the table, as a multiple of the
	// chunk's time; it then also uses one session, and small chunks. 0: it does not mind them.
	CopyYieldRatio float64
}

// ChunkTime is ChunkTimeMillis as a duration.
func (p *PaceSettings) ChunkTime() time.Duration {
	return time.Duration(p.ChunkTimeMillis) * time.Millisecond
}
