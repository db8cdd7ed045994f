package logic

import (
	"context"
	gosql "database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/github/gh-ost/go/mysql"
)

// analyzeGhost refreshes the statistics of the ghost table, so that its first queries as the original are planned well.
// A failure fails the cut-over attempt.
func (mgtr *Migrator) analyzeGhost(ctx context.Context) error {
	ghost := mgtr.names.ghost
	mgtr.log.Infof("Running ANALYZE TABLE on ghost table %s before cut-over", ghost)
	started := time.Now()
	err := inKillableSession(ctx, mgtr.applier.config, func(session *gosql.Conn) error {
		rows, err := session.QueryContext(context.WithoutCancel(ctx), "ANALYZE /* gh-ost */ TABLE "+ghost.String())
		if err != nil {
			return err
		}
		defer rows.Close() // rows.Err is what counts
		return readAnalysis(rows)
	})
	if err != nil {
		return fmt.Errorf("ANALYZE TABLE on the ghost table %s: %w", ghost, err)
	}
	mgtr.log.Infof("ANALYZE TABLE on ghost table %s completed in %dms", ghost, time.Since(started).Milliseconds())
	return nil
}

// refreshStatistics analyzes the ghost table once, when all rows are copied. A server that has not come to do that by
// itself takes the new table for an empty one: its first queries scanned it, and their locks met in deadlocks. It is
// done as well as it can be; whoever depends on it asks for it before each attempt, which is the flag's affair.
func (mgtr *Migrator) refreshStatistics(ctx context.Context) {
	if mgtr.context.AnalyzeGhostTableBeforeCutOver {
		return
	}
	if err := mgtr.analyzeGhost(ctx); err != nil && ctx.Err() == nil {
		_ = mgtr.log.Warningf("%v: the server's statistics of the new table may lag for a while after the swap", err)
	}
}

// readAnalysis reads the server's answer, in which a failure is a row and not an error.
func readAnalysis(rows *gosql.Rows) error {
	succeeded := false
	for rows.Next() {
		var table, operation, kind, text gosql.NullString
		if err := rows.Scan(&table, &operation, &kind, &text); err != nil {
			return err
		}
		switch {
		case strings.EqualFold(kind.String, "error"):
			return fmt.Errorf("the server says: %s", text.String)
		case strings.EqualFold(kind.String, "status"):
			succeeded = strings.EqualFold(text.String, "OK")
			if !succeeded {
				return fmt.Errorf("the server says: %s", text.String)
			}
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if !succeeded {
		return fmt.Errorf("the server does not say that it succeeded")
	}
	return nil
}

// killLateLimit bounds the KILL QUERY that ends a statement whose caller has given up.
const killLateLimit = 5 * time.Second

// inKillableSession runs something long on a session of its own. When ctx ends, the session's statement is ended by KILL
// QUERY, so that the server does not go on with it; run must not end it by cancelling.
func inKillableSession(ctx context.Context, config *mysql.ConnectionConfig, run func(session *gosql.Conn) error) error {
	unlimited := config.Duplicate()
	unlimited.Timeout = 0 // it would bound how long the statement may run
	db, err := unlimited.Open("")
	if err != nil {
		return err
	}
	defer db.Close() // nothing depends on it any more
	session, id, err := mysql.OpenSession(ctx, db)
	if err != nil {
		return err
	}
	defer session.Close() // nothing depends on it any more
	killed := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		killCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), killLateLimit)
		defer cancel()
		killed <- mysql.KillQuery(killCtx, db, id)
	})
	err = run(session)
	if !stop() {
		if killErr := <-killed; killErr != nil && err != nil {
			return fmt.Errorf("%w (and %w)", err, killErr)
		}
		if err != nil {
			return context.Cause(ctx)
		}
	}
	return err
}
