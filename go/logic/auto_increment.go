package logic

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"strings"

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

// checkNumbered refuses NULL in a column that becomes AUTO_INCREMENT, and tells of zeros, which stay. NULL that comes later is the
// writer's to refuse. It may read the whole table, in a session that may take its time.
func (mgtr *Migrator) checkNumbered(ctx context.Context, db *gosql.DB) error {
	for _, column := range mgtr.shared.Columns {
		if !column.BecomesAutoIncrement() {
			continue
		}
		name := sql.EscapeName(column.Source.Name)
		if null, err := mgtr.hasRow(ctx, db, name+" IS NULL"); err != nil {
			return err
		} else if null {
			return column.NumberedError()
		}
		mode, err := mysql.GlobalVariable(ctx, mgtr.applier.general, "sql_mode")
		if err != nil {
			return fmt.Errorf("reading sql_mode: %w", err)
		}
		if strings.Contains(strings.ToUpper(mode), "NO_AUTO_VALUE_ON_ZERO") {
			continue
		}
		if zero, err := mgtr.hasRow(ctx, db, name+" = 0"); err != nil {
			return err
		} else if zero {
			_ = mgtr.log.Warningf("column %s becomes AUTO_INCREMENT and is 0 in a row: it stays 0, where a native ALTER would give the row another number, as this server's sql_mode lacks NO_AUTO_VALUE_ON_ZERO", name)
		}
	}
	return nil
}

func (mgtr *Migrator) hasRow(ctx context.Context, db *gosql.DB, condition string) (bool, error) {
	var one int
	err := db.QueryRowContext(ctx, fmt.Sprintf("SELECT /* gh-ost */ 1 FROM %s WHERE %s LIMIT 1", mgtr.names.original, condition)).Scan(&one)
	if errors.Is(err, gosql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("looking for rows of %s where %s: %w", mgtr.names.original, condition, err)
	}
	return true, nil
}
