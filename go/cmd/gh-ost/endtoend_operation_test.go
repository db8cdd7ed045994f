package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

var (
	statusLine = regexp.MustCompile(`(?m)^Copy: \d+/\d+ \d+\.\d%; Applied: \d+; Backlog: \d+/1000; Time: \w+\(total\), \w+\(copy\); streamer: [^;]+; Lag: \d+\.\d\ds, HeartbeatLag: \d+\.\d\ds, State: [^;]+; ETA: \S+$`)
	hintBlock  = regexp.MustCompile("(?m)^# Migrating `[^`]+`.`t`; Ghost table is `[^`]+`.`_t_gho`\n# Migrating \\S+; inspecting \\S+; executing on \\S+\n# Migration started at .*\n# chunk-size: \\d+; max-lag-millis: \\d+ms; dml-batch-size: \\d+; max-load: .*; critical-load: .*; nice-ratio: \\d+\\.\\d{6}$")
)

func TestCommandsAreTakenWhileTheTableIsMigrated(t *testing.T) {
	onBoth(t, func(p *place) {
		p.createT()
		hold, flag := p.file("throttle"), p.file("postpone")
		p.touch(hold)
		run := p.start("--verbose", "--throttle-flag-file="+hold, "--postpone-cut-over-flag-file="+flag, "--chunk-size=10", "--default-retries=3")
		run.states("throttled, flag-file")

		status := run.tell("status")
		assert.Regexp(p.t, hintBlock, status)
		assert.Regexp(p.t, statusLine, status)
		assert.Contains(p.t, status, "# throttle-flag-file: "+hold+" [set]")
		assert.Contains(p.t, status, "# postpone-cut-over-flag-file: "+flag+" [set]")
		assert.Contains(p.t, status, "# Serving on unix socket: "+p.socket())
		assert.Equal(p.t, status, replaceVolatile(run.tell("info"), status), "an alias")
		assert.Regexp(p.t, statusLine, run.tell("sup"))
		assert.True(p.t, strings.HasPrefix(run.tell("help"), "available commands:\n"))
		assert.Regexp(p.t, `^\S+:\d+\n$`, run.tell("coordinates"))
		assert.Contains(p.t, run.tell("coordinates=5"), "coordinates are read-only")
		assert.Regexp(p.t, `^Host: \S+:\d+, Version: \S+\n$`, run.tell("applier"))
		assert.Regexp(p.t, `^Host: \S+:\d+, Version: \S+\n$`, run.tell("inspector"))
		assert.Contains(p.t, run.tell("nonsense"), "unknown command: nonsense")
		assert.Contains(p.t, run.tell("replication-lag-query=select 1"), "deprecated")

		for setter, values := range map[string][2]string{
			"chunk-size":     {"20", "20"},
			"dml-batch-size": {"5000", "1000"},
			"max-lag-millis": {"1", "100"},
			"nice-ratio":     {"1.5", "1.5"},
			"max-load":       {"Threads_running=1000,Threads_connected=2000", "Threads_connected=2000,Threads_running=1000"},
			"critical-load":  {"Threads_running=5000", "Threads_running=5000"},
			"throttle-query": {`"select 0"`, "select 0"},
		} {
			assert.Regexp(p.t, statusLine, run.tell(setter+"="+values[0]), setter)
			assert.Equal(p.t, values[1]+"\n", run.tell(setter+"=?"), setter)
		}
		assert.Contains(p.t, run.tell("status"), "# chunk-size: 20; max-lag-millis: 100ms; dml-batch-size: 1000;")
		assert.NotRegexp(p.t, statusLine, run.tell("chunk-size=many"))
		assert.Equal(p.t, "20\n", run.tell("chunk-size=?"))
		run.tell("nice-ratio=0")
		run.tell("max-lag-millis=1500")

		assert.Contains(p.t, run.tell("throttle=other"), "user commanded 'throttle' on other, but migrated table is t; ignoring request")
		assert.Contains(p.t, run.tell("throttle"), "# Note:")
		run.states("throttled, commanded by user")
		require.NoError(p.t, os.Remove(hold))
		time.Sleep(1200 * time.Millisecond)
		assert.Contains(p.t, run.tell("sup"), "throttled, commanded by user")
		assert.Contains(p.t, run.tell("sup"), "Copy: 0/")
		run.tell("no-throttle=t")
		run.states("postponing cut-over")

		// The flag file removed and put back; a command to go on while it is there.
		require.NoError(p.t, os.Remove(flag))
		p.touch(flag) // maybe before it was looked at: nothing happens, or the cut-over has begun
		assert.Contains(p.t, run.tell("unpostpone=other"), "user commanded 'unpostpone' on other, but migrated table is t; ignoring request")
		if !strings.Contains(run.tell("sup"), "postponing") {
			p.t.Skip("the cut-over was quicker than the flag file") // allowed, and seldom
		}
		assert.Contains(p.t, run.tell("unpostpone"), "Unpostponed")
		got := run.wait()

		assert.Equal(p.t, 0, got.exitCode)
		assert.FileExists(p.t, flag, "it is the operator's")
		assert.Equal(p.t, 500, p.number("SELECT COUNT(extra) FROM t"))
		p.requireReleased()
	})
}

