package mysql

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// KillQuery ends the statement that a session runs; the session lives on. If it runs none, the next one may be hit.
// See IsNoSuchThread for a session that is gone.
func KillQuery(ctx context.Context, db Execer, connectionID int64) error {
	// KILL takes no placeholder in older servers; the id is a number.
	if _, err := db.ExecContext(ctx, fmt.Sprintf("KILL /* gh-ost */ QUERY %d", connectionID)); err != nil {
		return fmt.Errorf("ending the statement of session %d: %w", connectionID, err)
	}
	return nil
}

// KillConnection makes the server end a session and release all that it holds. It returns when the server has taken
// notice, which is before the end: see EndSession.
func KillConnection(ctx context.Context, db Execer, connectionID int64) error {
	if _, err := db.ExecContext(ctx, fmt.Sprintf("KILL /* gh-ost */ CONNECTION %d", connectionID)); err != nil {
		return fmt.Errorf("ending session %d: %w", connectionID, err)
	}
	return nil
}

// endPoll is the pause between looks for a killed session.
const endPoll = 10 * time.Millisecond

// EndSession kills a session and waits until the server has no trace of it; the context bounds that. A session that is
// gone already is no error.
func EndSession(ctx context.Context, db *gosql.DB, dialect Dialect, connectionID int64) error {
	if err := KillConnection(ctx, db, connectionID); err != nil {
		if IsNoSuchThread(err) {
			return nil
		}
		return err
	}
	poll := time.NewTicker(endPoll)
	defer poll.Stop()
	for {
		_, alive, err := LookUpProcess(ctx, db, dialect, connectionID)
		if err != nil || !alive {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("session %d was killed but is still there: %w", connectionID, ctx.Err())
		case <-poll.C:
		}
	}
}

// Process is a session as the server's process list shows it.
type Process struct {
	ID      int64
	User    string
	Host    string // of the client, with its port
	Schema  string // default schema; may be empty
	Command string // Query, Sleep, …
	State   string
	Info    string        // the statement; empty if none runs
	Time    time.Duration // in this state or statement, in whole seconds
}

// AwaitsMetadataLock tells whether the session's statement waits for a table's metadata lock. The state has no number:
// this is the one text that the servers are known by.
func (p Process) AwaitsMetadataLock() bool {
	return strings.Contains(p.State, "metadata lock")
}

// LookUpProcess finds a session by its id; found is false if there is none. An account without PROCESS sees its own
// sessions only.
func LookUpProcess(ctx context.Context, q Querier, dialect Dialect, connectionID int64) (process Process, found bool, err error) {
	tables := dialect.ProcesslistTables()
	for i, table := range tables {
		if table == informationSchemaProcesslist && !dialect.IsMariaDB() {
			return lookUpShown(ctx, q, connectionID)
		}
		process, found, err = lookUpIn(ctx, q, table, connectionID)
		mayNotRead := IsAccessDenied(err) || Classify(err) == SchemaError
		if found || err != nil && (!mayNotRead || i == len(tables)-1) {
			return process, found, err
		}
	}
	return Process{}, false, nil
}

// informationSchemaProcesslist cannot be read on MySQL while any session runs a statement with a character of four bytes:
// error 3854. Where writers wait in a queue, that is for as long as they wait.
const informationSchemaProcesslist = "information_schema.processlist"

func lookUpShown(ctx context.Context, q Querier, connectionID int64) (Process, bool, error) {
	processes, err := ShowProcesses(ctx, q)
	if err != nil {
		return Process{}, false, fmt.Errorf("looking for session %d: %w", connectionID, err)
	}
	for _, process := range processes {
		if process.ID == connectionID {
			return process, true, nil
		}
	}
	return Process{}, false, nil
}

// ShowProcesses lists the sessions by SHOW PROCESSLIST, which knows any statement's characters. An account without
// PROCESS sees its own sessions only.
func ShowProcesses(ctx context.Context, q Querier) (processes []Process, err error) {
	rows, err := q.QueryContext(ctx, "SHOW /* gh-ost */ FULL PROCESSLIST")
	if err != nil {
		return nil, fmt.Errorf("listing sessions: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return nil, fmt.Errorf("listing sessions: %w", err)
	}
	for rows.Next() {
		var process Process
		var user, host, schema, command, state, info gosql.NullString
		var seconds gosql.NullFloat64
		dest := []any{&process.ID, &user, &host, &schema, &command, &seconds, &state, &info}
		for len(dest) < len(columns) {
			dest = append(dest, new(any)) // what a server adds
		}
		if err := rows.Scan(dest...); err != nil {
			return nil, fmt.Errorf("listing sessions: %w", err)
		}
		process.User, process.Host, process.Schema = user.String, host.String, schema.String
		process.Command, process.State, process.Info = command.String, state.String, info.String
		process.Time = time.Duration(seconds.Float64 * float64(time.Second))
		processes = append(processes, process)
	}
	return processes, rows.Err()
}

func lookUpIn(ctx context.Context, q Querier, table string, connectionID int64) (process Process, found bool, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("looking for session %d in %s: %w", connectionID, table, err)
		}
	}()
	rows, err := q.QueryContext(ctx, "SELECT /* gh-ost */ ID, USER, HOST, DB, COMMAND, TIME, STATE, INFO FROM "+table+" WHERE ID = ?", connectionID)
	if err != nil {
		return Process{}, false, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	if !rows.Next() {
		return Process{}, false, rows.Err()
	}
	var user, host, schema, command, state, info gosql.NullString
	var seconds gosql.NullFloat64
	if err := rows.Scan(&process.ID, &user, &host, &schema, &command, &seconds, &state, &info); err != nil {
		return Process{}, false, err
	}
	process.User, process.Host, process.Schema = user.String, host.String, schema.String
	process.Command, process.State, process.Info = command.String, state.String, info.String
	process.Time = time.Duration(seconds.Float64 * float64(time.Second))
	return process, true, nil
}
