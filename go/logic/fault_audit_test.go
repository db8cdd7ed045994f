package logic

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/logic/cutover"
)

// anythingProves is the fault: the tables are unlocked although the RENAME may not stand in its queue.
type anythingProves struct{}

func (anythingProves) proven(context.Context) (bool, error) { return true, nil }

// readGhost keeps the ghost table open, as a transaction does that has read it.
func (r *faultRun) readGhost() (end func()) {
	return r.openTransaction("SELECT COUNT(*) FROM " + r.names.ghost.String())
}

// openTransaction does something in a transaction and leaves it open.
func (r *faultRun) openTransaction(statement string) (end func()) {
	conn, err := r.admin.Conn(context.Background())
	if !assert.NoError(r.t, err) {
		return func() {}
	}
	for _, query := range []string{"BEGIN", statement} {
		_, err := conn.ExecContext(context.Background(), query)
		assert.NoError(r.t, err)
	}
	return func() {
		_, _ = conn.ExecContext(context.Background(), "ROLLBACK") // it may have been killed
		_ = conn.Close()
	}
}

func TestFaultAWriteThatSlipsThroughIsFoundAndTold(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		r := newFaultRun(t, server)
		var endReader func()
		r.at(cutover.Preparing, func() { // the first attempt makes room for one with the fault
			r.applier.otherProof = anythingProves{}
			r.kill("CONNECTION", r.lockID())
		})
		r.at(cutover.Dropping, func() { endReader = r.readGhost() })
		r.at(cutover.Swapping, func() { time.AfterFunc(200*time.Millisecond, endReader) })

		err := requireEnd(t, r.start(), time.Minute)

		var slipped *SlippedWritesError
		require.ErrorAs(t, err, &slipped)
		assert.Positive(t, slipped.Count)
		for _, text := range []string{`The first of them: kind=(INSERT|UPDATE|DELETE) coordinates=\S+:\d+ key=\d+$`, `before the RENAME at \S+:\d+\.`} {
			assert.Regexp(t, "(?i)"+text, err.Error())
		}
		assert.True(t, r.log.contains("Cut-over audit: slipped-write kind="), "scripts find each write in the log")
		assert.Equal(t, []string{"not swapped", "swapped"}, r.outcomes(), "the tables are swapped all the same, and that is said")
		assert.True(t, r.isSwapped())
		r.load.stop()
		report, verifyErr := r.load.Verify(t.Context(), nil, "t")
		require.NoError(t, verifyErr)
		assert.Error(t, report.Err(), "the fault has done its harm, else this proves nothing")
		r.requireClean()
		t.Log(err)
	})
}