// replaceVolatile returns want if text differs from it in the status line only.
func replaceVolatile(text, want string) string {
	if statusLine.ReplaceAllString(text, "") == statusLine.ReplaceAllString(want, "") {
		return want
	}
	return text
}

func TestAPostponedCutOverHappensWhenTheFlagFileIsGone(t *testing.T) {
	onBoth(t, func(p *place) {
		p.createT()
		flag, second := p.file("postpone"), p.file("second")
		run := p.start("--verbose", "--postpone-cut-over-flag-file="+flag, "--force-named-cut-over", "--force-named-panic")
		run.states("postponing cut-over")
		assert.FileExists(p.t, flag, "it was made at the start")
		assert.Contains(p.t, run.tell("unpostpone"), "without specifying table name, but --force-named-cut-over is set")
		assert.Contains(p.t, run.tell("panic"), "without specifying table name, but --force-named-panic is set")
		assert.Contains(p.t, run.tell("postpone-cut-over-flag-file"), "without specifying file path")
		assert.Contains(p.t, run.tell("postpone-cut-over-flag-file="+second), "Postponed")
		assert.FileExists(p.t, second)
		require.NoError(p.t, os.Remove(flag))
		time.Sleep(500 * time.Millisecond)
		assert.True(p.t, p.hasTable("_t_gho"), "the second file holds it back")

		require.NoError(p.t, os.Remove(second))

		assert.Equal(p.t, 0, run.wait().exitCode)
		assert.Equal(p.t, 500, p.number("SELECT COUNT(extra) FROM t"))
		assert.True(p.t, p.hasTable("_t_del"))
		assert.False(p.t, p.hasTable("_t_ghc"))
	})
}

// stops are ways to end a run before its time.
var stops = map[string]struct {
	stop     func(p *place, run *process)
	exitCode int
	says     string
}{
	"SIGTERM": {func(_ *place, run *process) { run.signal(syscall.SIGTERM) }, 143, "stopped by SIGTERM"},
	"SIGINT":  {func(_ *place, run *process) { run.signal(syscall.SIGINT) }, 130, "stopped by SIGINT"},
	"panic": {func(_ *place, run *process) {
		_, _ = run.ask("panic") // the reply may be cut off by the end
	}, 1, "user commanded 'panic'"},
	"panic flag file": {func(p *place, run *process) { p.touch(p.file("panic")) }, 1, "panic"},
}

func TestARunThatIsStoppedLetsGoOfEverythingAndSaysWhatIsLeft(t *testing.T) {
	for name, stop := range stops {
		for moment, reach := range map[string]func(p *place, run *process){
			"copying":    func(p *place, run *process) { run.logs("Migration max values"); run.states("throttled, flag-file") },
			"postponing": func(p *place, run *process) { _ = os.Remove(p.file("hold")); run.states("postponing") },
			"waiting for the lock": func(p *place, run *process) {
				_ = os.Remove(p.file("hold"))
				run.states("postponing")
				p.holdT()
				run.tell("unpostpone")
				time.Sleep(700 * time.Millisecond)
			},
		} {
			t.Run(name+" "+moment, func(t *testing.T) {
				onBoth(t, func(p *place) {
					p.createT()
					p.touch(p.file("hold"))
					run := p.start("--verbose", "--throttle-flag-file="+p.file("hold"), "--postpone-cut-over-flag-file="+p.file("postpone"), "--panic-flag-file="+p.file("panic"))
					reach(p, run)

					stop.stop(p, run)
					got := run.wait()

					p.releaseT()
					assert.Equal(p.t, stop.exitCode, got.exitCode)
					assert.Contains(p.t, got.stderr, stop.says)
					for _, left := range []string{"_t_gho", "_t_ghc"} {
						assert.True(p.t, p.hasTable(left), left)
						assert.Contains(p.t, got.stderr, "DROP TABLE `"+p.schema+"`.`"+left+"`")
					}
					assert.False(p.t, p.hasTable("_t_del"), "no sentry")
					assert.NotContains(p.t, got.stdout, "# Done")
					p.requireReleased()
				})
			})
		}
	}
}

