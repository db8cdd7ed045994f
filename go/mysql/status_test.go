package mysql

import (
	gosql "database/sql"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// statusRow is a row of SHOW REPLICA STATUS in a server's own column names.
func statusRow(dialect Dialect, values map[ReplicaTerm]string) map[string]gosql.NullString {
	row := map[string]gosql.NullString{dialect.ReplicaStatusColumn(SecondsBehindSource): {}}
	for term, value := range values {
		row[dialect.ReplicaStatusColumn(term)] = gosql.NullString{String: value, Valid: true}
	}
	return row
}

func runningReplica() map[ReplicaTerm]string {
	return map[ReplicaTerm]string{
		SourceHost: "db1", SourcePort: "3306", ReplicaIORunning: "Yes", ReplicaSQLRunning: "Yes",
		SourceLogFile: "binlog.000002", ReadSourceLogPos: "800", RelaySourceLogFile: "binlog.000001", ExecSourceLogPos: "900",
		SecondsBehindSource: "3", ChannelName: "eu",
	}
}

func TestReplicaStatusIsReadInEveryDialect(t *testing.T) {
	for _, version := range []string{"5.7.44", "8.0.36", "9.7.4", "10.11.18-MariaDB"} {
		dialect := NewDialect(version, "")
		status, err := parseReplicaStatus(statusRow(dialect, runningReplica()), dialect)
		require.NoError(t, err, version)
		assert.Equal(t, ReplicaStatus{
			Channel: "eu", Source: InstanceKey{"db1", 3306}, IORunning: "Yes", SQLRunning: "Yes",
			Fetched: FileBinlogCoordinates{LogFile: "binlog.000002", LogPos: 800},
			Applied: FileBinlogCoordinates{LogFile: "binlog.000001", LogPos: 900},
			Lag:     3 * time.Second, LagKnown: true,
		}, status, version)
		assert.True(t, status.Running() && status.active())
	}
}

func TestReplicaStatusOfAnotherDialectIsAnError(t *testing.T) {
	_, err := parseReplicaStatus(statusRow(NewDialect("5.7.44", ""), runningReplica()), NewDialect("9.7.4", ""))
	assert.ErrorContains(t, err, "Source_Host")
}

func TestStoppedReplicaHasNoKnownLag(t *testing.T) {
	dialect := NewDialect("9.7.4", "")
	values := runningReplica()
	delete(values, SecondsBehindSource)
	values[ReplicaIORunning], values[LastIOError] = "Connecting", "cannot connect"
	status, err := parseReplicaStatus(statusRow(dialect, values), dialect)
	require.NoError(t, err)
	assert.False(t, status.LagKnown || status.Running())
	assert.ErrorContains(t, &ReplicationStoppedError{Status: status}, "channel eu, source db1:3306, IO thread running: Connecting")
	assert.ErrorContains(t, &ReplicationStoppedError{Status: status}, "cannot connect")
}

func TestChannelThatWasResetIsNoSource(t *testing.T) {
	assert.False(t, ReplicaStatus{Source: InstanceKey{"db1", 3306}, IORunning: "No", SQLRunning: "No"}.active())
	assert.True(t, ReplicaStatus{IORunning: "Connecting", SQLRunning: "Yes"}.active(), "a source that never answered is one")
}

func TestStatusCountersAreReadAsThresholdsNeedThem(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "25": 25, "-1": -1, "0.75": 0, "99.9": 99, "9223372036854775807": math.MaxInt64, "18446744073709551615": math.MaxInt64,
	} {
		value, err := parseCounter(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, value, text)
	}
	for _, text := range []string{"", "ON", "NaN", "Primary"} {
		_, err := parseCounter(text)
		assert.ErrorContains(t, err, "no threshold", text)
	}
}

func TestPortOfTheServerOrItsExtraPortWillDo(t *testing.T) {
	reported := Server{Hostname: "db1", Port: 3306, ExtraPort: 3307}
	assert.NoError(t, reported.CheckPort(InstanceKey{"alias", 3306}))
	assert.NoError(t, reported.CheckPort(InstanceKey{"alias", 3307}))

	err := reported.CheckPort(InstanceKey{"alias", 6033})
	var portError *PortError
	require.ErrorAs(t, err, &portError)
	assert.ErrorContains(t, err, "unexpected database port reported")
	assert.ErrorContains(t, err, "skip-port-validation")
	assert.Error(t, (&Server{Port: 3306}).CheckPort(InstanceKey{"alias", 0}))
}

func TestLagIsWhatIsAboveZero(t *testing.T) {
	assert.True(t, (&ReplicationLagResult{Lag: time.Millisecond}).HasLag())
	assert.False(t, (&ReplicationLagResult{}).HasLag())
}
