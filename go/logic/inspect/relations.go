package inspect

import (
	"context"
	gosql "database/sql"
	"fmt"
	"strings"

	"github.com/github/gh-ost/go/sql"
)

// CheckForeignKeys refuses foreign keys that refer to the table, itself included, and those that the table has, unless its
// own are to be discarded.
func CheckForeignKeys(ctx context.Context, db *gosql.DB, name sql.TableName, discardChildren bool) error {
	const query = "SELECT /* gh-ost */ DISTINCT table_schema, table_name, constraint_name FROM information_schema.key_column_usage WHERE "
	parents, err := readNames(ctx, db, query+"referenced_table_schema = ? AND referenced_table_name = ?", name)
	if err != nil {
		return fmt.Errorf("looking for foreign keys that refer to %s: %w", name, err)
	}
	if len(parents) > 0 {
		return fmt.Errorf("found %d parent-side foreign keys that refer to %s (%s): they would follow the old table when it is renamed. Drop them first, or use a native ALTER TABLE",
			len(parents), name, abridged(parents))
	}
	if discardChildren {
		return nil
	}
	children, err := readNames(ctx, db, query+"referenced_table_name IS NOT NULL AND table_schema = ? AND table_name = ?", name)
	if err != nil {
		return fmt.Errorf("looking for foreign keys of %s: %w", name, err)
	}
	if len(children) > 0 {
		return fmt.Errorf("found %d child-side foreign keys of %s (%s): the new table would not have them. If that is wanted: --discard-foreign-keys; otherwise use a native ALTER TABLE",
			len(children), name, abridged(children))
	}
	return nil
}

// CheckTriggers refuses triggers.
func CheckTriggers(ctx context.Context, db *gosql.DB, name sql.TableName) error {
	triggers, err := readNames(ctx, db, "SELECT /* gh-ost */ event_object_schema, event_object_table, trigger_name FROM information_schema.triggers"+
		" WHERE event_object_schema = ? AND event_object_table = ?", name)
	if err != nil {
		return fmt.Errorf("looking for triggers on %s: %w", name, err)
	}
	if len(triggers) > 0 {
		return fmt.Errorf("found triggers on %s (%s): the new table would not have them. Drop them first, or have them created on the new table with --include-triggers",
			name, abridged(triggers))
	}
	return nil
}

// readNames reads rows of schema, table and the name of something that belongs to that table.
func readNames(ctx context.Context, db *gosql.DB, query string, table sql.TableName) (names []string, err error) {
	rows, err := db.QueryContext(ctx, query, table.Schema, table.Name)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var owner sql.TableName
		var name string
		if err := rows.Scan(&owner.Schema, &owner.Name, &name); err != nil {
			return nil, err
		}
		names = append(names, owner.String()+"."+sql.EscapeName(name))
	}
	return names, rows.Err()
}

// abridged lists some of the names.
func abridged(names []string) string {
	const shown = 5
	if len(names) > shown {
		return strings.Join(names[:shown], ", ") + fmt.Sprintf(" and %d more", len(names)-shown)
	}
	return strings.Join(names, ", ")
}
