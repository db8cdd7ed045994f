package inspect

import (
	"context"
	gosql "database/sql"
	"fmt"
	"strings"

	"github.com/github/gh-ost/go/sql"
)

// RefuseAddedForeignKeys is an error if the ghost table has foreign keys, which only its ALTER can have given it. Rows come
// to it in an order in which their parents may be missing, and as soon as the key stands, changes of the parents reach into
// the ghost, or are refused, though the original takes them.
func RefuseAddedForeignKeys(ctx context.Context, db *gosql.DB, ghost sql.TableName) error {
	added, err := readNames(ctx, db, "SELECT /* gh-ost */ DISTINCT table_schema, table_name, constraint_name FROM information_schema.key_column_usage"+
		" WHERE referenced_table_name IS NOT NULL AND table_schema = ? AND table_name = ? AND "+exactly("table_name"), ghost.Schema, ghost.Name, ghost.Name)
	if err != nil {
		return fmt.Errorf("looking for foreign keys of %s: %w", ghost, err)
	}
	if len(added) == 0 {
		return nil
	}
	return fmt.Errorf("the ALTER adds %d foreign keys (%s): changes of the tables they refer to would reach into the unfinished table. "+
		"Leave them out and add them natively afterwards; with --skip-foreign-key-checks they are added, and no row is checked", len(added), abridged(added))
}

// ForeignKeyNames returns the names of those foreign keys of a table that DROP CONSTRAINT finds: no check and no unique key
// of the table has the same name.
func ForeignKeyNames(ctx context.Context, db *gosql.DB, name sql.TableName) (names []string, err error) {
	rows, err := db.QueryContext(ctx, "SELECT /* gh-ost */ constraint_name, constraint_type FROM information_schema.table_constraints"+
		" WHERE table_schema = ? AND table_name = ? AND "+exactly("table_name"), name.Schema, name.Name, name.Name)
	if err != nil {
		return nil, fmt.Errorf("reading the constraints of %s: %w", name, err)
	}
	defer rows.Close() // rows.Err is what counts
	others := map[string]bool{}
	var foreign []string
	for rows.Next() {
		var constraint, kind string
		if err := rows.Scan(&constraint, &kind); err != nil {
			return nil, fmt.Errorf("reading the constraints of %s: %w", name, err)
		}
		if kind == "FOREIGN KEY" {
			foreign = append(foreign, constraint)
		} else {
			others[strings.ToLower(constraint)] = true
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("reading the constraints of %s: %w", name, err)
	}
	for _, constraint := range foreign {
		if !others[strings.ToLower(constraint)] {
			names = append(names, constraint)
		}
	}
	return names, nil
}
