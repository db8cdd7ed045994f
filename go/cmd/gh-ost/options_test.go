package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
)

func parsed(t *testing.T, arguments ...string) *options {
	t.Helper()
	o := newOptions()
	require.NoError(t, o.parse(arguments, &strings.Builder{}))
	return o
}

func validated(t *testing.T, arguments ...string) *options {
	t.Helper()
	o := parsed(t, append(append([]string{}, runnable...), arguments...)...)
	require.NoError(t, o.validate(func() (string, error) { return "typed", nil }))
	return o
}

func TestEveryFlagIsThereOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, group := range newOptions().table() {
		for _, spec := range group.flags {
			assert.False(t, seen[spec.name], spec.name)
			assert.NotEmpty(t, spec.help, spec.name)
			seen[spec.name] = true
		}
	}
	assert.Len(t, seen, 108+11, "those of gh-ost 1.1.9, and eleven of our own")
}

func TestRunWithoutFurtherFlagsHasTheDocumentedDefaults(t *testing.T) {
	m := validated(t).migration
	assert.True(t, m.Noop)
	assert.Equal(t, int64(1000), m.GetChunkSize())
	assert.Equal(t, int64(1500), m.GetMaxLagMillisecondsThrottleThreshold())
	assert.Equal(t, int64(60), m.MaxRetries())
	assert.Equal(t, int64(100), m.ThrottleHTTPIntervalMillis)
	assert.Equal(t, 3*time.Second, m.CutOverLockTimeout())
	assert.Equal(t, uint(99999), m.ReplicaServerId)
	assert.Equal(t, "/tmp/gh-ost.throttle", m.ThrottleAdditionalFlagFile)
	assert.Equal(t, "/tmp/gh-ost.shop.orders.sock", m.ServeSocketFile)
	assert.Equal(t, "utf8mb4,utf8,latin1", m.InspectorConnectionConfig.Charset)
	assert.Equal(t, base.CutOverAtomic, m.CutOverType)
	assert.False(t, validated(t, "--execute").migration.Noop)
}

func TestSchemaAndTableMayStandInTheAlterText(t *testing.T) {
	const alter = "--alter=ALTER TABLE `my db`.`my.table` ADD COLUMN c INT"
	m := validated(t, "--database=", "--table=", alter).migration
	assert.Equal(t, "my db", m.DatabaseName)
	assert.Equal(t, "my.table", m.OriginalTableName)
	assert.Equal(t, "ADD COLUMN c INT", m.AlterStatementOptions)
	assert.Equal(t, strings.TrimPrefix(alter, "--alter="), m.AlterStatement)

	m = validated(t, alter).migration
	assert.Equal(t, "shop.orders", m.DatabaseName+"."+m.OriginalTableName, "flags win")
}

func TestNamesAreTakenAsTheyAre(t *testing.T) {
	m := validated(t, "--database=my db%20+", "--table=o'rders").migration
	assert.Equal(t, "my db%20+", m.DatabaseName)
	assert.Equal(t, "/tmp/gh-ost.my db%20+.o'rders.sock", m.ServeSocketFile)
}

func TestDefaultSocketCanAlwaysBeBound(t *testing.T) {
	long := strings.Repeat("ä", 60)
	first, second := defaultSocketFile(long, "one"), defaultSocketFile(long, "two")
	assert.LessOrEqual(t, len(first), maxSocketPath)
	assert.NotEqual(t, first, second)
	assert.NotContains(t, strings.TrimPrefix(defaultSocketFile("a/b", "c"), "/tmp/"), "/")
}

func TestSocketModeIsOctal(t *testing.T) {
	assert.Equal(t, os.FileMode(0o660), validated(t, "--serve-socket-mode=0660").migration.ServeSocketMode)
	assert.Equal(t, os.FileMode(0), validated(t).migration.ServeSocketMode)
}

func configFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gh-ost.cnf")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestConfigFileFillsInWhatNoFlagSays(t *testing.T) {
	path := configFile(t, "[client]\nuser=file\npassword=secret\n[osc]\nchunk_size=700\nmax_lag_millis=2000\nmax_load=Threads_running=9\n")
	m := validated(t, "--conf="+path, "--user=flag", "--chunk-size=1000").migration
	assert.Equal(t, "flag", m.InspectorConnectionConfig.User)
	assert.Equal(t, "secret", m.InspectorConnectionConfig.Password)
	assert.Equal(t, int64(1000), m.GetChunkSize(), "a flag wins, even with its default value")
	assert.Equal(t, int64(2000), m.GetMaxLagMillisecondsThrottleThreshold())
	assert.Equal(t, "Threads_running=9", m.GetMaxLoad().String())
}

func TestReloadTakesOverWhatHasChangedInTheFile(t *testing.T) {
	path := configFile(t, "[client]\nuser=file\n[osc]\nchunk_size=700\nmax_lag_millis=2000\n")
	o := validated(t, "--conf="+path, "--max-lag-millis=1000")
	o.migration.SetChunkSize(50) // an operator's command

	o.reloadConfigFile()
	assert.Equal(t, int64(50), o.migration.GetChunkSize(), "the file says what it said")

	require.NoError(t, os.WriteFile(path, []byte("[client]\nuser=other\n[osc]\nchunk_size=800\nmax_lag_millis=3000\nmax_load=Threads_running=7\n"), 0o600))
	o.reloadConfigFile()
	assert.Equal(t, int64(800), o.migration.GetChunkSize())
	assert.Equal(t, int64(1000), o.migration.GetMaxLagMillisecondsThrottleThreshold(), "a flag wins")
	assert.Equal(t, "Threads_running=7", o.migration.GetMaxLoad().String())
	assert.Equal(t, "file", o.migration.InspectorConnectionConfig.User)

	require.NoError(t, os.WriteFile(path, []byte("[osc]\nchunk_size=x\n"), 0o600))
	o.reloadConfigFile()
	assert.Equal(t, int64(800), o.migration.GetChunkSize(), "a faulty file changes nothing")
}

func TestAskedPasswordReplacesTheGivenOne(t *testing.T) {
	assert.Equal(t, "typed", validated(t, "--ask-pass", "--password=given").migration.InspectorConnectionConfig.Password)
	o := parsed(t, append(append([]string{}, runnable...), "--ask-pass")...)
	err := o.validate(func() (string, error) { return "", errors.New("no terminal") })
	assert.ErrorContains(t, err, "--ask-pass: no terminal")
}

func TestListsMayBeGivenMoreThanOnce(t *testing.T) {
	var tags []string
	spec := listFlag(&tags, "statsd-tags", "…")
	require.NoError(t, spec.set("a:b"))
	require.NoError(t, spec.set("c:d"))
	assert.Equal(t, []string{"a:b", "c:d"}, tags)
}
