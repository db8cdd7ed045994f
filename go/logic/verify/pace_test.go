package verify

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func sized(configured int64, target time.Duration) *chunkSize {
	return &chunkSize{configured: func() int64 { return configured }, target: func() time.Duration { return target }}
}

func TestChunksGrowUntilReadingOneTakesTheTargetTime(t *testing.T) {
	c := sized(1000, 50*time.Millisecond)
	for range 40 {
		c.observe(c.rows(), time.Duration(c.rows())*5*time.Microsecond)
	}
	assert.InDelta(t, 10_000, c.rows(), 100)
}

func TestChunksDoNotShrinkToWhereMostTimeIsSpentBesideTheRows(t *testing.T) {
	c := sized(1000, 50*time.Millisecond)
	for range 40 {
		c.observe(c.rows(), time.Second)
	}
	assert.EqualValues(t, 500, c.rows())
}

func TestWithoutATargetTheOperatorsSizeCounts(t *testing.T) {
	c := sized(1234, 0)
	c.observe(1234, time.Hour)
	assert.EqualValues(t, 1234, c.rows())
}

func TestThePaceSaysHowManyRowsFit(t *testing.T) {
	var p pace
	assert.Equal(t, unmeasured, p.fits(time.Second))
	p.observe(500, 50*time.Millisecond)
	assert.Equal(t, 5000, p.fits(500*time.Millisecond))
	assert.Equal(t, least, p.fits(0))
}
