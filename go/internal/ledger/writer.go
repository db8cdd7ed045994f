package ledger

import (
	"context"
	"fmt"
)

// writer is the only one who writes its share of the table.
type writer struct {
	planner
	session *session
	waits   *recorder
}

// outcome is what became of a transaction, as far as its client was told.
type outcome uint8

const (
	committed  outcome = iota
	rolledBack         // the server said so, or was never asked to commit
	unknown            // the connection was lost before the server told
	suspect            // the server told, but not what it had to: rows changed that differ in number
)

// rereadOneIn is how many transactions lie, on average, between two whose rows are read again after the commit.
const rereadOneIn = 16

func (w *writer) run(ctx context.Context) {
	defer w.session.close()
	for ctx.Err() == nil {
		if err := w.session.open(ctx); err != nil {
			return // ctx has ended
		}
		w.transact(context.WithoutCancel(ctx))
		sleep(ctx, w.session.pause)
	}
}

// transact does one transaction to its end, and leaves share and table alike. Its ctx never ends by itself: what is
// begun is brought to a known outcome, within the time that the client gives each statement.
func (w *writer) transact(ctx context.Context) {
	// What the lost session still held would make us wait for nothing.
	if err := w.endLost(ctx); err != nil {
		w.session.lose()
		return
	}
	transaction := w.plan()
	result := w.send(ctx, transaction)
	if result == unknown || result == suspect {
		result = w.settle(ctx, result)
	}
	if result != committed {
		w.rollback()
		w.session.log.rolledBack.Add(1)
		return
	}
	if w.random.IntN(rereadOneIn) == 0 {
		w.reread(ctx)
	}
	w.commit()
	w.session.log.committed.Add(1)
}

func (w *writer) endLost(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, w.session.timeout)
	defer cancel()
	return w.session.endLost(ctx)
}

// send sends a transaction and says what is known about its outcome.
func (w *writer) send(ctx context.Context, transaction transaction) outcome {
	if transaction.explicit {
		if _, err := w.exec(ctx, opBegin, step{query: "BEGIN", affected: anyNumber}); err != nil {
			return w.abandon(ctx)
		}
	}
	for _, step := range transaction.steps {
		affected, err := w.exec(ctx, opOf(step.query), step)
		switch {
		case err != nil && transaction.explicit:
			return w.abandon(ctx)
		case err != nil && isRefusal(err):
			return rolledBack
		case err != nil:
			return unknown
		}
		if step.affected != anyNumber && affected != step.affected {
			w.session.log.contradict("%q with %v changed %d rows instead of %d", step.query, step.args, affected, step.affected)
			if transaction.explicit {
				return w.abandon(ctx)
			}
			return suspect
		}
	}
	switch {
	case transaction.rollback:
		return w.abandon(ctx)
	case transaction.explicit:
		if _, err := w.exec(ctx, opCommit, step{query: "COMMIT", affected: anyNumber}); err != nil {
			return unknown
		}
	}
	return committed
}

// abandon rolls back a transaction that was never asked to commit. If the server cannot be told, the session's end
// does it.
func (w *writer) abandon(ctx context.Context) outcome {
	if w.session.conn != nil {
		if _, err := w.exec(ctx, opRollback, step{query: "ROLLBACK", affected: anyNumber}); err != nil {
			w.session.lose()
		}
	}
	return rolledBack
}

// exec sends one statement, measures how long it waited, and gives the connection up if it is lost.
func (w *writer) exec(ctx context.Context, op op, step step) (affected int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, w.session.timeout)
	defer cancel()
	w.waits.begin(op)
	result, err := w.session.conn.ExecContext(ctx, step.query, step.args...)
	w.waits.end()
	if err != nil {
		w.session.log.count(err, step.query)
		if isLost(err) {
			w.session.lose()
		}
		return 0, err
	}
	return result.RowsAffected()
}

// settle finds out about a transaction whose outcome is not known, from its rows: all as before, or all as after it.
func (w *writer) settle(ctx context.Context, result outcome) outcome {
	ctx, cancel := context.WithTimeout(ctx, w.session.timeout)
	defer cancel()
	touched := w.touched()
	for {
		found, err := w.readSettled(ctx, touched)
		if err == nil {
			return w.judge(touched, found, result)
		}
		if isLost(err) {
			w.session.lose()
		}
		if !sleep(ctx, retryPause) {
			w.session.log.contradict("the outcome of a transaction on ids %v could not be found out: %v", ids(touched), err)
			return rolledBack
		}
	}
}

func (w *writer) readSettled(ctx context.Context, touched []entry) (map[int64]row, error) {
	if err := w.session.open(ctx); err != nil {
		return nil, err
	}
	if err := w.session.endLost(ctx); err != nil {
		return nil, err
	}
	return w.read(ctx, touched)
}

func (w *writer) judge(touched []entry, found map[int64]row, result outcome) outcome {
	asBefore, asAfter := true, true
	for _, image := range touched {
		now := rowIn(found, image.id)
		asBefore = asBefore && sameRow(now, image.before)
		asAfter = asAfter && sameRow(now, w.get(image.id))
	}
	switch {
	case asAfter:
		w.session.log.settled.Add(1)
		return committed
	case asBefore:
		w.session.log.settled.Add(1)
		return rolledBack
	case result == unknown:
		w.session.log.contradict("a transaction that was cut off left neither the rows before nor those after it: ids %v hold %v", ids(touched), found)
	}
	return rolledBack
}

// reread reads what was just acknowledged. Nobody else writes these rows.
func (w *writer) reread(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, w.session.timeout)
	defer cancel()
	touched := w.touched()
	found, err := w.read(ctx, touched)
	if err != nil {
		w.session.log.count(err, "reading rows again")
		if isLost(err) {
			w.session.lose()
		}
		return
	}
	for _, image := range touched {
		if now, want := rowIn(found, image.id), w.get(image.id); !sameRow(now, want) {
			w.session.log.contradict("id %d reads %v right after its commit, not %v", image.id, now, want)
		}
	}
}

func (w *writer) read(ctx context.Context, touched []entry) (map[int64]row, error) {
	found := map[int64]row{}
	if len(touched) == 0 {
		return found, nil
	}
	rows, err := w.session.conn.QueryContext(ctx, selectRows(w.table)+" WHERE id IN ("+list(ids(touched))+")")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var now row
		if err := rows.Scan(&id, &now.slot, &now.payload, &now.counter); err != nil {
			return nil, err
		}
		found[id] = now
	}
	return found, rows.Err()
}

func ids(touched []entry) []int64 {
	ids := make([]int64, len(touched))
	for i, image := range touched {
		ids[i] = image.id
	}
	return ids
}

func rowIn(rows map[int64]row, id int64) *row {
	if found, ok := rows[id]; ok {
		return &found
	}
	return nil
}

func sameRow(one, other *row) bool {
	if one == nil || other == nil {
		return one == other
	}
	return *one == *other
}

// String shows a row as a report does.
func (r *row) String() string {
	if r == nil {
		return "no row"
	}
	payload := "NULL"
	if r.payload.Valid {
		payload = fmt.Sprintf("%q", r.payload.String)
	}
	return fmt.Sprintf("(slot %d, payload %s, counter %d)", r.slot, payload, r.counter)
}
