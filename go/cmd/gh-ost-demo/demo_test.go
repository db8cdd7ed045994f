package main

import (
	"bytes"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/github/gh-ost/go/internal/testserver"
)

// standIn in the environment makes the test binary play gh-ost, in the way it names.
const standIn = "GH_OST_DEMO_STAND_IN"

func TestMain(m *testing.M) {
	if way := os.Getenv(standIn); way != "" {
		os.Exit(playGhost(way))
	}
	code := testserver.Main(m, testserver.Options{})
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// playGhost takes gh-ost's flags, migrates natively in place of it, and prints what gh-ost prints.
func playGhost(way string) int {
	flags := flag.NewFlagSet("stand-in", flag.ExitOnError)
	value := map[string]*string{}
	for _, name := range []string{"host", "port", "user", "password", "database", "table", "alter", "serve-socket-file"} {
		value[name] = flags.String(name, "", "")
	}
	for _, name := range []string{"allow-on-master", "ok-to-drop-table", "verbose", "execute"} {
		flags.Bool(name, false, "")
	}
	_ = flags.Parse(os.Args[1:])
	db, err := sql.Open("mysql", fmt.Sprintf("%s:%s@tcp(%s:%s)/%s", *value["user"], *value["password"], *value["host"], *value["port"], *value["database"]))
	if err != nil {
		return 1
	}
	defer db.Close()
	table := *value["table"]
	status := func(copied, applied int) {
		fmt.Printf("Copy: %d/%d 50.0%%; Applied: %d; Backlog: 0/1000; Time: 1s(total), 1s(copy); streamer: b:4; Lag: 0.01s, HeartbeatLag: 0.01s, State: migrating; ETA: due\n", copied, copied, applied)
	}
	log := func(line string) { fmt.Fprintln(os.Stderr, "2026-01-02 03:04:05 INFO "+line) }
	statements := map[string][]string{
		"loses":      {"DELETE FROM " + table + " ORDER BY id DESC LIMIT 1"},
		"adds":       {"INSERT INTO " + table + " (id, slot) VALUES (123456789, -5)"},
		"leaves":     {"CREATE TABLE _" + table + "_gho LIKE " + table},
		"disappears": {"RENAME TABLE " + table + " TO away", "DO SLEEP(0.2)", "RENAME TABLE away TO " + table},
	}[way]
	status(0, 0)
	switch way {
	case "fails":
		log("the reason")
		return 1
	case "does nothing":
		return 0
	case "hangs":
		terminated := make(chan os.Signal, 1)
		signal.Notify(terminated, syscall.SIGTERM)
		log("hanging")
		<-terminated
		return 1
	}
	log("Locking `" + *value["database"] + "`.`" + table + "`, `_del`")
	// Not online: a native ALTER that lets writers go on fails when they hand unique values over.
	alter := "ALTER TABLE " + table + " " + *value["alter"] + ", ALGORITHM=COPY"
	for _, statement := range append([]string{alter}, statements...) {
		if _, err := db.Exec(statement); err != nil {
			log(err.Error())
			return 1
		}
	}
	log("Tables renamed")
	status(4321, 7654321)
	return 0
}

func TestCleanMigrationIsReportedAndSucceeds(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		code, stdout, stderr := play(t, t.Context(), server, "is faithful")

		assert.Zero(t, code, stderr)
		for _, expected := range []string{
			"Copy: 4321/4321 50.0%; Applied: 7654321;", "rows copied 4,321", "events applied 7,654,321", "attempts: 1",
			"longest wait at the cut-over write", "lost 0, extra 0, wrong 0", "migration succeeded",
		} {
			assert.Contains(t, squeeze(stdout), expected)
		}
	})
}

func TestDemoFailsWhenTheMigrationWasNotClean(t *testing.T) {
	for way, expected := range map[string]string{
		"loses":        "lost 1, extra 0, wrong 0|changed 0 rows instead of 1", // a writer may come to the row, find it gone, and write it anew
		"adds":         "lost 0, extra 1, wrong 0",
		"leaves":       "left behind: _demo_gho",
		"disappears":   "missing tables",
		"fails":        "exit status 1",
		"does nothing": "is what it was before",
	} {
		t.Run(way, func(t *testing.T) {
			code, stdout, stderr := play(t, t.Context(), testserver.Shared(t, testserver.MySQL), way)

			assert.Equal(t, exitFailed, code, stdout)
			assert.Regexp(t, expected, stderr, stdout)
			assert.Equal(t, way == "fails", strings.Contains(stdout, "the reason"), "the log's end is shown if gh-ost failed")
		})
	}
}

func TestInterruptedDemoTakesGhostAlong(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	timer := time.AfterFunc(2*time.Second, interrupt)
	defer timer.Stop()
	begin := time.Now()

	code, _, stderr := play(t, ctx, testserver.Shared(t, testserver.MySQL), "hangs")

	assert.Equal(t, exitInterrupted, code)
	assert.Contains(t, stderr, "interrupted")
	assert.Less(t, time.Since(begin), stopGrace)
}

func TestBadFlagsAreNamed(t *testing.T) {
	for _, arguments := range []string{"--rows=0", "--writers=0", "--readers=-1", "--pause=-1s", "--pause=soon", "--nonsense"} {
		t.Run(arguments, func(t *testing.T) {
			var stderr bytes.Buffer

			code := command(t.Context(), []string{arguments}, io.Discard, &stderr)

			assert.Equal(t, exitUsage, code)
			name, _, _ := strings.Cut(strings.TrimLeft(arguments, "-"), "=")
			assert.Contains(t, stderr.String(), name)
		})
	}
}

func TestLinesArriveWholeHoweverTheyAreWritten(t *testing.T) {
	var seen []string
	l := newLines(func(line string) error { seen = append(seen, line); return nil })

	for _, part := range []string{"one", " line\nand ", "another\n\nthe end"} {
		_, err := l.Write([]byte(part))
		require.NoError(t, err)
	}
	require.NoError(t, l.flush())

	assert.Equal(t, []string{"one line", "and another", "", "the end"}, seen)
}

func TestNumbersAreGroupedByThousands(t *testing.T) {
	for number, text := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567"} {
		assert.Equal(t, text, thousands(number))
	}
}

// play runs the demo with a stand-in for gh-ost.
func play(t *testing.T, ctx context.Context, server *testserver.Server, way string) (code int, stdout, stderr string) {
	t.Helper()
	t.Setenv(standIn, way)
	self, err := os.Executable()
	require.NoError(t, err)
	var out, errs bytes.Buffer
	code = command(ctx, []string{
		"--host=" + server.Host, fmt.Sprintf("--port=%d", server.Port), "--user=" + server.AdminUser, "--password=" + server.AdminPassword,
		"--admin-user=" + server.AdminUser, "--admin-password=" + server.AdminPassword, "--database=" + server.Schema(t),
		"--gh-ost=" + self, "--log=" + filepath.Join(t.TempDir(), "logs", "log"), "--rows=500", "--before=200ms", "--after=200ms", "--pause=2ms",
	}, &out, &errs)
	return code, out.String(), errs.String()
}

// squeeze makes each run of blanks one.
func squeeze(text string) string { return strings.Join(strings.Fields(text), " ") }
