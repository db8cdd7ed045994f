package base

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/openark/golib/log"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// captureStderr returns what is written to stderr meanwhile.
func captureStderr(t *testing.T, write func()) []byte {
	t.Helper()
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	stderr := os.Stderr
	os.Stderr = writer
	defer func() { os.Stderr = stderr }()
	write()
	require.NoError(t, writer.Close())
	output, err := io.ReadAll(reader)
	require.NoError(t, err)
	return output
}

func TestLinesHaveTimeLevelAndMessageAndNothingElse(t *testing.T) {
	t.Setenv("TZ", "Asia/Tokyo")
	output := captureStderr(t, func() {
		logger := NewDefaultLogger()
		logger.Info("copy", 3, "rows")
		logger.Debugf("%d%%", 5)
		_ = logger.Warning("100% full: %x")
		_ = logger.Errore(errors.New("bad value '%s' in %d"))
	})
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	require.Len(t, lines, 4)
	const stamp = `^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d `
	assert.Regexp(t, stamp+`INFO copy 3 rows$`, lines[0])
	assert.Regexp(t, stamp+`DEBUG 5%$`, lines[1])
	assert.Regexp(t, stamp+`WARNING 100% full: %x$`, lines[2])
	assert.Regexp(t, stamp+`ERROR bad value '%s' in %d$`, lines[3])
}

func TestReturnedErrorsAreWhatWasLoggedWithoutTheLinesPrefix(t *testing.T) {
	cause := errors.New("cause")
	_ = captureStderr(t, func() {
		logger := NewDefaultLogger()
		err := logger.Errorf("cannot find table %s: %w", "t", cause)
		assert.EqualError(t, err, "cannot find table t: cause")
		assert.ErrorIs(t, err, cause)
		assert.Same(t, cause, logger.Errore(cause))
		assert.NoError(t, logger.Errore(nil))
		assert.EqualError(t, logger.Warning("mind", "this"), "mind this")
	})
}

func TestThresholdHoldsBackLessSevereLines(t *testing.T) {
	for level, wanted := range map[log.LogLevel]string{
		log.ERROR: "e", log.WARNING: "we", log.INFO: "iwe", log.DEBUG: "diwe",
	} {
		output := captureStderr(t, func() {
			logger := NewDefaultLogger()
			logger.SetLevel(level)
			logger.Debug("d")
			logger.Info("i")
			_ = logger.Warning("w")
			_ = logger.Error("e")
		})
		var got string
		for line := range strings.Lines(string(output)) {
			got += line[len(line)-2 : len(line)-1]
		}
		assert.Equal(t, wanted, got, level)
	}
}

func TestStackTraceFollowsErrorsOnlyWhenAskedFor(t *testing.T) {
	for _, asked := range []bool{false, true} {
		output := captureStderr(t, func() {
			logger := NewDefaultLogger()
			logger.SetPrintStackTrace(asked)
			_ = logger.Error("e")
		})
		assert.Equal(t, asked, strings.Contains(string(output), "goroutine "), string(output))
	}
}

func TestFatalEndsTheProcessWithExitCodeOne(t *testing.T) {
	if os.Getenv("GHOST_TEST_FATAL") != "" {
		logger := NewDefaultLogger()
		logger.SetLevel(log.FATAL)
		_ = logger.Fatalf("no way %s", "out")
		fmt.Println("still alive")
		return
	}
	command := exec.Command(os.Args[0], "-test.run="+t.Name()) //nolint:gosec // this test binary
	command.Env = append(os.Environ(), "GHOST_TEST_FATAL=1")
	output, err := command.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 1, exit.ExitCode())
	assert.Contains(t, string(output), " FATAL no way out\n")
	assert.NotContains(t, string(output), "still alive")
}
