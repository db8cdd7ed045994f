package logic

import (
	"context"
	gosql "database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/metrics"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// Applier holds the connections to the server that is changed: pools of sessions that are alike, each pool for one
// purpose, so that no setting of one purpose leaks into another and none can starve another.
type Applier struct {
	config     *mysql.ConnectionConfig
	server     *mysql.Server
	log        base.Logger
	pass       func(point string) // told each point of a cut-over that is passed; a seam for fault tests, else does nothing
	otherProof renameProof        // instead of the one that fits the server; a seam for fault tests, else nil

	general  *gosql.DB // changelog, looks, drops
	sessions *gosql.DB // the cut-over's locking and renaming sessions, each used once

	timeZone  string        // the server's global time_zone
	timeZones sql.TimeZones // of copying and applying; made by Migrator.chooseTimeZones
	sqlMode   string        // of sessions that alter, copy and apply
	engine    string        // of the original

	safety  base.SafetySettings
	measure *measurements
	counts  func([]mysql.Warning) []mysql.Warning // picks the warnings that end the migration; nil: they are not looked at

	metadataLocksReadable bool // the server shows its metadata locks to us
	sentryMayBeLeft       bool // the last cut-over attempt could not drop its sentry
}

// ConnectApplier connects to the server that is changed.
func ConnectApplier(ctx context.Context, config *mysql.ConnectionConfig, database string, log base.Logger) (*Applier, error) {
	apl := &Applier{config: config, log: log, pass: func(string) {}, measure: &measurements{emitter: metrics.Noop}}
	var err error
	if apl.general, err = config.Open(database); err != nil {
		return nil, err
	}
	if apl.server, err = mysql.Identify(ctx, apl.general); err != nil {
		apl.Close()
		return nil, fmt.Errorf("connecting the applier to %s: %w", config.Key, err)
	}
	apl.timeZone = apl.server.TimeZone
	unlimited := config.Duplicate()
	unlimited.Timeout = 0 // these sessions bound each statement themselves
	unlimited.MultiStatements = true
	if apl.sessions, err = unlimited.Open(database, "SET /* gh-ost */ SESSION autocommit = 1"); err != nil {
		apl.Close()
		return nil, err
	}
	apl.sessions.SetMaxIdleConns(0) // a session is closed with its attempt, and what was set on it goes with it
	return apl, nil
}

// Close closes the pools.
func (apl *Applier) Close() {
	for _, db := range []*gosql.DB{apl.general, apl.sessions} {
		if db != nil {
			_ = db.Close() // nothing depends on it any more
		}
	}
}

// setSQLMode derives the sql_mode for altering, copying and applying from the server's: as a native ALTER would have it,
// and strict unless the user does not want that.
func (apl *Applier) setSQLMode(ctx context.Context, safety *base.SafetySettings) error {
	mode, err := mysql.GlobalVariable(ctx, apl.general, "sql_mode")
	if err != nil {
		return fmt.Errorf("reading sql_mode: %w", err)
	}
	apl.sqlMode = deriveSQLMode(mode, safety)
	return nil
}

func deriveSQLMode(global string, safety *base.SafetySettings) string {
	removed := map[string]bool{"": true}
	if safety.AllowZeroInDate {
		removed["NO_ZERO_IN_DATE"], removed["NO_ZERO_DATE"] = true, true
	}
	var modes []string
	for _, mode := range strings.Split(global, ",") {
		if !removed[strings.ToUpper(strings.TrimSpace(mode))] {
			modes = append(modes, mode)
		}
	}
	modes = append(modes, "NO_AUTO_VALUE_ON_ZERO")
	if !safety.SkipStrictMode {
		modes = append(modes, "STRICT_ALL_TABLES")
	}
	return strings.Join(modes, ",")
}

// rowMode is sqlMode for sessions that write rows: values that are there stay, though in new ones the empty string were NULL,
// and a CHAR reads as it is logged: under PAD_CHAR_TO_FULL_LENGTH the copy would fill it with spaces, which rows applied do not
// have, and no key of a NO PAD collation would be found again.
func (apl *Applier) rowMode() string {
	return strings.NewReplacer("EMPTY_STRING_IS_NULL", "", "PAD_CHAR_TO_FULL_LENGTH", "").Replace(apl.sqlMode)
}

// rowSessions opens a pool of sessions that write rows into the ghost table or read them from the original. Values pass
// as raw bytes of their columns. They do not check foreign keys: the original's rows have passed those checks. The
// configuration is the caller's own copy.
func (apl *Applier) rowSessions(config *mysql.ConnectionConfig, database string, connections int, watch mysql.StatementWatch, more ...string) (*gosql.DB, error) {
	config.Timeout = 0 // it would bound how long a statement may run
	config.TransactionIsolation = mysql.ReadCommitted
	config.Charset = "utf8mb4"
	statements := append([]string{
		"SET /* gh-ost */ SESSION character_set_results = NULL",
		"SET /* gh-ost */ SESSION time_zone = '" + apl.timeZones.Session() + "'",
		"SET /* gh-ost */ SESSION sql_mode = '" + apl.rowMode() + "'",
		"SET /* gh-ost */ SESSION foreign_key_checks = 0",
	}, more...)
	if apl.counts != nil {
		watch.Counts = apl.counts
		statements = append(statements, maxWarnings)
	}
	db, err := config.OpenWatched(database, watch, statements...)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

// applySessions opens the pool of sessions that apply events.
func (apl *Applier) applySessions(database string, connections int) (*gosql.DB, error) {
	return apl.rowSessions(apl.config.Duplicate(), database, connections, mysql.StatementWatch{Executed: apl.measured(binlogApplyQuery)})
}

// preservingSessions opens the pool of the sessions that apply events one by one: several statements go in a request, and each
// tells how many rows it has found.
func (apl *Applier) preservingSessions(database string) (*gosql.DB, error) {
	config := apl.config.Duplicate()
	config.MultiStatements, config.FoundRows = true, true
	return apl.rowSessions(config, database, 1, mysql.StatementWatch{Executed: apl.measured(binlogApplyQuery)})
}

// copySessions opens the pool of sessions that walk the original and copy its rows. A chunk that meets a locked row gives
// up soon and tries again, instead of keeping locks on the rows before it meanwhile.
func (apl *Applier) copySessions(database string, connections int) (*gosql.DB, error) {
	watch := mysql.StatementWatch{Executed: apl.measured(chunkCopyQuery), Queried: apl.measured(rangeSelectQuery)}
	return apl.rowSessions(apl.config.Duplicate(), database, connections, watch, "SET /* gh-ost */ SESSION innodb_lock_wait_timeout = 2")
}

// statementBytes is how many bytes of values may go into one statement: each may take two in it, where it has to be escaped.
func (apl *Applier) statementBytes(ctx context.Context) (int, error) {
	var packet int
	if err := apl.general.QueryRowContext(ctx, "SELECT /* gh-ost */ @@GLOBAL.max_allowed_packet").Scan(&packet); err != nil {
		return 0, fmt.Errorf("reading max_allowed_packet: %w", err)
	}
	return max(packet/4, 1), nil
}

func (apl *Applier) measured(kind string) func(time.Duration, error) {
	return func(took time.Duration, err error) { apl.measure.query(targetSide, kind, took, err) }
}

// alterSession opens one session as a native ALTER has it. The caller closes it and its pool.
func (apl *Applier) alterSession(ctx context.Context, database string) (db *gosql.DB, session *gosql.Conn, err error) {
	if db, err = apl.alterSessions(database); err != nil {
		return nil, nil, err
	}
	if session, err = db.Conn(ctx); err != nil {
		_ = db.Close() // err is the one to tell
		return nil, nil, err
	}
	return db, session, nil
}

// alterSessions opens a pool of such sessions; more are statements that prepare them further.
func (apl *Applier) alterSessions(database string, more ...string) (*gosql.DB, error) {
	statements := []string{
		"SET /* gh-ost */ SESSION time_zone = '" + apl.timeZone + "'",
		"SET /* gh-ost */ SESSION sql_mode = '" + apl.sqlMode + "'",
	}
	if apl.server.Dialect.CachesTableStatistics() {
		statements = append(statements, "SET /* gh-ost */ SESSION information_schema_stats_expiry = 0")
	}
	config := apl.config.Duplicate()
	config.Timeout = 0 // it would bound how long the ALTER may run
	return config.Open(database, append(statements, more...)...)
}
