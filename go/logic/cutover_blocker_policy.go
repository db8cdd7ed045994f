package logic

import (
	"slices"
	"strings"
	"time"

	"github.com/github/gh-ost/go/sql"
)

// This file decides, without any I/O, what a holder of a lock is, whether it is worth waiting for, and which may be ended.

const (
	// idleLimit: a transaction whose client has done nothing for so long is waited for whatever its age. Nothing tells
	// when it will end, and waiting before the lock holds nobody up, while waiting for the lock would.
	idleLimit = time.Second

	// swapTolerance is how long a lock may have been held when the sentry is to be dropped. Readers come and go all the
	// time and are gone within milliseconds; who has stayed for this long may keep the RENAME, and all readers behind it.
	swapTolerance = 200 * time.Millisecond

	// smallTransactionRows is up to how many modified rows a transaction may be ended: rolling back so few takes
	// milliseconds, and little work is lost.
	smallTransactionRows = 1000
)

// lockHolder is a lock on a table, or on the whole server, and the session behind it, as the server shows them.
type lockHolder struct {
	table    sql.TableName // zero: the whole server
	lockType string        // without the prefix MDL_
	explicit bool          // it is held until it is given back, whatever becomes of transactions
	pending  bool          // asked for, not granted
	lockAge  time.Duration // 0: not shown

	vanished      bool  // its client is gone
	connectionID  int64 // 0: no client's session
	threadName    string
	user, host    string
	program       string
	command       string // of the process list
	statement     string // that runs, or ran last
	statementAge  time.Duration
	idle          time.Duration
	inTransaction bool          // the server's instruments show an open transaction
	transAge      time.Duration // of that
	prepared      bool          // that is a prepared XA transaction
	strayed       bool          // the lock is older than that: it may be a prepared transaction's that the session has left behind

	transaction *engineTransaction // the storage engine's view; nil: none, or not asked
}

// engineTransaction is a transaction as the storage engine shows it.
type engineTransaction struct {
	connectionID   int64 // 0: no session
	age            time.Duration
	rowsModified   int64
	tablesInUse    int64
	autocommitRead bool
}

func (h *lockHolder) isIdle() bool { return h.command == "Sleep" }

// blocker tells what the holder is. ownUser is the account that this tool connects with.
func (h *lockHolder) blocker(ownUser string) Blocker {
	b := Blocker{
		ConnectionID: h.connectionID, User: h.user, Host: h.host, Program: h.program, Kind: h.kind(ownUser),
		Table: h.table, Lock: h.lockType, Pending: h.pending, Age: h.age(), Statement: h.statement,
	}
	b.deliberate = h.isDeliberate(b.Kind)
	if h.isIdle() {
		b.Idle = h.idle
	}
	if h.transaction != nil {
		b.TransactionSeen = true
		b.RowsModified = h.transaction.rowsModified
		b.AutocommitRead = h.transaction.autocommitRead
	}
	return b
}

func (h *lockHolder) age() time.Duration {
	age := h.lockAge
	switch {
	case h.inTransaction:
		age = max(age, h.transAge)
	case h.transaction != nil:
		age = max(age, h.transaction.age)
	}
	if h.isIdle() {
		return max(age, h.idle)
	}
	return max(age, h.statementAge)
}

func (h *lockHolder) kind(ownUser string) BlockerKind {
	verb := firstWord(h.statement)
	switch {
	case h.vanished || h.prepared:
		return PreparedTransaction
	case isServerThread(h.user, h.command, h.threadName):
		return Replication
	case h.user == ownUser && strings.Contains(h.statement, "/* gh-ost"):
		return OwnSession
	case isSchemaLock(h.lockType) && !h.isIdle() && verb != "LOCK" && verb != "FLUSH":
		return SchemaChange
	case h.isDeliberate(TableLock):
		return TableLock
	case isBackup(h.program, h.statement):
		return Backup
	case !h.isIdle() && slices.Contains(maintenanceVerbs, verb):
		return SchemaChange
	case !h.isIdle():
		return RunningStatement
	case !h.inTransaction && h.transaction == nil || h.transaction != nil && h.transaction.tablesInUse > 0:
		return TableLock
	}
	return IdleTransaction
}

// isDeliberate tells the locks that last for as long as somebody wants, or that stand for a change of the table: they
// count whatever their age. All others are by-products of transactions and statements.
func (h *lockHolder) isDeliberate(kind BlockerKind) bool {
	switch kind {
	case PreparedTransaction:
		return h.vanished
	case SchemaChange:
		return true
	case TableLock, OwnSession: // ours may be what a lost attempt has left: its lock, or its RENAME in the queue
		return h.table.Name == "" || h.explicit || isSchemaLock(h.lockType) || h.lockType == "SHARED_READ_ONLY"
	}
	return false
}

