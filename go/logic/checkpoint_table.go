package logic

import (
	"context"
	gosql "database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/github/gh-ost/go/sql"
)

// checkpointTable is the helper table in which checkpoints are kept. Its columns up to gh_ost_is_cutover, and the bounds of
// the last chunk, are for people and scripts; a run goes on from what stands in gh_ost_migration.
type checkpointTable struct {
	db   *gosql.DB
	name sql.TableName
}

// checkpointKeyLength is how many characters of a key column's name go into the names of its bounds.
const checkpointKeyLength = 60

// create makes the table for a migration whose rows are told apart by the key's columns.
func (t checkpointTable) create(ctx context.Context, key []sql.Column) error {
	definitions := []string{
		"gh_ost_chk_id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY",
		"gh_ost_chk_timestamp bigint NOT NULL",
		"gh_ost_chk_coords mediumtext CHARACTER SET ascii NOT NULL",
		"gh_ost_chk_iteration bigint NOT NULL",
		"gh_ost_rows_copied bigint NOT NULL",
		"gh_ost_dml_applied bigint NOT NULL",
		"gh_ost_is_cutover tinyint(1) NOT NULL DEFAULT 0",
		"gh_ost_migration longtext CHARACTER SET utf8mb4 NOT NULL",
	}
	for i, name := range boundColumnNames(key) {
		definitions = append(definitions, sql.EscapeName(name)+" "+typeOf(key[i%len(key)])+" NULL")
	}
	if _, err := t.db.ExecContext(ctx, fmt.Sprintf("CREATE /* gh-ost */ TABLE %s (%s) COMMENT='%s'", t.name, strings.Join(definitions, ", "), GhostCheckpointTableComment)); err != nil {
		return fmt.Errorf("creating the checkpoint table %s: %w", t.name, err)
	}
	return nil
}

// typeOf is a column's full type.
func typeOf(column sql.Column) string {
	text := column.Type.Text
	if column.Charset != "" && column.Charset != "binary" {
		text += " CHARACTER SET " + column.Charset + " COLLATE " + column.Collation
	}
	return text
}

// boundColumnNames are the names of the columns for the last chunk's bounds: all lower ones, then all upper ones. Names that
// would be the same when cut are told apart by the column's place in the key.
func boundColumnNames(key []sql.Column) (names []string) {
	taken := map[string]bool{}
	for _, suffix := range []string{"_min", "_max"} {
		for i, column := range key {
			name := []rune(column.Name)
			name = name[:min(len(name), checkpointKeyLength)]
			if taken[strings.ToLower(string(name)+suffix)] {
				place := strconv.Itoa(i + 1)
				name = append(name[:min(len(name), checkpointKeyLength-len(place))], []rune(place)...)
			}
			taken[strings.ToLower(string(name)+suffix)] = true
			names = append(names, string(name)+suffix)
		}
	}
	return names
}

// boundValue is a bound's value as it is written into a column of its type.
func boundValue(column sql.Column, value any) (any, error) {
	raw, isRaw := value.([]byte)
	if !isRaw {
		return value, nil
	}
	switch kind := column.Type.Kind; {
	case kind == sql.KindEnum || kind == sql.KindSet: // bounds have them as numbers
		number, err := strconv.ParseUint(string(raw), 10, 64)
		if err != nil || number == 0 && kind == sql.KindEnum {
			return nil, err
		}
		return number, nil
	case column.Type.IsNumeric() && kind != sql.KindBit, column.Type.IsTemporal(), kind == sql.KindYear, kind == sql.KindInet:
		return string(raw), nil
	}
	return raw, nil
}

