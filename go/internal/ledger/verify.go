package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// Report is a table compared with the ledger.
type Report struct {
	Table string
	Rows  int // that the ledger expects

	Lost, Extra, Wrong int
	Differences        []Difference // the first of each kind

	Contradictions []string // what writers noticed while they wrote, see [Stats]
}

// Difference is one row that is not as the ledger has it.
type Difference struct {
	Kind       string // "lost", "extra" or "wrong"
	ID         int64
	Want, Have string // "no row" if there is none
}

// maxDifferences is how many differences of each kind a report names.
const maxDifferences = 20

// Err returns nil if the table is what the ledger says and writers noticed no contradiction.
func (r Report) Err() error {
	if r.Lost+r.Extra+r.Wrong+len(r.Contradictions) == 0 {
		return nil
	}
	return errors.New(r.String())
}

// String is a line of numbers, then one line a difference.
func (r Report) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s against the ledger's %d rows: lost %d, extra %d, wrong %d", r.Table, r.Rows, r.Lost, r.Extra, r.Wrong)
	if len(r.Contradictions) > 0 {
		fmt.Fprintf(&text, ", contradictions %d", len(r.Contradictions))
	}
	for _, difference := range r.Differences {
		fmt.Fprintf(&text, "\n%s: id %d: want %s, have %s", difference.Kind, difference.ID, difference.Want, difference.Have)
	}
	for _, contradiction := range r.Contradictions {
		fmt.Fprintf(&text, "\ncontradiction: %s", contradiction)
	}
	return text.String()
}

// Verify compares all of the ledger's columns in a table, usually the ledger's own, with the ledger. The ledger must
// not run. It reads over db, in Options.Schema; nil means the ledger's own pool.
func (l *Ledger) Verify(ctx context.Context, db *sql.DB, table string) (Report, error) {
	if err := l.begin(); err != nil {
		return Report{}, fmt.Errorf("verifying: %w", err)
	}
	defer l.end()
	if db == nil {
		db = l.db
	}
	report := Report{Table: l.qualified(table), Contradictions: l.Stats().ContradictionSamples}
	for _, w := range l.writers {
		report.Rows += len(w.rows)
	}
	if err := l.compare(ctx, db, &report); err != nil {
		return Report{}, fmt.Errorf("reading %s to verify it: %w", report.Table, err)
	}
	return report, nil
}

func (l *Ledger) compare(ctx context.Context, db *sql.DB, report *Report) error {
	rows, err := db.QueryContext(ctx, selectRows(report.Table))
	if err != nil {
		return err
	}
	defer rows.Close()
	seen := make(map[int64]bool, report.Rows)
	for rows.Next() {
		var id int64
		var have row
		if err := rows.Scan(&id, &have.slot, &have.payload, &have.counter); err != nil {
			return err
		}
		want := l.want(id)
		switch {
		case want == nil || seen[id]:
			report.add("extra", &report.Extra, id, nil, &have)
		case *want != have:
			report.add("wrong", &report.Wrong, id, want, &have)
		}
		seen[id] = true
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, w := range l.writers {
		for _, id := range w.live.members {
			if !seen[id] {
				report.add("lost", &report.Lost, id, w.get(id), nil)
			}
		}
	}
	return nil
}

// want returns the row that the ledger has for an id, or nil.
func (l *Ledger) want(id int64) *row {
	if id < 1 {
		return nil
	}
	return l.writers[(id-1)%int64(len(l.writers))].get(id)
}

func (r *Report) add(kind string, count *int, id int64, want, have *row) {
	*count++
	if *count <= maxDifferences {
		r.Differences = append(r.Differences, Difference{kind, id, want.String(), have.String()})
	}
}

func selectRows(table string) string {
	return "SELECT " + strings.Join(Columns[:], ", ") + " FROM " + table
}

func list(ids []int64) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = fmt.Sprint(id)
	}
	return strings.Join(texts, ", ")
}