// holdT keeps the table from being locked, by a transaction that has written to it.
func (p *place) holdT() {
	p.t.Helper()
	p.db.SetMaxOpenConns(1)
	p.exec("BEGIN", "UPDATE t SET n = n + 1 WHERE id = 2")
}

func (p *place) releaseT() {
	p.t.Helper()
	p.exec("ROLLBACK")
	p.db.SetMaxOpenConns(0)
}

func TestAnAbortCleansNothingUpEvenBeforeTheCopy(t *testing.T) {
	onBoth(t, func(p *place) {
		p.createT()
		p.touch(p.file("panic"))
		got := p.run("--panic-flag-file=" + p.file("panic"))
		assert.Equal(p.t, 1, got.exitCode)
		assert.Contains(p.t, got.stderr, "migration aborted: ")
		for _, left := range []string{"_t_gho", "_t_ghc"} {
			assert.True(p.t, p.hasTable(left), left)
			assert.Contains(p.t, got.stderr, "left behind: `"+p.schema+"`.`"+left+"`")
		}
		p.requireReleased()
	})
}

func TestSignalsBeforeTheCopyLeaveNothingBehind(t *testing.T) {
	onBoth(t, func(p *place) {
		p.createT()
		before := p.tables()
		for _, text := range []string{"starting gh-ost", "Acquired migration lock", "Ghost table altered", "Waiting for first throttle metrics"} {
			run := p.start("--verbose")
			run.logs(text)
			run.signal(syscall.SIGTERM)
			got := run.wait()

			assert.Equal(p.t, 143, got.exitCode, text)
			if strings.Contains(got.stderr, "left behind") || p.hasTable("_t_del") { // the signal came late
				assert.NotContains(p.t, text, "lock", "the copy is far away")
				p.t.Logf("the copy had begun: %s", text)
				return
			}
			assert.Equal(p.t, before, p.tables(), text)
			p.requireReleased()
		}
	})
}

