package logic

import (
	"context"
	gosql "database/sql"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/github/gh-ost/go/logic/inspect"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// On MySQL a check's name is unique in its schema, CREATE TABLE … LIKE gives the copies names of its own, and no statement
// renames one but RENAME TABLE, which takes t_chk_1 along as u_chk_1. So the ghost's copies are made anew, on the empty
// table, under names that come out of the swap as they should:
//
//   - What the server has named t_chk_1 is called so again after the swap.
//   - What somebody has named stays with the old table, and the copy gets an underscore before it, or loses the one it has.
//     So names do not drift over migrations, and tell what they told.
//
// On MariaDB names belong to their table, and the copies keep them.

// check is a CHECK constraint of a table.
type check struct {
	name       string
	definition string // what follows CONSTRAINT name
}

// checkLine is how SHOW CREATE TABLE shows a check, with names quoted and under an sql_mode without ANSI_QUOTES.
var checkLine = regexp.MustCompile("(?m)^  CONSTRAINT `((?:[^`]|``)+)` (CHECK \\(.*\\)(?: /\\*!80016 NOT ENFORCED \\*/)?),?$")

// readChecks reads the checks of a table.
func readChecks(ctx context.Context, session *gosql.Conn, table sql.TableName) ([]check, error) {
	var name, structure string
	if err := session.QueryRowContext(ctx, "SHOW /* gh-ost */ CREATE TABLE "+table.String()).Scan(&name, &structure); err != nil {
		return nil, fmt.Errorf("reading the checks of %s: %w", table, err)
	}
	return parseChecks(structure), nil
}

func parseChecks(structure string) (checks []check) {
	for _, match := range checkLine.FindAllStringSubmatch(structure, -1) {
		checks = append(checks, check{strings.ReplaceAll(match[1], "``", "`"), match[2]})
	}
	return checks
}

// nameGhostChecks gives the ghost's copies of the original's checks their names, and returns these by the original's names.
// The session's sql_mode is as before when it returns without an error.
func (mgtr *Migrator) nameGhostChecks(ctx context.Context, session *gosql.Conn) (map[string]string, error) {
	if mgtr.applier.server.Dialect.IsMariaDB() {
		return nil, nil
	}
	if err := setSQLMode(ctx, session, ""); err != nil { // in which definitions read as they are shown
		return nil, err
	}
	copies, err := mgtr.readCheckCopies(ctx, session)
	if err != nil {
		return nil, err
	}
	if err := remakeChecks(ctx, session, mgtr.names.ghost, copies); err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, c := range copies {
		names[c.original.name] = c.name
		if _, ok := serversNumber(c.original.name, mgtr.names.original.Name); !ok {
			_ = mgtr.log.Warningf("on MySQL two tables of a schema cannot have checks of one name: %s stays with the old table, the new one has it as %s",
				sql.EscapeName(c.original.name), sql.EscapeName(c.name))
		}
	}
	return names, setSQLMode(ctx, session, mgtr.applier.sqlMode)
}

// checkCopy is a check of the original and its copy in the ghost table.
type checkCopy struct {
	original check
	made     string // the name that CREATE TABLE … LIKE gave the copy
	name     string // the one that it is to have
}

// readCheckCopies pairs the checks of original and ghost: CREATE TABLE … LIKE numbers the copies in the order in which the
// originals are shown.
func (mgtr *Migrator) readCheckCopies(ctx context.Context, session *gosql.Conn) ([]checkCopy, error) {
	originals, err := readChecks(ctx, session, mgtr.names.original)
	if err != nil || len(originals) == 0 {
		return nil, err
	}
	ghosts, err := readChecks(ctx, session, mgtr.names.ghost)
	if err != nil {
		return nil, err
	}
	if len(ghosts) != len(originals) {
		return nil, fmt.Errorf("the ghost table %s has %d checks, the original has %d", mgtr.names.ghost, len(ghosts), len(originals))
	}
	taken, err := checkNames(ctx, session, mgtr.names.original.Schema)
	if err != nil {
		return nil, err
	}
	number := func(c check) int {
		digits := c.name[strings.LastIndexByte(c.name, '_')+1:]
		number, _ := strconv.Atoi(digits) // the server made the name
		return number
	}
	slices.SortFunc(ghosts, func(a, b check) int { return number(a) - number(b) })
	for _, ghost := range ghosts {
		delete(taken, strings.ToLower(ghost.name))
	}
	var copies []checkCopy
	for i, original := range originals {
		name := ghostCheckName(original.name, mgtr.names, taken)
		taken[strings.ToLower(name)] = true
		copies = append(copies, checkCopy{original, ghosts[i].name, name})
	}
	return copies, nil
}

// remakeChecks makes those copies anew that have another name than they should. It leaves all names as they are if a
// definition is not plain ASCII: how the server shows text of other character sets in it, it does not read.
func remakeChecks(ctx context.Context, session *gosql.Conn, ghost sql.TableName, copies []checkCopy) error {
	var actions []string
	for _, c := range copies {
		if c.name == c.made {
			continue
		}
		if strings.ContainsFunc(c.original.definition, func(r rune) bool { return r > '~' }) {
			for i := range copies {
				copies[i].name = copies[i].made
			}
			return nil
		}
		actions = append(actions, "DROP CHECK "+sql.EscapeName(c.made), "ADD CONSTRAINT "+sql.EscapeName(c.name)+" "+c.original.definition)
	}
	if len(actions) == 0 {
		return nil
	}
	if _, err := session.ExecContext(ctx, fmt.Sprintf("ALTER /* gh-ost */ TABLE %s %s", ghost, strings.Join(actions, ", "))); err != nil {
		return fmt.Errorf("naming the checks of the ghost table %s: %w", ghost, err)
	}
	return nil
}

func setSQLMode(ctx context.Context, session *gosql.Conn, mode string) error {
	if _, err := session.ExecContext(ctx, "SET /* gh-ost */ SESSION sql_quote_show_create = 1, sql_mode = '"+mode+"'"); err != nil {
		return fmt.Errorf("setting sql_mode: %w", err)
	}
	return nil
}

// checkNames returns the names of all checks of a schema, in lower case.
func checkNames(ctx context.Context, session *gosql.Conn, schema string) (map[string]bool, error) {
	rows, err := session.QueryContext(ctx, "SELECT /* gh-ost */ constraint_name FROM information_schema.check_constraints WHERE constraint_schema = ?", schema)
	if err != nil {
		return nil, fmt.Errorf("reading the names of checks: %w", err)
	}
	defer rows.Close() // rows.Err is what counts
	names := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, fmt.Errorf("reading the names of checks: %w", err)
		}
		names[strings.ToLower(name)] = true
	}
	return names, rows.Err()
}

