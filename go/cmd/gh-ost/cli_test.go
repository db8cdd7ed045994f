package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// runnable is a command line that is complete: what is added to it is what a test is about. Nothing listens on its port.
var runnable = []string{"--host=127.0.0.1", "--port=1", "--database=shop", "--table=orders", "--alter=ENGINE=InnoDB"}

func TestHelpGoesToStdout(t *testing.T) {
	for _, flagName := range []string{"--help", "-help", "-h", "--help=true"} {
		got := runCommand(t, flagName)
		assert.Equal(t, 0, got.exitCode, flagName)
		assert.Empty(t, got.stderr, flagName)
		assert.True(t, strings.HasPrefix(got.stdout, "Usage of gh-ost:\n"), flagName)
		checked(t, "testdata/help.txt", got.stdout)
	}
}

func TestVersionIsOneLineOnStdout(t *testing.T) {
	assert.Equal(t, outcome{0, "unversioned (git commit: unknown)\n", ""}, runCommand(t, "--version"))
}

func TestCheckFlagOnlyTellsWhetherTheFlagsAreThere(t *testing.T) {
	assert.Equal(t, outcome{exitCode: 0}, runCommand(t, "--check-flag", "--cut-over=atomic", "--chunk-size=1", "--help", "--version"))
	assert.Equal(t, 2, runCommand(t, "--check-flag", "--no-such-flag").exitCode)
}

func TestUnreadableCommandLinesEndWithTwoAndShowTheUsage(t *testing.T) {
	for _, test := range []struct{ argument, message string }{
		{"--no-such-flag", "flag provided but not defined: -no-such-flag"},
		{"--port=abc", `invalid value "abc" for flag -port: a whole number is wanted`},
		{"--port=70000", `invalid value "70000" for flag -port: allowed: 1 to 65535`},
		{"--host=", `for flag -host: allowed: a host name or address`},
		{"--execute=maybe", `invalid boolean value "maybe" for -execute: true or false is wanted`},
		{"--nice-ratio=NaN", `invalid value "NaN" for flag -nice-ratio: a number is wanted`},
		{"--replica-server-id=-1", `invalid value "-1" for flag -replica-server-id`},
		{"--replica-server-id=4294967296", `allowed: 1 to 4294967295`},
		{"--mysql-timeout=-0.5", `for flag -mysql-timeout: allowed: 0 or more`},
		{"--throttle-http-interval-millis=0", `for flag -throttle-http-interval-millis: allowed: 1 or more`},
		{"--serve-socket-mode=0999", `for flag -serve-socket-mode: allowed: octal permissions, 0 to 0777`},
		{"--alter", "flag needs an argument: -alter"},
	} {
		got := runCommand(t, test.argument)
		assert.Equal(t, 2, got.exitCode, test.argument)
		assert.Empty(t, got.stderr, test.argument)
		first, rest, _ := strings.Cut(got.stdout, "\n")
		assert.Contains(t, first, test.message)
		assert.True(t, strings.HasPrefix(rest, "Usage of gh-ost:\n"), test.argument)
	}
}

func TestFlagsBehindAStrayWordAreNotDroppedSilently(t *testing.T) {
	got := runCommand(t, append(runnable, "--execute", "true", "--max-load=Threads_running=20")...)
	assert.Equal(t, 2, got.exitCode)
	assert.Contains(t, got.stdout, `"true" is not a flag, and --max-load=Threads_running=20 behind it would be ignored`)

	assert.Equal(t, 0, runCommand(t, "--check-flag", "word", "another").exitCode, "words alone do no harm")
}

