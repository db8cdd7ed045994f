package logic

import (
	"context"
	gosql "database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// ghostTableHint is the hint of the changelog's row that holds the identity of the ghost table.
const ghostTableHint = "ghost table"

// recordGhost notes the ghost table's identity, so that a later run can tell whether what stands under its name is it.
func (mgtr *Migrator) recordGhost(ctx context.Context) error {
	identity, err := readTableIdentity(ctx, mgtr.applier.general, mgtr.applier.server, mgtr.names.ghost)
	if err != nil {
		return err
	}
	return mgtr.changelog.write(ctx, nil, ghostTableHint, identity.String())
}

// Cleanup removes the helper tables that a migration of the table has left, as far as they are proven to be such, and says
// what it leaves and why. With Noop it says what it would remove, and removes nothing. It holds the migration lock
// meanwhile: a migration that is running is an error, and so is a table that could not be removed. That something is left
// which is not proven to be ours is no error.
func (mgtr *Migrator) Cleanup() (err error) {
	ctx, c := mgtr.context.GetContext(), mgtr.context
	mgtr.names.original = mgtr.table(c.OriginalTableName)
	if err := c.ValidateTableNames(); err != nil {
		return err
	}
	defer mgtr.teardown()
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = mgtr.cause(ctx, err)
		}
	}()
	if err := mgtr.connectToCleanUp(ctx); err != nil {
		return err
	}
	if c.IgnoresNameCase, err = (tables{mgtr.applier.general}).ignoreCase(ctx); err != nil {
		return err
	}
	names := append([]string{c.GetMigrationLockName()}, c.HelperLockNames()...)
	if mgtr.migrationLock, err = acquireMigrationLock(ctx, c.ApplierConnectionConfig, names); err != nil {
		return fmt.Errorf("--cleanup: %w", err)
	}
	mgtr.log.Infof("Acquired migration lock %s", names[0])
	cleaner := &cleaner{
		applier:     mgtr.applier,
		lockSentry:  func(name string) error { return mgtr.migrationLock.acquire(ctx, c.HelperLockName(name)) },
		isOld:       c.IsOldTableName,
		old:         mgtr.table(c.GetOldTableName()),
		ghost:       mgtr.table(c.GetGhostTableName()),
		changelog:   mgtr.table(c.GetChangelogTableName()),
		checkpoints: mgtr.table(c.GetCheckpointTableName()),
	}
	leftovers, err := cleaner.find(ctx)
	if err != nil {
		return err
	}
	return mgtr.removeLeftovers(ctx, leftovers)
}

// connectToCleanUp connects to the server on which a migration with the same settings would have made its tables.
func (mgtr *Migrator) connectToCleanUp(ctx context.Context) (err error) {
	c := mgtr.context
	if mgtr.inspectorDB, err = c.InspectorConnectionConfig.Open(c.DatabaseName); err != nil {
		return err
	}
	if mgtr.inspector, err = mgtr.identify(ctx, c.InspectorConnectionConfig, "inspector"); err != nil {
		return err
	}
	if err := mgtr.findApplier(ctx); err != nil {
		return err
	}
	if mgtr.applier, err = ConnectApplier(ctx, c.ApplierConnectionConfig, c.DatabaseName, mgtr.log); err != nil {
		return err
	}
	_, err = mgtr.identify(ctx, c.ApplierConnectionConfig, "applier")
	return err
}

// removeLeftovers removes what may be removed, in the order given, and reports. What proves something of others, such as the
// changelog, comes behind them, and stays if one of them could not be removed.
func (mgtr *Migrator) removeLeftovers(ctx context.Context, leftovers []leftover) error {
	say := func(format string, args ...any) {
		mgtr.printMutex.Lock()
		defer mgtr.printMutex.Unlock()
		fmt.Printf(format+"\n", args...)
	}
	if len(leftovers) == 0 {
		say("nothing is left of a migration of %s on %s", mgtr.names.original, mgtr.applier.config.Key)
		return nil
	}
	var failed error
	for _, l := range leftovers {
		switch {
		case l.kept != "":
			say("left as it is: %s: %s", l.table, l.kept)
		case mgtr.context.Noop:
			say("would remove: %s: %s", l.table, l.what)
		case failed != nil && l.proof:
			say("left as it is: %s: %s, which is needed to try again", l.table, l.what)
		default:
			mgtr.log.Infof("Dropping table %s", l.table)
			removed, err := l.remove(ctx)
			switch {
			case err != nil:
				failed = errors.Join(failed, fmt.Errorf("--cleanup: removing %s (%s): %w", l.table, l.what, err))
			case !removed:
				say("left as it is: %s: it has become another table meanwhile", l.table)
			default:
				mgtr.log.Infof("Table dropped")
				say("removed: %s: %s", l.table, l.what)
			}
		}
		if ctx.Err() != nil {
			return errors.Join(failed, ctx.Err())
		}
	}
	if mgtr.context.Noop {
		say("nothing was removed: say --execute to do it")
	}
	return failed
}

