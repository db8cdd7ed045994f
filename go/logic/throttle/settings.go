package throttle

import "time"

// Settings are the live values that an operator may change at any time. They are read anew for each measurement and each
// decision; all getters must be safe for concurrent use and quick.
type Settings interface {
	MaxLag() time.Duration

	// MaxLoad and CriticalLoad map status variables to thresholds; the caller does not change the maps.
	MaxLoad() map[string]int64
	CriticalLoad() map[string]int64
	CriticalLoadInterval() time.Duration    // zero: the first time counts; else a second look after it must agree
	CriticalLoadHibernation() time.Duration // zero: abort; else hold still this long instead

	ThrottledByUser() bool
	FlagFile() string           // "" if none, like all texts below
	AdditionalFlagFile() string // meant to be shared by several runs
	PanicFlagFile() string
	Query() string

	HTTPURL() string
	HTTPInterval() time.Duration
	HTTPTimeout() time.Duration
	IgnoreHTTPErrors() bool

	// ControlReplicas are the keys, as host:port, of the servers whose lag counts too. While replication is stopped on
	// purpose it is for the implementation to return none.
	ControlReplicas() []string
	LagInterval() time.Duration // between two reads of the own lag
}
