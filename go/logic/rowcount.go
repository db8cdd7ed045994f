package logic

import (
	"context"
	gosql "database/sql"
	"fmt"
	"time"

	"github.com/github/gh-ost/go/base"
)

// countRows begins the exact count of the original's rows, if it is wanted, and waits for it unless it may go on beside
// the copy. In a dry run nothing is counted.
func (mgtr *Migrator) countRows(ctx context.Context) error {
	c := mgtr.context
	if !c.CountTableRows || c.Noop {
		return nil
	}
	if !c.ConcurrentCountTableRows {
		mgtr.log.Infof("Counting the rows of %s now; the copy waits for it", mgtr.names.original)
		mgtr.counting.Store(true)
		defer mgtr.counting.Store(false)
		if err := mgtr.count(ctx); err != nil {
			return err
		}
		return mgtr.hooks.OnRowCountComplete()
	}
	mgtr.log.Infof("Counting the rows of %s in the background; until it is done the progress is an estimate", mgtr.names.original)
	var counting context.Context
	counting, mgtr.stopCounting = context.WithCancel(mgtr.work)
	mgtr.background(func(context.Context) error {
		defer mgtr.stopCounting()
		if err := mgtr.count(counting); err != nil {
			if counting.Err() == nil { // the migration does not depend on it
				_ = mgtr.log.Errorf("%v; the progress stays an estimate", err)
			}
			return nil
		}
		if err := mgtr.hooks.OnRowCountComplete(); err != nil && counting.Err() == nil {
			_ = mgtr.log.Errore(err)
		}
		return nil
	})
	return nil
}

// count counts, on the server that is inspected and on a session of its own. It may take long.
func (mgtr *Migrator) count(ctx context.Context) error {
	c := mgtr.context
	var rows int64
	started := time.Now()
	err := inKillableSession(ctx, c.InspectorConnectionConfig, func(session *gosql.Conn) error {
		return session.QueryRowContext(context.WithoutCancel(ctx), fmt.Sprintf("SELECT /* gh-ost */ COUNT(*) FROM %s", mgtr.names.original)).Scan(&rows)
	})
	mgtr.measure.query(sourceSide, rowCountQuery, time.Since(started), err)
	if err != nil {
		return fmt.Errorf("counting the rows of %s: %w", mgtr.names.original, err)
	}
	c.SetRowsEstimate(rows)
	c.UsedRowsEstimateMethod = base.CountRowsEstimate
	mgtr.log.Infof("Exact number of rows via COUNT: %d", rows)
	return nil
}

// endCount ends a count that still goes on when nobody needs it any more.
func (mgtr *Migrator) endCount() {
	if mgtr.stopCounting != nil {
		mgtr.stopCounting()
	}
}
