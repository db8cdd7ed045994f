package logic

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEmbeddersReplaceThePauseBeforeARetry(t *testing.T) {
	var slept []time.Duration
	RetrySleepFn = func(d time.Duration) { slept = append(slept, d) }
	t.Cleanup(func() { RetrySleepFn = nil })

	require.NoError(t, pauseBeforeRetry(t.Context(), time.Hour))
	assert.Equal(t, []time.Duration{time.Hour}, slept)
}
