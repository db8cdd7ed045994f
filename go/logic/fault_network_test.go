package logic

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testproxy"
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/logic/cutover"
)

// idle is how long the server waits for a silent locking session.
const idle = idleTimeoutSeconds * time.Second

func TestFaultTheNetworkFails(t *testing.T) {
	faults := []struct {
		name  string
		harm  func(r *faultRun)
		stall time.Duration
		short bool // belongs to the short run
	}{
		{"the locking session's connection is cut", func(r *faultRun) { r.connection(r.lockID()).Cut() }, 300 * time.Millisecond, true},
		{"the renaming session's connection is cut", func(r *faultRun) { r.connection(r.renameID()).Cut() }, 300 * time.Millisecond, false},
		{"the locking session's connection stalls", func(r *faultRun) { r.connection(r.lockID()).Stall() }, idle, true},
		{"the renaming session's connection stalls", func(r *faultRun) { r.connection(r.renameID()).Stall() }, idle + 250*time.Millisecond, false},
		{"all connections are cut", func(r *faultRun) { r.proxy.CutAll() }, 300 * time.Millisecond, false},
		{"the network is away for two seconds", func(r *faultRun) {
			r.proxy.Partition()
			time.AfterFunc(2*time.Second, r.proxy.Heal)
		}, 300 * time.Millisecond, true},
		{"the network stalls for five seconds", func(r *faultRun) {
			r.proxy.Stall()
			time.AfterFunc(5*time.Second, func() { r.proxy.Resume() })
		}, idle, true},
	}
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, fault := range faults {
			for _, step := range someSteps(cutover.Draining, cutover.Proving) {
				if !allFaults() && !fault.short {
					continue
				}
				t.Run(fault.name+" at "+step.String(), func(t *testing.T) {
					r := newProxiedRun(t, server)
					r.at(step, func() { fault.harm(r) })

					slipped := r.endTruthfully()

					r.requireReached(step)
					r.requireStall(fault.stall)
					assert.False(t, slipped && step != cutover.Dropping && step != cutover.Proving, "only between the sentry's drop and the proof can a write slip through")
					t.Log(r.outcomes(), r.load.WriteWaits(time.Time{}, time.Time{}).Longest)
				})
			}
		}
	})
}

// What is said, and what becomes of the tables, when a single request or its answer is lost.
func TestFaultARequestOrItsAnswerIsLost(t *testing.T) {
	type way func(p *testproxy.Proxy, match testproxy.Match) *testproxy.Rule
	ways := map[string]way{
		"request swallowed":                (*testproxy.Proxy).SwallowRequest,
		"answer swallowed":                 (*testproxy.Proxy).SwallowReply,
		"connection cut before it":         (*testproxy.Proxy).CutBefore,
		"connection cut in the middle":     (*testproxy.Proxy).CutDuring,
		"connection cut before its answer": (*testproxy.Proxy).CutAfter,
	}
	statements := []struct {
		name  string
		text  string
		swaps []string // the ways in which the first attempt swaps all the same
		stall time.Duration
		short bool
	}{
		{"RENAME", "RENAME /* gh-ost", []string{"answer swallowed", "connection cut before its answer"}, 3250 * time.Millisecond, true},
		{"UNLOCK", "UNLOCK /* gh-ost", []string{"request swallowed", "answer swallowed", "connection cut before it",
			"connection cut in the middle", "connection cut before its answer"}, 1250 * time.Millisecond, true},
		{"DROP of the sentry", "DROP /* gh-ost */ TABLE `", nil, 3250 * time.Millisecond, false},
		{"LOCK", "LOCK /* gh-ost */ TABLES", nil, idle, false},
		{"token", "AllEventsUpToLockProcessed", nil, 3250 * time.Millisecond, false},
		{"look at the locking session", "IS_USED_LOCK(", nil, 3250 * time.Millisecond, false},
		{"look for the queued RENAME", "_schema.metadata_locks", nil, 3250 * time.Millisecond, false},
	}
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, statement := range statements {
			for name, lose := range ways {
				if !allFaults() && !statement.short {
					continue
				}
				t.Run(statement.name+" "+name, func(t *testing.T) {
					r := newProxiedRun(t, server)
					var rule *testproxy.Rule
					r.at(cutover.Preparing, func() { rule = lose(r.proxy, testproxy.Text(statement.text)).Limit(1) })

					slipped := r.endTruthfully()

					if statement.text == "_schema.metadata_locks" && server.Flavor == testserver.MariaDB {
						t.Skip("it has no such look")
					}
					require.Equal(t, 1, rule.Hits())
					assert.False(t, slipped)
					r.requireStall(statement.stall)
					t.Log(r.outcomes(), r.load.WriteWaits(time.Time{}, time.Time{}).Longest)
					for _, swaps := range statement.swaps {
						if swaps == name {
							assert.Equal(t, []string{"swapped"}, r.outcomes())
						}
					}
				})
			}
		}
	})
}
