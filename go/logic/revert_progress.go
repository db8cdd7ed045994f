package logic

import (
	"context"
	gosql "database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/github/gh-ost/go/logic/apply"
	"github.com/github/gh-ost/go/sql"
)

// A revert whose old table has columns that the migration had dropped must not give it a change twice: rows may have taken keys
// that others had left, and nobody could tell any more which dropped values are whose. So it keeps how many changes since the
// swap are applied in the checkpoint that it begins from, in the transactions that apply them, and after an interruption it
// passes over as many.

// revertedSoFar is what an interrupted revert has come to.
type revertedSoFar struct {
	Stream  string   `json:"stream"`         // the server whose binary log was read; another's may have another order
	Changes int64    `json:"changes"`        // of rows since the swap
	Owed    [][]byte `json:"owed,omitempty"` // keys of rows that met others on a unique key
}

// revertProgress keeps it; it implements apply.Progress.
type revertProgress struct {
	checkpoints sql.TableName
	id          int64
	record      checkpointRecord
	stream      string
}

// Load implements apply.Progress.
func (p revertProgress) Load(ctx context.Context, tx *gosql.Tx) (applied int64, err error) {
	var text string
	var record checkpointRecord
	err = tx.QueryRowContext(ctx, fmt.Sprintf("SELECT /* gh-ost */ gh_ost_migration FROM %s WHERE gh_ost_chk_id = ?", p.checkpoints), p.id).Scan(&text)
	if err == nil {
		err = json.Unmarshal([]byte(text), &record)
	}
	if err != nil {
		return 0, fmt.Errorf("reading from %s how much is reverted: %w", p.checkpoints, err)
	}
	if record.Reverted == nil {
		return 0, nil
	}
	return record.Reverted.Changes, nil
}

// Store implements apply.Progress.
func (p revertProgress) Store(ctx context.Context, tx *gosql.Tx, applied int64, owed []string) error {
	p.record.Reverted = &revertedSoFar{Stream: p.stream, Changes: applied}
	for _, key := range owed {
		p.record.Reverted.Owed = append(p.record.Reverted.Owed, []byte(key))
	}
	text, err := json.Marshal(p.record)
	if err != nil {
		return fmt.Errorf("keeping how much is reverted: %w", err)
	}
	result, err := tx.ExecContext(ctx, fmt.Sprintf("UPDATE /* gh-ost */ %s SET gh_ost_migration = ? WHERE gh_ost_chk_id = ?", p.checkpoints), string(text), p.id)
	if err != nil {
		return fmt.Errorf("keeping in %s how much is reverted: %w", p.checkpoints, err)
	}
	found, err := result.RowsAffected()
	if err == nil && found != 1 {
		err = errors.New("the checkpoint is gone")
	}
	if err != nil {
		return fmt.Errorf("keeping in %s how much is reverted: %w", p.checkpoints, err)
	}
	return nil
}

// revertProgress returns where this revert keeps how far it has come, and what an interrupted one has kept there; nil if a part of it
// could be kept without the rest, because an engine has no transactions.
func (mgtr *Migrator) revertProgress(ctx context.Context) (apply.Progress, apply.Earlier, error) {
	checkpoints := mgtr.table(mgtr.context.GetCheckpointTableName())
	var transactional int
	err := mgtr.applier.general.QueryRowContext(ctx, "SELECT /* gh-ost */ COUNT(*) FROM information_schema.tables t JOIN information_schema.engines e ON e.engine = t.engine"+
		" WHERE t.table_schema = ? AND t.table_name IN (?, ?) AND e.transactions = 'YES'", checkpoints.Schema, checkpoints.Name, mgtr.names.ghost.Name).Scan(&transactional)
	if err != nil {
		return nil, apply.Earlier{}, fmt.Errorf("looking whether the old table has transactions: %w", err)
	}
	if transactional != 2 {
		return nil, apply.Earlier{}, nil
	}
	progress := revertProgress{checkpoints: checkpoints, id: mgtr.earlier.Id, record: mgtr.earlier.record, stream: serverIdentity(mgtr.inspector)}
	earlier := mgtr.earlier.record.Reverted
	switch {
	case earlier == nil:
		return progress, apply.Earlier{}, nil
	case earlier.Stream != progress.stream:
		_ = mgtr.log.Warningf("An interrupted revert has read the binary log of another server, %s: all is applied once more, and where rows have taken keys that others had left, columns that the migration had dropped may get their defaults",
			earlier.Stream)
		return nil, apply.Earlier{}, nil
	}
	mgtr.log.Infof("An interrupted revert has applied %d changes of rows already", earlier.Changes)
	begun := apply.Earlier{Applied: earlier.Changes}
	for _, key := range earlier.Owed {
		begun.Owed = append(begun.Owed, string(key))
	}
	return progress, begun, nil
}
