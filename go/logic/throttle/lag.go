package throttle

import (
	"context"
	gosql "database/sql"
	"errors"
	"slices"
	"sync"
	"time"
)

const (
	lagTimeout = 5 * time.Second

	replicasInterval      = time.Second
	quickReplicasInterval = 100 * time.Millisecond
	quickReplicasMaxLag   = time.Second // limits below it want the quick interval
)

// lagCollector reads the inspected server's lag. What cannot be read keeps its old value, which ages.
type lagCollector struct {
	throttler *Throttler
	complaint complaint
	began     time.Time // the first reading
}

// firstHeartbeatPatience is how long the first heartbeat may be on its way before that is worth a complaint.
const firstHeartbeatPatience = 5 * time.Second

func (c *lagCollector) collect(ctx context.Context) {
	t := c.throttler
	if t.Hibernating() {
		return
	}
	reading, cancel := context.WithTimeout(ctx, lagTimeout)
	defer cancel()
	lag, err := t.config.OwnLag(reading)
	if ctx.Err() != nil {
		return
	}
	if c.began.IsZero() {
		c.began = time.Now()
	}
	if errors.Is(err, gosql.ErrNoRows) && time.Since(c.began) < firstHeartbeatPatience {
		return
	}
	c.complaint.report(t.config.Log, "reading the replication lag", err)
	if err != nil {
		return
	}
	t.board.write(func(m *Measurements) { m.Lag = LagReading{Lag: lag, At: time.Now()} })
}

func (t *Throttler) replicasPause() time.Duration {
	if t.config.Settings.MaxLag() < quickReplicasMaxLag {
		return quickReplicasInterval
	}
	return replicasInterval
}

// collectReplicas reads all control replicas side by side and waits for the slowest, so that there is never more than one
// read of each. A lag counts as soon as it is read.
func (t *Throttler) collectReplicas(ctx context.Context) {
	if t.Hibernating() {
		return
	}
	replicas := slices.Compact(slices.Sorted(slices.Values(t.config.Settings.ControlReplicas())))
	t.board.write(func(m *Measurements) { forgetOthers(m, replicas) })

	reading, cancel := context.WithTimeout(ctx, lagTimeout)
	defer cancel()
	var readers sync.WaitGroup
	for _, replica := range replicas {
		readers.Go(func() {
			lag, err := t.config.Meter.ReplicaLag(reading, replica)
			if ctx.Err() != nil {
				return
			}
			t.board.write(func(m *Measurements) {
				if m.Replicas == nil {
					m.Replicas = map[string]ReplicaReading{}
				}
				m.Replicas[replica] = ReplicaReading{Lag: lag, Err: err}
			})
		})
	}
	readers.Wait()
}

func forgetOthers(m *Measurements, replicas []string) {
	for replica := range m.Replicas {
		if !slices.Contains(replicas, replica) {
			delete(m.Replicas, replica)
		}
	}
}
