package ledger

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestRolledBackTransactionLeavesNoTraceInTheShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPlanner(rapid.IntRange(0, 40).Draw(t, "rows"), rapid.Uint64().Draw(t, "seed"))
		for range rapid.IntRange(0, 30).Draw(t, "transactions before") {
			p.plan()
			p.commit()
		}
		before := p.picture()

		p.plan()
		p.rollback()

		require.Equal(t, before, p.picture())
	})
}

func TestSavepointTakesBackItsOwnPartOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPlanner(20, rapid.Uint64().Draw(t, "seed"))
		before := p.picture()
		p.several()
		halfway := p.picture()

		mark := p.savepoint()
		p.several()
		p.rollbackTo(mark)

		require.Equal(t, halfway, p.picture())
		p.rollback()
		require.Equal(t, before, p.picture())
	})
}

func TestUniqueValuesHaveOneOwnerAndNoneIsForgotten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPlanner(rapid.IntRange(0, 40).Draw(t, "rows"), rapid.Uint64().Draw(t, "seed"))
		slots, ids := len(p.picture().freeSlots)+len(p.rows), len(p.picture().freeIDs)+len(p.rows)
		for range rapid.IntRange(1, 100).Draw(t, "transactions") {
			if p.plan().rollback {
				p.rollback()
			} else {
				p.commit()
			}
		}

		owners := map[int64]int64{}
		for id, row := range p.rows {
			require.NotContains(t, owners, row.slot, "id %d", id)
			owners[row.slot] = id
			require.NotContains(t, p.freeSlots.position, row.slot)
			require.NotContains(t, p.freeIDs.position, id)
		}
		require.Equal(t, slots, p.freeSlots.len()+len(p.rows))
		require.Equal(t, ids, p.freeIDs.len()+len(p.rows))
		require.Equal(t, len(p.rows), p.live.len())
	})
}

func TestOneSeedPlansOneWay(t *testing.T) {
	one, other := newPlanner(30, 5), newPlanner(30, 5)
	for range 200 {
		require.Equal(t, one.plan(), other.plan())
		one.commit()
		other.commit()
	}
	assert.Equal(t, one.picture(), other.picture())
}

func TestHalfATransactionIsAContradiction(t *testing.T) {
	given := func() (*writer, row, row) {
		w := &writer{planner: *newPlanner(4, 1), session: &session{log: newObservations(time.Now())}}
		before := w.rows[1]
		w.setSlot(1, 99)
		w.delete()
		return w, before, w.rows[1]
	}
	for name, test := range map[string]struct {
		found          func(w *writer, before, after row) map[int64]row
		want           outcome
		contradictions int64
	}{
		"all as after": {func(w *writer, _, _ row) map[int64]row { return maps.Clone(w.rows) }, committed, 0},
		"all as before": {func(w *writer, _, _ row) map[int64]row {
			found := map[int64]row{}
			for _, image := range w.touched() {
				found[image.id] = *image.before
			}
			return found
		}, rolledBack, 0},
		"half": {func(w *writer, before, after row) map[int64]row {
			found := map[int64]row{}
			for _, image := range w.touched() {
				found[image.id] = *image.before
			}
			found[1] = after
			return found
		}, rolledBack, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w, before, after := given()
			require.Len(t, w.touched(), 2)

			got := w.judge(w.touched(), test.found(w, before, after), unknown)

			assert.Equal(t, test.want, got)
			assert.Equal(t, test.contradictions, w.session.log.contradictions.Load())
		})
	}
}

func newPlanner(rows int, seed uint64) *planner {
	w := writer{planner: planner{share: newShare(), table: "`t`", random: rand.New(rand.NewPCG(seed, 0))}}
	w.size = rows
	w.fillSlots(0)
	for id := range int64(rows) {
		now := w.newRow(id)
		w.write(id+1, &now)
	}
	for id := range int64(10) {
		w.freeIDs.add(int64(rows) + id + 1)
	}
	return &w.planner
}

// picture is all that a share holds, apart from the order in which its pools would draw.
type picture struct {
	rows                     map[int64]row
	live, freeIDs, freeSlots []int64
}

func (s *share) picture() picture {
	return picture{maps.Clone(s.rows), slices.Sorted(slices.Values(s.live.members)),
		slices.Sorted(slices.Values(s.freeIDs.members)), slices.Sorted(slices.Values(s.freeSlots.members))}
}
