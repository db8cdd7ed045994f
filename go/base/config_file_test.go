package base

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withConfigFile returns a context that has read a configuration file of that text.
func withConfigFile(t *testing.T, text string) (*MigrationContext, error) {
	t.Helper()
	c := NewMigrationContext()
	c.ConfigFile = filepath.Join(t.TempDir(), "gh-ost.cnf")
	require.NoError(t, os.WriteFile(c.ConfigFile, []byte(text), 0o600))
	return c, c.ReadConfigFile()
}

func TestConfigFileGivesAccountAndLimits(t *testing.T) {
	c, err := withConfigFile(t, "\ufeff# the migration account\r\n"+`
[Client]
user      = ghost   # who migrates
password  = "p#a;ss \"word\""
[mysqld]
skip-name-resolve
[osc]
chunk-size = 500
max_lag_millis=2500 ; a comment = too
max_load='Threads_running=25'
`)
	require.NoError(t, err)
	settings := c.FileSettings()
	assert.Equal(t, "ghost", settings.User)
	assert.Equal(t, `p#a;ss "word"`, settings.Password)
	assert.Equal(t, int64(500), *settings.ChunkSize)
	assert.Equal(t, int64(2500), *settings.MaxLagMillis)
	assert.Equal(t, "Threads_running=25", *settings.MaxLoad)
}

func TestSilentConfigFileGivesNothing(t *testing.T) {
	c, err := withConfigFile(t, "[osc]\n[client]\nuser\n")
	require.NoError(t, err)
	assert.Equal(t, FileSettings{}, c.FileSettings())
}

func TestAccountMayStandInTheEnvironment(t *testing.T) {
	t.Setenv("GHOST_TEST_PASSWORD", "s}e$c")
	c, err := withConfigFile(t, "[client]\nuser=${GHOST_TEST_NO_SUCH}\npassword=x-${GHOST_TEST_PASSWORD}\n")
	require.NoError(t, err)
	assert.Empty(t, c.FileSettings().User)
	assert.Equal(t, "x-s}e$c", c.FileSettings().Password)
}

func TestBadConfigFilesAreRefusedByLine(t *testing.T) {
	for text, message := range map[string]string{
		"[client\nuser=a":                 "line 1",
		"user=a":                          "line 1: a setting stands before the first [section]",
		"[client]\n!include /etc/my.cnf":  "line 2: !include /etc/my.cnf",
		"[client]\npassword=\"abc":        "line 2: password: the quote",
		"[client]\npassword='abc'def":     "closing quote",
		"[osc]\nchunk_size=many":          `[osc] chunk_size is "many"`,
		"[osc]\nmax_lag_millis=":          "max_lag_millis",
		"[osc]\nmax_load=Threads_running": "max_load",
	} {
		_, err := withConfigFile(t, text)
		assert.ErrorContains(t, err, message, text)
		assert.NotContains(t, err.Error(), "abc", "no password in messages")
	}
}

func TestFailedReloadKeepsWhatWasRead(t *testing.T) {
	c, err := withConfigFile(t, "[client]\nuser=ghost\n")
	require.NoError(t, err)
	require.NoError(t, os.Remove(c.ConfigFile))
	assert.ErrorContains(t, c.ReadConfigFile(), c.ConfigFile)
	assert.Equal(t, "ghost", c.FileSettings().User)
}

func TestFlagsWinOverTheConfigFile(t *testing.T) {
	c, err := withConfigFile(t, "[client]\nuser=file\npassword=file-secret\n")
	require.NoError(t, err)
	c.CliUser = "flag"
	c.ApplyCredentials()
	assert.Equal(t, "flag", c.InspectorConnectionConfig.User)
	assert.Equal(t, "file-secret", c.InspectorConnectionConfig.Password)
}

func TestUnsetEnvironmentVariableIsWarnedOf(t *testing.T) {
	output := captureStderr(t, func() {
		_, err := withConfigFile(t, "[client]\nuser=${GHOST_TEST_NO_SUCH}\n")
		require.NoError(t, err)
	})
	assert.True(t, bytes.Contains(output, []byte("${GHOST_TEST_NO_SUCH}")), string(output))
}
