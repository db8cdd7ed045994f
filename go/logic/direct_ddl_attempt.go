package logic

import (
	"context"
	"crypto/rand"
	gosql "database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/github/gh-ost/go/mysql"
)

// directOutcome is what an attempt to alter the original has come to.
type directOutcome uint8

const (
	directMayRetry directOutcome = iota // not altered: the table could not be had, or the server not be reached
	directRefused                       // not altered: the server does not do it in this way
	directDone                          // altered
	directUnknown                       // it is not known: somebody has to look
)

const (
	// directGrace is how much longer than for its locks the ALTER may take. What takes longer is work, and is ended.
	directGrace = time.Second

	// directInterruptInterval is the pause between two tries to end it.
	directInterruptInterval = 50 * time.Millisecond

	// directAnswerLimit is how long the server may take to answer an ALTER that it was told to end.
	directAnswerLimit = 10 * time.Second
)

// limit is how long the ALTER may take: it waits for the table's lock twice, to begin with and to write down the result.
func (d *directDDL) limit() time.Duration { return 2*d.timeout + directGrace }

// attempt alters the original once. The session waits for a lock no longer than the cut-over's would, and whatever takes
// longer is ended. Whether the ALTER took effect is decided by the server's word, or by the table's definition when that
// word is lost or says that the ALTER failed. The error is nil exactly if the outcome is directDone.
func (d *directDDL) attempt(ctx context.Context, way directWay) (directOutcome, error) {
	control, err := openControlSessions(ctx, d.applier.config, d.applier.server.Dialect)
	if err != nil {
		return notAltered(err), err
	}
	defer control.close()
	seconds := int(d.timeout / time.Second)
	db, err := d.applier.alterSessions(d.names.original.Schema,
		fmt.Sprintf("SET /* gh-ost */ SESSION lock_wait_timeout = %d", seconds),
		fmt.Sprintf("SET /* gh-ost */ SESSION innodb_lock_wait_timeout = %d", seconds))
	if err != nil {
		return notAltered(err), err
	}
	defer db.Close() // its session is at rest, or lost
	session, err := mysql.NewSession(ctx, db)
	if err != nil {
		return notAltered(err), err
	}
	defer session.Close() // nothing depends on it any more
	lock := "gh-ost.direct." + rand.Text()
	if err := takeOwnLock(ctx, session, lock); err != nil {
		return notAltered(err), err
	}
	before, err := readDefinition(ctx, d.applier.general, d.names.original)
	if err != nil {
		return notAltered(err), err
	}
	if ctx.Err() != nil {
		return directMayRetry, ctx.Err()
	}
	d.applier.pass("altering directly")
	err = d.execute(ctx, control, session, lock, way)
	if err == nil {
		return directDone, nil
	}
	if ctx.Err() == nil {
		d.log.Debugf("the ALTER has ended with: %v", err)
	}
	altered, truthErr := d.findTruth(context.WithoutCancel(ctx), control, lock, before, sessionLost(err))
	switch {
	case truthErr != nil:
		return directUnknown, fmt.Errorf("it is not known whether the ALTER of %s took effect: compare SHOW CREATE TABLE with what you expect before anything else is done. %w",
			d.names.original, errors.Join(truthErr, err))
	case altered:
		d.log.Infof("The server's answer was %v, but the table has its new definition", err)
		return directDone, nil
	}
	return notAltered(err), err
}

// notAltered tells whether an attempt that has not altered the table is worth making again.
func notAltered(err error) directOutcome {
	if mysql.IsRetryable(err) && !mysql.IsInterrupted(err) {
		return directMayRetry
	}
	return directRefused
}

// takeOwnLock takes a server-side lock whose name nobody else has, by which others know the session.
func takeOwnLock(ctx context.Context, session *mysql.Session, name string) error {
	var granted gosql.Null[int]
	if err := session.QueryRow(ctx, statementLimit, []any{&granted}, "SELECT /* gh-ost */ GET_LOCK(?, 0)", name); err != nil {
		return fmt.Errorf("taking the lock %s: %w", name, err)
	}
	if granted.V != 1 {
		return fmt.Errorf("taking the lock %s: it was not granted", name)
	}
	return nil
}

