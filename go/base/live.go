package base

import (
	"cmp"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/github/gh-ost/go/mysql"
)

// The defaults of the live settings, and the ranges that their setters keep them in.
const (
	DefaultChunkSize                     = 1000
	MinChunkSize                         = 10
	MaxChunkSize                         = 100_000
	DefaultDMLBatchSize                  = 10
	MinDMLBatchSize                      = 1
	MaxDMLBatchSize                      = MaxEventsBatchSize
	DefaultMaxLagMillis                  = 1500
	MinMaxLagMillis                      = 100
	DefaultHeartbeatIntervalMillis       = 100
	MinHeartbeatIntervalMillis           = 100
	MaxHeartbeatIntervalMillis           = 1000
	MaxNiceRatio                         = 100.0
	DefaultNumRetries              int64 = 60
)

// MaxEventsBatchSize is the most events that are applied in one transaction, and the capacity of the backlog.
const MaxEventsBatchSize = 1000

// LiveSettings are what an operator can change while the migration runs. All methods are safe for concurrent use.
// A changed value takes effect with the next step that reads it.
type LiveSettings struct {
	chunkSize               atomic.Int64
	dmlBatchSize            atomic.Int64
	niceRatio               atomic.Uint64 // bits of a float64
	maxLagMillis            atomic.Int64
	heartbeatIntervalMillis atomic.Int64
	retries                 atomic.Int64
	ignoreHTTPErrors        atomic.Bool

	mutex               sync.Mutex // guards all below
	maxLoad             LoadMap
	criticalLoad        LoadMap
	throttleQuery       string
	throttleHTTP        string
	controlReplicas     *mysql.InstanceKeyMap
	postponeFile        *string // nil: the path given at the start counts
	unpostponeRequested time.Time
}

func (l *LiveSettings) setDefaults() {
	l.SetChunkSize(DefaultChunkSize)
	l.SetDMLBatchSize(DefaultDMLBatchSize)
	l.SetMaxLagMillisecondsThrottleThreshold(DefaultMaxLagMillis)
	l.SetHeartbeatIntervalMilliseconds(DefaultHeartbeatIntervalMillis)
	l.retries.Store(DefaultNumRetries)
	l.maxLoad, l.criticalLoad = NewLoadMap(), NewLoadMap()
	l.controlReplicas = mysql.NewInstanceKeyMap()
}

// clamped returns the value, or the bound that it is beyond.
func clamped[T cmp.Ordered](value, low, high T) T {
	return min(max(value, low), high)
}

// GetChunkSize is the number of rows in a copied chunk.
func (l *LiveSettings) GetChunkSize() int64 { return l.chunkSize.Load() }

// SetChunkSize sets the number of rows in a copied chunk, kept within 10…100000.
func (l *LiveSettings) SetChunkSize(chunkSize int64) {
	l.chunkSize.Store(clamped(chunkSize, MinChunkSize, MaxChunkSize))
}

// GetDMLBatchSize is the most events applied in one transaction.
func (l *LiveSettings) GetDMLBatchSize() int64 { return l.dmlBatchSize.Load() }

// SetDMLBatchSize sets the most events applied in one transaction, kept within 1…1000.
func (l *LiveSettings) SetDMLBatchSize(batchSize int64) {
	l.dmlBatchSize.Store(clamped(batchSize, MinDMLBatchSize, MaxDMLBatchSize))
}

// GetNiceRatio is the time to rest after a chunk, as a multiple of the time the chunk took.
func (l *LiveSettings) GetNiceRatio() float64 { return math.Float64frombits(l.niceRatio.Load()) }

// SetNiceRatio sets the time to rest after a chunk, as a multiple of the time the chunk took, kept within 0…100. Something
// that is not a number counts as 0.
func (l *LiveSettings) SetNiceRatio(ratio float64) {
	if math.IsNaN(ratio) {
		ratio = 0
	}
	l.niceRatio.Store(math.Float64bits(clamped(ratio, 0.0, MaxNiceRatio)))
}

// GetMaxLagMillisecondsThrottleThreshold is the lag above which the migration is throttled, in milliseconds.
func (l *LiveSettings) GetMaxLagMillisecondsThrottleThreshold() int64 { return l.maxLagMillis.Load() }

// MaxLag is the lag above which the migration is throttled.
func (l *LiveSettings) MaxLag() time.Duration {
	return time.Duration(l.maxLagMillis.Load()) * time.Millisecond
}

// SetMaxLagMillisecondsThrottleThreshold sets the lag above which the migration is throttled, in milliseconds, at least 100.
func (l *LiveSettings) SetMaxLagMillisecondsThrottleThreshold(millis int64) {
	l.maxLagMillis.Store(max(millis, MinMaxLagMillis))
}

