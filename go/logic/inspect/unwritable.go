package inspect

import (
	"context"
	gosql "database/sql"
	"fmt"
	"regexp"

	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// withoutOverlaps is how SHOW CREATE TABLE shows a key of which no two periods may overlap. What may be in the comment of a
// key stands behind a quote.
var withoutOverlaps = regexp.MustCompile(`(?m)^  (?:PRIMARY|UNIQUE) KEY [^'\n]* WITHOUT OVERLAPS\)`)

// CheckWritable refuses tables into whose copy rows cannot be written in the order and in the way of a migration:
//
//   - With a FULLTEXT key and a column FTS_DOC_ID of its own, InnoDB takes rows only with ever higher numbers in it.
//   - A table with a key WITHOUT OVERLAPS takes neither REPLACE nor ON DUPLICATE KEY UPDATE (MariaDB).
func CheckWritable(ctx context.Context, db *gosql.DB, dialect mysql.Dialect, name sql.TableName) error {
	var numbered bool
	err := db.QueryRowContext(ctx, "SELECT /* gh-ost */ EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = ? AND table_name = ? AND "+exactly("table_name")+
		" AND index_type = 'FULLTEXT') AND EXISTS (SELECT 1 FROM information_schema.columns WHERE table_schema = ? AND table_name = ? AND "+exactly("table_name")+
		" AND column_name = 'FTS_DOC_ID')", name.Schema, name.Name, name.Name, name.Schema, name.Name, name.Name).Scan(&numbered)
	if err != nil {
		return fmt.Errorf("looking for FULLTEXT keys of %s: %w", name, err)
	}
	if numbered {
		return fmt.Errorf("%s has a FULLTEXT key and a column FTS_DOC_ID of its own: InnoDB takes rows only in the order of these numbers, "+
			"in which a migration does not write them. Use a native ALTER TABLE, or drop the FULLTEXT keys first and add them afterwards", name)
	}
	if !dialect.IsMariaDB() {
		return nil
	}
	var table, structure string
	if err := db.QueryRowContext(ctx, "SHOW /* gh-ost */ CREATE TABLE "+name.String()).Scan(&table, &structure); err != nil {
		return fmt.Errorf("reading the keys of %s: %w", name, err)
	}
	if withoutOverlaps.MatchString(structure) {
		return fmt.Errorf("%s has a key WITHOUT OVERLAPS, and MariaDB does not let such a table be written as a migration must. Use a native ALTER TABLE", name)
	}
	return nil
}
