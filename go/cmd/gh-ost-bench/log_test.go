package main

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLogIsKeptAndItsMarksAreSeenHoweverItIsWritten(t *testing.T) {
	var file bytes.Buffer
	l := newWatchedLog(&file)

	for _, part := range []string{"2026-01-02 03:04:05 INFO Row co", "py complete\n2026-01-02 03:04:05 INFO Locking `a`.`b`, `c`\nnoise\n"} {
		_, err := l.Write([]byte(part))
		require.NoError(t, err)
	}

	assert.Contains(t, file.String(), "INFO Row copy complete\n")
	assert.Len(t, l.sightings(), 2)
	_, err := l.await(t.Context(), markCopied)
	require.NoError(t, err)
}

func TestAwaitEndsWithTheLogAndWithItsContext(t *testing.T) {
	l := newWatchedLog(&bytes.Buffer{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := l.await(ctx, markRenamed)
	require.ErrorIs(t, err, context.DeadlineExceeded)

	go l.end()
	_, err = l.await(t.Context(), markRenamed)
	require.ErrorIs(t, err, errLogEnded)
}

func TestAttemptsAreReadFromTheLog(t *testing.T) {
	at := func(second int) time.Time { return time.Unix(int64(second), 0) }
	seen := []sighting{
		{markCopied, at(0)}, {markPreparing, at(1)},
		{markLocking, at(2)}, {markLocked, at(3)}, {markUnlocked, at(6)}, {markTimedOut, at(7)},
		{markPreparing, at(8)}, {markLocking, at(9)}, {markLocked, at(10)}, {markUnlocked, at(11)}, {markRenamed, at(12)}, {markCutOverEnd, at(13)},
	}

	assert.Equal(t, []attempt{
		{from: at(2), to: at(7), timedOut: true},
		{from: at(9), to: at(13), swapped: true},
	}, attempts(seen))
}
