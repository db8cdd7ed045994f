package throttle

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// staleLagGrace is how much longer than the limit a lag reading may be old and still be taken as it is. It covers the
// interval between reads, slow reads included.
const staleLagGrace = time.Second

// Decide tells whether to hold back. The first reason that holds is the answer:
//
//  1. hibernation, and leaving it
//  2. critical-load variables that cannot be read, the user's command, the flag files, max-load, the throttle query
//  3. the HTTP check
//  4. the own lag
//  5. the control replicas
//
// It looks at nothing but its arguments, so that a setting can be judged anew the moment it changes.
func Decide(m Measurements, settings Settings, now time.Time) Verdict {
	for _, look := range []func(Measurements, Settings, time.Time) Verdict{
		decideOnHibernation,
		decideOnCriticalLoad,
		decideOnUserCommand,
		decideOnFlagFiles,
		decideOnMaxLoad,
		decideOnQuery,
		decideOnHTTP,
		decideOnLag,
		decideOnControlReplicas,
	} {
		if verdict := look(m, settings, now); verdict.Throttled {
			return verdict
		}
	}
	return open()
}

func decideOnHibernation(m Measurements, settings Settings, now time.Time) Verdict {
	if m.hibernating(settings, now) {
		return closed(Hibernation, "", "critical-load-hibernate until "+m.HibernateUntil.Format(time.RFC3339))
	}
	if m.LeavingHibernation || (!m.HibernateUntil.IsZero() && len(settings.CriticalLoad()) > 0) {
		return closed(LeavingHibernation, "", "leaving hibernation").withHint(LeavingHibernationHint)
	}
	return open()
}

// decideOnCriticalLoad holds back when nobody can tell whether the load is critical. Load that is critical does not throttle
// but aborts or hibernates, which is the collector's business.
func decideOnCriticalLoad(m Measurements, settings Settings, _ time.Time) Verdict {
	for _, variable := range sortedNames(settings.CriticalLoad()) {
		if reading, known := m.Load[variable]; known && reading.Err != nil {
			return closed(UnreadableLoad, variable, fmt.Sprintf("%s %s", variable, reading.Err))
		}
	}
	return open()
}

func decideOnUserCommand(_ Measurements, settings Settings, _ time.Time) Verdict {
	if settings.ThrottledByUser() {
		return closed(UserCommand, "", "commanded by user").withHint(UserCommandHint)
	}
	return open()
}

func decideOnFlagFiles(m Measurements, settings Settings, _ time.Time) Verdict {
	if m.FlagFile.exists(settings.FlagFile()) || m.AdditionalFlagFile.exists(settings.AdditionalFlagFile()) {
		return closed(ThrottleFlagFile, "", "flag-file")
	}
	return open()
}

func (r FileReading) exists(configured string) bool {
	return configured != "" && r.Path == configured && r.Exists
}

func decideOnMaxLoad(m Measurements, settings Settings, _ time.Time) Verdict {
	thresholds := settings.MaxLoad()
	for _, variable := range sortedNames(thresholds) {
		reading, known := m.Load[variable]
		switch {
		case !known:
		case reading.Err != nil:
			return closed(MaxLoad, variable, fmt.Sprintf("%s %s", variable, reading.Err))
		case reading.Value >= thresholds[variable]:
			return closed(MaxLoad, variable, fmt.Sprintf("max-load %s=%d >= %d", variable, reading.Value, thresholds[variable]))
		}
	}
	return open()
}

func decideOnQuery(m Measurements, settings Settings, _ time.Time) Verdict {
	query := settings.Query()
	if query != "" && m.Query.Query == query && m.Query.Value > 0 {
		return closed(Query, "", "throttle-query")
	}
	return open()
}

func decideOnHTTP(m Measurements, settings Settings, _ time.Time) Verdict {
	url := settings.HTTPURL()
	switch {
	case url == "" || m.HTTP.URL != url:
		return open()
	case m.HTTP.Status == 0 || m.HTTP.Status == httpOK:
		return open()
	case m.HTTP.Status == httpConnectionError && settings.IgnoreHTTPErrors():
		return open()
	}
	return closed(HTTP, fmt.Sprint(m.HTTP.Status), httpReason(url, m.HTTP.Status))
}

func decideOnLag(m Measurements, settings Settings, now time.Time) Verdict {
	limit := settings.MaxLag()
	if lag := m.Lag.atMost(limit, now); lag > limit {
		return closed(Lag, "", fmt.Sprintf("lag=%fs", lag.Seconds()))
	}
	return open()
}

// atMost is the lag that may be there now. A reading that was not renewed for long proves only that the lag has not grown
// faster than time, so its age is added.
func (r LagReading) atMost(limit time.Duration, now time.Time) time.Duration {
	if r.At.IsZero() {
		return r.Lag
	}
	if age := now.Sub(r.At); age > limit+staleLagGrace {
		return r.Lag + age
	}
	return r.Lag
}

// decideOnControlReplicas reports an unreadable replica before a lagging one, and of several that lag the worst.
func decideOnControlReplicas(m Measurements, settings Settings, _ time.Time) Verdict {
	worst, worstLag := "", settings.MaxLag()
	for _, replica := range slices.Sorted(slices.Values(settings.ControlReplicas())) {
		reading, known := m.Replicas[replica]
		if known && reading.Err != nil {
			return closed(ControlReplicaLag, replica, fmt.Sprintf("%s %s", replica, reading.Err))
		}
		if known && reading.Lag > worstLag {
			worst, worstLag = replica, reading.Lag
		}
	}
	if worst != "" {
		return closed(ControlReplicaLag, worst, fmt.Sprintf("%s replica-lag=%fs", worst, worstLag.Seconds()))
	}
	return open()
}

func sortedNames(thresholds map[string]int64) []string {
	return slices.Sorted(maps.Keys(thresholds))
}

const (
	httpOK              = 200
	httpConnectionError = -1
)

// httpReason words a status for people. Services that speak freno's protocol give their statuses meanings of their own.
func httpReason(url string, status int) string {
	messages := map[int]string{
		404: "Not found", 417: "Expectation failed", 429: "Too many requests", 500: "Internal server error",
		httpConnectionError: "Connection error",
	}
	if strings.Contains(url, "freno") {
		messages = map[int]string{
			404: "freno: unknown metric", 417: "freno: access forbidden", 429: "freno: threshold exceeded", 500: "freno: internal error",
			httpConnectionError: "freno: connection error",
		}
	}
	if message, known := messages[status]; known {
		return fmt.Sprintf("%s (http=%d)", message, status)
	}
	return fmt.Sprintf("http=%d", status)
}
