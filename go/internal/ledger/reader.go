package ledger

import (
	"context"
	"math/rand/v2"
)

// reader reads rows all the time, to learn how long reads wait.
type reader struct {
	table   string
	rows    int64
	random  *rand.Rand
	session *session
	waits   *recorder
}

func (r *reader) run(ctx context.Context) {
	defer r.session.close()
	for ctx.Err() == nil {
		if err := r.session.open(ctx); err != nil {
			return // ctx has ended
		}
		if err := r.read(context.WithoutCancel(ctx)); err != nil {
			r.session.log.count(err, "reading")
			if isLost(err) {
				r.session.lose()
			}
		}
		sleep(ctx, r.session.pause)
	}
}

// read reads one row by its id or a few that follow one another.
func (r *reader) read(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, r.session.timeout)
	defer cancel()
	first := 1 + r.random.Int64N(r.rows)
	last := first
	if r.random.IntN(4) == 0 {
		last += 20
	}
	r.waits.begin(opSelect)
	defer r.waits.end()
	rows, err := r.session.conn.QueryContext(ctx, selectRows(r.table)+" WHERE id BETWEEN ? AND ?", first, last)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		// What it holds is the writers' business.
	}
	if err := rows.Err(); err != nil {
		return err
	}
	r.session.log.reads.Add(1)
	return nil
}
