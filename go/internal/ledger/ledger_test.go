package ledger_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/ledger"
)

func TestTableUnderLoadIsWhatTheLedgerSays(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		for _, rows := range []int{24, 1000} {
			t.Run(fmt.Sprintf("with %d rows", rows), func(t *testing.T) {
				l, table := b.create(t, ledger.Options{Rows: rows, Readers: 2, Seed: uint64(rows)})

				run(t, l, time.Second)

				stats := l.Stats()
				require.NoError(t, stats.Err())
				assert.Zero(t, stats.LockWaits+stats.LostConnections+stats.Interrupted+stats.Settled, "%+v", stats)
				assert.LessOrEqual(t, stats.Deadlocks, stats.Committed/10, "%+v", stats)
				assert.Greater(t, stats.Committed, int64(100))
				assert.Greater(t, stats.RolledBack, int64(5))
				assert.Greater(t, stats.Reads, int64(100))
				report := verify(t, l, table)
				require.NoError(t, report.Err())
				assert.Equal(t, b.count(t, table), report.Rows)
			})
		}
	})
}

func TestVerifyFindsEveryRowThatIsNotAsAcknowledged(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		const someID = 17
		for name, tamper := range map[string]struct {
			statements         []string // with %[1]s for the table
			lost, extra, wrong int
		}{
			"deleted":           {[]string{"DELETE FROM %[1]s WHERE id = 17"}, 1, 0, 0},
			"added":             {[]string{"INSERT INTO %[1]s (id, slot) VALUES (1000000, -1)"}, 0, 1, 0},
			"added below one":   {[]string{"INSERT INTO %[1]s (id, slot) VALUES (-17, -1)"}, 0, 1, 0},
			"payload changed":   {[]string{"UPDATE %[1]s SET payload = CONCAT('x', COALESCE(payload, '')) WHERE id = 17"}, 0, 0, 1},
			"slot changed":      {[]string{"UPDATE %[1]s SET slot = 0 WHERE id = 17"}, 0, 0, 1},
			"counter changed":   {[]string{"UPDATE %[1]s SET counter = counter + 1 WHERE id = 17"}, 0, 0, 1},
			"NULL became empty": {[]string{"UPDATE %[1]s SET payload = IF(payload IS NULL, '', NULL) WHERE id = 17"}, 0, 0, 1},
			"moved to a new id": {[]string{"UPDATE %[1]s SET id = 1000000 WHERE id = 17"}, 1, 1, 0},
			"slots exchanged": {[]string{
				"SELECT slot INTO @one FROM %[1]s WHERE id = 17", "SELECT slot INTO @other FROM %[1]s WHERE id = 18",
				"UPDATE %[1]s SET slot = 0 WHERE id = 17", "UPDATE %[1]s SET slot = @one WHERE id = 18", "UPDATE %[1]s SET slot = @other WHERE id = 17",
			}, 0, 0, 2},
			"emptied": {[]string{"TRUNCATE TABLE %[1]s"}, 40, 0, 0},
			"nothing": {nil, 0, 0, 0},
		} {
			t.Run(name, func(t *testing.T) {
				l, table := b.create(t, ledger.Options{Rows: 40, Seed: 3})
				conn, err := b.db.Conn(t.Context())
				require.NoError(t, err)
				defer conn.Close()

				for _, statement := range tamper.statements {
					_, err := conn.ExecContext(t.Context(), fmt.Sprintf(statement, table))
					require.NoError(t, err)
				}

				report := verify(t, l, table)
				assert.Equal(t, []int{tamper.lost, tamper.extra, tamper.wrong}, []int{report.Lost, report.Extra, report.Wrong}, report)
				assert.Equal(t, tamper.statements == nil, report.Err() == nil)
				if tamper.lost+tamper.wrong == 1 && tamper.extra == 0 {
					assert.EqualValues(t, someID, report.Differences[0].ID, report)
				}
			})
		}
	})
}

