package throttle

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 8, 3, 12, 0, 0, 0, time.UTC)

// everythingWrong is a moment at which every reason to hold back holds at once.
func everythingWrong() (Measurements, values) {
	settings := values{
		maxLag:          1500 * time.Millisecond,
		maxLoad:         map[string]int64{"Threads_running": 25, "Threads_connected": 500},
		criticalLoad:    map[string]int64{"nosuch": 1},
		throttledByUser: true,
		flagFile:        "/run/flag", additional: "/tmp/flag",
		query: "select 1", url: "http://load/check",
		controlReplicas: []string{"db3:3306", "db2:3306"},
	}
	measured := Measurements{
		HibernateUntil:     noon.Add(time.Minute),
		LeavingHibernation: true,
		FlagFile:           FileReading{"/run/flag", true},
		AdditionalFlagFile: FileReading{"/tmp/flag", true},
		Load: map[string]LoadReading{
			"nosuch":            {Err: errors.New("sql: no rows in result set")},
			"Threads_connected": {Value: 499},
			"Threads_running":   {Value: 25},
		},
		Query: QueryReading{"select 1", 1},
		HTTP:  HTTPReading{"http://load/check", 429},
		Lag:   LagReading{1501 * time.Millisecond, noon},
		Replicas: map[string]ReplicaReading{
			"db2:3306": {Lag: 2 * time.Second},
			"db3:3306": {Lag: 3 * time.Second},
		},
	}
	return measured, settings
}

func TestTheFirstReasonThatHoldsIsTheAnswer(t *testing.T) {
	measured, settings := everythingWrong()
	for _, step := range []struct {
		reason  string
		hint    Hint
		cause   Cause
		subject string
		remedy  func()
	}{
		{"critical-load-hibernate until 2026-08-03T12:01:00Z", NoHint, Hibernation, "", func() { measured.HibernateUntil = noon }},
		{"leaving hibernation", LeavingHibernationHint, LeavingHibernation, "", func() { measured.HibernateUntil = time.Time{} }},
		{"leaving hibernation", LeavingHibernationHint, LeavingHibernation, "", func() { measured.LeavingHibernation = false }},
		{"nosuch sql: no rows in result set", NoHint, UnreadableLoad, "nosuch", func() { settings.criticalLoad = nil }},
		{"commanded by user", UserCommandHint, UserCommand, "", func() { settings.throttledByUser = false }},
		{"flag-file", NoHint, ThrottleFlagFile, "", func() { measured.FlagFile.Exists = false }},
		{"flag-file", NoHint, ThrottleFlagFile, "", func() { measured.AdditionalFlagFile.Exists = false }},
		{"max-load Threads_running=25 >= 25", NoHint, MaxLoad, "Threads_running", func() { measured.Load["Threads_running"] = LoadReading{Value: 24} }},
		{"throttle-query", NoHint, Query, "", func() { measured.Query.Value = 0 }},
		{"Too many requests (http=429)", NoHint, HTTP, "429", func() { measured.HTTP.Status = 200 }},
		{"lag=1.501000s", NoHint, Lag, "", func() { measured.Lag.Lag = 1500 * time.Millisecond }},
		{"db3:3306 replica-lag=3.000000s", NoHint, ControlReplicaLag, "db3:3306", func() { measured.Replicas["db3:3306"] = ReplicaReading{Err: errors.New("bad connection")} }},
		{"db3:3306 bad connection", NoHint, ControlReplicaLag, "db3:3306", func() { delete(measured.Replicas, "db3:3306") }},
		{"db2:3306 replica-lag=2.000000s", NoHint, ControlReplicaLag, "db2:3306", func() { settings.maxLag = 2 * time.Second }},
	} {
		want := Verdict{Throttled: true, Reason: step.reason, Hint: step.hint, Cause: step.cause, Subject: step.subject}
		require.Equal(t, want, Decide(measured, settings, noon))
		step.remedy()
	}
	require.Equal(t, Verdict{Hint: NoHint}, Decide(measured, settings, noon))
}

func TestClearingAnInputClearsItsReasonAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		cause Cause
		clear func(*values)
	}{
		"critical-load ends hibernation": {Hibernation, func(v *values) { v.criticalLoad = nil }},
		"another critical-load variable": {UnreadableLoad, func(v *values) { v.criticalLoad = map[string]int64{"Threads_running": 900} }},
		"no-throttle":                    {UserCommand, func(v *values) { v.throttledByUser = false }},
		"the flag file":                  {ThrottleFlagFile, func(v *values) { v.flagFile = "" }},
		"another flag file":              {ThrottleFlagFile, func(v *values) { v.flagFile = "/run/other" }},
		"max-load":                       {MaxLoad, func(v *values) { v.maxLoad = nil }},
		"a higher max-load":              {MaxLoad, func(v *values) { v.maxLoad = map[string]int64{"Threads_running": 26} }},
		"the query":                      {Query, func(v *values) { v.query = "" }},
		"another query":                  {Query, func(v *values) { v.query = "select 0" }},
		"the URL":                        {HTTP, func(v *values) { v.url = "" }},
		"another URL":                    {HTTP, func(v *values) { v.url = "http://elsewhere/" }},
		"a higher max-lag":               {Lag, func(v *values) { v.maxLag = 2 * time.Second }},
		"the control replicas":           {ControlReplicaLag, func(v *values) { v.controlReplicas = nil }},
		"another control replica":        {ControlReplicaLag, func(v *values) { v.controlReplicas = []string{"db9:3306"} }},
	} {
		t.Run(name, func(t *testing.T) {
			everything, before := everythingWrong()
			measured, settings := onlyFor(c.cause, everything, before)
			require.Equal(t, c.cause, Decide(measured, settings, noon).Cause)

			c.clear(&settings)
			require.Equal(t, Verdict{Hint: NoHint}, Decide(measured, settings, noon))
		})
	}
}

// onlyFor leaves one cause of all, so that what clears it shows.
func onlyFor(cause Cause, all Measurements, settings values) (Measurements, values) {
	measured := Measurements{}
	settings.throttledByUser = cause == UserCommand
	switch cause {
	case Hibernation:
		measured.HibernateUntil = all.HibernateUntil
	case UnreadableLoad:
		measured.Load = map[string]LoadReading{"nosuch": all.Load["nosuch"]}
	case ThrottleFlagFile:
		measured.FlagFile = all.FlagFile
	case MaxLoad:
		measured.Load = map[string]LoadReading{"Threads_running": all.Load["Threads_running"]}
	case Query:
		measured.Query = all.Query
	case HTTP:
		measured.HTTP = all.HTTP
	case Lag:
		measured.Lag = all.Lag
	case ControlReplicaLag:
		measured.Replicas = all.Replicas
	}
	return measured, settings
}

func TestAnUnreadableMaxLoadVariableThrottlesWithItsError(t *testing.T) {
	settings := values{maxLoad: map[string]int64{"nosuch": 5}, maxLag: time.Second}
	measured := Measurements{Load: map[string]LoadReading{"nosuch": {Err: errors.New("sql: no rows in result set")}}}
	require.Equal(t, "nosuch sql: no rows in result set", Decide(measured, settings, noon).Reason)
}

func TestALagThatIsNoLongerReadAges(t *testing.T) {
	settings := values{maxLag: 1500 * time.Millisecond}
	measured := Measurements{Lag: LagReading{Lag: 100 * time.Millisecond, At: noon}}

	require.False(t, Decide(measured, settings, noon.Add(2500*time.Millisecond)).Throttled)
	require.Equal(t, "lag=2.700000s", Decide(measured, settings, noon.Add(2600*time.Millisecond)).Reason)
}

func TestHTTPStatusesAreWordedForPeople(t *testing.T) {
	for _, c := range []struct {
		url    string
		status int
		want   string
	}{
		{"http://load/", 404, "Not found (http=404)"},
		{"http://load/", 417, "Expectation failed (http=417)"},
		{"http://load/", 429, "Too many requests (http=429)"},
		{"http://load/", 500, "Internal server error (http=500)"},
		{"http://load/", -1, "Connection error (http=-1)"},
		{"http://load/", 503, "http=503"},
		{"http://load/", 204, "http=204"},
		{"http://freno.example/check", 404, "freno: unknown metric (http=404)"},
		{"http://freno.example/check", 417, "freno: access forbidden (http=417)"},
		{"http://freno.example/check", 429, "freno: threshold exceeded (http=429)"},
		{"http://freno.example/check", 500, "freno: internal error (http=500)"},
		{"http://freno.example/check", -1, "freno: connection error (http=-1)"},
		{"http://freno.example/check", 302, "http=302"},
		{"http://load/", 200, ""},
		{"http://load/", 0, ""},
	} {
		measured := Measurements{HTTP: HTTPReading{URL: c.url, Status: c.status}}
		require.Equal(t, c.want, Decide(measured, values{url: c.url, maxLag: time.Second}, noon).Reason)
	}
}

func TestIgnoredConnectionErrorsDoNotThrottleButStatusesDo(t *testing.T) {
	settings := values{url: "http://load/", ignoreHTTPErrors: true, maxLag: time.Second}
	require.False(t, Decide(Measurements{HTTP: HTTPReading{"http://load/", -1}}, settings, noon).Throttled)
	require.True(t, Decide(Measurements{HTTP: HTTPReading{"http://load/", 500}}, settings, noon).Throttled)
}
