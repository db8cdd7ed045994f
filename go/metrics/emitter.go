package metrics

// Emitter takes measurements. Names come without the client's prefix; tags are "key:value" texts that add to the
// client's own. Implementations are safe for concurrent use and never make the caller wait for the network.
type Emitter interface {
	// Gauge reports the present value of something; only the latest counts.
	Gauge(name string, value float64, tags ...string)
	// Count adds to a counter.
	Count(name string, value int64, tags ...string)
	// Histogram reports one observation of a distribution.
	Histogram(name string, value float64, tags ...string)
}
