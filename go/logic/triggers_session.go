package logic

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/github/gh-ost/go/logic/inspect"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// remove drops the triggers from the ghost and lets the writer go on. It does not return before that is done, unless the run
// ends: then it tries for a while longer, and where that was in vain the writer stays held.
func (m *triggerMover) remove(ctx context.Context, session *triggerSession, triggers []inspect.Trigger) error {
	last, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(triggerLastDropLimit, cancel) })
	defer stop()
	var logged time.Time
	for {
		err := m.removeOnce(last, session, m.newNames(triggers))
		if err == nil {
			m.letGo()
			return nil
		}
		if last.Err() != nil {
			return fmt.Errorf("%w. Nothing may be written into %s while it has triggers: drop them by hand", err, m.names.ghost)
		}
		if time.Since(logged) > time.Second {
			_ = m.log.Errorf("%v; trying again, no events are applied meanwhile", err)
			logged = time.Now()
		}
		_ = pause(last, 100*time.Millisecond) // if it ends meanwhile there is one more try, which fails
	}
}

func (m *triggerMover) removeOnce(ctx context.Context, session *triggerSession, names []string) error {
	ctx, cancel := context.WithTimeout(ctx, triggerDropLimit)
	defer cancel()
	if err := session.settle(ctx); err != nil {
		return err
	}
	_, err := dropTriggers(ctx, session.control.db, m.names.ghost, func(name string) bool { return slices.Contains(names, name) })
	return err
}

// removeAfterSwapBack drops the triggers from the ghost when the tables were swapped back.
func (m *triggerMover) removeAfterSwapBack(ctx context.Context) error {
	if m == nil || len(m.accepted) == 0 {
		return nil
	}
	control, err := openControlSessions(ctx, m.applier.config, m.applier.server.Dialect)
	if err != nil {
		return fmt.Errorf("removing the triggers of %s again: %w", m.names.ghost, err)
	}
	defer control.close()
	ctx, cancel := context.WithTimeout(ctx, triggerLastDropLimit)
	defer cancel()
	return m.remove(ctx, &triggerSession{control: control}, m.accepted)
}

// dropTriggers drops those triggers of a table whose names are wanted. It returns the names of the others.
func dropTriggers(ctx context.Context, db *gosql.DB, table sql.TableName, wanted func(name string) bool) (others []string, err error) {
	triggers, err := inspect.ReadTriggers(ctx, db, table)
	if err != nil {
		return nil, err
	}
	for _, trigger := range triggers {
		if !wanted(trigger.Name) {
			others = append(others, sql.EscapeName(trigger.Name))
			continue
		}
		name := sql.TableName{Schema: table.Schema, Name: trigger.Name}
		if _, err := db.ExecContext(ctx, "DROP /* gh-ost */ TRIGGER IF EXISTS "+name.String()); err != nil {
			return nil, fmt.Errorf("dropping the trigger %s of %s: %w", sql.EscapeName(trigger.Name), table, err)
		}
	}
	return others, nil
}

// adoptTriggers is prepareTriggers for a ghost that an earlier run has left.
func (mgtr *Migrator) adoptTriggers(ctx context.Context) error {
	if err := mgtr.removeGhostTriggers(ctx); err != nil {
		return err
	}
	return mgtr.prepareTriggers(ctx)
}

// removeGhostTriggers makes sure that the ghost has no triggers, which a run that was killed in a cut-over may have left
// there. It is called before anything is written into the ghost. A trigger that is none of the original's is an error.
func (mgtr *Migrator) removeGhostTriggers(ctx context.Context) error {
	db := mgtr.applier.general
	originals, err := inspect.ReadTriggers(ctx, db, mgtr.names.original)
	if err != nil {
		return err
	}
	var names []string
	for _, trigger := range originals {
		names = append(names, mgtr.context.GetGhostTriggerName(trigger.Name))
	}
	others, err := dropTriggers(ctx, db, mgtr.names.ghost, func(name string) bool {
		if slices.Contains(names, name) {
			mgtr.log.Infof("Dropping trigger %s, which an earlier run has left on %s", sql.EscapeName(name), mgtr.names.ghost)
			return true
		}
		return false
	})
	if err != nil {
		return err
	}
	if len(others) > 0 {
		return fmt.Errorf("%s has triggers (%s), which rows that are written into it would fire: drop them first; if an earlier run has left them there, say --include-triggers and --trigger-suffix as it did",
			mgtr.names.ghost, strings.Join(others, ", "))
	}
	return nil
}

// triggerSession is a session that creates triggers. What it runs is ended through control.
type triggerSession struct {
	session *mysql.Session // nil: nothing was sent
	control *controlSessions
	lock    string // the name of the server-side lock that it holds for as long as it lives, by which it is killed
	lost    bool   // what it was doing, the server may still do
}

// triggerLockName is the name of the lock by which the session of a cut-over attempt is known.
func triggerLockName(token string) string {
	return "gh-ost.triggers." + token[strings.LastIndexByte(token, '.')+1:]
}

// openTriggerSession opens one; waitSeconds is how long the server lets it wait for a table.
func openTriggerSession(ctx context.Context, applier *Applier, control *controlSessions, lock string, waitSeconds int) (*triggerSession, error) {
	session, err := mysql.NewSession(ctx, applier.sessions)
	if err != nil {
		return nil, err
	}
	s := &triggerSession{session: session, control: control, lock: lock}
	var granted int
	err = session.QueryRow(ctx, statementLimit, []any{&granted}, "SELECT /* gh-ost */ GET_LOCK(?, 0)", s.lock)
	if err == nil && granted != 1 {
		err = fmt.Errorf("another session holds the lock %s", s.lock)
	}
	if err == nil {
		_, err = session.Exec(ctx, statementLimit, "SET /* gh-ost */ SESSION lock_wait_timeout = ?", waitSeconds)
	}
	if err != nil {
		return nil, errors.Join(err, session.Close())
	}
	return s, nil
}

// exec runs a request to its end. When ctx ends its statement is killed, the session lives on.
func (s *triggerSession) exec(ctx context.Context, limit time.Duration, request string) error {
	answered, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-answered:
			return
		case <-ctx.Done():
		}
		for { // until the statement has ended, whichever of the request's it was
			_ = s.control.kill(ctx, s.lock)
			select {
			case <-answered:
				return
			case <-time.After(interruptInterval):
			}
		}
	}()
	_, err := s.session.Exec(ctx, limit, request)
	close(answered)
	<-watched
	s.lost = s.lost || sessionLost(err)
	return err
}

// settle returns when nothing that was sent can take effect any more.
func (s *triggerSession) settle(ctx context.Context) error {
	if !s.lost {
		return nil
	}
	if err := s.control.endSession(ctx, s.lock); err != nil {
		return err
	}
	s.lost = false
	return nil
}

func (s *triggerSession) close() { _ = s.session.Close() } // it is at rest, or lost
