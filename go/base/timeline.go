package base

import (
	"sync"
	"time"
)

// Timeline is when the steps of the migration began and ended; zero for those still to come. The fields are for embedding
// programs to read after the run, or before it has started; while it runs, only the methods are safe.
type Timeline struct {
	StartTime             time.Time
	RowCopyStartTime      time.Time
	RowCopyEndTime        time.Time
	LockTablesStartTime   time.Time
	RenameTablesStartTime time.Time
	RenameTablesEndTime   time.Time

	timelineMutex sync.Mutex
}

// MarkStart notes that the run starts.
func (t *Timeline) MarkStart() { t.mark(&t.StartTime) }

// MarkRowCopyStartTime notes that the first chunk is about to be copied.
func (t *Timeline) MarkRowCopyStartTime() { t.mark(&t.RowCopyStartTime) }

// MarkRowCopyEndTime notes that the last chunk is copied.
func (t *Timeline) MarkRowCopyEndTime() { t.mark(&t.RowCopyEndTime) }

// MarkLockTablesStartTime notes that a cut-over attempt is about to lock the tables.
func (t *Timeline) MarkLockTablesStartTime() { t.mark(&t.LockTablesStartTime) }

// MarkRenameTablesStartTime notes that a cut-over attempt is about to issue its RENAME.
func (t *Timeline) MarkRenameTablesStartTime() { t.mark(&t.RenameTablesStartTime) }

// MarkRenameTablesEndTime notes that the tables are renamed.
func (t *Timeline) MarkRenameTablesEndTime() { t.mark(&t.RenameTablesEndTime) }

func (t *Timeline) mark(moment *time.Time) {
	t.timelineMutex.Lock()
	defer t.timelineMutex.Unlock()
	*moment = time.Now()
}

// GetStartTime is when the run started; zero before.
func (t *Timeline) GetStartTime() time.Time {
	t.timelineMutex.Lock()
	defer t.timelineMutex.Unlock()
	return t.StartTime
}

// ElapsedTime is the time since the run started; 0 before.
func (t *Timeline) ElapsedTime() time.Duration {
	t.timelineMutex.Lock()
	defer t.timelineMutex.Unlock()
	return elapsed(t.StartTime, time.Time{})
}

// ElapsedRowCopyTime is the time that the copy has taken: 0 before it, and fixed once it has ended.
func (t *Timeline) ElapsedRowCopyTime() time.Duration {
	t.timelineMutex.Lock()
	defer t.timelineMutex.Unlock()
	return elapsed(t.RowCopyStartTime, t.RowCopyEndTime)
}

// LockAndRenameDuration is the time from the locking of the tables to the end of their renaming in the attempt that
// succeeded, and the renaming's part of it.
func (t *Timeline) LockAndRenameDuration() (total, rename time.Duration) {
	t.timelineMutex.Lock()
	defer t.timelineMutex.Unlock()
	return elapsed(t.LockTablesStartTime, t.RenameTablesEndTime), elapsed(t.RenameTablesStartTime, t.RenameTablesEndTime)
}

// elapsed is the time from start to end, or to now if there is no end yet; 0 if there is no start.
func elapsed(start, end time.Time) time.Duration {
	if start.IsZero() {
		return 0
	}
	if end.IsZero() {
		return time.Since(start)
	}
	return end.Sub(start)
}

// TimeSinceLastHeartbeatOnChangelog is the age of the newest heartbeat seen in the stream. Before the first it is the age
// of the run: that is how long there has been none.
func (c *MigrationContext) TimeSinceLastHeartbeatOnChangelog() time.Duration {
	if heartbeat := c.GetLastHeartbeatOnChangelogTime(); !heartbeat.IsZero() {
		return time.Since(heartbeat)
	}
	return c.ElapsedTime()
}