// leftover is a table under the name of a helper table.
type leftover struct {
	table  sql.TableName
	what   string                                              // it is
	kept   string                                              // why it is not removed; "" if it may be
	proof  bool                                                // it is needed to know what others are
	remove func(ctx context.Context) (removed bool, err error) // nil if it is kept
}

// cleaner finds what a migration has left, and what each of them is.
type cleaner struct {
	applier                            *Applier
	lockSentry                         func(name string) error // keeps runs from the table whose sentry has that name
	isOld                              func(name string, ignoreCase bool) bool
	old, ghost, changelog, checkpoints sql.TableName
}

// find looks at all helper tables; the changelog comes last.
func (k *cleaner) find(ctx context.Context) (found []leftover, err error) {
	ghost, ghostMayBeProven, err := k.findGhost(ctx)
	if err != nil {
		return nil, err
	}
	sentries, err := k.findSentries(ctx)
	if err != nil {
		return nil, err
	}
	checkpoints, err := k.findCheckpoints(ctx)
	if err != nil {
		return nil, err
	}
	changelog, err := k.findByComment(ctx, k.changelog, "changelog", GhostChangelogTableComment)
	if err != nil {
		return nil, err
	}
	if changelog != nil {
		changelog.proof = true
	}
	if ghostMayBeProven && changelog != nil && changelog.kept == "" {
		changelog.kept = fmt.Sprintf("it can show that %s is ours, once that can be seen", k.ghost)
	}
	for _, one := range append(append([]*leftover{ghost}, sentries...), checkpoints, changelog) {
		if one != nil {
			found = append(found, *one)
		}
	}
	return found, nil
}

// standing is what stands under a name.
type standing struct {
	kind    string // BASE TABLE, VIEW, …
	comment string
}

// isTable tells tables from views, sequences and the like; those with system versioning are tables.
func (s standing) isTable() bool { return s.kind == "BASE TABLE" || s.kind == "SYSTEM VERSIONED" }

func lookAt(ctx context.Context, q querier, table sql.TableName) (s standing, exists bool, err error) {
	err = q.QueryRowContext(ctx, "SELECT /* gh-ost */ table_type, table_comment FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
		table.Schema, table.Name).Scan(&s.kind, &s.comment)
	if errors.Is(err, gosql.ErrNoRows) {
		return s, false, nil
	}
	if err != nil {
		return s, false, fmt.Errorf("looking what the table %s is: %w", table, err)
	}
	return s, true, nil
}

func notOurs(what, why string, table sql.TableName, verb string) string {
	return fmt.Sprintf("that it is a %s of this tool is not proven: %s. To remove it by hand: %s %s", what, why, verb, table)
}

// findByComment looks at a helper table that is known by its comment; nil if nothing stands there.
func (k *cleaner) findByComment(ctx context.Context, table sql.TableName, what, comment string) (*leftover, error) {
	stands, exists, err := lookAt(ctx, k.applier.general, table)
	switch {
	case err != nil || !exists:
		return nil, err
	case !stands.isTable():
		return &leftover{table: table, kept: notOurs(what, "it is a "+strings.ToLower(stands.kind), table, "DROP "+stands.kind)}, nil
	case stands.comment != comment:
		return &leftover{table: table, kept: notOurs(what, fmt.Sprintf("its comment is %q", stands.comment), table, "DROP TABLE")}, nil
	}
	return &leftover{table: table, what: what, remove: func(ctx context.Context) (bool, error) {
		return k.dropIf(ctx, table, func(ctx context.Context, session *gosql.Conn) (bool, error) {
			stands, exists, err := lookAt(ctx, session, table)
			return exists && stands.isTable() && stands.comment == comment, err
		})
	}}, nil
}