// GetHeartbeatIntervalMilliseconds is the time between two heartbeats, in milliseconds.
func (l *LiveSettings) GetHeartbeatIntervalMilliseconds() int64 {
	return l.heartbeatIntervalMillis.Load()
}

// HeartbeatInterval is the time between two heartbeats.
func (l *LiveSettings) HeartbeatInterval() time.Duration {
	return time.Duration(l.heartbeatIntervalMillis.Load()) * time.Millisecond
}

// SetHeartbeatIntervalMilliseconds sets the time between two heartbeats in milliseconds, kept within 100…1000.
func (l *LiveSettings) SetHeartbeatIntervalMilliseconds(millis int64) {
	l.heartbeatIntervalMillis.Store(clamped(millis, MinHeartbeatIntervalMillis, MaxHeartbeatIntervalMillis))
}

// MaxRetries is the number of attempts at an operation that may be retried.
func (l *LiveSettings) MaxRetries() int64 { return l.retries.Load() }

// SetDefaultNumRetries sets the number of attempts at an operation that may be retried. 0 or less changes nothing.
func (l *LiveSettings) SetDefaultNumRetries(retries int64) {
	if retries > 0 {
		l.retries.Store(retries)
	}
}

// GetMaxLoad is a copy of the thresholds at which the migration is throttled.
func (l *LiveSettings) GetMaxLoad() LoadMap {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.maxLoad.Duplicate()
}

// ReadMaxLoad replaces the thresholds at which the migration is throttled; an empty list clears them. On an error the
// old ones stay.
func (l *LiveSettings) ReadMaxLoad(maxLoadList string) error {
	loads, err := ParseLoadMap(maxLoadList)
	if err != nil {
		return fmt.Errorf("max-load: %w", err)
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.maxLoad = loads
	return nil
}

// GetCriticalLoad is a copy of the thresholds at which the migration ends or hibernates.
func (l *LiveSettings) GetCriticalLoad() LoadMap {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.criticalLoad.Duplicate()
}

// ReadCriticalLoad replaces the thresholds at which the migration ends or hibernates; an empty list clears them. On an
// error the old ones stay.
func (l *LiveSettings) ReadCriticalLoad(criticalLoadList string) error {
	loads, err := ParseLoadMap(criticalLoadList)
	if err != nil {
		return fmt.Errorf("critical-load: %w", err)
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.criticalLoad = loads
	return nil
}

// GetThrottleQuery is the query whose result throttles when it is above 0. Empty: none.
func (l *LiveSettings) GetThrottleQuery() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.throttleQuery
}

// SetThrottleQuery sets the query whose result throttles when it is above 0. Empty: none.
func (l *LiveSettings) SetThrottleQuery(query string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.throttleQuery = query
}

// GetThrottleHTTP is the URL that throttles unless it answers with status 200. Empty: none.
func (l *LiveSettings) GetThrottleHTTP() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.throttleHTTP
}

// SetThrottleHTTP sets the URL that throttles unless it answers with status 200. Empty: none.
func (l *LiveSettings) SetThrottleHTTP(throttleHTTP string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.throttleHTTP = throttleHTTP
}

// IgnoresHTTPErrors tells whether that URL may be out of reach without throttling.
func (l *LiveSettings) IgnoresHTTPErrors() bool { return l.ignoreHTTPErrors.Load() }

// SetIgnoreHTTPErrors sets whether that URL may be out of reach without throttling.
func (l *LiveSettings) SetIgnoreHTTPErrors(ignoreHTTPErrors bool) {
	l.ignoreHTTPErrors.Store(ignoreHTTPErrors)
}

// GetThrottleControlReplicaKeys is a copy of the list of replicas whose lag throttles too.
func (l *LiveSettings) GetThrottleControlReplicaKeys() *mysql.InstanceKeyMap {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	keys := mysql.NewInstanceKeyMap()
	keys.AddKeys(l.controlReplicas.GetInstanceKeys())
	return keys
}

// ReadThrottleControlReplicaKeys replaces the list of replicas whose lag throttles too; an empty list clears it. On an
// error the old list stays.
func (l *LiveSettings) ReadThrottleControlReplicaKeys(throttleControlReplicas string) error {
	keys := mysql.NewInstanceKeyMap()
	if err := keys.ReadCommaDelimitedList(throttleControlReplicas); err != nil {
		return fmt.Errorf("throttle-control-replicas: %w", err)
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.controlReplicas = keys
	return nil
}

// AddThrottleControlReplicaKey adds a replica to that list.
func (l *LiveSettings) AddThrottleControlReplicaKey(key mysql.InstanceKey) error {
	if !key.IsValid() {
		return fmt.Errorf("throttle-control-replicas: %q is not a server's host and port", key.DisplayString())
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.controlReplicas.AddKey(key)
	return nil
}
