package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/ledger"
)

// load is a ledger's load on t while something happens.
type load struct {
	*ledger.Ledger
	stop func()
}

func (p *place) startLoad(rows int) *load {
	p.t.Helper()
	l := ledger.New(p.db, "t", ledger.Options{Schema: p.schema, Rows: rows, Writers: 4, Pause: 2 * time.Millisecond})
	ctx, cancel := context.WithCancel(p.t.Context())
	require.NoError(p.t, l.Create(ctx))
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	stopped := false
	stop := func() {
		if !stopped {
			stopped = true
			cancel()
			require.NoError(p.t, <-ended)
		}
	}
	p.t.Cleanup(stop)
	return &load{l, stop}
}

// requireWritable makes sure that all writers get through, and that none had to wait longer than three seconds since.
func (l *load) requireWritable(p *place, since time.Time) {
	p.t.Helper()
	committed := l.Stats().Committed
	assert.Eventually(p.t, func() bool { return l.Stats().Committed > committed+100 }, 10*time.Second, 5*time.Millisecond)
	longest := l.WriteWaits(since, time.Time{}).Longest
	assert.Less(p.t, longest.Duration, 3500*time.Millisecond, "%v", longest) // half a second for a busy machine
}

func TestAKilledProcessHoldsNobodyUpAndTheNextRunSucceeds(t *testing.T) {
	after := func(text string) func(*process) { return func(run *process) { run.logs(text) } }
	for name, reach := range map[string]func(run *process){
		"copying":               func(run *process) { run.logs("Migration max values"); time.Sleep(rand.N(200 * time.Millisecond)) },
		"before the lock":       after("Creating magic cut-over table"),
		"locking":               after("Locking `"),
		"draining":              after("Tables locked"),
		"RENAME is queued":      after("Issuing and expecting this to block"),
		"all is checked":        after("Will now proceed to drop magic table"),
		"the sentry's drop":     after("Dropping magic cut-over table"),
		"the unlock":            after("Releasing lock from"),
		"any moment of the lot": func(run *process) { run.logs("starting gh-ost"); time.Sleep(rand.N(3 * time.Second)) },
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(p *place) {
				load := p.startLoad(2000)
				run := p.start("--verbose", "--alter=ENGINE=InnoDB", "--chunk-size=50", "--chunk-time-millis=0")
				reach(run)

				killed := time.Now()
				_ = run.command.Process.Kill() // it may have ended by itself
				<-run.ended
				load.requireWritable(p, killed)

				again := p.run("--alter=ENGINE=InnoDB", "--initially-drop-ghost-table", "--initially-drop-old-table", "--initially-drop-socket-file")
				assert.Equal(p.t, 0, again.exitCode, again.stderr)
				load.stop()
				report, err := load.Verify(p.t.Context(), nil, "t")
				require.NoError(p.t, err)
				require.NoError(p.t, report.Err())
				require.NoError(p.t, load.Stats().Err(), fmt.Sprint(load.Stats().Samples))
			})
		})
	}
}
