package logic

import (
	"context"
	gosql "database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// lockSource reads who holds or awaits metadata locks.
type lockSource interface {
	// holders returns what holds the tables, or the whole server. Ordinary requests that wait are left out: they are
	// held up themselves. So are the server's helper threads, whose locks last for moments.
	holders(ctx context.Context, q mysql.Querier, tables []sql.TableName) ([]lockHolder, error)
}

// strongLocks are the lock types that count even while they wait: who asks for one is going to change the table.
const strongLocks = "'SHARED_UPGRADABLE', 'SHARED_NO_WRITE', 'SHARED_NO_READ_WRITE', 'EXCLUSIVE'"

// performanceSchemaLocks reads performance_schema.metadata_locks. It has no times; those come from the instruments of
// transactions and statements as far as they are switched on, else from the process list.
type performanceSchemaLocks struct{ dialect mysql.Dialect }

// The tables are joined LEFT since an owner need not have a row in them: a prepared XA transaction keeps its locks when
// its client has gone. Times are in picoseconds of one clock. A statement of a stored program is not what people look for.
const performanceSchemaQuery = `SELECT /* gh-ost */ l.object_type, l.object_schema, l.object_name, l.lock_type,
 l.lock_duration = 'EXPLICIT', l.lock_status = 'PENDING', t.thread_id IS NULL OR t.name = 'thread/sql/main',
 t.type = 'BACKGROUND', t.name, t.processlist_id, t.processlist_user, t.processlist_host, t.processlist_command,
 t.processlist_time, LEFT(COALESCE(t.processlist_info, s.sql_text), 1024), x.state = 'ACTIVE', x.xa_state = 'PREPARED',
 l.lock_duration = 'TRANSACTION' AND x.state = 'ACTIVE' AND x.event_id > l.owner_event_id,
 x.timer_wait DIV 1000, IF(s.end_event_id IS NULL, s.timer_wait DIV 1000, NULL),
 IF(x.state = 'ACTIVE' AND s.end_event_id IS NOT NULL AND x.timer_start + x.timer_wait > s.timer_end, (x.timer_start + x.timer_wait - s.timer_end) DIV 1000, NULL),
 a.attr_value
 FROM performance_schema.metadata_locks l
 LEFT JOIN performance_schema.threads t ON t.thread_id = l.owner_thread_id
 LEFT JOIN performance_schema.events_transactions_current x ON x.thread_id = l.owner_thread_id
 LEFT JOIN performance_schema.events_statements_current s ON s.thread_id = l.owner_thread_id AND s.nesting_event_level = 0
 LEFT JOIN performance_schema.session_connect_attrs a ON a.processlist_id = t.processlist_id AND a.attr_name = 'program_name'
 WHERE (l.lock_status = 'GRANTED' OR l.lock_type IN (` + strongLocks + `)) AND `

// serverLocks are the locks on the whole server that keep tables from being created and renamed.
const serverLocks = `l.object_type IN ('GLOBAL', 'BACKUP LOCK') AND l.lock_type = 'SHARED'
 OR l.object_type = 'BACKUP' AND l.lock_type IN ('BACKUP_FTWRL1', 'BACKUP_FTWRL2')`

func (s performanceSchemaLocks) holders(ctx context.Context, q mysql.Querier, tables []sql.TableName) ([]lockHolder, error) {
	holders, err := s.locks(ctx, q, tables)
	if err != nil || len(holders) == 0 || !s.dialect.IsMariaDB() {
		return holders, err
	}
	// There the instruments are off by default, but the process list is exact.
	sessions, err := sessionsByID(ctx, q, s.dialect)
	if err != nil {
		return nil, err
	}
	for i := range holders {
		h := &holders[i]
		if session, found := sessions[h.connectionID]; found && session.command == h.command {
			h.setTime(session.time)
		}
	}
	return holders, nil
}

func (s performanceSchemaLocks) locks(ctx context.Context, q mysql.Querier, tables []sql.TableName) ([]lockHolder, error) {
	condition, args := namesAny("l.object_schema", "l.object_name", tables)
	rows, err := q.QueryContext(ctx, performanceSchemaQuery+"(l.object_type = 'TABLE' AND ("+condition+") OR "+serverLocks+")", args...)
	if err != nil {
		return nil, fmt.Errorf("reading the metadata locks: %w", err)
	}
	defer rows.Close() // rows.Err is what counts
	var holders []lockHolder
	for rows.Next() {
		var h lockHolder
		var objectType, lockType string
		var schema, name, thread, user, host, command, statement, program gosql.NullString
		var background, active, prepared, strayed gosql.NullBool
		var id, seconds, transaction, running, idle gosql.NullInt64
		if err := rows.Scan(&objectType, &schema, &name, &lockType, &h.explicit, &h.pending, &h.vanished, &background, &thread, &id,
			&user, &host, &command, &seconds, &statement, &active, &prepared, &strayed, &transaction, &running, &idle, &program); err != nil {
			return nil, fmt.Errorf("reading the metadata locks: %w", err)
		}
		if s.dialect.IsMariaDB() {
			background.Bool = background.Bool || h.vanished // it releases the locks of prepared transactions with their client
			h.vanished, strayed.Bool = false, false
		}
		if background.Bool && !h.vanished {
			continue
		}
		h.lockType = lockType
		if objectType == "TABLE" {
			h.table = sql.TableName{Schema: schema.String, Name: name.String}
		} else {
			h.lockType = objectType + " " + lockType
		}
		h.connectionID, h.threadName = id.Int64, thread.String
		h.user, h.host, h.program, h.command = user.String, host.String, program.String, command.String
		h.statement, h.inTransaction, h.prepared = statement.String, active.Bool && transaction.Valid, prepared.Bool
		h.strayed = strayed.Bool && (lockType == "SHARED_READ" || lockType == "SHARED_WRITE")
		h.transAge, h.statementAge, h.idle = time.Duration(transaction.Int64), time.Duration(running.Int64), time.Duration(idle.Int64)
		// The process list counts in seconds, and rounds: it is for where the instruments are off.
		if h.isIdle() && !idle.Valid || !h.isIdle() && !running.Valid {
			h.setTime(time.Duration(seconds.Int64) * time.Second)
		}
		holders = append(holders, h)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("reading the metadata locks: %w", err)
	}
	return holders, nil
}

// pluginLocks reads MariaDB's plugin metadata_lock_info. It has granted locks only, and how long they have been held.
type pluginLocks struct{ dialect mysql.Dialect }

func (s pluginLocks) holders(ctx context.Context, q mysql.Querier, tables []sql.TableName) ([]lockHolder, error) {
	condition, args := namesAny("table_schema", "table_name", tables)
	holders, err := s.locks(ctx, q, condition, args)
	if err != nil {
		return nil, fmt.Errorf("reading information_schema.metadata_lock_info: %w", err)
	}
	if len(holders) == 0 {
		return nil, nil
	}
	sessions, err := sessionsByID(ctx, q, s.dialect)
	if err != nil {
		return nil, err
	}
	known := holders[:0]
	for _, h := range holders {
		session, found := sessions[h.connectionID]
		if !found {
			continue // a helper thread of the server, or gone in between
		}
		session.fill(&h)
		known = append(known, h)
	}
	return known, nil
}

func (pluginLocks) locks(ctx context.Context, q mysql.Querier, condition string, args []any) ([]lockHolder, error) {
	rows, err := q.QueryContext(ctx, `SELECT /* gh-ost */ thread_id, lock_mode, COALESCE(lock_time_ms, 0), lock_type, table_schema, table_name
 FROM information_schema.metadata_lock_info WHERE lock_type = 'Table metadata lock' AND (`+condition+`) OR lock_type = 'Backup lock' AND
 lock_mode IN ('MDL_BACKUP_FTWRL1', 'MDL_BACKUP_FTWRL2', 'MDL_BACKUP_WAIT_DDL', 'MDL_BACKUP_BLOCK_DDL', 'MDL_BACKUP_WAIT_COMMIT')`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // rows.Err is what counts
	var holders []lockHolder
	for rows.Next() {
		var h lockHolder
		var mode, what string
		var schema, name gosql.NullString
		var millis int64
		if err := rows.Scan(&h.connectionID, &mode, &millis, &what, &schema, &name); err != nil {
			return nil, err
		}
		h.lockType = strings.TrimPrefix(mode, "MDL_")
		h.lockAge = time.Duration(millis) * time.Millisecond
		if what == "Table metadata lock" {
			h.table = sql.TableName{Schema: schema.String, Name: name.String}
		}
		holders = append(holders, h)
	}
	return holders, rows.Err()
}

// session is a line of the process list.
type session struct {
	id                              int64
	user, host, command, state, sql string
	time                            time.Duration // in the statement, or since it ended
}

func (s session) fill(h *lockHolder) {
	h.connectionID, h.user, h.host, h.command, h.statement = s.id, s.user, s.host, s.command, s.sql
	h.setTime(s.time)
}

// setTime takes the process list's time: in the statement, or since it ended.
func (h *lockHolder) setTime(d time.Duration) {
	if h.isIdle() {
		h.idle = d
	} else {
		h.statementAge = d
	}
}

// sessionsByID reads the process list. MariaDB tells times in milliseconds, MySQL in seconds.
func sessionsByID(ctx context.Context, q mysql.Querier, dialect mysql.Dialect) (map[int64]session, error) {
	sessions := map[int64]session{}
	if !dialect.IsMariaDB() {
		processes, err := mysql.ShowProcesses(ctx, q)
		for _, p := range processes {
			sessions[p.ID] = session{p.ID, p.User, p.Host, p.Command, p.State, beginning(p.Info), p.Time}
		}
		return sessions, err
	}
	rows, err := q.QueryContext(ctx, "SELECT /* gh-ost */ id, user, host, command, COALESCE(state, ''), LEFT(COALESCE(info, ''), 1024), time_ms"+
		" FROM information_schema.processlist")
	if err != nil {
		return nil, fmt.Errorf("reading the process list: %w", err)
	}
	defer rows.Close() // rows.Err is what counts
	for rows.Next() {
		var s session
		var ms float64
		if err := rows.Scan(&s.id, &s.user, &s.host, &s.command, &s.state, &s.sql, &ms); err != nil {
			return nil, fmt.Errorf("reading the process list: %w", err)
		}
		s.time = time.Duration(ms * float64(time.Millisecond))
		sessions[s.id] = s
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("reading the process list: %w", err)
	}
	return sessions, nil
}

// beginning is as much of a statement as is looked at.
func beginning(statement string) string {
	return strings.ToValidUTF8(statement[:min(len(statement), 1024)], "")
}

// engineTransactions reads the storage engine's transactions. The server refreshes them only when nobody has read them
// for 100 ms. Their start is in the time zone of the system, whatever that of the session.
func engineTransactions(ctx context.Context, q mysql.Querier) ([]engineTransaction, error) {
	rows, err := q.QueryContext(ctx, `SELECT /* gh-ost */ trx_mysql_thread_id,
 GREATEST(TIMESTAMPDIFF(MICROSECOND, trx_started, CONVERT_TZ(UTC_TIMESTAMP(6), '+00:00', 'SYSTEM')), 0),
 trx_rows_modified, trx_tables_in_use, trx_autocommit_non_locking FROM information_schema.innodb_trx`)
	if err != nil {
		return nil, fmt.Errorf("reading information_schema.innodb_trx: %w", err)
	}
	defer rows.Close() // rows.Err is what counts
	var transactions []engineTransaction
	for rows.Next() {
		var t engineTransaction
		var micros int64
		if err := rows.Scan(&t.connectionID, &micros, &t.rowsModified, &t.tablesInUse, &t.autocommitRead); err != nil {
			return nil, fmt.Errorf("reading information_schema.innodb_trx: %w", err)
		}
		t.age = time.Duration(micros) * time.Microsecond
		transactions = append(transactions, t)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("reading information_schema.innodb_trx: %w", err)
	}
	return transactions, nil
}

// preparedTransactions returns the ids of the prepared XA transactions, as XA COMMIT and XA ROLLBACK take them.
func preparedTransactions(ctx context.Context, q mysql.Querier) ([]string, error) {
	rows, err := q.QueryContext(ctx, "XA /* gh-ost */ RECOVER")
	if err != nil {
		return nil, fmt.Errorf("reading the prepared XA transactions: %w", err)
	}
	defer rows.Close() // rows.Err is what counts
	var ids []string
	for rows.Next() {
		var format int64
		var global, branch int
		var data []byte
		if err := rows.Scan(&format, &global, &branch, &data); err != nil {
			return nil, fmt.Errorf("reading the prepared XA transactions: %w", err)
		}
		if global+branch > len(data) {
			return nil, fmt.Errorf("reading the prepared XA transactions: an id of %d+%d bytes in %d", global, branch, len(data))
		}
		ids = append(ids, transactionID(format, data[:global], data[global:global+branch]))
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("reading the prepared XA transactions: %w", err)
	}
	return ids, nil
}

// transactionID writes an XA transaction's id as SQL takes it.
func transactionID(format int64, global, branch []byte) string {
	part := func(bytes []byte) string {
		for _, b := range bytes {
			if b < ' ' || b > '~' || b == '\'' || b == '\\' {
				return fmt.Sprintf("X'%x'", bytes)
			}
		}
		return "'" + string(bytes) + "'"
	}
	id := part(global)
	if len(branch) > 0 || format != 1 {
		id += "," + part(branch)
	}
	if format != 1 {
		id += fmt.Sprintf(",%d", format)
	}
	return id
}

// namesAny is the condition that two columns name one of the tables.
func namesAny(schemaColumn, nameColumn string, tables []sql.TableName) (condition string, args []any) {
	var parts []string
	for _, table := range tables {
		parts = append(parts, schemaColumn+" = ? AND "+nameColumn+" = ?")
		args = append(args, table.Schema, table.Name)
	}
	return strings.Join(parts, " OR "), args
}