func TestVerifyComparesAnotherTableAndIgnoresAddedColumns(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		l, table := b.create(t, ledger.Options{Rows: 50, Definitions: []string{"kind enum('a','b') NOT NULL DEFAULT 'a'"}})
		other := b.newTable()
		b.exec(t, "CREATE TABLE "+other+" LIKE "+table)
		b.exec(t, "INSERT INTO "+other+" SELECT * FROM "+table)
		b.exec(t, "ALTER TABLE "+other+" ADD COLUMN added int NOT NULL DEFAULT 7 FIRST")
		require.NoError(t, verify(t, l, other).Err())

		b.exec(t, "DELETE FROM "+other+" WHERE id IN (4, 5)")

		assert.Equal(t, 2, verify(t, l, other).Lost)
		require.NoError(t, verify(t, l, table).Err())
	})
}

func TestVerifyIsRefusedWhileWritersRun(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		l, table := b.create(t, ledger.Options{})
		stop := start(t, l)

		require.Eventually(t, func() bool { return l.Stats().Committed > 0 }, 5*time.Second, time.Millisecond)
		_, err := l.Verify(t.Context(), nil, table)

		require.ErrorContains(t, err, "runs already")
		stop()
		require.NoError(t, verify(t, l, table).Err())
	})
}

func TestWritersNoticeRowsThatChangeBehindTheirBack(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		for name, tamper := range map[string]string{
			"deleted": "DELETE FROM %s WHERE id %% 3 = 0",
			"changed": "UPDATE %s SET counter = counter + 5",
		} {
			t.Run(name, func(t *testing.T) {
				l, table := b.create(t, ledger.Options{Rows: 60})
				stop := start(t, l)

				b.tampering(t, fmt.Sprintf(tamper, table), time.Second)
				stop()

				assert.NotZero(t, l.Stats().Contradictions)
				require.Error(t, l.Stats().Err())
				require.ErrorContains(t, verify(t, l, table).Err(), "contradiction")
			})
		}
	})
}

// tampering repeats a statement; that it may fail in a deadlock does not matter.
func (b *bench) tampering(t *testing.T, statement string, duration time.Duration) {
	t.Helper()
	for begin := time.Now(); time.Since(begin) < duration; {
		_, _ = b.db.ExecContext(t.Context(), statement)
	}
}

func TestNativeAlterUnderLoadIsClean(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		l, table := b.create(t, ledger.Options{Rows: 2000, Readers: 1})
		stop := start(t, l)

		b.exec(t, "ALTER TABLE "+table+" ADD COLUMN added varchar(20) NOT NULL DEFAULT 'x' AFTER id, ALGORITHM=COPY")
		stop()

		require.NoError(t, l.Stats().Err())
		require.NoError(t, verify(t, l, table).Err())
	})
}

func TestMissingTableIsCountedApart(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		l, table := b.create(t, ledger.Options{Readers: 1})
		away := b.newTable()
		stop := start(t, l)

		b.exec(t, "RENAME TABLE "+table+" TO "+away)
		require.Eventually(t, func() bool { return l.Stats().NoTable > 0 }, 5*time.Second, time.Millisecond)
		b.exec(t, "RENAME TABLE "+away+" TO "+table)
		stop()

		stats := l.Stats()
		require.ErrorContains(t, stats.Err(), "missing tables")
		assert.Zero(t, stats.Errors+stats.Contradictions, "%+v", stats)
		require.NoError(t, verify(t, l, table).Err())
	})
}

func TestTransactionsOfKilledSessionsAreSettled(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		l, table := b.create(t, ledger.Options{Rows: 200, Pause: -1, Readers: 2})
		stop := start(t, l)

		b.killing(t, 3*time.Second)
		stop()

		stats := l.Stats()
		t.Logf("%+v", stats)
		require.NoError(t, stats.Err())
		assert.Greater(t, stats.LostConnections, int64(20))
		assert.NotZero(t, stats.Settled)
		require.NoError(t, verify(t, l, table).Err())
	})
}

