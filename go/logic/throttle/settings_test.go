package throttle

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/github/gh-ost/go/internal/testserver"
)

func TestMain(m *testing.M) {
	code := testserver.Main(m, testserver.Options{})
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// values are the settings of one moment, and themselves Settings that never change.
type values struct {
	maxLag                  time.Duration
	maxLoad, criticalLoad   map[string]int64
	criticalLoadInterval    time.Duration
	criticalLoadHibernation time.Duration
	throttledByUser         bool
	flagFile, additional    string
	panicFile, query, url   string
	ignoreHTTPErrors        bool
	httpTimeout             time.Duration
	controlReplicas         []string
}

func (v values) MaxLag() time.Duration                  { return v.maxLag }
func (v values) MaxLoad() map[string]int64              { return v.maxLoad }
func (v values) CriticalLoad() map[string]int64         { return v.criticalLoad }
func (v values) CriticalLoadInterval() time.Duration    { return v.criticalLoadInterval }
func (v values) CriticalLoadHibernation() time.Duration { return v.criticalLoadHibernation }
func (v values) ThrottledByUser() bool                  { return v.throttledByUser }
func (v values) FlagFile() string                       { return v.flagFile }
func (v values) AdditionalFlagFile() string             { return v.additional }
func (v values) PanicFlagFile() string                  { return v.panicFile }
func (v values) Query() string                          { return v.query }
func (v values) HTTPURL() string                        { return v.url }
func (v values) HTTPInterval() time.Duration            { return 20 * time.Millisecond }
func (v values) HTTPTimeout() time.Duration             { return v.httpTimeout }
func (v values) IgnoreHTTPErrors() bool                 { return v.ignoreHTTPErrors }
func (v values) ControlReplicas() []string              { return v.controlReplicas }
func (v values) LagInterval() time.Duration             { return 20 * time.Millisecond }

// liveSettings are Settings that a test changes while a throttler runs.
type liveSettings struct {
	mu      sync.Mutex
	current values
}

func (s *liveSettings) change(by func(*values)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	by(&s.current)
}

func (s *liveSettings) now() values {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

func (s *liveSettings) MaxLag() time.Duration               { return s.now().MaxLag() }
func (s *liveSettings) MaxLoad() map[string]int64           { return s.now().MaxLoad() }
func (s *liveSettings) CriticalLoad() map[string]int64      { return s.now().CriticalLoad() }
func (s *liveSettings) CriticalLoadInterval() time.Duration { return s.now().CriticalLoadInterval() }
func (s *liveSettings) CriticalLoadHibernation() time.Duration {
	return s.now().CriticalLoadHibernation()
}
func (s *liveSettings) ThrottledByUser() bool       { return s.now().ThrottledByUser() }
func (s *liveSettings) FlagFile() string            { return s.now().FlagFile() }
func (s *liveSettings) AdditionalFlagFile() string  { return s.now().AdditionalFlagFile() }
func (s *liveSettings) PanicFlagFile() string       { return s.now().PanicFlagFile() }
func (s *liveSettings) Query() string               { return s.now().Query() }
func (s *liveSettings) HTTPURL() string             { return s.now().HTTPURL() }
func (s *liveSettings) HTTPInterval() time.Duration { return s.now().HTTPInterval() }
func (s *liveSettings) HTTPTimeout() time.Duration  { return s.now().HTTPTimeout() }
func (s *liveSettings) IgnoreHTTPErrors() bool      { return s.now().IgnoreHTTPErrors() }
func (s *liveSettings) ControlReplicas() []string   { return s.now().ControlReplicas() }
func (s *liveSettings) LagInterval() time.Duration  { return s.now().LagInterval() }
