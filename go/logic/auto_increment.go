package logic

import (
	"context"
	"fmt"

	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// carriesAutoIncrement tells whether the ghost goes on counting where the original stops, as by a native ALTER: its
// AUTO_INCREMENT column is the original's, and the ALTER sets no number of its own.
func (mgtr *Migrator) carriesAutoIncrement() bool {
	if mgtr.alter.IsAutoIncrementDefined() {
		return false
	}
	for _, column := range mgtr.shared.Columns {
		if column.Source.AutoIncrement && column.Target.AutoIncrement {
			return true
		}
	}
	return false
}

// carryAutoIncrement gives the ghost the original's next number, which may be higher than its own: the numbers of rows that
// came and went during the copy are used up, though no row shows it. It belongs to the last looks before a cut-over attempt.
// A ghost that is in use for too long is a reason to wait; the RENAME would have to wait for the same user.
func (mgtr *Migrator) carryAutoIncrement(ctx context.Context) (reason string, err error) {
	db, session, err := mgtr.applier.alterSession(ctx, mgtr.context.DatabaseName)
	if err != nil {
		return "", err
	}
	defer db.Close()      // nothing depends on it any more
	defer session.Close() // nothing depends on it any more
	helper := tables{mgtr.applier.general}
	var next [2]uint64
	for i, table := range []sql.TableName{mgtr.names.original, mgtr.names.ghost} {
		if next[i], err = helper.autoIncrement(ctx, session, table); err != nil {
			return "", err
		}
	}
	if next[0] <= next[1] {
		return "", nil
	}
	if _, err := session.ExecContext(ctx, "SET /* gh-ost */ SESSION lock_wait_timeout = 1"); err != nil {
		return "", fmt.Errorf("preparing to set the ghost table's AUTO_INCREMENT value: %w", err)
	}
	err = helper.setAutoIncrement(ctx, session, mgtr.names.ghost, next[0])
	switch {
	case mysql.IsLockWaitTimeout(err):
		return fmt.Sprintf("somebody uses the ghost table %s, whose AUTO_INCREMENT value has to be set", mgtr.names.ghost), nil
	case err == nil:
		mgtr.log.Debugf("Ghost table AUTO_INCREMENT altered to %d", next[0])
	}
	return "", err
}
