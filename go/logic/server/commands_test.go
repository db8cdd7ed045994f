package server

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommandsAndTheirReplies(t *testing.T) {
	const (
		status   = "HINTS\nLINE\n"
		note     = "# Note: throttle no longer than the servers keep their binary logs; once a log that is still needed has been purged, the migration cannot go on\n"
		panicked = "user commanded 'panic'; the migration ends now and nothing is cleaned up\n"
	)
	for _, c := range []struct {
		line  string
		reply string                   // whole; "E …" stands for an error that is logged, too
		given func(*fakeMigration)     // nil: as it is
		then  func(*fakeMigration) any // what to look at after
		want  any
	}{
		{line: "status", reply: status},
		{line: "info", reply: status},
		{line: "status=?", reply: status},
		{line: "status=whatever", reply: status},
		{line: "sup", reply: "LINE\n"},
		{line: "sup=?", reply: "LINE\n"},
		{line: "coordinates", reply: "mysql-bin.000007:1234\n"},
		{line: "coordinates=?", reply: "mysql-bin.000007:1234\n"},
		{line: "coordinates=", reply: "mysql-bin.000007:1234\n"},
		{line: "coordinates=mysql-bin.000001:4", reply: "E coordinates are read-only"},
		{line: "applier", reply: "Host: db1:3306, Version: 9.7.4\n"},
		{line: "applier=x", reply: "Host: db1:3306, Version: 9.7.4\n"},
		{line: "inspector", reply: "Host: db2:3306, Version: 9.7.3\n"},
		{line: "inspector=?", reply: "Host: db2:3306, Version: 9.7.3\n"},

		{line: "chunk-size=?", reply: "1000\n"},
		{line: "chunk-size=500", reply: status, then: func(m *fakeMigration) any { return m.chunkSize }, want: int64(500)},
		{line: "  chunk-size \t=  500  \r", reply: status, then: func(m *fakeMigration) any { return m.chunkSize }, want: int64(500)},
		{line: `chunk-size="500"`, reply: status, then: func(m *fakeMigration) any { return m.chunkSize }, want: int64(500)},
		{line: "chunk-size=9", reply: status, then: func(m *fakeMigration) any { return m.chunkSize }, want: int64(10)},
		{line: "chunk-size=-1", reply: status, then: func(m *fakeMigration) any { return m.chunkSize }, want: int64(10)},
		{line: "chunk-size=100001", reply: status, then: func(m *fakeMigration) any { return m.chunkSize }, want: int64(100000)},
		{line: "chunk-size", reply: "E chunk-size= is not an integer; give one, as in chunk-size=1000"},
		{line: "chunk-size=ten", reply: "E chunk-size=ten is not an integer; give one, as in chunk-size=1000", then: func(m *fakeMigration) any { return m.chunkSize }, want: int64(1000)},
		{line: "chunk-size=1e3", reply: "E chunk-size=1e3 is not an integer; give one, as in chunk-size=1000"},
		{line: "chunk-size=99999999999999999999", reply: "E chunk-size=99999999999999999999 is not an integer; give one, as in chunk-size=1000"},
		{line: "chunk-size=1=2", reply: "E chunk-size=1=2 is not an integer; give one, as in chunk-size=1000"},
		{line: "dml-batch-size=?", reply: "10\n"},
		{line: "dml-batch-size=0", reply: status, then: func(m *fakeMigration) any { return m.dmlBatchSize }, want: int64(1)},
		{line: "dml-batch-size=100", reply: status, then: func(m *fakeMigration) any { return m.dmlBatchSize }, want: int64(100)},
		{line: "dml-batch-size=1001", reply: status, then: func(m *fakeMigration) any { return m.dmlBatchSize }, want: int64(1000)},
		{line: "dml-batch-size=many", reply: "E dml-batch-size=many is not an integer; give one, as in dml-batch-size=10"},
		{line: "max-lag-millis=?", reply: "1500\n"},
		{line: "max-lag-millis=99", reply: status, then: func(m *fakeMigration) any { return m.maxLagMillis }, want: int64(100)},
		{line: "max-lag-millis=9223372036854775807", reply: status, then: func(m *fakeMigration) any { return m.maxLagMillis }, want: int64(math.MaxInt64)},
		{line: "max-lag-millis=1.5", reply: "E max-lag-millis=1.5 is not an integer; give one, as in max-lag-millis=1500"},
		{line: "nice-ratio=?", reply: "0\n"},
		{line: "nice-ratio=?", reply: "1.5\n", given: func(m *fakeMigration) { m.niceRatio = 1.5 }},
		{line: "nice-ratio=0.5", reply: status, then: func(m *fakeMigration) any { return m.niceRatio }, want: 0.5},
		{line: "nice-ratio=-1", reply: status, then: func(m *fakeMigration) any { return m.niceRatio }, want: 0.0},
		{line: "nice-ratio=101", reply: status, then: func(m *fakeMigration) any { return m.niceRatio }, want: 100.0},
		{line: "nice-ratio=NaN", reply: "E nice-ratio=NaN is not a number; give one, as in nice-ratio=0.5"},
		{line: "nice-ratio=inf", reply: "E nice-ratio=inf is not a number; give one, as in nice-ratio=0.5"},
		{line: "nice-ratio", reply: "E nice-ratio= is not a number; give one, as in nice-ratio=0.5"},
		{line: "max-load=?", reply: "Threads_running=25\n"},
		{line: "max-load=Threads_running=50,Threads_connected=500", reply: status, then: func(m *fakeMigration) any { return m.maxLoad }, want: "Threads_running=50,Threads_connected=500"},
		{line: "max-load=", reply: status, then: func(m *fakeMigration) any { return m.maxLoad }, want: ""},
		{line: "max-load=bad", reply: `E cannot parse "bad"`, then: func(m *fakeMigration) any { return m.maxLoad }, want: "Threads_running=25"},
		{line: "critical-load=?", reply: "\n"},
		{line: "critical-load=Threads_running=1000", reply: status, then: func(m *fakeMigration) any { return m.criticalLoad }, want: "Threads_running=1000"},
		{line: "critical-load=bad", reply: `E cannot parse "bad"`},

		{line: "throttle-query=?", reply: "\n"},
		{line: "throttle-query=select a=1 from t", reply: note + status, then: func(m *fakeMigration) any { return m.query }, want: "select a=1 from t"},
		{line: "throttle-query=`select \"x\"`", reply: note + status, then: func(m *fakeMigration) any { return m.query }, want: `select "x"`},
		{line: "throttle-query='x'", reply: note + status, then: func(m *fakeMigration) any { return m.query }, want: "x"},
		{line: "throttle-query='xy'", reply: note + status, then: func(m *fakeMigration) any { return m.query }, want: "'xy'"},
		{line: "throttle-query=", reply: note + status, given: func(m *fakeMigration) { m.query = "select 1" }, then: func(m *fakeMigration) any { return m.query }, want: ""},
		{line: "throttle-http=?", reply: "http://load/\n", given: func(m *fakeMigration) { m.url = "http://load/" }},
		{line: "throttle-http=http://load/?a=b", reply: note + status, then: func(m *fakeMigration) any { return m.url }, want: "http://load/?a=b"},
		{line: "throttle-http=", reply: note + status, given: func(m *fakeMigration) { m.url = "http://load/" }, then: func(m *fakeMigration) any { return m.url }, want: ""},
		{line: "throttle-control-replicas=?", reply: "db2:3306\n"},
		{line: "throttle-control-replicas=db3:3306,db4:3307", reply: "db3:3306,db4:3307\n" + status},
		{line: "throttle-control-replicas=", reply: "\n" + status, then: func(m *fakeMigration) any { return m.replicas }, want: ""},
		{line: "throttle-control-replicas=bad", reply: `E cannot parse "bad"`, then: func(m *fakeMigration) any { return m.replicas }, want: "db2:3306"},
		{line: "replication-lag-query", reply: "E replication-lag-query is deprecated and has no effect; lag is measured by heartbeats"},
		{line: "replication-lag-query=?", reply: "E replication-lag-query is deprecated and has no effect; lag is measured by heartbeats"},

		{line: "throttle", reply: note + status, then: func(m *fakeMigration) any { return m.throttled }, want: true},
		{line: "pause", reply: note + status, then: func(m *fakeMigration) any { return m.throttled }, want: true},
		{line: "suspend=orders", reply: note + status, then: func(m *fakeMigration) any { return m.throttled }, want: true},
		{line: "throttle=users", reply: "E user commanded 'throttle' on users, but migrated table is orders; ignoring request", then: func(m *fakeMigration) any { return m.throttled }, want: false},
		{line: "suspend=users", reply: "E user commanded 'throttle' on users, but migrated table is orders; ignoring request"},
		{line: "throttle=?", reply: "E user commanded 'throttle' on ?, but migrated table is orders; ignoring request"},
		{line: "no-throttle", reply: status, given: throttled, then: func(m *fakeMigration) any { return m.throttled }, want: false},
		{line: "unthrottle", reply: status, given: throttled, then: func(m *fakeMigration) any { return m.throttled }, want: false},
		{line: "resume", reply: status, given: throttled, then: func(m *fakeMigration) any { return m.throttled }, want: false},
		{line: "continue=orders", reply: status, given: throttled, then: func(m *fakeMigration) any { return m.throttled }, want: false},
		{line: "continue=Orders", reply: "E user commanded 'no-throttle' on Orders, but migrated table is orders; ignoring request", given: throttled, then: func(m *fakeMigration) any { return m.throttled }, want: true},

		{line: "postpone-cut-over-flag-file=/run/p", reply: "Postponed\n" + status, then: func(m *fakeMigration) any { return m.postponeFile }, want: "/run/p"},
		{line: "postpone-cut-over-flag-file=?", reply: "Postponed\n" + status, then: func(m *fakeMigration) any { return m.postponeFile }, want: "?"},
		{line: "postpone-cut-over-flag-file", reply: "E user commanded 'postpone-cut-over-flag-file' without specifying file path"},
		{line: "postpone-cut-over-flag-file=/nodir/p", reply: "E cannot create /nodir/p"},
		{line: "unpostpone", reply: "Unpostponed\n" + status, given: postponed, then: func(m *fakeMigration) any { return m.postponed }, want: false},
		{line: "no-postpone", reply: "Unpostponed\n" + status, given: postponed},
		{line: "cut-over=orders", reply: "Unpostponed\n" + status, given: postponed},
		{line: "cut-over", reply: "The cut-over is not being postponed now; nothing to do\n"},
		{line: "cut-over=users", reply: "E user commanded 'unpostpone' on users, but migrated table is orders; ignoring request", given: postponed, then: func(m *fakeMigration) any { return m.postponed }, want: true},
		{line: "cut-over", reply: "E user commanded 'unpostpone' without specifying table name, but --force-named-cut-over is set", given: func(m *fakeMigration) { m.postponed, m.namedCutOver = true, true }, then: func(m *fakeMigration) any { return m.postponed }, want: true},
		{line: "cut-over=orders", reply: "Unpostponed\n" + status, given: func(m *fakeMigration) { m.postponed, m.namedCutOver = true, true }},
		{line: "panic", reply: panicked, then: func(m *fakeMigration) any { return len(m.panics) }, want: 1},
		{line: "panic=orders", reply: panicked, given: func(m *fakeMigration) { m.namedPanic = true }, then: func(m *fakeMigration) any { return len(m.panics) }, want: 1},
		{line: "panic=users", reply: "E user commanded 'panic' on users, but migrated table is orders; ignoring request", then: func(m *fakeMigration) any { return len(m.panics) }, want: 0},
		{line: "panic", reply: "E user commanded 'panic' without specifying table name, but --force-named-panic is set", given: func(m *fakeMigration) { m.namedPanic = true }, then: func(m *fakeMigration) any { return len(m.panics) }, want: 0},

		{line: "cpu-profile=?", reply: `E bad cpu-profile option: time: invalid duration "?"; give one as in cpu-profile=30s`},
		{line: "cpu-profile=gzip", reply: `E bad cpu-profile option: time: invalid duration "gzip"; give one as in cpu-profile=30s`},
		{line: "cpu-profile=-1s", reply: "E bad cpu-profile option: invalid duration -1s: it must be positive and at most 1h0m0s"},
		{line: "cpu-profile=30h", reply: "E bad cpu-profile option: invalid duration 30h0m0s: it must be positive and at most 1h0m0s"},
		{line: "cpu-profile=1s,zip", reply: "E bad cpu-profile option: zip is neither gzip nor block"},
		{line: "cpu-profile=1s,", reply: "E bad cpu-profile option:  is neither gzip nor block"},

		{line: "", reply: "E unknown command: "},
		{line: "=", reply: "E unknown command: "},
		{line: "Status", reply: "E unknown command: Status"},
		{line: "statuss", reply: "E unknown command: statuss"},
		{line: "chunk-size 500", reply: "E unknown command: chunk-size 500"},
		{line: "GET / HTTP/1.1", reply: "E unknown command: GET / HTTP/1.1"},
		{line: "cut-over-report", reply: "E unknown command: cut-over-report"},
		{line: "\x1b[2Jgotcha", reply: `E unknown command: "\x1b[2Jgotcha"`},
		{line: "\xff\xfe\x00", reply: `E unknown command: "\xff\xfe\x00"`},
		{line: strings.Repeat("x", 300), reply: "E unknown command: " + strings.Repeat("x", 200) + "…"},
	} {
		t.Run(c.line, func(t *testing.T) {
			migration, log := newFakeMigration(), &testLog{}
			if c.given != nil {
				c.given(migration)
			}
			reply := string(New(Config{Controls: migration, Log: log}).answer(t.Context(), c.line))

			if text, isError := strings.CutPrefix(c.reply, "E "); isError {
				require.Equal(t, text+"\n", reply)
				require.Contains(t, log.all(), "ERROR "+text)
			} else {
				require.Equal(t, c.reply, reply)
				require.NotContains(t, log.all(), "ERROR")
			}
			if c.then != nil {
				require.Equal(t, c.want, c.then(migration))
			}
		})
	}
}