// findGhost looks at the ghost table. mayBeProven tells that it might be shown to be ours with more privileges.
func (k *cleaner) findGhost(ctx context.Context) (ghost *leftover, mayBeProven bool, err error) {
	const what = "ghost table"
	stands, exists, err := lookAt(ctx, k.applier.general, k.ghost)
	switch {
	case err != nil || !exists:
		return nil, false, err
	case !stands.isTable():
		return &leftover{table: k.ghost, kept: notOurs(what, "it is a "+strings.ToLower(stands.kind), k.ghost, "DROP "+stands.kind)}, false, nil
	}
	recorded, err := k.recordedGhosts(ctx)
	if err != nil {
		return nil, false, err
	}
	served, err := k.findServed(ctx)
	if err != nil {
		return nil, false, err
	}
	current, err := readTableIdentity(ctx, k.applier.general, k.applier.server, k.ghost)
	if mysql.IsNoSuchTable(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if why := served.why(k.ghost, current, recorded); why != "" {
		return &leftover{table: k.ghost, kept: why}, false, nil
	}
	proven := func(identity tableIdentity) bool {
		for _, record := range recorded {
			if record.provenBy(identity) {
				return true
			}
		}
		return false
	}
	if proven(current) {
		return &leftover{table: k.ghost, what: what, remove: func(ctx context.Context) (bool, error) {
			return k.dropIf(ctx, k.ghost, func(ctx context.Context, session *gosql.Conn) (bool, error) {
				identity, err := readTableIdentityIn(ctx, session, k.applier.server, k.ghost)
				return err == nil && proven(identity), err
			})
		}}, false, nil
	}
	why, mayBeProven := whyNotProven(recorded, current)
	return &leftover{table: k.ghost, kept: notOurs(what, why, k.ghost, "DROP TABLE")}, mayBeProven, nil
}

// whyNotProven compares what was recorded with what stands there.
func whyNotProven(recorded []tableIdentity, current tableIdentity) (why string, mayBeProven bool) {
	if len(recorded) == 0 {
		return "no changelog or checkpoint table of a migration has a record of it", false
	}
	for _, record := range recorded {
		switch {
		case record.Server != current.Server:
			why = fmt.Sprintf("the record of the ghost table is of another server, %s", record.Server)
		case len(current.IDs) == 0 && len(record.IDs) > 0:
			return "InnoDB's id of it cannot be read: the account needs the privilege PROCESS", true
		case len(record.IDs) == 0:
			why = "InnoDB's id was not recorded: the account had no privilege PROCESS, or the table is another engine's"
		case record.Structure != current.Structure && idRanges(record.IDs) == idRanges(current.IDs):
			why = "it was altered since it was recorded"
		default:
			why = "the record of the ghost table is of another table"
		}
	}
	return why, false
}

// recordedGhosts reads what the changelog and the last checkpoint say of the ghost table, if they are ours and say so.
func (k *cleaner) recordedGhosts(ctx context.Context) (recorded []tableIdentity, err error) {
	take := func(text string) {
		if identity, err := parseTableIdentity(text); err == nil { // else it proves nothing
			recorded = append(recorded, identity)
		}
	}
	stands, exists, err := lookAt(ctx, k.applier.general, k.changelog)
	if err != nil {
		return nil, err
	}
	if exists && stands.isTable() && stands.comment == GhostChangelogTableComment {
		var text string
		err := k.applier.general.QueryRowContext(ctx, fmt.Sprintf("SELECT /* gh-ost */ value FROM %s WHERE hint = ?", k.changelog), ghostTableHint).Scan(&text)
		switch {
		case err == nil:
			take(text)
		case !errors.Is(err, gosql.ErrNoRows) && mysql.Classify(err) != mysql.SchemaError:
			return nil, fmt.Errorf("reading the changelog %s: %w", k.changelog, err)
		}
	}
	last, record, err := k.lastCheckpoint(ctx)
	if err != nil {
		return nil, err
	}
	if last != nil && !last.cutOver { // else it names the table that was swapped in
		take(record.Ghost)
	}
	return recorded, nil
}

// lastCheckpoint reads the last checkpoint; nil if there is none that can be read.
func (k *cleaner) lastCheckpoint(ctx context.Context) (last *storedCheckpoint, record checkpointRecord, err error) {
	stands, exists, err := lookAt(ctx, k.applier.general, k.checkpoints)
	if err != nil || !exists || !stands.isTable() || stands.comment != GhostCheckpointTableComment {
		return nil, record, err
	}
	last, err = checkpointTable{k.applier.general, k.checkpoints}.last(ctx)
	switch {
	case errors.Is(err, ErrNoCheckpointFound) || mysql.Classify(err) == mysql.SchemaError:
		return nil, record, nil
	case err != nil:
		return nil, record, err
	}
	if err := json.Unmarshal([]byte(last.record), &record); err != nil {
		return nil, record, nil // of another version: it proves nothing
	}
	return last, record, nil
}

// findCheckpoints looks at the checkpoint table. It is no leftover while the tables are swapped and the old one stands: then
// it is what --revert, or the rest of --resume, needs.
func (k *cleaner) findCheckpoints(ctx context.Context) (*leftover, error) {
	found, err := k.findByComment(ctx, k.checkpoints, "checkpoint table", GhostCheckpointTableComment)
	if err != nil || found == nil || found.kept != "" {
		return found, err
	}
	last, record, err := k.lastCheckpoint(ctx)
	if err != nil || last == nil {
		return found, err
	}
	old := sql.TableName{Schema: k.checkpoints.Schema, Name: record.Old}
	stands, oldExists, err := lookAt(ctx, k.applier.general, old)
	if err != nil {
		return nil, err
	}
	_, ghostExists, err := lookAt(ctx, k.applier.general, k.ghost)
	if err != nil {
		return nil, err
	}
	swapped := last.cutOver || record.Attempt != "" && !ghostExists
	if swapped && oldExists && stands.comment != sentryComment {
		found.kept = fmt.Sprintf("the checkpoint table of a migration that has swapped the tables: with it that can be undone by --revert, as long as the old table %s stands, or be finished by --resume if it was interrupted. To remove it by hand: DROP TABLE %s", old, found.table)
		found.remove = nil
	}
	return found, nil
}

// findSentries looks for sentries by their comment, and at what else has the name of the old table, which is never touched.
func (k *cleaner) findSentries(ctx context.Context) (found []*leftover, err error) {
	ignoreCase, err := (tables{k.applier.general}).ignoreCase(ctx)
	if err != nil {
		return nil, err
	}
	names, err := k.namesOfSentries(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !k.isOld(name, ignoreCase) {
			continue
		}
		table := sql.TableName{Schema: k.old.Schema, Name: name}
		sentry := &leftover{table: table, what: "sentry of a cut-over", proof: true} // that this cut-over has swapped nothing
		if err := k.lockSentry(name); err != nil {
			sentry.kept = fmt.Sprintf("sentry of a cut-over, maybe of one under way: %v", err)
		} else {
			sentry.remove = func(ctx context.Context) (bool, error) {
				if err := k.applier.clearSentry(ctx, table); err != nil {
					return false, err
				}
				_, exists, err := lookAt(ctx, k.applier.general, table)
				return !exists, err
			}
		}
		found = append(found, sentry)
	}
	stands, exists, err := lookAt(ctx, k.applier.general, k.old)
	if err == nil && exists && !(stands.isTable() && stands.comment == sentryComment) {
		found = append(found, &leftover{table: k.old, kept: "it is no sentry, and may be the table as it was before a migration: it is never removed by --cleanup"})
	}
	return found, err
}

func (k *cleaner) namesOfSentries(ctx context.Context) (names []string, err error) {
	rows, err := k.applier.general.QueryContext(ctx, "SELECT /* gh-ost */ table_name FROM information_schema.tables"+
		" WHERE table_schema = ? AND table_type = 'BASE TABLE' AND table_comment = ?", k.old.Schema, sentryComment)
	if err != nil {
		return nil, fmt.Errorf("looking for sentries in %s: %w", sql.EscapeName(k.old.Schema), err)
	}
	defer rows.Close() // rows.Err is what counts
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, fmt.Errorf("looking for sentries in %s: %w", sql.EscapeName(k.old.Schema), err)
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

// dropLockWait bounds the wait for a table that somebody uses, in seconds.
const dropLockWait = 10

// dropIf locks a table, asks whether it is the one that is meant, and drops it if so: nobody can put another one there in
// between. removed is true also if there is no such table any more.
func (k *cleaner) dropIf(ctx context.Context, table sql.TableName, proven func(context.Context, *gosql.Conn) (bool, error)) (removed bool, err error) {
	err = withOwnConnection(ctx, k.applier.sessions, func(session *gosql.Conn) error {
		if _, err := session.ExecContext(ctx, fmt.Sprintf("SET /* gh-ost */ SESSION lock_wait_timeout = %d", dropLockWait)); err != nil {
			return err
		}
		_, err := session.ExecContext(ctx, "LOCK /* gh-ost */ TABLES "+table.String()+" WRITE")
		if mysql.IsNoSuchTable(err) {
			removed = true
			return nil
		}
		if err != nil {
			return err
		}
		is, err := proven(ctx, session)
		if err != nil || !is {
			return err
		}
		if _, err := session.ExecContext(ctx, "DROP /* gh-ost */ TABLE "+table.String()); err != nil {
			return err
		}
		removed = true
		return nil
	})
	return removed, err
}