func TestARunThatEndsWellSaysSoInTheExpectedOrder(t *testing.T) {
	onBoth(t, func(p *place) {
		p.createT()
		got := p.run("--debug")

		require.Equal(p.t, 0, got.exitCode)
		table := func(name string) string { return fmt.Sprintf("`%s`.`%s`", p.schema, name) }
		requireInOrder(p.t, got.stderr,
			"starting gh-ost ", "Migrating "+table("t"), "inspector connection validated on ", "User has ", "binary logs validated on ",
			"Inspector initiated on ", "Recursively searching for replication master", "Master found to be ", "applier connection validated on ",
			"will use time_zone='", "Applier initiated on ", "Table found. Engine=InnoDB", "Estimated number of rows via EXPLAIN: ",
			"Connecting binlog streamer at ", "streamer connection validated on ", "Listening on unix socket file: "+p.socket(),
			"Acquired migration lock gh-ost::"+p.schema+".t", "Creating changelog table "+table("_t_ghc"), "Changelog table created",
			"Creating ghost table "+table("_t_gho"), "Ghost table created", "Altering ghost table "+table("_t_gho"), "ALTER statement: ", "Ghost table altered",
			"Altering ghost table AUTO_INCREMENT value", "Ghost table AUTO_INCREMENT altered",
			"Waiting for ghost table to be migrated. Current lag is ",
			"Chosen shared unique key is PRIMARY", "Shared columns are id,n,body", "Handled changelog state ReadMigrationRangeValues",
			"Waiting for first throttle metrics to be collected", "First throttle metrics collected",
			"Migration min values: [1]", "Migration max values: [500]", "Issued INSERT on range: [", "Row copy complete",
			"Grabbing voluntary lock: gh-ost.", "Setting LOCK timeout as ", "Setting cut-over idle timeout as ", "Looking for magic cut-over table", "Creating magic cut-over table "+table("_t_del"), "Magic cut-over table created",
			"Locking "+table("t")+", "+table("_t_del"), "Tables locked", "Session locking original & magic tables is ",
			"Writing changelog state: AllEventsUpToLockProcessed:", "Waiting for events up to lock: got AllEventsUpToLockProcessed:", "Done waiting for events up to lock; duration=",
			"Setting RENAME timeout as ", "Session renaming tables is ", "Issuing and expecting this to block: ", "Found atomic RENAME to be blocking, as expected",
			"Checking session lock: gh-ost.", "Connection holding lock on original table still exists", "Will now proceed to drop magic table and unlock tables",
			"Dropping magic cut-over table", "Session renameLockSessionId is ", "Rename session is pending lock on the origin table !", "Releasing lock from "+table("t")+", "+table("_t_del"),
			"Lock & rename duration: ", "Writing changelog state: Migrated", "Closed streamer connection. err=<nil>",
			"Dropping table "+table("_t_ghc"), "Table dropped", "--ok-to-drop-table", "-- drop table "+table("_t_del"), "Done migrating "+table("t"),
			"Removing socket file: "+p.socket(), "Tearing down inspector", "Tearing down applier", "Tearing down streamer", "Tearing down throttler")
		for _, text := range []string{"Handled changelog state GhostTableMigrated", "Intercepted changelog state AllEventsUpToLockProcessed", "Handled changelog state AllEventsUpToLockProcessed", "Tables unlocked", "Tables renamed", "Waiting for events up to lock"} {
			assert.Contains(p.t, got.stderr, text)
		}
		for line := range strings.Lines(got.stderr) {
			assert.Regexp(p.t, `^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (INFO|DEBUG|WARNING) `, line)
		}
		assert.Regexp(p.t, hintBlock, got.stdout)
		assert.Regexp(p.t, statusLine, got.stdout)
		assert.True(p.t, strings.HasSuffix(got.stdout, "\n# Done\n"))
		p.requireReleased()
	})
}

// requireInOrder makes sure that the text has all of these, one behind another.
func requireInOrder(t *testing.T, text string, phrases ...string) {
	t.Helper()
	rest, before := text, "the beginning"
	for _, phrase := range phrases {
		at := strings.Index(rest, phrase)
		require.GreaterOrEqual(t, at, 0, "%q is not behind %q", phrase, before)
		rest, before = rest[at+len(phrase):], phrase
	}
}

func TestAReplicaIsReadAndItsPrimaryChanged(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for name, more := range map[string][]string{"file positions": nil, "GTIDs": {"--gtid"}} {
			t.Run(name, func(t *testing.T) {
				p := newPlace(t, server)
				p.createT()
				p.server.CatchUp(t)
				atReplica := append([]string{"--host=" + server.Replica.Host, fmt.Sprintf("--port=%d", server.Replica.Port), "--allow-on-master=false", "--verbose",
					"--postpone-cut-over-flag-file=" + p.file("postpone")}, more...)
				run := p.start(atReplica...)
				run.states("postponing cut-over")
				p.exec("UPDATE t SET n = -n WHERE id <= 50", "DELETE FROM t WHERE id > 490", "INSERT INTO t (n, body) VALUES (1, 'new')")
				require.NoError(t, os.Remove(p.file("postpone")))

				got := run.wait()

				require.Equal(t, 0, got.exitCode)
				assert.Contains(t, got.stderr, "Master found to be ")
				assert.Contains(t, got.stderr, "log_slave_updates validated on ")
				assert.Contains(t, got.stderr, fmt.Sprintf("connection validated on %s:%d", server.Replica.Host, server.Replica.Port))
				p.server.CatchUp(t)
				var onReplica, columns int
				require.NoError(t, server.Replica.SchemaDB(t, p.schema).QueryRow("SELECT SUM(n), SUM(extra) FROM t").Scan(&onReplica, &columns))
				assert.Equal(t, p.number("SELECT SUM(n) FROM t"), onReplica)
				assert.Equal(t, 491*7, columns)
			})
		}
	})
}
