package throttle

import (
	"maps"
	"time"
)

// Measurements is what is known at one moment. Each carries what it measured, so that it can be told from what is
// configured now. The zero value knows nothing and throttles nothing.
type Measurements struct {
	HibernateUntil     time.Time // zero: not hibernating
	LeavingHibernation bool      // hibernation ended, and load has not been looked at since

	FlagFile, AdditionalFlagFile FileReading

	Load     map[string]LoadReading // by status variable
	Query    QueryReading
	HTTP     HTTPReading
	Lag      LagReading
	Replicas map[string]ReplicaReading // by control replica
}

// FileReading tells whether a file existed.
type FileReading struct {
	Path   string
	Exists bool
}

// LoadReading is the value of a status variable, or why it could not be read.
type LoadReading struct {
	Value int64
	Err   error
}

// QueryReading is the number the throttle query returned.
type QueryReading struct {
	Query string
	Value int64
}

// HTTPReading is the status that a URL answered with; httpConnectionError if it did not answer, 0 if that is of no account.
type HTTPReading struct {
	URL    string
	Status int
}

// LagReading is the latest lag that could be read, and when. With a zero time none was ever expected.
type LagReading struct {
	Lag time.Duration
	At  time.Time
}

// ReplicaReading is a control replica's lag, or why it could not be read.
type ReplicaReading struct {
	Lag time.Duration
	Err error
}

// clone returns a copy whose maps are its own.
func (m Measurements) clone() Measurements {
	m.Load = maps.Clone(m.Load)
	m.Replicas = maps.Clone(m.Replicas)
	return m
}

// hibernating tells whether critical load keeps everything still at this moment. An operator who clears the thresholds ends
// it, as with every other input.
func (m Measurements) hibernating(settings Settings, now time.Time) bool {
	return now.Before(m.HibernateUntil) && len(settings.CriticalLoad()) > 0
}
