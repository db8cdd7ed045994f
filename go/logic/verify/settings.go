package verify

import (
	"context"
	gosql "database/sql"
	"time"

	"github.com/github/gh-ost/go/sql"
)

// Settings is what a Verifier needs. All fields must be set.
type Settings struct {
	// Original and Ghost name the tables, for errors.
	Original, Ghost sql.TableName
	// DB is the pool of reading sessions: READ COMMITTED, in the time zone of the copy. It must allow Concurrency + 2 of them.
	DB *gosql.DB
	// Statements are those of the migrated table.
	Statements *sql.VerifyStatements
	// Concurrency is the number of sessions that read chunks, at least 1.
	Concurrency int
	// Wait returns when reading is allowed: at once, or after throttling.
	Wait func(ctx context.Context) error
	// Token writes a token behind everything that is committed. The channel is closed once it has come back and everything
	// before it is applied; forget must be called in the end.
	Token func(ctx context.Context) (arrived <-chan struct{}, forget func(), err error)
	// Postponed tells whether the cut-over waits for the operator. Then passes follow one another, with rests.
	Postponed func() bool
	// Patient tells whether rows may be missing from the ghost at the moment because of a conflict that passes.
	Patient func() bool
	// Rows is the number of rows that the original is thought to have.
	Rows func() int64
	// ChunkSize is the number of rows in a chunk, or in the first one if ChunkTime adapts it.
	ChunkSize func() int64
	// ChunkTime is how long reading a chunk should take; the size is adapted to it. 0: the size stays.
	ChunkTime func() time.Duration
	// NiceRatio is the time to pause after each chunk, as a multiple of the time that the chunk took.
	NiceRatio func() float64
	// Retries is how often a read is tried.
	Retries int64
	// Retrying is told of each failed attempt that will be repeated.
	Retrying func(err error, attempt int64)
	// Passed is told of each complete pass: the rows of the original, and how long it took.
	Passed func(rows int64, took time.Duration)
	// Overflowed is told that a pass begins anew, since more rows were changed than can be kept.
	Overflowed func()
}

const (
	// pendingLimit bounds how many rows may wait to be read again. A key and what is kept of it weigh some hundred bytes.
	pendingLimit = 200_000

	// keysPerRead is how many rows one statement looks up, and keysPerRound how many share a token.
	keysPerRead  = 500
	keysPerRound = 5000

	// rangesPerRound is how many chunks are read again behind one token. Passes wait while more are queued.
	rangesPerRound = 16

	// roundInterval is the least time between two tokens, unless there is more to do than one of them covers.
	roundInterval = 100 * time.Millisecond

	// freshLimit is how long a pass may take that is made once more when a postponed cut-over is released: to see what was
	// changed meanwhile past the binary log. A longer pass counts however old it is, since the release is not to wait.
	freshLimit = 30 * time.Second

	// restRatio is the rest between passes while the cut-over is postponed, as a multiple of a pass, and leastRest the least.
	restRatio = 9
	leastRest = time.Minute

	// lookInterval is the pause between two looks at whether a pass is due.
	lookInterval = 50 * time.Millisecond

	// largestChunk bounds the adapted size of chunks, in rows.
	largestChunk = 50_000

	// Retries are paused by growing steps between these bounds.
	firstPause = 50 * time.Millisecond
	lastPause  = time.Second
)