// killing ends whatever session is in a statement, over and over.
func (b *bench) killing(t *testing.T, duration time.Duration) {
	t.Helper()
	killer, err := b.db.Conn(t.Context())
	require.NoError(t, err)
	defer killer.Close()
	for begin := time.Now(); time.Since(begin) < duration; time.Sleep(20 * time.Millisecond) {
		for _, id := range b.sessionsIn(t, killer, "Query") {
			_, _ = killer.ExecContext(t.Context(), fmt.Sprintf("KILL %d", id)) // it may have gone
		}
	}
}

// sessionsIn returns the other sessions of the test's schema whose command is the one given.
func (b *bench) sessionsIn(t *testing.T, conn *sql.Conn, command string) (ids []int64) {
	t.Helper()
	var own int64
	require.NoError(t, conn.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&own))
	rows, err := conn.QueryContext(t.Context(), "SHOW PROCESSLIST")
	require.NoError(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(t, err)
	for rows.Next() {
		var id int64
		var schema, doing sql.NullString
		fields := []any{&id, new(any), new(any), &schema, &doing}
		for len(fields) < len(columns) {
			fields = append(fields, new(any))
		}
		require.NoError(t, rows.Scan(fields...))
		if id != own && schema.String == b.schema && doing.String == command {
			ids = append(ids, id)
		}
	}
	require.NoError(t, rows.Err())
	return ids
}

func TestWaitsTellWhenAndHowLongClientsWereHeld(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		l, table := b.create(t, ledger.Options{Readers: 1})
		stop := start(t, l)
		require.Eventually(t, func() bool { return l.Stats().Committed > 50 }, 5*time.Second, time.Millisecond)

		before := time.Now()
		unlock := b.lock(t, table)
		locked := time.Now()
		time.Sleep(400 * time.Millisecond)
		still := l.WriteWaits(locked, time.Time{})
		unlock()
		after := time.Now()
		stop()

		assert.Greater(t, still.Longest.Duration, 300*time.Millisecond, "statements that are still held count")
		held := l.WriteWaits(before, after)
		assert.Greater(t, held.Longest.Duration, 390*time.Millisecond)
		assert.WithinRange(t, held.Longest.At, before.Add(-100*time.Millisecond), after)
		assert.Contains(t, []string{"INSERT", "UPDATE", "DELETE", "REPLACE"}, held.Longest.Statement)
		assert.Less(t, l.WriteWaits(time.Time{}, before).P50, 100*time.Millisecond)
		assert.Less(t, l.ReadWaits(before, after).Longest.Duration, 300*time.Millisecond, "a read lock holds no reader")
		all := l.WriteWaits(time.Time{}, time.Time{})
		assert.Greater(t, all.Count, held.Count)
		assert.LessOrEqual(t, all.P50, all.P95)
		assert.LessOrEqual(t, all.P99, all.Longest.Duration)
	})
}

func TestStatementsThatWaitTooLongAreGivenUpAndSettled(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		l, table := b.create(t, ledger.Options{StatementTimeout: 300 * time.Millisecond})
		stop := start(t, l)
		require.Eventually(t, func() bool { return l.Stats().Committed > 0 }, 5*time.Second, time.Millisecond)

		unlock := b.lock(t, table)
		require.Eventually(t, func() bool { return l.Stats().TimedOut >= 8 }, 5*time.Second, time.Millisecond)
		unlock()
		stop()

		assert.Zero(t, l.Stats().Contradictions, "%+v", l.Stats())
		require.NoError(t, verify(t, l, table).Err())
	})
}

// start runs the ledger until the returned function is called.
func start(t *testing.T, l *ledger.Ledger) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	return func() {
		t.Helper()
		cancel()
		require.NoError(t, <-ended)
	}
}

func run(t *testing.T, l *ledger.Ledger, duration time.Duration) {
	t.Helper()
	stop := start(t, l)
	time.Sleep(duration)
	stop()
}

func verify(t *testing.T, l *ledger.Ledger, table string) ledger.Report {
	t.Helper()
	report, err := l.Verify(t.Context(), nil, table)
	require.NoError(t, err)
	return report
}
