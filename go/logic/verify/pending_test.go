package verify

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/github/gh-ost/go/sql"
)

func different(id string) []row { return []row{{id: id, original: "x", ghost: "y"}} }

func TestARowThatDiffersThreeTimesUntouchedIsAFault(t *testing.T) {
	p := newPending(10)
	p.touch("a", sql.Bound{1})
	for range strikesOut - 1 {
		require.Empty(t, p.settle(p.take(1), different("a"), false))
	}
	assert.Equal(t, different("a"), p.settle(p.take(1), different("a"), false))
}

func TestAnEventBeginsTheCountAnew(t *testing.T) {
	p := newPending(10)
	p.touch("a", nil)
	for range 10 {
		require.Empty(t, p.settle(p.take(1), different("a"), false))
		require.Empty(t, p.settle(p.take(1), different("a"), false))
		p.touch("a", nil)
	}
}

func TestAnotherDifferenceBeginsTheCountAnew(t *testing.T) {
	p := newPending(10)
	p.touch("a", nil)
	for i := range 10 {
		require.Empty(t, p.settle(p.take(1), []row{{id: "a", original: fmt.Sprint(i), ghost: "y"}}, false))
	}
}

func TestAnEqualRowIsForgottenUnlessItWasTouchedAfterItWasTaken(t *testing.T) {
	p := newPending(10)
	p.touch("a", nil)
	p.touch("b", nil)
	taken := p.take(2)
	p.touch("b", nil)
	require.Empty(t, p.settle(taken, nil, false))
	rows, _, _ := p.state()
	assert.Equal(t, 1, rows)
	assert.Equal(t, "b", p.take(2)[0].id)
}

func TestTooManyRowsAreAnOverflowUntilAPassBegins(t *testing.T) {
	p := newPending(2)
	for _, id := range []string{"a", "b", "c"} {
		p.touch(id, nil)
	}
	assert.True(t, p.overflowed())
	p.reset()
	assert.False(t, p.overflowed())
}

func TestARowThatTheGhostLacksIsNoFaultWhereAConflictMayPass(t *testing.T) {
	p := newPending(10)
	p.touch("a", nil)
	for range 3 * strikesOut {
		require.Empty(t, p.settle(p.take(1), []row{{id: "a", original: "x"}}, true))
	}
	rows, _, _ := p.state()
	assert.Equal(t, 1, rows, "it is read to the end")
}

// Whatever is touched, taken and settled in whatever order: no row that was touched and not read equal after that is lost, and
// none is queued twice.
func TestNoTouchedRowIsForgotten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPending(1000)
		open := map[string]bool{} // touched, and not read equal since
		id := rapid.SampledFrom([]string{"a", "b", "c", "d"})
		var taken []item
		touchedSince := map[string]bool{}
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			switch rapid.IntRange(0, 2).Draw(t, "step") {
			case 0:
				name := id.Draw(t, "touched")
				p.touch(name, nil)
				open[name], touchedSince[name] = true, true
			case 1:
				if taken == nil {
					taken, touchedSince = p.take(rapid.IntRange(1, 4).Draw(t, "n")), map[string]bool{}
				}
			case 2:
				var differing []row
				for _, i := range taken {
					if rapid.Bool().Draw(t, "differs") {
						differing = append(differing, row{id: i.id, original: fmt.Sprint(rapid.Int().Draw(t, "hash"))})
					} else if !touchedSince[i.id] {
						delete(open, i.id)
					}
				}
				require.Empty(t, p.settle(taken, differing, false))
				taken, touchedSince = nil, map[string]bool{}
			}
		}
		p.putBack(taken)
		queued := map[string]bool{}
		for _, i := range p.take(100) {
			require.False(t, queued[i.id], "queued twice")
			queued[i.id] = true
		}
		for name := range open {
			require.True(t, queued[name], "%s was forgotten", name)
		}
	})
}

func TestWhatWasTakenBeforeAResetDoesNotCount(t *testing.T) {
	p := newPending(10)
	p.touch("a", nil)
	taken := p.take(1)
	p.reset()
	p.touch("a", nil)
	require.Empty(t, p.settle(taken, nil, false))
	p.putBack(taken)
	assert.Len(t, p.take(10), 1)
}
