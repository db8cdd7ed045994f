package apply

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/binlog"
)

// noStatements is for events without rows.
type noStatements struct{ Statements }

func (noStatements) Delete([][]any) (string, []any, error)  { return "", nil, nil }
func (noStatements) Replace([][]any) (string, []any, error) { return "", nil, nil }

// tellingWriter tells when a batch has been applied, and stays in it until it is told to go on.
func tellingWriter(applied func()) *Writer {
	return NewWriter(Settings{
		Backlog:     NewBacklog(),
		Statements:  noStatements{},
		Wait:        func(context.Context) error { return nil },
		Concurrency: 2, // an event without rows needs no server then
		Linger:      func() time.Duration { return 0 },
		BatchSize:   func() int64 { return 10 },
		Applied:     func(int64, int64, time.Duration) { applied() },
	})
}

func TestAHeldWriterAppliesNothingAndPassesOnWhatNeedsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		applied, reached := 0, 0
		w := tellingWriter(func() { applied++ })
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- w.Run(ctx) }()

		release, err := w.Hold(ctx)
		require.NoError(t, err)
		for range 2 {
			require.NoError(t, w.Backlog.PutMarker(ctx, func() { reached++ }))
			require.NoError(t, w.Backlog.Put(ctx, &binlog.Event{}))
		}
		synctest.Wait()
		assert.Equal(t, 0, applied)
		assert.Equal(t, 1, reached, "the second comes after a change that was not applied")

		release()
		release()
		synctest.Wait()
		assert.Equal(t, 2, applied)
		assert.Equal(t, 2, reached)

		_, err = w.Hold(ctx)
		require.NoError(t, err)
		require.NoError(t, w.Backlog.Put(ctx, &binlog.Event{}))
		synctest.Wait()
		end()
		require.NoError(t, <-ended, "a held writer ends with its context")
		assert.Equal(t, 2, applied)
	})
}

func TestHoldWaitsForTheBatchThatIsBeingApplied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		w := tellingWriter(func() { <-goOn })
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- w.Run(ctx) }()
		require.NoError(t, w.Backlog.Put(ctx, &binlog.Event{}))
		synctest.Wait()

		limited, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_, err := w.Hold(limited)
		require.ErrorIs(t, err, context.DeadlineExceeded)

		close(goOn)
		release, err := w.Hold(ctx)
		require.NoError(t, err)
		release()
		end()
		require.NoError(t, <-ended)
	})
}
