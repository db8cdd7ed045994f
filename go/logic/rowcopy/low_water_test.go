package rowcopy

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/github/gh-ost/go/sql"
)

func rangeTo(iteration int64) Range {
	return Range{Iteration: iteration, To: sql.Bound{iteration}, Rows: 10}
}

func TestTheLowWaterMarkStaysBehindTheFirstGap(t *testing.T) {
	mark := newLowWaterMark(LowWater{})
	assert.True(t, mark.get().IsZero())

	mark.add(1, 10)
	mark.finish(rangeTo(1))
	assert.True(t, mark.get().IsZero(), "range 0 is not done")

	mark.add(0, 4)
	mark.add(0, 5)
	mark.finish(rangeTo(0))
	assert.Equal(t, LowWater{Range: rangeTo(1), Rows: 19}, mark.get(), "all pieces of a range count, and what was done ahead")

	mark.add(3, 10)
	mark.finish(rangeTo(3))
	assert.EqualValues(t, 1, mark.get().Range.Iteration)
}

func TestTheLowWaterMarkGoesOnWhereAnEarlierRunStopped(t *testing.T) {
	mark := newLowWaterMark(LowWater{Range: rangeTo(6), Rows: 70})
	mark.add(7, 3)
	mark.finish(rangeTo(7))
	assert.Equal(t, LowWater{Range: rangeTo(7), Rows: 73}, mark.get())
}

func TestTheLowWaterMarkComesToTheEndInWhateverOrderRangesAreDone(t *testing.T) {
	mark := newLowWaterMark(LowWater{})
	for _, i := range rand.Perm(50) {
		mark.add(int64(i), 2)
		mark.finish(rangeTo(int64(i)))
	}
	assert.Equal(t, LowWater{Range: rangeTo(49), Rows: 100}, mark.get())
	assert.Empty(t, mark.rows)
	assert.Empty(t, mark.done)
}

func TestARecountTakesForCopiedWhatTheEarlierRunMayHaveCopied(t *testing.T) {
	c := recount{earlier: true}
	assert.EqualValues(t, 10, c.count(rangeTo(0), 0), "all of it stood there already")
	assert.EqualValues(t, 10, c.count(rangeTo(1), 2))
	assert.EqualValues(t, 9, c.count(rangeTo(2), 9), "mostly new: the earlier run had not come that far")
	assert.EqualValues(t, 0, c.count(rangeTo(3), 0), "what is there now came by events")
}
