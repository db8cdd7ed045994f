package throttle

import (
	"context"
	"fmt"
	"time"
)

const (
	loadInterval = time.Second
	loadTimeout  = 5 * time.Second // for all variables of one round together
)

// loadCollector reads status variables, and acts on critical load.
type loadCollector struct {
	throttler  *Throttler
	secondLook time.Time // when critical load met once is looked at again; zero: none is due
}

// pause ends with a second look or a hibernation, if one of them comes first.
func (c *loadCollector) pause() time.Duration {
	pause := loadInterval
	for _, due := range []time.Time{c.secondLook, c.throttler.board.read().HibernateUntil} {
		if !due.IsZero() {
			pause = min(pause, time.Until(due))
		}
	}
	return pause
}

func (c *loadCollector) collect(ctx context.Context) {
	t, settings := c.throttler, c.throttler.config.Settings
	if t.Hibernating() {
		return
	}
	t.board.write(func(m *Measurements) {
		// Whoever cleared the thresholds called the hibernation off: there is nothing to leave.
		m.LeavingHibernation = m.LeavingHibernation || (!m.HibernateUntil.IsZero() && len(settings.CriticalLoad()) > 0)
		m.HibernateUntil = time.Time{}
	})

	critical := settings.CriticalLoad()
	readings := c.read(ctx, sortedNames(critical), sortedNames(settings.MaxLoad()))
	if ctx.Err() != nil {
		return
	}
	if c.actOnCriticalLoad(readings, critical) {
		return
	}
	t.board.write(func(m *Measurements) {
		m.Load = readings
		m.LeavingHibernation = false
	})
}

// read reads each variable once, whichever lists name it. A round that takes too long leaves the rest unreadable.
func (c *loadCollector) read(ctx context.Context, lists ...[]string) map[string]LoadReading {
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	readings := map[string]LoadReading{}
	for _, variables := range lists {
		for _, variable := range variables {
			if _, done := readings[variable]; done {
				continue
			}
			value, err := c.throttler.config.Meter.GlobalStatus(ctx, variable)
			readings[variable] = LoadReading{Value: value, Err: err}
		}
	}
	return readings
}

// actOnCriticalLoad hibernates, aborts, or plans a second look if a threshold is reached. It tells whether hibernation began.
func (c *loadCollector) actOnCriticalLoad(readings map[string]LoadReading, critical map[string]int64) (hibernates bool) {
	t, settings := c.throttler, c.throttler.config.Settings
	met := criticalLoadMet(readings, critical)
	lookAgain := !c.secondLook.IsZero()
	lookIsDue := lookAgain && !time.Now().Before(c.secondLook)

	switch {
	case met == "":
		if lookIsDue {
			c.secondLook = time.Time{}
			t.config.Log.Infof("critical-load is not met at the second look")
		}
	case settings.CriticalLoadHibernation() > 0:
		c.secondLook = time.Time{}
		duration := settings.CriticalLoadHibernation()
		until := time.Now().Add(duration)
		t.board.write(func(m *Measurements) { m.HibernateUntil, m.LeavingHibernation = until, false })
		t.evaluate()
		_ = t.config.Log.Errorf("critical-load met: %s. Will hibernate for the duration of %s, until %s", met, duration, until.Format(time.RFC3339))
		return true
	case settings.CriticalLoadInterval() <= 0 || lookIsDue:
		c.secondLook = time.Time{}
		t.abortWith(&AbortError{Cause: CriticalLoad, Reason: "critical-load met: " + met})
	case !lookAgain:
		interval := settings.CriticalLoadInterval()
		c.secondLook = time.Now().Add(interval)
		_ = t.config.Log.Errorf("critical-load met once: %s. Will check again in %d millis", met, interval.Milliseconds())
	}
	return false
}

// criticalLoadMet words the first threshold that is reached, "" if none is.
func criticalLoadMet(readings map[string]LoadReading, critical map[string]int64) string {
	for _, variable := range sortedNames(critical) {
		reading := readings[variable]
		if reading.Err == nil && reading.Value >= critical[variable] {
			return fmt.Sprintf("%s=%d, >=%d", variable, reading.Value, critical[variable])
		}
	}
	return ""
}
