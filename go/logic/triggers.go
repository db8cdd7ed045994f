package logic

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/logic/inspect"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// With --include-triggers the original's triggers are created on the ghost. The rules:
//
//   - While a trigger stands on the ghost nobody writes rows into it: they would fire it a second time. So the triggers are
//     created under the cut-over's lock, when everything up to it is applied, and from before the first of them is sent
//     until the swap is known, or they are known to be gone again, the writer is held.
//   - Whether the ghost takes them is tried beforehand, when nothing writes into it: after it was built, and again when
//     somebody has changed them. So what could be refused is refused before anybody waits.
//   - The triggers that are created are those that the original has while it is locked. An attempt that finds others than
//     it has prepared is given up.

const (
	// triggerTryLimit bounds each statement of a trial, and triggerTryWait, in seconds, what the server makes it wait for.
	triggerTryLimit = 10 * time.Second
	triggerTryWait  = 5

	// triggerTryInterval is the pause between two trials of triggers that the ghost does not take.
	triggerTryInterval = 5 * time.Second

	// triggerDropLimit bounds one try to drop triggers, and triggerLastDropLimit all of them once the run has ended.
	triggerDropLimit     = 5 * time.Second
	triggerLastDropLimit = 10 * time.Second
)

// What servers say of triggers.
const (
	errUnknownColumn    = 1054
	errTriggerExists    = 1359
	errBinlogNeedsSuper = 1419
)

// triggerMover takes the original's triggers to the ghost. A nil mover has nothing to take.
type triggerMover struct {
	applier  *Applier
	names    cutOverNames
	settings *base.TriggerSettings
	swapBack bool // the tables are swapped back after the swap
	log      base.Logger
	// holdWriter keeps the writer from applying events, if there is one yet.
	holdWriter func(ctx context.Context) (release func(), err error)

	release  func()            // lets the writer go on; nil unless it is held
	accepted []inspect.Trigger // what the ghost was seen to take
	refused  []inspect.Trigger // what it was seen not to take
	refusal  string            // why; "" if it takes what the original has
	triedAt  time.Time
}

// prepareTriggers makes sure that the ghost takes the original's triggers, if it is to have them. Nothing may write into
// the ghost yet. It leaves none there.
func (mgtr *Migrator) prepareTriggers(ctx context.Context) error {
	c := mgtr.context
	if !c.IncludeTriggers {
		return nil
	}
	mover := &triggerMover{applier: mgtr.applier, names: mgtr.names, settings: &c.TriggerSettings, swapBack: c.TestOnReplica, log: mgtr.log,
		holdWriter: func(ctx context.Context) (func(), error) {
			if mgtr.holdWriter == nil {
				return func() {}, nil
			}
			return mgtr.holdWriter(ctx)
		}}
	triggers, err := inspect.ReadTriggers(ctx, mgtr.applier.general, mgtr.names.original)
	if err != nil {
		return err
	}
	mgtr.log.Infof("Found %d triggers on %s", len(triggers), mgtr.names.original)
	if err := mover.try(ctx, triggers); err != nil {
		return fmt.Errorf("--include-triggers: %w", err)
	}
	mover.accepted = triggers
	mgtr.triggers = mover
	return nil
}

// newName is the name that a trigger gets on the ghost.
func (m *triggerMover) newName(trigger inspect.Trigger) string {
	return m.settings.GetGhostTriggerName(trigger.Name)
}

func (m *triggerMover) newNames(triggers []inspect.Trigger) (names []string) {
	for _, trigger := range triggers {
		names = append(names, m.newName(trigger))
	}
	return names
}

// checkNames refuses names that the new triggers cannot have.
func (m *triggerMover) checkNames(ctx context.Context, triggers []inspect.Trigger) error {
	from := map[string]string{}
	for _, trigger := range triggers {
		name := m.newName(trigger)
		old, other := sql.EscapeName(trigger.Name), from[strings.ToLower(name)]
		switch {
		case name == "":
			return fmt.Errorf("nothing would be left of the name of trigger %s without the suffix: choose another --trigger-suffix", old)
		case utf8.RuneCountInString(name) > mysql.MaxTableNameLength:
			return fmt.Errorf("the trigger %s would be called %s, a name of length > %d characters: choose a shorter --trigger-suffix, or create the trigger under a shorter name first",
				old, sql.EscapeName(name), mysql.MaxTableNameLength)
		case other != "":
			return fmt.Errorf("the triggers %s and %s would both be called %s: choose another --trigger-suffix", other, old, sql.EscapeName(name))
		}
		from[strings.ToLower(name)] = old
	}
	taken, err := inspect.TriggerNamesTaken(ctx, m.applier.general, m.names.original.Schema, m.newNames(triggers))
	if err != nil {
		return err
	}
	if len(taken) > 0 {
		return fmt.Errorf("found gh-ost triggers (%s): the triggers of the new table would get these names. Drop them, or the table that an earlier migration has left them on, or choose another --trigger-suffix",
			strings.Join(taken, ", "))
	}
	return nil
}

