package logic

import (
	"context"
	"fmt"
	"time"

	"github.com/github/gh-ost/go/mysql"
)

// endingGrace is how long sessions that were ended have to be gone before others are ended.
const endingGrace = 5 * time.Second

// errNotOwner is the servers' error for KILL without the privilege to end sessions of that account.
const errNotOwner = 1095

// force ends the sessions of the first class that may be ended, and leaves the others to the next look.
func (w *lockWatch) force(ctx context.Context, blockers []Blocker) error {
	for _, b := range blockers {
		if ended, ok := w.ended[b.ConnectionID]; ok && time.Since(ended) < endingGrace {
			return nil // it is about to go
		}
	}
	candidates := make([]Blocker, 0, len(blockers))
	for _, b := range blockers {
		if _, already := w.ended[b.ConnectionID]; !already || b.AutocommitRead { // that may be another statement by now
			candidates = append(candidates, b)
		}
	}
	chosen, class := victims(candidates)
	if len(chosen) == 0 {
		w.tellOnce("nobody", "--cut-over-force-after-seconds: none of the sessions that are in the cut-over's way may be ended: %s",
			(&BlockedError{Table: w.names.original, Blockers: blockers}).Error())
		return nil
	}
	for _, b := range chosen {
		kill, what := mysql.KillConnection, "session"
		if class == runningReader && b.AutocommitRead {
			kill, what = mysql.KillQuery, "statement"
		}
		_ = w.applier.log.Warningf("cut-over: the table has been held for %s, --cut-over-force-after-seconds is %.0f: ending this %s, since it %s: %s by %s",
			shortly(time.Since(w.blockedSince)), w.settings.ForceAfter.Seconds(), what, class, b.place(), b)
		w.ended[b.ConnectionID] = time.Now()
		err := kill(ctx, w.applier.general, b.ConnectionID)
		switch {
		case err == nil || mysql.IsNoSuchThread(err):
		case mysql.IsAccessDenied(err) || mysql.ErrorNumber(err) == errNotOwner:
			w.ended[b.ConnectionID] = time.Time{} // it is not waited for
			w.tellOnce("kill", "--cut-over-force-after-seconds: the account may not end that session (MySQL: GRANT CONNECTION_ADMIN, and SYSTEM_USER for sessions of accounts that have it; MariaDB: GRANT CONNECTION ADMIN): %v", err)
		default:
			return fmt.Errorf("ending a session that holds %s: %w", b.place(), err)
		}
	}
	return nil
}