// ghostCheckName chooses the name that a check of the original has in the ghost table; taken has names in lower case.
func ghostCheckName(name string, tables cutOverNames, taken map[string]bool) string {
	free := func(candidate string) bool {
		return candidate != "" && utf8.RuneCountInString(candidate) <= mysql.MaxTableNameLength && !taken[strings.ToLower(candidate)]
	}
	if suffix, ok := serversNumber(name, tables.original.Name); ok && free(tables.ghost.Name+suffix) {
		return tables.ghost.Name + suffix
	}
	if short, ok := strings.CutPrefix(name, "_"); ok && free(short) {
		return short
	}
	for prefix := "_"; ; prefix += "_" {
		room := mysql.MaxTableNameLength - len(prefix) // names of checks have the same limit
		if candidate := prefix + string([]rune(name)[:min(room, utf8.RuneCountInString(name))]); free(candidate) {
			return candidate
		}
	}
}

var serversSuffix = regexp.MustCompile(`^_chk_[1-9][0-9]*$`)

// serversNumber returns what a name that the server has made for a check has behind the table's name.
func serversNumber(name, table string) (suffix string, ok bool) {
	suffix, ok = strings.CutPrefix(name, table)
	return suffix, ok && serversSuffix.MatchString(suffix)
}

// leaveOutForeignKeys takes DROP CONSTRAINT of the original's foreign keys out of the ALTER: the ghost has none of them. That
// needs their names, unlike DROP FOREIGN KEY, which is left out before.
func (mgtr *Migrator) leaveOutForeignKeys(ctx context.Context) error {
	if !mgtr.context.DiscardForeignKeys {
		return nil
	}
	names, err := inspect.ForeignKeyNames(ctx, mgtr.applier.general, mgtr.names.original)
	if err != nil {
		return err
	}
	return mgtr.alter.ParseAlterStatement(mgtr.alter.OptionsWithoutForeignKeyDrops(names...))
}

// optionsForGhost returns the ALTER's options with the names of the original's checks replaced by those of the ghost's.
func (mgtr *Migrator) optionsForGhost(checks map[string]string) string {
	return mgtr.alter.OptionsForConstraints(func(name string) string {
		for original, copied := range checks {
			if strings.EqualFold(original, name) {
				return copied
			}
		}
		return name
	})
}
