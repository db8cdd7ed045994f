package logic

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// A table that stands under the ghost's name and is the ghost is not for that a leftover: once a cut-over has swapped it in,
// clients have written to it, and whoever has gone back by hand since has put it under its former name again, with rows that
// are nowhere else. So a ghost is removed only if no attempt to cut over can have swapped it in.

// attemptHint is the hint of the changelog's row that holds the token of a cut-over attempt. It is written before the attempt
// and removed when that is known not to have swapped the tables.
const attemptHint = "cut-over attempt"

// attemptNoteLimit bounds the writing, and the removal, of that row.
const attemptNoteLimit = 5 * time.Second

// noteAttemptBegins writes the row.
func (mgtr *Migrator) noteAttemptBegins(ctx context.Context, token string) error {
	ctx, cancel := context.WithTimeout(ctx, attemptNoteLimit)
	defer cancel()
	return mgtr.changelog.write(ctx, nil, attemptHint, token)
}

// noteAttemptFailed removes the row, also if the run is being ended. If it stays, --cleanup leaves the ghost table as it is.
func (mgtr *Migrator) noteAttemptFailed(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), attemptNoteLimit)
	defer cancel()
	return mgtr.changelog.remove(ctx, attemptHint)
}

// served is what is known of the tables that have stood under the original's name.
type served struct {
	swapped *checkpointRecord // of the checkpoint after a cut-over; nil if there is none
	unknown bool              // an attempt to cut over has begun, and whether it has swapped the tables is not noted
}

// findServed reads it from the last checkpoint and the changelog.
func (k *cleaner) findServed(ctx context.Context) (served, error) {
	last, record, err := k.lastCheckpoint(ctx)
	if err != nil {
		return served{}, err
	}
	if last != nil && last.cutOver {
		return served{swapped: &record}, nil
	}
	begun, known, err := k.attemptBegun(ctx)
	if err != nil {
		return served{}, err
	}
	if !known { // the checkpoint is all there is
		begun = last != nil && record.Attempt != ""
	}
	if !begun {
		return served{}, nil
	}
	// While its sentry stands no attempt has swapped anything: the name is needed.
	old := k.old
	if last != nil && record.Old != "" {
		old.Name = record.Old
	}
	stands, exists, err := lookAt(ctx, k.applier.general, old)
	if err != nil {
		return served{}, err
	}
	return served{unknown: !exists || !stands.isTable() || stands.comment != sentryComment}, nil
}

// attemptBegun reads from the changelog whether an attempt has begun that is not known to have failed; known is false if there
// is no changelog that would tell.
func (k *cleaner) attemptBegun(ctx context.Context) (begun, known bool, err error) {
	stands, exists, err := lookAt(ctx, k.applier.general, k.changelog)
	if err != nil || !exists || !stands.isTable() || stands.comment != GhostChangelogTableComment {
		return false, false, err
	}
	var token string
	err = k.applier.general.QueryRowContext(ctx, fmt.Sprintf("SELECT /* gh-ost */ value FROM %s WHERE hint = ?", k.changelog), attemptHint).Scan(&token)
	switch {
	case err == nil:
		return true, true, nil
	case errors.Is(err, gosql.ErrNoRows):
		return false, true, nil
	case mysql.Classify(err) == mysql.SchemaError:
		return false, false, nil
	}
	return false, false, fmt.Errorf("reading the changelog %s: %w", k.changelog, err)
}

// why tells why the table that stands under the ghost's name may hold what clients have written; "" if it cannot, or if it is
// none of the tables that are known.
func (s served) why(ghost sql.TableName, current tableIdentity, recorded []tableIdentity) string {
	byHand := fmt.Sprintf("it is never removed by --cleanup. To remove it by hand, once no row of it is missing elsewhere: DROP TABLE %s", ghost)
	if s.swapped != nil {
		for _, text := range []string{s.swapped.Ghost, s.swapped.Original} {
			if identity, err := parseTableIdentity(text); err == nil && (current.sharesIDs(identity) || current.equals(identity)) {
				return "a cut-over has swapped this table, and somebody has renamed it since: it may hold rows that clients have written; " + byHand
			}
		}
		return ""
	}
	if !s.unknown {
		return ""
	}
	for _, identity := range recorded {
		if current.provenBy(identity) {
			return "it is the ghost table, but the run was ended in an attempt to cut over, and whether that has swapped the tables is not noted: if it has, and somebody has gone back by hand, it may hold rows that clients have written; " + byHand
		}
	}
	return ""
}