// execute runs the ALTER to its end, and sees to it that it has one soon: also when the context ends.
func (d *directDDL) execute(ctx context.Context, control *controlSessions, session *mysql.Session, lock string, way directWay) error {
	answered := make(chan struct{})
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		timer := time.NewTimer(d.limit())
		defer timer.Stop()
		select {
		case <-answered:
			return
		case <-timer.C:
		case <-ctx.Done():
		}
		for {
			if err := control.kill(ctx, lock); err != nil {
				d.log.Debugf("ending the ALTER: %v", err) // the next try, or the statement's own limit, goes on from here
			}
			select {
			case <-answered:
				return
			case <-time.After(directInterruptInterval):
			}
		}
	}()
	_, err := session.Exec(ctx, d.limit()+directAnswerLimit, d.statement(way))
	close(answered)
	<-watching
	return err
}

// findTruth asks the server whether the ALTER has taken effect. If its session is lost, that is ended first, and gone: the
// server may not have noticed that nobody waits for the ALTER any more, or may not even have begun with it.
func (d *directDDL) findTruth(ctx context.Context, control *controlSessions, lock, before string, lost bool) (altered bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, truthLimit)
	defer cancel()
	if lost {
		d.log.Infof("The connection of the ALTER was lost. Asking the server whether it took effect")
	}
	for {
		if lost {
			err = endByLock(ctx, control, lock)
		}
		if err == nil {
			if altered, err = d.isAltered(ctx, before); err == nil || errors.Is(err, errOtherDefinition) {
				return altered, err
			}
		}
		if pauseErr := pause(ctx, 100*time.Millisecond); pauseErr != nil {
			return false, err
		}
	}
}

// endByLock ends the session that holds the lock; nil means that it is gone.
func endByLock(ctx context.Context, control *controlSessions, lock string) error {
	if err := control.killConnection(ctx, lock); err != nil {
		return err
	}
	gone, err := control.isFree(ctx, lock)
	if err == nil && !gone {
		err = errors.New("its session is being ended")
	}
	return err
}

// errOtherDefinition says that somebody else has altered the table meanwhile.
var errOtherDefinition = errors.New("the original has neither its old definition nor the ghost table's")

// isAltered compares the original's definition with what it was and with the ghost's.
func (d *directDDL) isAltered(ctx context.Context, before string) (bool, error) {
	after, err := readDefinition(ctx, d.applier.general, d.names.original)
	if err != nil {
		return false, err
	}
	if withoutNameAndCounter(after) == withoutNameAndCounter(before) {
		return false, nil
	}
	ghost, err := readDefinition(ctx, d.applier.general, d.names.ghost)
	if err != nil {
		return false, err
	}
	if comparableDefinition(after) != comparableDefinition(ghost) {
		return false, errOtherDefinition
	}
	return true, nil
}

var (
	foreignKeyLine    = regexp.MustCompile("(?m)^  CONSTRAINT `(?:[^`]|``)+` FOREIGN KEY .*\n")
	checkName         = regexp.MustCompile("(?m)^  CONSTRAINT `(?:[^`]|``)+` CHECK ")
	directoryOption   = regexp.MustCompile(` (?:DATA|INDEX) DIRECTORY='[^']*'`)
	trailingComma     = regexp.MustCompile(`(?m),$`)
	comparableRemoved = []*regexp.Regexp{foreignKeyLine, directoryOption, trailingComma}
)

// comparableDefinition is a definition without what CREATE TABLE … LIKE does not carry over, or not under its name.
func comparableDefinition(definition string) string {
	definition = checkName.ReplaceAllString(withoutNameAndCounter(definition), "  CHECK ")
	for _, removed := range comparableRemoved {
		definition = removed.ReplaceAllString(definition, "")
	}
	return strings.TrimSpace(definition)
}
