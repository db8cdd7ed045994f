package rowcopy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func newSizer(size int64, target time.Duration) *chunkSizer {
	return &chunkSizer{configured: func() int64 { return size }, target: func() time.Duration { return target }}
}

func TestChunksGrowUntilTheyTakeTheTargetTime(t *testing.T) {
	sizer := newSizer(1000, 50*time.Millisecond)
	for range 40 {
		rows := sizer.rows()
		sizer.observe(rows, time.Duration(rows)*10*time.Microsecond)
	}
	assert.InDelta(t, 5000, sizer.rows(), 50)
}

func TestChunksShrinkOnASlowServerToOneRowAtLeast(t *testing.T) {
	sizer := newSizer(1000, 50*time.Millisecond)
	for range 60 {
		sizer.observe(sizer.rows(), time.Minute)
	}
	assert.EqualValues(t, 1, sizer.rows())
}

func TestChunksDoNotGrowBeyondTheBound(t *testing.T) {
	sizer := newSizer(1000, time.Second)
	for range 60 {
		sizer.observe(sizer.rows(), time.Microsecond)
	}
	assert.LessOrEqual(t, sizer.rows(), int64(largestChunk))
}

func TestWithoutATargetTheOperatorsSizeCounts(t *testing.T) {
	sizer := newSizer(1234, 0)
	sizer.observe(1234, time.Hour)
	assert.EqualValues(t, 1234, sizer.rows())
}

func TestAChangedSizeBeginsAnew(t *testing.T) {
	size := int64(1000)
	sizer := &chunkSizer{configured: func() int64 { return size }, target: func() time.Duration { return time.Second }}
	sizer.observe(sizer.rows(), time.Millisecond)
	size = 100
	assert.EqualValues(t, 100, sizer.rows())
}
