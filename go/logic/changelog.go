package logic

import (
	"context"
	"crypto/rand"
	gosql "database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/github/gh-ost/go/sql"
)

// GhostChangelogTableComment is the comment by which a changelog table is known as ours.
const GhostChangelogTableComment = "gh-ost changelog"

// ChangelogState is a state of the migration that it writes into the changelog and sees again in the stream.
type ChangelogState string

// The states, in the order of a run. AllEventsUpToLockProcessed comes once per cut-over attempt, with a token behind
// a colon.
const (
	GhostTableMigrated         ChangelogState = "GhostTableMigrated"
	Resumed                    ChangelogState = "Resumed"   // only of a run that goes on from a checkpoint; with a token behind a colon
	Reverting                  ChangelogState = "Reverting" // only of a revert, before it writes anything else; with a token behind a colon
	ReadMigrationRangeValues   ChangelogState = "ReadMigrationRangeValues"
	StricterKeysSettled        ChangelogState = "StricterKeysSettled" // only if a unique key became stricter
	AllEventsUpToLockProcessed ChangelogState = "AllEventsUpToLockProcessed"
	Migrated                   ChangelogState = "Migrated"
)

// ReadChangelogState returns the state of a changelog value, which may carry a token behind a colon.
func ReadChangelogState(s string) ChangelogState {
	name, _, _ := strings.Cut(s, ":")
	return ChangelogState(name)
}

// The hints of the changelog's rows that matter to the run, and their fixed ids. Rows of other hints are a record for
// people; their ids start at firstRecordID.
const (
	heartbeatHint = "heartbeat"
	stateHint     = "state"
	throttleHint  = "throttle"
	checksumHint  = "checksum"

	heartbeatID   = 1
	stateID       = 2
	throttleID    = 3
	checksumID    = 4
	firstRecordID = 256
)

// The places of the changelog's columns in its rows.
const (
	changelogHintOrdinal  = 2
	changelogValueOrdinal = 3
)

// Changelog is the helper table through which the migration talks to itself by way of the stream.
type Changelog struct {
	db    *gosql.DB
	table sql.TableName
}

// NewChangelog returns the changelog in the given table; Create makes it.
func NewChangelog(db *gosql.DB, table sql.TableName) *Changelog {
	return &Changelog{db: db, table: table}
}

// Create makes the table, which must not exist.
func (c *Changelog) Create(ctx context.Context) error {
	_, err := c.db.ExecContext(ctx, fmt.Sprintf("CREATE /* gh-ost */ TABLE %s ("+
		"id bigint unsigned NOT NULL AUTO_INCREMENT,"+
		" last_update timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,"+
		" hint varchar(64) CHARACTER SET ascii NOT NULL,"+
		" value varchar(4096) CHARACTER SET ascii NOT NULL,"+
		" PRIMARY KEY (id), UNIQUE KEY hint_uidx (hint)"+
		") AUTO_INCREMENT=%d COMMENT='%s'", c.table, firstRecordID, GhostChangelogTableComment))
	if err != nil {
		return fmt.Errorf("creating the changelog table %s: %w", c.table, err)
	}
	return nil
}

// WriteHeartbeat writes the time, which shows in the stream and on replicas how far they are behind.
func (c *Changelog) WriteHeartbeat(ctx context.Context, now time.Time) error {
	return c.write(ctx, heartbeatID, heartbeatHint, now.Format(time.RFC3339Nano))
}

// readHeartbeat reads the last heartbeat written; "" if there is none.
func (c *Changelog) readHeartbeat(ctx context.Context) (value string, err error) {
	err = c.db.QueryRowContext(ctx, fmt.Sprintf("SELECT /* gh-ost */ value FROM %s WHERE id = ?", c.table), heartbeatID).Scan(&value)
	if err != nil && !errors.Is(err, gosql.ErrNoRows) {
		return "", fmt.Errorf("reading the last heartbeat from the changelog: %w", err)
	}
	return value, nil
}

// WriteState writes a state: the row that the stream listens to, and one for the record.
func (c *Changelog) WriteState(ctx context.Context, value string) error {
	if err := c.SignalState(ctx, value); err != nil {
		return err
	}
	return c.RecordState(ctx, value)
}

// SignalState writes the row that the stream listens to, and nothing else.
func (c *Changelog) SignalState(ctx context.Context, value string) error {
	return c.write(ctx, stateID, stateHint, value)
}

// RecordState writes the row for the record.
func (c *Changelog) RecordState(ctx context.Context, value string) error {
	return c.write(ctx, nil, fmt.Sprintf("%s at %d", stateHint, time.Now().UnixNano()), value)
}

// Over returns the same changelog, written by way of another pool.
func (c *Changelog) Over(db *gosql.DB) *Changelog { return NewChangelog(db, c.table) }

// WriteToken writes a token that comes back through the stream like a state, and leaves no record of it.
func (c *Changelog) WriteToken(ctx context.Context, token string) error {
	return c.write(ctx, checksumID, checksumHint, token)
}

// WriteThrottle records that throttling began, changed its reason or ended.
func (c *Changelog) WriteThrottle(ctx context.Context, value string) error {
	value = asciiOnly(value)
	if err := c.write(ctx, throttleID, throttleHint, value); err != nil {
		return err
	}
	return c.write(ctx, nil, fmt.Sprintf("%s at %d", throttleHint, time.Now().UnixNano()), value)
}

func (c *Changelog) write(ctx context.Context, id any, hint, value string) error {
	query := fmt.Sprintf("INSERT /* gh-ost */ INTO %s (id, hint, value) VALUES (?, ?, ?)"+
		" ON DUPLICATE KEY UPDATE last_update = CURRENT_TIMESTAMP, value = ?", c.table)
	if _, err := c.db.ExecContext(ctx, query, id, hint, value, value); err != nil {
		return fmt.Errorf("writing %q to the changelog: %w", hint, err)
	}
	return nil
}

// remove removes the row with the hint, if there is one.
func (c *Changelog) remove(ctx context.Context, hint string) error {
	if _, err := c.db.ExecContext(ctx, fmt.Sprintf("DELETE /* gh-ost */ FROM %s WHERE hint = ?", c.table), hint); err != nil {
		return fmt.Errorf("removing %q from the changelog: %w", hint, err)
	}
	return nil
}

// asciiOnly makes free text fit the changelog's column.
func asciiOnly(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
	return text[:min(len(text), 4000)]
}

// newToken returns a token that nobody can have written before: the state, the time for people, and chance.
func newToken(state ChangelogState, now time.Time) string {
	return fmt.Sprintf("%s:%d.%s", state, now.UnixNano(), rand.Text())
}