func throttled(m *fakeMigration) { m.throttled = true }
func postponed(m *fakeMigration) { m.postponed = true }

func TestHelpNamesEveryCommandAndAlias(t *testing.T) {
	s := New(Config{Controls: reportingMigration{fakeMigration: newFakeMigration()}, Log: &testLog{}})
	help := string(s.answer(t.Context(), "help"))

	lines := strings.Split(strings.TrimSuffix(help, "\n"), "\n")
	require.Equal(t, "available commands:", lines[0])
	require.Contains(t, lines[len(lines)-1], "'?'")
	require.Len(t, lines, 2+len(s.commands))
	for i, command := range s.commands {
		require.True(t, strings.HasPrefix(lines[1+i], command.names[0]), lines[1+i])
		require.Contains(t, lines[1+i], " # ")
		for _, alias := range command.names[1:] {
			require.Contains(t, lines[1+i], alias)
		}
	}
}

func TestNoNameStandsForTwoCommands(t *testing.T) {
	seen := map[string]bool{}
	for _, command := range New(Config{}).commands {
		for _, name := range command.names {
			require.False(t, seen[name], name)
			seen[name] = true
		}
	}
}

func TestTheCutOverReportIsThereForMigrationsThatKeepOne(t *testing.T) {
	without := New(Config{Controls: newFakeMigration(), Log: &testLog{}})
	require.NotContains(t, string(without.answer(t.Context(), "help")), "cut-over-report")

	none := New(Config{Controls: reportingMigration{newFakeMigration(), ""}, Log: &testLog{}})
	require.Equal(t, "no cut-over has been attempted yet\n", string(none.answer(t.Context(), "cut-over-report")))
	some := New(Config{Controls: reportingMigration{newFakeMigration(), "attempt 3\nlocked: 12ms\n"}, Log: &testLog{}})
	require.Equal(t, "attempt 3\nlocked: 12ms\n", string(some.answer(t.Context(), "cut-over-report")))
}

