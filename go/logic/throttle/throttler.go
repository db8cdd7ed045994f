package throttle

import (
	"context"
	"sync"
	"time"
)

// checkInterval is how often the verdict is found anew without a setting having changed.
const checkInterval = 100 * time.Millisecond

// Logger is what a Throttler logs to.
type Logger interface {
	Infof(format string, args ...interface{})
	Warningf(format string, args ...interface{}) error
	Errorf(format string, args ...interface{}) error
}

// Meter measures servers. Each call may take long, and must end soon after its context.
type Meter interface {
	// GlobalStatus returns the value of one of the applier's status variables.
	GlobalStatus(ctx context.Context, name string) (int64, error)
	// QueryInt runs the operator's query on the applier and returns its single number.
	QueryInt(ctx context.Context, query string) (int64, error)
	// ReplicaLag returns the lag of a control replica, named as in Settings.ControlReplicas.
	ReplicaLag(ctx context.Context, replica string) (time.Duration, error)
}

// Config is what a Throttler is built with. All fields are required, except OnChange.
type Config struct {
	Settings Settings
	Meter    Meter
	OwnLag   func(ctx context.Context) (time.Duration, error) // of the inspected server

	// Abort is called at most once, with an *AbortError, when the panic file exists or the load stays critical.
	Abort func(error)

	// OnChange is told when holding back begins, ends, or changes its cause; a lag that merely grows is no change. Calls
	// come one at a time from a goroutine of their own, so it may wait for a server; what changes meanwhile is told as one.
	OnChange func(ctx context.Context, verdict Verdict)

	UserAgent string // of the HTTP check: gh-ost/<version>
	Log       Logger
}

// Throttler measures, decides, and works the gate.
type Throttler struct {
	config Config
	gate   *Gate
	board  board

	evaluating sync.Mutex // one verdict at a time goes to the gate and to news
	announced  Verdict    // the latest sent to news
	news       chan Verdict

	collectors     []*collector
	firstCollected chan struct{}
	abort          sync.Once
}

// New returns a throttler with a gate of its own, which stays open until Run.
func New(config Config) *Throttler {
	t := &Throttler{
		config:         config,
		gate:           NewGate(),
		announced:      open(),
		news:           make(chan Verdict, 1),
		firstCollected: make(chan struct{}),
	}
	web := newHTTPCollector(t)
	load := &loadCollector{throttler: t}
	query := &queryCollector{throttler: t}
	lag := &lagCollector{throttler: t}
	t.collectors = []*collector{
		newCollector(t.collectFiles, every(filesInterval)),
		newCollector(load.collect, load.pause),
		newCollector(query.collect, every(queryInterval)),
		newCollector(web.collect, web.pause).atEnd(web.close),
		newCollector(lag.collect, config.Settings.LagInterval),
		newCollector(t.collectReplicas, t.replicasPause),
	}
	return t
}

// Gate is where workers wait.
func (t *Throttler) Gate() *Gate { return t.gate }

// FirstCollected is closed when everything was measured once and the gate has heeded it. It stays open if Run ends first,
// so select on the context, too.
func (t *Throttler) FirstCollected() <-chan struct{} { return t.firstCollected }

// Lag is the inspected server's lag as last read.
func (t *Throttler) Lag() time.Duration { return t.board.read().Lag.Lag }

// Hibernating tells whether critical load keeps everything still, heartbeats included.
func (t *Throttler) Hibernating() bool {
	return t.board.read().hibernating(t.config.Settings, time.Now())
}

// SettingsChanged judges anew with the settings as they are now, before it returns, and has inputs that may be new measured
// at once. Call it after any setter, without locks that Settings needs.
func (t *Throttler) SettingsChanged() {
	t.evaluate()
	for _, collector := range t.collectors {
		collector.hurry()
	}
}

// Run measures and decides until the context ends, and returns nil when all its goroutines have ended. Call it once.
func (t *Throttler) Run(ctx context.Context) error {
	t.board.write(func(m *Measurements) { m.Lag.At = time.Now() })

	var running sync.WaitGroup
	for _, collector := range t.collectors {
		running.Go(func() { collector.run(ctx) })
	}
	running.Go(func() { t.announce(ctx) })
	t.check(ctx)
	running.Wait()
	return nil
}

// check waits until everything was measured once, and from then on finds the verdict anew ten times a second.
func (t *Throttler) check(ctx context.Context) {
	for _, collector := range t.collectors {
		select {
		case <-collector.first:
		case <-ctx.Done():
			return
		}
	}
	t.evaluate()
	close(t.firstCollected)

	ticker := time.NewTicker(checkInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			t.evaluate()
		case <-ctx.Done():
			return
		}
	}
}

// evaluate finds the verdict, sets the gate, and leaves word of a change. Inside a critical section the word waits.
func (t *Throttler) evaluate() {
	t.evaluating.Lock()
	defer t.evaluating.Unlock()

	verdict := Decide(t.board.read(), t.config.Settings, time.Now())
	t.gate.set(verdict)
	if t.gate.bypassed() || verdict.sameCause(t.announced) {
		return
	}
	t.announced = verdict
	select {
	case <-t.news: // not told yet, and out of date
	default:
	}
	t.news <- verdict // has room: only this place sends, one at a time
}

// announce tells of changes, as fast as OnChange takes them.
func (t *Throttler) announce(ctx context.Context) {
	told := open()
	for {
		select {
		case <-ctx.Done():
			return
		case verdict := <-t.news:
			if t.config.OnChange == nil || verdict.sameCause(told) {
				continue
			}
			told = verdict
			t.config.OnChange(ctx, verdict)
		}
	}
}

// board is where collectors leave what they measured.
type board struct {
	mu           sync.Mutex
	measurements Measurements
}

func (b *board) read() Measurements {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.measurements.clone()
}

func (b *board) write(change func(*Measurements)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.measurements)
}
