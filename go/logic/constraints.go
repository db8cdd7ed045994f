package logic

import (
	"context"
	gosql "database/sql"
	"fmt"
	"strings"

	"github.com/github/gh-ost/go/sql"
)

// check is a CHECK constraint of a table.
type check struct {
	name, clause, enforced string
}

// optionsForGhost returns the ALTER's options with the names of the original's checks replaced by those that the same
// checks have in the ghost table. On MySQL a check's name belongs to the schema, so that CREATE TABLE … LIKE gives the
// copies names of its own; on MariaDB it keeps them.
func (mgtr *Migrator) optionsForGhost(ctx context.Context) (string, error) {
	options := mgtr.context.AlterStatementOptions
	if len(mgtr.alter.ReferencedConstraints()) == 0 || mgtr.applier.server.Dialect.IsMariaDB() {
		return options, nil
	}
	originals, err := readChecks(ctx, mgtr.applier.general, mgtr.names.original)
	if err != nil {
		return "", err
	}
	ghosts, err := readChecks(ctx, mgtr.applier.general, mgtr.names.ghost)
	if err != nil {
		return "", err
	}
	return mgtr.alter.OptionsForConstraints(pairChecks(originals, ghosts)), nil
}

// pairChecks returns a function from the names of the originals to those of the ghosts. Checks are the same if their
// clauses are, and of several such the first is paired with the first; other names are returned as they are.
func pairChecks(originals, ghosts []check) func(name string) string {
	names := map[string]string{}
	taken := make([]bool, len(ghosts))
	for _, original := range originals {
		for i, ghost := range ghosts {
			if !taken[i] && ghost.clause == original.clause && ghost.enforced == original.enforced {
				names[strings.ToLower(original.name)], taken[i] = ghost.name, true
				break
			}
		}
	}
	return func(name string) string {
		if ghost, found := names[strings.ToLower(name)]; found {
			return ghost
		}
		return name
	}
}

// readChecks reads the checks of a table on MySQL.
func readChecks(ctx context.Context, db *gosql.DB, table sql.TableName) ([]check, error) {
	rows, err := db.QueryContext(ctx, "SELECT /* gh-ost */ t.constraint_name, c.check_clause, t.enforced FROM information_schema.table_constraints t"+
		" JOIN information_schema.check_constraints c ON c.constraint_schema = t.constraint_schema AND c.constraint_name = t.constraint_name"+
		" WHERE t.table_schema = ? AND t.table_name = ? AND t.constraint_type = 'CHECK' ORDER BY t.constraint_name", table.Schema, table.Name)
	if err != nil {
		return nil, fmt.Errorf("reading the checks of %s: %w", table, err)
	}
	defer rows.Close() // rows.Err is what counts
	var checks []check
	for rows.Next() {
		var c check
		if err := rows.Scan(&c.name, &c.clause, &c.enforced); err != nil {
			return nil, fmt.Errorf("reading the checks of %s: %w", table, err)
		}
		checks = append(checks, c)
	}
	return checks, rows.Err()
}
