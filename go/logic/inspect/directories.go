package inspect

import (
	"context"
	gosql "database/sql"
	"fmt"
	"regexp"
	"slices"

	"github.com/github/gh-ost/go/sql"
)

// directoryOption is how SHOW CREATE TABLE shows where files are kept, of the table or of a partition. In a comment it would
// stand between doubled quotes.
var directoryOption = regexp.MustCompile(`(?:DATA|INDEX) DIRECTORY ?= ?'[^'\n]+'`)

// LostDirectories returns the options DATA DIRECTORY and INDEX DIRECTORY that the original has and the ghost has not:
// CREATE TABLE … LIKE does not take them over.
func LostDirectories(ctx context.Context, db *gosql.DB, original, ghost sql.TableName) ([]string, error) {
	kept, err := readDirectories(ctx, db, ghost)
	if err != nil {
		return nil, err
	}
	had, err := readDirectories(ctx, db, original)
	return slices.DeleteFunc(had, func(option string) bool { return slices.Contains(kept, option) }), err
}

func readDirectories(ctx context.Context, db *gosql.DB, table sql.TableName) ([]string, error) {
	var name, structure string
	if err := db.QueryRowContext(ctx, "SHOW /* gh-ost */ CREATE TABLE "+table.String()).Scan(&name, &structure); err != nil {
		return nil, fmt.Errorf("reading the directories of %s: %w", table, err)
	}
	return directoryOption.FindAllString(structure, -1), nil
}