// insert appends a checkpoint and sets its id and time.
func (t checkpointTable) insert(ctx context.Context, key []sql.Column, checkpoint *Checkpoint) error {
	record, err := json.Marshal(checkpoint.record)
	if err != nil {
		return fmt.Errorf("writing a checkpoint: %w", err)
	}
	columns := []string{"gh_ost_chk_timestamp", "gh_ost_chk_coords", "gh_ost_chk_iteration", "gh_ost_rows_copied", "gh_ost_dml_applied", "gh_ost_is_cutover", "gh_ost_migration"}
	values := []any{checkpoint.LastTrxCoords.String(), checkpoint.Iteration, checkpoint.RowsCopied, checkpoint.DMLApplied, checkpoint.IsCutover, string(record)}
	if low := checkpoint.record.LowWater; low != nil {
		bounds := append(append(sql.Bound{}, low.From.bound()...), low.To.bound()...)
		for i, name := range boundColumnNames(key) {
			value, err := boundValue(key[i%len(key)], bounds[i])
			if err != nil {
				return fmt.Errorf("writing a checkpoint: %s: %w", name, err)
			}
			columns, values = append(columns, sql.EscapeName(name)), append(values, value)
		}
	}
	result, err := t.db.ExecContext(ctx, fmt.Sprintf("INSERT /* gh-ost */ INTO %s (%s) VALUES (UNIX_TIMESTAMP()%s)",
		t.name, strings.Join(columns, ", "), strings.Repeat(", ?", len(values))), values...)
	if err != nil {
		return fmt.Errorf("writing a checkpoint into %s: %w", t.name, err)
	}
	if checkpoint.Id, err = result.LastInsertId(); err != nil {
		return fmt.Errorf("writing a checkpoint into %s: %w", t.name, err)
	}
	return nil
}

// isOne tells whether the table holds checkpoints, of this tool or of others that use the same names.
func (t checkpointTable) isOne(ctx context.Context) (is, exists bool, err error) {
	comment, exists, err := (tables{t.db}).comment(ctx, t.name)
	if err != nil || !exists || comment == GhostCheckpointTableComment {
		return exists, exists, err
	}
	var columns int
	err = t.db.QueryRowContext(ctx, "SELECT /* gh-ost */ COUNT(*) FROM information_schema.columns WHERE table_schema = ? AND table_name = ? AND column_name IN ('gh_ost_chk_id', 'gh_ost_chk_coords')",
		t.name.Schema, t.name.Name).Scan(&columns)
	if err != nil {
		return false, true, fmt.Errorf("looking what the table %s is: %w", t.name, err)
	}
	return columns == 2, true, nil
}

// storedCheckpoint is a row as it is read.
type storedCheckpoint struct {
	id, timestamp, iteration, copied, applied int64
	coordinates, record                       string
	cutOver                                   bool
}

// last reads the newest checkpoint; ErrNoCheckpointFound if there is none.
func (t checkpointTable) last(ctx context.Context) (*storedCheckpoint, error) {
	comment, exists, err := (tables{t.db}).comment(ctx, t.name)
	switch {
	case err != nil:
		return nil, err
	case !exists:
		return nil, fmt.Errorf("%w: there is no table %s", ErrNoCheckpointFound, t.name)
	case comment != GhostCheckpointTableComment:
		return nil, fmt.Errorf("table %s is not a checkpoint table of this tool (its comment is %q, not %q): nothing can be continued from it", t.name, comment, GhostCheckpointTableComment)
	}
	var row storedCheckpoint
	err = t.db.QueryRowContext(ctx, fmt.Sprintf("SELECT /* gh-ost */ gh_ost_chk_id, gh_ost_chk_timestamp, gh_ost_chk_coords, gh_ost_chk_iteration, gh_ost_rows_copied, gh_ost_dml_applied, gh_ost_is_cutover, gh_ost_migration"+
		" FROM %s ORDER BY gh_ost_chk_id DESC LIMIT 1", t.name)).
		Scan(&row.id, &row.timestamp, &row.coordinates, &row.iteration, &row.copied, &row.applied, &row.cutOver, &row.record)
	if errors.Is(err, gosql.ErrNoRows) {
		return nil, fmt.Errorf("%w: table %s is empty", ErrNoCheckpointFound, t.name)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the last checkpoint from %s, which must be one of this tool: %w", t.name, err)
	}
	return &row, nil
}