// isSchemaLock tells the locks that only DDL and LOCK TABLES … WRITE take.
func isSchemaLock(lockType string) bool {
	switch lockType {
	case "SHARED_UPGRADABLE", "SHARED_NO_WRITE", "SHARED_NO_READ_WRITE", "EXCLUSIVE":
		return true
	}
	return false
}

var maintenanceVerbs = []string{
	"ALTER", "CREATE", "DROP", "RENAME", "TRUNCATE", "OPTIMIZE", "ANALYZE", "REPAIR", "CHECK", "CHECKSUM", "FLUSH", "LOCK",
}

func isServerThread(user, command, threadName string) bool {
	switch user {
	case "system user", "event_scheduler":
		return true
	}
	switch command {
	case "Binlog Dump", "Binlog Dump GTID", "Connect", "Daemon", "Slave_SQL", "Slave_worker", "Slave_IO", "Register Slave", "Register Replica":
		return true
	}
	for _, part := range []string{"replica", "slave", "event_worker", "event_scheduler"} {
		if strings.Contains(threadName, part) {
			return true
		}
	}
	return false
}

// isBackup knows dump and backup programs by their names, and by the comment that the dump programs put into the SELECT
// by which they read a table.
func isBackup(program, statement string) bool {
	for _, name := range []string{"dump", "backup", "mysqlpump", "mysqlsh"} {
		if strings.Contains(strings.ToLower(program), name) {
			return true
		}
	}
	return strings.Contains(statement, "/*!40001 SQL_NO_CACHE */")
}

// firstWord is a statement's verb in capitals; comments and brackets before it are skipped.
func firstWord(statement string) string {
	for {
		statement = strings.TrimLeft(statement, " \t\r\n(")
		var found bool
		switch {
		case strings.HasPrefix(statement, "/*"):
			_, statement, found = strings.Cut(statement, "*/")
		case strings.HasPrefix(statement, "-- "), strings.HasPrefix(statement, "#"):
			_, statement, found = strings.Cut(statement, "\n")
		default:
			end := strings.IndexFunc(statement, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
			if end < 0 {
				end = len(statement)
			}
			return strings.ToUpper(statement[:end])
		}
		if !found {
			return ""
		}
	}
}

// obstructsLock tells whether an attempt should not begin while the blocker is there: the lock would hold writers up
// while it waits, for as long as the lock timeout, and perhaps in vain. A transaction or statement that is younger than
// the limit and busy is taken to end by itself in that time.
func (b Blocker) obstructsLock(limit time.Duration) bool {
	switch {
	case b.deliberate:
		return true
	case b.Pending:
		return false // what is in front of it is the blocker
	}
	return b.Age >= limit || b.Idle >= idleLimit
}

// obstructsSwap tells whether the RENAME may have to wait for the blocker, and readers behind it, or would come after it.
func (b Blocker) obstructsSwap() bool {
	return b.deliberate || !b.Pending && b.Age >= swapTolerance
}

// ending is how a blocker is ended, and in which order.
type ending uint8

const (
	notEnded      ending = iota
	idleReader           // has changed nothing and does nothing: nothing is lost but its snapshot
	runningReader        // can be run again
	smallWriter          // is rolled back quickly
)

var endingNames = [...]string{notEnded: "not ended", idleReader: "is idle and has changed nothing", runningReader: "only reads", smallWriter: "has changed few rows"}

func (e ending) String() string { return endingNames[e] }

// ending tells whether the blocker may be ended by force, and with which class.
func (b Blocker) ending() ending {
	if b.Suspected || b.ConnectionID == 0 || b.Pending || b.Kind != IdleTransaction && b.Kind != RunningStatement {
		return notEnded
	}
	reads := slices.Contains([]string{"SELECT", "WITH", "TABLE", "VALUES", "SHOW"}, firstWord(b.Statement))
	switch {
	case b.Kind == RunningStatement && reads && b.RowsModified == 0:
		return runningReader
	case !b.TransactionSeen:
		return notEnded // nobody knows what would be lost
	case b.Kind == IdleTransaction && b.RowsModified == 0:
		return idleReader
	case b.RowsModified <= smallTransactionRows:
		return smallWriter
	}
	return notEnded
}

// victims are the blockers to end now: all of the first class that there is.
func victims(blockers []Blocker) ([]Blocker, ending) {
	for _, class := range []ending{idleReader, runningReader, smallWriter} {
		var found []Blocker
		for _, b := range blockers {
			if b.ending() == class {
				found = append(found, b)
			}
		}
		if len(found) > 0 {
			return found, class
		}
	}
	return nil, notEnded
}
