package logic

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"

	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// What MySQL says where a name that it makes for a copied check would be too long.
const (
	errTooLongName    = 1059
	errCheckNotStored = 3507
)

// GhostCheckpointTableComment is the comment by which a checkpoint table is known as ours.
const GhostCheckpointTableComment = "gh-ost checkpoint"

// tables creates, looks up and drops the helper tables on the server that is changed.
type tables struct {
	db *gosql.DB
}

// comment returns a table's comment; exists is false if there is no such table. A view counts as a table.
func (t tables) comment(ctx context.Context, table sql.TableName) (comment string, exists bool, err error) {
	err = t.db.QueryRowContext(ctx, "SELECT /* gh-ost */ table_comment FROM information_schema.tables"+
		" WHERE table_schema = ? AND table_name = ?", table.Schema, table.Name).Scan(&comment)
	if errors.Is(err, gosql.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("looking for the table %s: %w", table, err)
	}
	return comment, true, nil
}

// ignoreCase tells whether the server takes names that differ in their case for one table.
func (t tables) ignoreCase(ctx context.Context) (bool, error) {
	var lower int
	if err := t.db.QueryRowContext(ctx, "SELECT /* gh-ost */ @@lower_case_table_names").Scan(&lower); err != nil {
		return false, fmt.Errorf("reading lower_case_table_names: %w", err)
	}
	return lower != 0, nil
}

// drop drops a table if it exists.
func (t tables) drop(ctx context.Context, table sql.TableName) error {
	if _, err := t.db.ExecContext(ctx, "DROP /* gh-ost */ TABLE IF EXISTS "+table.String()); err != nil {
		return fmt.Errorf("dropping the table %s: %w", table, err)
	}
	return nil
}

// createGhost makes the ghost table like the original and alters it. The session that alters has the time zone and
// sql_mode of a native ALTER. If the ALTER sets no AUTO_INCREMENT, the original's next value is kept.
func (t tables) createGhost(ctx context.Context, original, ghost sql.TableName) error {
	if _, err := t.db.ExecContext(ctx, fmt.Sprintf("CREATE /* gh-ost */ TABLE %s LIKE %s", ghost, original)); err != nil {
		hint := ""
		if number := mysql.ErrorNumber(err); number == errTooLongName || number == errCheckNotStored {
			hint = ". The server's names for copied checks are too long with this table's name: give the helper tables a shorter one with --force-table-names"
		}
		return fmt.Errorf("creating the ghost table %s: %w%s", ghost, err, hint)
	}
	return nil
}

func (t tables) alter(ctx context.Context, session *gosql.Conn, ghost sql.TableName, options string) error {
	if _, err := session.ExecContext(ctx, fmt.Sprintf("ALTER /* gh-ost */ TABLE %s %s", ghost, options)); err != nil {
		return fmt.Errorf("altering the ghost table %s (--alter %q): %w", ghost, options, err)
	}
	return nil
}

// autoIncrement returns the next value of the table's AUTO_INCREMENT column; 0 if it has none.
func (t tables) autoIncrement(ctx context.Context, session *gosql.Conn, table sql.TableName) (uint64, error) {
	var next gosql.Null[uint64]
	err := session.QueryRowContext(ctx, "SELECT /* gh-ost */ auto_increment FROM information_schema.tables"+
		" WHERE table_schema = ? AND table_name = ?", table.Schema, table.Name).Scan(&next)
	if err != nil {
		return 0, fmt.Errorf("reading the AUTO_INCREMENT value of %s: %w", table, err)
	}
	return next.V, nil
}

func (t tables) setAutoIncrement(ctx context.Context, session *gosql.Conn, table sql.TableName, next uint64) error {
	if _, err := session.ExecContext(ctx, fmt.Sprintf("ALTER /* gh-ost */ TABLE %s AUTO_INCREMENT = %d", table, next)); err != nil {
		return fmt.Errorf("setting the AUTO_INCREMENT value of %s: %w", table, err)
	}
	return nil
}
