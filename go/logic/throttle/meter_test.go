package throttle

import (
	"context"
	gosql "database/sql"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

// withMeter runs a test on each flavor with a meter on its server. Control replicas are that server itself.
func withMeter(t *testing.T, test func(t *testing.T, server *testserver.Server, meter *SQLMeter, changelog string)) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		changelog := "`" + schema + "`.`_t_ghc`"
		server.Exec(t, "CREATE TABLE "+changelog+" (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, hint VARCHAR(64) CHARSET ascii NOT NULL, value VARCHAR(4096) CHARSET ascii NOT NULL, UNIQUE KEY hint_uidx (hint)) AUTO_INCREMENT=256")
		meter := NewSQLMeter(server.DB(t), changelog, func(replica string) (*gosql.DB, error) {
			if replica != "this:1" {
				return nil, errors.New("no such replica")
			}
			return gosql.Open("mysql", server.AdminConfig("").FormatDSN())
		})
		t.Cleanup(func() { require.NoError(t, meter.Close()) })
		test(t, server, meter, changelog)
	})
}

func TestStatusVariablesAreReadByTheirExactName(t *testing.T) {
	withMeter(t, func(t *testing.T, _ *testserver.Server, meter *SQLMeter, _ string) {
		running, err := meter.GlobalStatus(t.Context(), "Threads_running")
		require.NoError(t, err)
		require.Positive(t, running)
		_, err = meter.GlobalStatus(t.Context(), "threads_connected")
		require.NoError(t, err, "in any case of letters, as the server has it")

		_, err = meter.GlobalStatus(t.Context(), "Threads%running")
		require.EqualError(t, err, "sql: no rows in result set", "a wildcard is no name, and the text goes into the reason")
		_, err = meter.GlobalStatus(t.Context(), "nosuch' or '1'='1")
		require.ErrorIs(t, err, gosql.ErrNoRows)
		_, err = meter.GlobalStatus(t.Context(), "Ssl_cipher_list")
		require.ErrorContains(t, err, "is not a number")
	})
}

func TestAThrottleQueryReturnsOneNumber(t *testing.T) {
	withMeter(t, func(t *testing.T, _ *testserver.Server, meter *SQLMeter, _ string) {
		for query, want := range map[string]int64{
			"select 3":                    3,
			"select null":                 0,
			"select 1.9":                  1,
			"select sum(2)":               2,
			"select 18446744073709551615": math.MaxInt64,
			"select 5 union select 0":     5,
			"select true":                 1,
		} {
			value, err := meter.QueryInt(t.Context(), query)
			require.NoError(t, err, query)
			require.Equal(t, want, value, query)
		}
		for query, complaint := range map[string]string{
			"selct 1":                    "syntax",
			"select 1, 2":                "expected 2 destination arguments",
			"select 1 from dual limit 0": "no rows",
			"select 'many'":              "not a number",
		} {
			_, err := meter.QueryInt(t.Context(), query)
			require.ErrorContains(t, err, complaint, query)
		}
	})
}

func TestAReplicasLagIsTheAgeOfItsHeartbeat(t *testing.T) {
	withMeter(t, func(t *testing.T, server *testserver.Server, meter *SQLMeter, changelog string) {
		_, err := meter.ReplicaLag(t.Context(), "this:1")
		require.ErrorContains(t, err, "no heartbeat in "+changelog)

		beat := func(at time.Time) {
			server.Exec(t, "REPLACE INTO "+changelog+" (id, hint, value) VALUES (1, 'heartbeat', ?)", at.Format(time.RFC3339Nano))
		}
		beat(time.Now().Add(-3 * time.Second))
		lag, err := meter.ReplicaLag(t.Context(), "this:1")
		require.NoError(t, err)
		require.InDelta(t, 3, lag.Seconds(), 0.5)

		beat(time.Now().Add(time.Hour).In(time.FixedZone("", -5*3600)))
		lag, err = meter.ReplicaLag(t.Context(), "this:1")
		require.NoError(t, err)
		require.Zero(t, lag, "a heartbeat of the future is not a negative lag")

		_, err = meter.ReplicaLag(t.Context(), "that:1")
		require.EqualError(t, err, "no such replica")
	})
}

func TestMeasuringEndsWithItsContext(t *testing.T) {
	withMeter(t, func(t *testing.T, _ *testserver.Server, meter *SQLMeter, _ string) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		began := time.Now()
		_, err := meter.QueryInt(ctx, "select sleep(30)")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Less(t, time.Since(began), 2*time.Second)
	})
}

func TestALiveThrottlerHoldsBackOnAServersLoad(t *testing.T) {
	withMeter(t, func(t *testing.T, server *testserver.Server, meter *SQLMeter, changelog string) {
		db := server.DB(t)
		server.Exec(t, "REPLACE INTO "+changelog+" (id, hint, value) VALUES (1, 'heartbeat', ?)", time.Now().Format(time.RFC3339Nano))
		l := prepareLab(values{maxLag: time.Hour, maxLoad: map[string]int64{"Threads_running": 100000}, controlReplicas: []string{"this:1"}})
		l.config.Meter = meter
		l.config.OwnLag = func(ctx context.Context) (time.Duration, error) { return HeartbeatLag(ctx, db, changelog) }
		l.start(t)
		<-l.FirstCollected()
		require.Empty(t, l.reason())

		l.set(func(v *values) { v.maxLoad = map[string]int64{"Uptime": 0} })
		require.Eventually(t, func() bool { return l.Gate().Verdict().Subject == "Uptime" }, 3*time.Second, 5*time.Millisecond)
		l.set(func(v *values) { v.maxLoad, v.query = nil, "select /* a busy hour */ 1" })
		l.eventually(t, "throttle-query")
		l.set(func(v *values) { v.query, v.maxLag = "", 100*time.Millisecond })
		require.Eventually(t, func() bool { return l.Gate().Verdict().Cause == Lag }, 3*time.Second, 5*time.Millisecond)
	})
}