// requests builds what creates the triggers on the ghost, one request for each.
func (m *triggerMover) requests(ctx context.Context, triggers []inspect.Trigger) ([]string, error) {
	if len(triggers) == 0 {
		return nil, nil
	}
	session, err := m.applier.sessions.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer session.Close() // it has only read; its pool keeps none
	var requests []string
	for _, trigger := range triggers {
		request, err := trigger.CreateRequest(ctx, session, m.newName(trigger), m.names.ghost)
		if err != nil {
			return nil, err
		}
		requests = append(requests, request)
	}
	return requests, nil
}

// try creates the triggers on the ghost and drops them again, while the writer is held. Nobody is locked out.
func (m *triggerMover) try(ctx context.Context, triggers []inspect.Trigger) (err error) {
	if err := m.checkNames(ctx, triggers); err != nil || len(triggers) == 0 {
		return err
	}
	requests, err := m.requests(ctx, triggers)
	if err != nil {
		return err
	}
	control, err := openControlSessions(ctx, m.applier.config, m.applier.server.Dialect)
	if err != nil {
		return err
	}
	defer control.close()
	session, err := openTriggerSession(ctx, m.applier, control, triggerLockName(newToken("Triggers", time.Now())), triggerTryWait)
	if err != nil {
		return err
	}
	defer session.close()
	if err := m.hold(ctx); err != nil {
		return err
	}
	m.log.Debugf("trying whether %s takes the triggers %v", m.names.ghost, m.newNames(triggers))
	for i, request := range requests {
		if err = session.exec(ctx, triggerTryLimit, request); err != nil {
			err = m.explain(triggers[i], err)
			break
		}
	}
	return errors.Join(err, m.remove(ctx, session, triggers))
}

// hold holds the writer until letGo.
func (m *triggerMover) hold(ctx context.Context) (err error) {
	if m.release == nil {
		m.release, err = m.holdWriter(ctx)
	}
	return err
}

func (m *triggerMover) letGo() {
	if m.release != nil {
		m.release()
		m.release = nil
	}
}

// obstacle is the cut-over's reason to wait where the original's triggers have changed and the ghost does not take them.
func (m *triggerMover) obstacle(ctx context.Context) (reason string, err error) {
	if m == nil {
		return "", nil
	}
	triggers, err := inspect.ReadTriggers(ctx, m.applier.general, m.names.original)
	if err != nil {
		return err.Error(), nil
	}
	switch {
	case m.refusal == "" && slices.Equal(triggers, m.accepted):
		return "", nil
	case m.refusal != "" && slices.Equal(triggers, m.refused) && time.Since(m.triedAt) < triggerTryInterval:
		return m.refusal, nil
	}
	m.log.Infof("Looking anew whether the new table takes the triggers of %s, of which there are %d now", m.names.original, len(triggers))
	err = m.try(ctx, triggers)
	m.triedAt = time.Now()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		m.refused, m.refusal = triggers, err.Error()
		return m.refusal, nil
	}
	m.accepted, m.refused, m.refusal = triggers, nil, ""
	return "", nil
}

// explain says what to do about a trigger that the server does not create.
func (m *triggerMover) explain(trigger inspect.Trigger, err error) error {
	advice := ""
	switch number := mysql.ErrorNumber(err); {
	case number == errUnknownColumn:
		advice = ". The ALTER drops or renames a column that the trigger uses: change or drop the trigger first"
	case number == errTriggerExists:
		advice = ". Drop the trigger of that name, or choose another --trigger-suffix"
	case number == errBinlogNeedsSuper:
		advice = ". The account needs SUPER, or the server log_bin_trust_function_creators = 1"
	case mysql.IsAccessDenied(err):
		advice = fmt.Sprintf(". The account must be allowed to create triggers for %s: that takes SET_ANY_DEFINER on MySQL (with SYSTEM_USER if that account has it, with ALLOW_NONEXISTENT_DEFINER if there is no such account) and SET USER on MariaDB, or SUPER on either", trigger.Definer)
	case mysql.IsPermanent(err):
		advice = ". Change the trigger or the ALTER so that they go together, or drop the trigger first"
	}
	return fmt.Errorf("creating the trigger %s on %s, as %s: %w%s", sql.EscapeName(trigger.Name), m.names.ghost, sql.EscapeName(m.newName(trigger)), err, advice)
}