func TestTheHookSeesEveryLineByItsNameAndMayRefuseIt(t *testing.T) {
	var seen []string
	migration := newFakeMigration()
	s := New(Config{Controls: migration, Log: &testLog{}, BeforeCommand: func(_ context.Context, command string) error {
		seen = append(seen, command)
		if command == "panic" {
			return errors.New("exit status 3")
		}
		return nil
	}})
	for _, line := range []string{"chunk-size = 5", "coordinates", "nosuch=1", "", "resume"} {
		s.answer(t.Context(), line)
	}
	require.Equal(t, "exit status 3\n", string(s.answer(t.Context(), "panic=orders")))
	require.Empty(t, migration.panics)
	require.Equal(t, []string{"chunk-size", "coordinates", "nosuch", "", "resume", "panic"}, seen)
}

func TestASecondPanicGetsTheSameReply(t *testing.T) {
	s := New(Config{Controls: newFakeMigration(), Log: &testLog{}})
	first := s.answer(t.Context(), "panic")
	require.Equal(t, first, s.answer(t.Context(), "panic"))
}

func TestChangesAreLoggedAndQuestionsAreNot(t *testing.T) {
	log := &testLog{}
	s := New(Config{Controls: newFakeMigration(), Log: log})
	s.answer(t.Context(), "chunk-size=?")
	s.answer(t.Context(), "status")
	require.Empty(t, log.all())
	s.answer(t.Context(), "chunk-size=70")
	require.Equal(t, "INFO interactive command: chunk-size=70", log.all())
}