func TestWrongCombinationsAreFatalAndNameTheFlags(t *testing.T) {
	unreadable := filepath.Join(t.TempDir(), "missing.cnf")
	badConfig := filepath.Join(t.TempDir(), "bad.cnf")
	require.NoError(t, os.WriteFile(badConfig, []byte("[osc]\nchunk_size=many\n"), 0o600))

	for _, test := range []struct {
		add   string // arguments added to the runnable ones; a later flag replaces an earlier one
		named []string
	}{
		{"--alter=", []string{"--alter"}},
		{"--alter=ALTER␣TABLE␣orders", []string{"--alter", "no change"}},
		{"--alter=ADD␣COLUMN␣c␣VARCHAR(10)␣DEFAULT␣'", []string{"--alter"}},
		{"--revert --resume --old-table=_orders_del", []string{"--revert", "--resume"}},
		{"--revert", []string{"--revert", "--old-table"}},
		{"--database=", []string{"--database", "--alter"}},
		{"--table=", []string{"--table", "--alter"}},
		{"--allow-on-master --test-on-replica", []string{"--allow-on-master", "--test-on-replica"}},
		{"--allow-on-master --migrate-on-replica", []string{"--allow-on-master", "--migrate-on-replica"}},
		{"--migrate-on-replica --test-on-replica", []string{"--migrate-on-replica", "--test-on-replica"}},
		{"--switch-to-rbr --assume-rbr", []string{"--switch-to-rbr", "--assume-rbr"}},
		{"--test-on-replica-skip-replica-stop", []string{"--test-on-replica-skip-replica-stop", "--test-on-replica"}},
		{"--master-user=root", []string{"--master-user", "--assume-master-host"}},
		{"--master-password=x", []string{"--master-password", "--assume-master-host"}},
		{"--ssl-ca=/ca.pem", []string{"--ssl-ca", "--ssl"}},
		{"--ssl-cert=/c.pem", []string{"--ssl-cert", "--ssl"}},
		{"--ssl-key=/k.pem", []string{"--ssl-key", "--ssl"}},
		{"--ssl-allow-insecure", []string{"--ssl-allow-insecure", "--ssl"}},
		{"--include-triggers", []string{"--include-triggers", "--trigger-suffix"}},
		{"--trigger-suffix=_v2", []string{"--trigger-suffix", "--include-triggers"}},
		{"--include-triggers --trigger-suffix=a-b", []string{"--trigger-suffix=a-b"}},
		{"--remove-trigger-suffix-if-exists", []string{"--remove-trigger-suffix-if-exists", "--include-triggers"}},
		{"--checkpoint-seconds=9", []string{"--checkpoint-seconds=9", "10"}},
		{"--cut-over=sideways", []string{"--cut-over", `"sideways"`, "atomic", "two-step"}},
		{"--conf=" + unreadable, []string{unreadable}},
		{"--conf=" + badConfig, []string{badConfig, "chunk_size", "many"}},
		{"--max-load=Threads_running", []string{"--max-load", `"Threads_running"`}},
		{"--max-load==5", []string{"--max-load"}},
		{"--critical-load=Threads_running=high", []string{"--critical-load", `"high"`}},
		{"--throttle-control-replicas=replica:port", []string{"--throttle-control-replicas", "replica:port"}},
		{"--assume-master-host=primary:port", []string{"--assume-master-host=primary:port"}},
		{"--throttle-http=freno/check", []string{"--throttle-http=freno/check", "http://"}},
		{"--ssl --ssl-ca=/no/such/ca.pem", []string{"/no/such/ca.pem"}},
		{"--ssl --ssl-cert=/no/such/c.pem", []string{"ssl-cert", "ssl-key"}},
		{"--ask-pass", []string{"--ask-pass", "terminal"}},
		{"--serve-socket-file=/tmp/" + strings.Repeat("x", 120), []string{"--serve-socket-file", "125 bytes"}},
		{"--table=_x_gho --force-table-names=x", []string{"--force-table-names", "_x_gho"}},
	} {
		t.Run(test.add, func(t *testing.T) {
			added := strings.Fields(test.add)
			for i := range added {
				added[i] = strings.ReplaceAll(added[i], "␣", " ")
			}
			got := runCommand(t, append(runnable, added...)...)
			assert.Equal(t, 1, got.exitCode, got.stdout)
			assert.Regexp(t, `^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d FATAL [^\n]*\n$`, got.stderr, "one line")
			for _, name := range test.named {
				assert.Contains(t, got.stderr, name)
			}
			if !strings.Contains(test.add, "--ask-pass") {
				assert.Empty(t, got.stdout)
			}
		})
	}
}

func TestWarningsAreShownWhenVerboseAndDoNotEndTheRun(t *testing.T) {
	for _, test := range []struct{ argument, message string }{
		{"--replication-lag-query=select 1", "WARNING --replication-lag-query is deprecated"},
		{"--chunk-size=5", "WARNING --chunk-size=5 is out of range: 10 is used"},
		{"--dml-batch-size=5000", "WARNING --dml-batch-size=5000 is out of range: 1000 is used"},
		{"--default-retries=0", "WARNING --default-retries=0 is out of range: 60 is used"},
		{"--nice-ratio=-1", "WARNING --nice-ratio=-1 is out of range: 0 is used"},
		{"--cut-over-lock-timeout-seconds=11", "ERROR --cut-over-lock-timeout-seconds is 11, allowed are 1 to 10; 3 is used"},
		{"--exponential-backoff-max-interval=1", "ERROR --exponential-backoff-max-interval is 1, allowed is 2 or more; 64 is used"},
		{"--alter=ALTER TABLE other.invoices ENGINE=InnoDB", "WARNING --table=orders wins over invoices in --alter"},
	} {
		got := runCommand(t, append(runnable, "--verbose", test.argument)...)
		assert.Equal(t, 1, got.exitCode, "there is no server")
		assert.Contains(t, got.stderr, test.message)
		assert.Contains(t, got.stderr, "INFO starting gh-ost unversioned (git commit: unknown)", "the run began")
	}
}

func TestQuietWinsOverDebugAndDebugOverVerbose(t *testing.T) {
	began := regexp.MustCompile(`INFO starting gh-ost`)
	for arguments, shown := range map[string]bool{"": false, "--verbose": true, "--debug": true, "--quiet --debug --verbose": false} {
		got := runCommand(t, append(runnable, strings.Fields(arguments)...)...)
		assert.Equal(t, shown, began.MatchString(got.stderr), arguments)
		assert.NotContains(t, got.stdout, "# Done")
	}
}

func TestFlagDocumentationIsUpToDate(t *testing.T) {
	checked(t, "../../../doc/flags.md", flagDocumentation(newOptions().table()))
}
