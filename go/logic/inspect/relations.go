package inspect

import (
	"context"
	gosql "database/sql"
	"fmt"
	"strings"

	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

const errUnknownTable = 1109

// CheckForeignKeys refuses foreign keys that refer to the table, itself included, and those that the table has, unless its
// own are to be discarded. Where the account may ask InnoDB (the PROCESS privilege), it also sees those that refer to the table
// from schemas for which the account has no rights.
func CheckForeignKeys(ctx context.Context, db *gosql.DB, name sql.TableName, discardChildren bool) error {
	const query = "SELECT /* gh-ost */ DISTINCT table_schema, table_name, constraint_name FROM information_schema.key_column_usage WHERE "
	parents, err := readNames(ctx, db, query+"referenced_table_schema = ? AND referenced_table_name = ? AND "+exactly("referenced_table_name"), name.Schema, name.Name, name.Name)
	if err == nil && len(parents) == 0 {
		parents, err = readInnoDBReferences(ctx, db, name)
	}
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
	children, err := readNames(ctx, db, query+"referenced_table_name IS NOT NULL AND table_schema = ? AND table_name = ? AND "+exactly("table_name"), name.Schema, name.Name, name.Name)
	if err != nil {
		return fmt.Errorf("looking for foreign keys of %s: %w", name, err)
	}
	if len(children) > 0 {
		return fmt.Errorf("found %d child-side foreign keys of %s (%s): the new table would not have them. If that is wanted: --discard-foreign-keys; otherwise use a native ALTER TABLE",
			len(children), name, abridged(children))
	}
	return nil
}

// exactly is a condition that a column has just the bytes of a placeholder's value, where the server tells names apart by
// case: information_schema may compare more loosely.
func exactly(column string) string {
	return "(CAST(" + column + " AS BINARY) = CAST(? AS BINARY) OR @@lower_case_table_names <> 0)"
}

// readInnoDBReferences asks InnoDB, which knows the foreign keys of all schemas. It finds nothing if the account may not ask.
func readInnoDBReferences(ctx context.Context, db *gosql.DB, name sql.TableName) ([]string, error) {
	const columns = "SELECT /* gh-ost */ SUBSTRING_INDEX(for_name, '/', 1), SUBSTRING_INDEX(for_name, '/', -1), SUBSTRING_INDEX(id, '/', -1) FROM information_schema."
	const encoded = "CAST(CONVERT(? USING filename) AS BINARY)" // as the names of files, before MySQL 8
	names, err := readNames(ctx, db, columns+"innodb_foreign WHERE CAST(ref_name AS BINARY) = CAST(CONCAT(?, '/', ?) AS BINARY)", name.Schema, name.Name)
	if isUnknownTable(err) {
		names, err = readNames(ctx, db, columns+"innodb_sys_foreign WHERE CAST(ref_name AS BINARY) = CONCAT("+encoded+", '/', "+encoded+")", name.Schema, name.Name)
	}
	if mysql.IsAccessDenied(err) || isUnknownTable(err) {
		return nil, nil
	}
	return names, err
}

// CheckTriggers refuses triggers.
func CheckTriggers(ctx context.Context, db *gosql.DB, name sql.TableName) error {
	triggers, err := readNames(ctx, db, "SELECT /* gh-ost */ event_object_schema, event_object_table, trigger_name FROM information_schema.triggers"+
		" WHERE event_object_schema = ? AND event_object_table = ? AND "+exactly("event_object_table"), name.Schema, name.Name, name.Name)
	if err != nil {
		return fmt.Errorf("looking for triggers on %s: %w", name, err)
	}
	if len(triggers) > 0 {
		return fmt.Errorf("found triggers on %s (%s): the new table would not have them. Drop them first, or have them created on the new table with --include-triggers",
			name, abridged(triggers))
	}
	return nil
}

// isUnknownTable tells whether information_schema has no table of the name.
func isUnknownTable(err error) bool { return mysql.ErrorNumber(err) == errUnknownTable }

// readNames reads rows of schema, table and the name of something that belongs to that table.
func readNames(ctx context.Context, db *gosql.DB, query string, args ...any) (names []string, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
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
