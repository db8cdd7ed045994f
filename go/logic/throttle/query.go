package throttle

import (
	"context"
	"time"
)

const (
	queryInterval = time.Second
	slowQuery     = 10 * time.Second
)

// queryCollector runs the operator's throttle query. It sets it no time limit: a query that the client gives up may go on in
// the server, and another one each second would pile up there.
type queryCollector struct {
	throttler *Throttler
	complaint complaint
}

func (c *queryCollector) collect(ctx context.Context) {
	t := c.throttler
	query := t.config.Settings.Query()
	if query == "" || t.Hibernating() {
		return
	}
	warning := time.AfterFunc(slowQuery, func() {
		_ = t.config.Log.Warningf("throttle-query runs for more than %s; until it ends, its last answer stands", slowQuery)
	})
	value, err := t.config.Meter.QueryInt(ctx, query)
	warning.Stop()
	if ctx.Err() != nil {
		return
	}
	c.complaint.report(t.config.Log, "throttle-query", err)
	if err != nil {
		value = 0 // an operator's typing error is no reason to hold back
	}
	t.board.write(func(m *Measurements) { m.Query = QueryReading{Query: query, Value: value} })
}
