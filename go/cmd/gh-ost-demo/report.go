package main

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/github/gh-ost/go/internal/ledger"
)

// cutOverMargin is added at both ends of the cut-over: its log lines reach us a little later than what they tell.
const cutOverMargin = 50 * time.Millisecond

// report says in a few lines what became of rows and clients.
func report(out io.Writer, settings settings, m migration, l *ledger.Ledger, compared ledger.Report) {
	stats := l.Stats()
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(table, "%s\t"+format+"\n", append([]any{name}, args...)...)
	}
	fmt.Fprintln(out)
	line("migration", "%s in %s", outcome(m), m.ended.Sub(m.began).Round(time.Millisecond))
	line("rows copied", "%s", known(m.copied))
	line("events applied", "%s", known(m.events))
	line("clients", "%d writers committed %s transactions and rolled back %s; %d readers read %s times", settings.writers,
		thousands(stats.Committed), thousands(stats.RolledBack), settings.readers, thousands(stats.Reads))
	line("errors of clients", "%d missing tables, %d time-outs, %d lock waits, %d deadlocks, %d others",
		stats.NoTable, stats.TimedOut, stats.LockWaits, stats.Deadlocks, stats.Errors)
	waits := func(name string, from, to time.Time) {
		line(name, "write %s, read %s", wait(l.WriteWaits(from, to)), wait(l.ReadWaits(from, to)))
	}
	waits("longest wait before", time.Time{}, m.began)
	waits("longest wait while migrating", m.began, m.ended)
	if c := m.cutOver; c.attempts > 0 {
		waits("longest wait at the cut-over", c.from.Add(-cutOverMargin), c.to.Add(cutOverMargin))
		line("cut-over", "%s, attempts: %d", c.to.Sub(c.from).Round(time.Millisecond), c.attempts)
	} else {
		line("cut-over", "not seen in the log")
	}
	line("ledger against table", "%s rows: lost %d, extra %d, wrong %d", thousands(int64(compared.Rows)), compared.Lost, compared.Extra, compared.Wrong)
	table.Flush()
	fmt.Fprintln(out)
}

func outcome(m migration) string {
	if m.err != nil {
		return "FAILED"
	}
	return "succeeded"
}

func known(number int64) string {
	if number < 0 {
		return "unknown: no status line was seen"
	}
	return thousands(number)
}

func wait(waits ledger.Waits) string {
	if waits.Count == 0 {
		return "none"
	}
	longest := waits.Longest
	return fmt.Sprintf("%s (%s at %s; 99 of 100 within %s)", milliseconds(longest.Duration), longest.Statement,
		longest.At.Format("15:04:05.000"), milliseconds(waits.P99))
}

func milliseconds(duration time.Duration) string {
	return strconv.FormatFloat(duration.Seconds()*1000, 'f', 1, 64) + " ms"
}

// thousands writes a number with a comma at each third digit.
func thousands(number int64) string {
	text := strconv.FormatInt(number, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
