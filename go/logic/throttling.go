package logic

import (
	"context"
	"fmt"
	"time"

	gosql "database/sql"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/logic/throttle"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// throttleSettings shows a migration's configuration and live settings to its throttler.
type throttleSettings struct {
	*base.MigrationContext
}

func (s throttleSettings) MaxLoad() map[string]int64      { return s.GetMaxLoad() }
func (s throttleSettings) CriticalLoad() map[string]int64 { return s.GetCriticalLoad() }

func (s throttleSettings) CriticalLoadInterval() time.Duration {
	return time.Duration(s.CriticalLoadIntervalMilliseconds) * time.Millisecond
}

func (s throttleSettings) CriticalLoadHibernation() time.Duration {
	return time.Duration(s.CriticalLoadHibernateSeconds) * time.Second
}

func (s throttleSettings) ThrottledByUser() bool {
	return s.IsThrottleCommandedByUser()
}

func (s throttleSettings) FlagFile() string           { return s.ThrottleFlagFile }
func (s throttleSettings) AdditionalFlagFile() string { return s.ThrottleAdditionalFlagFile }
func (s throttleSettings) PanicFlagFile() string      { return s.MigrationContext.PanicFlagFile }
func (s throttleSettings) Query() string              { return s.GetThrottleQuery() }
func (s throttleSettings) HTTPURL() string            { return s.GetThrottleHTTP() }
func (s throttleSettings) IgnoreHTTPErrors() bool     { return s.IgnoresHTTPErrors() }
func (s throttleSettings) LagInterval() time.Duration { return s.HeartbeatInterval() }

func (s throttleSettings) HTTPInterval() time.Duration {
	return time.Duration(s.ThrottleHTTPIntervalMillis) * time.Millisecond
}

func (s throttleSettings) HTTPTimeout() time.Duration {
	return time.Duration(s.ThrottleHTTPTimeoutMillis) * time.Millisecond
}

func (s throttleSettings) ControlReplicas() []string {
	var replicas []string
	for _, key := range s.GetThrottleControlReplicaKeys().GetInstanceKeys() {
		replicas = append(replicas, key.StringCode())
	}
	return replicas
}

// newThrottler returns the throttler of a migration, which measures the applier, the inspected server's lag and control
// replicas; and the meter, which the caller closes.
func newThrottler(mgtr *Migrator) (*throttle.Throttler, *throttle.SQLMeter) {
	table := sql.TableName{Schema: mgtr.context.DatabaseName, Name: mgtr.context.GetChangelogTableName()}.String()
	meter := throttle.NewSQLMeter(mgtr.applier.general, table, func(replica string) (*gosql.DB, error) {
		key, err := mysql.ParseInstanceKey(replica)
		if err != nil {
			return nil, fmt.Errorf("throttle-control-replicas: %w", err)
		}
		return mgtr.context.InspectorConnectionConfig.DuplicateCredentials(*key).Open("")
	})
	return throttle.New(throttle.Config{
		Settings: throttleSettings{mgtr.context},
		Meter:    meter,
		OwnLag: func(ctx context.Context) (time.Duration, error) {
			lag, err := mgtr.ownLag(ctx, table)
			if err == nil {
				mgtr.context.SetCurrentLag(lag)
			}
			return lag, err
		},
		Abort: func(err error) { mgtr.abort(err) },
		OnChange: func(ctx context.Context, verdict throttle.Verdict) {
			text := "done throttling"
			if verdict.Throttled {
				text = verdict.Reason
			}
			mgtr.measure.throttling(verdict, time.Now())
			if err := mgtr.changelog.WriteThrottle(ctx, text); err != nil && ctx.Err() == nil {
				_ = mgtr.log.Errore(err)
			}
		},
		UserAgent: "gh-ost/" + mgtr.version,
		Log:       mgtr.log,
	}), meter
}

// ownLag is how far the inspected server is behind: by the heartbeat that comes to it from the primary or, where the
// heartbeat is written to that server itself, as its replication status says.
func (mgtr *Migrator) ownLag(ctx context.Context, changelog string) (time.Duration, error) {
	if mgtr.context.IsOnReplica() {
		return mysql.NewReplica(mgtr.inspectorDB, mgtr.inspector.Dialect).Lag(ctx)
	}
	return throttle.HeartbeatLag(ctx, mgtr.inspectorDB, changelog)
}
