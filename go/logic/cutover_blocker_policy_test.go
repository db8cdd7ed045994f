package logic

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/github/gh-ost/go/sql"
)

var orders = sql.TableName{Schema: "shop", Name: "orders"}

func TestAHolderIsKnownByWhatTheServerShowsOfIt(t *testing.T) {
	const own = "gh-ost"
	idle := func(h lockHolder) lockHolder { h.command = "Sleep"; return h }
	onTable := func(lockType string, h lockHolder) lockHolder {
		h.table, h.lockType, h.connectionID = orders, lockType, 7
		if h.user == "" {
			h.user = "app"
		}
		if h.command == "" {
			h.command = "Query"
		}
		return h
	}
	for name, given := range map[string]struct {
		holder     lockHolder
		kind       BlockerKind
		deliberate bool
	}{
		"a reader that forgot to commit":               {onTable("SHARED_READ", idle(lockHolder{inTransaction: true, statement: "select 1 from orders"})), IdleTransaction, false},
		"the same where only the engine tells":         {onTable("SHARED_READ", idle(lockHolder{transaction: &engineTransaction{}})), IdleTransaction, false},
		"a writer between two statements":              {onTable("SHARED_WRITE", idle(lockHolder{inTransaction: true, transaction: &engineTransaction{rowsModified: 3}})), IdleTransaction, false},
		"a report":                                     {onTable("SHARED_READ", lockHolder{statement: "SELECT sum(x) FROM orders"}), RunningStatement, false},
		"LOCK TABLES … READ":                           {onTable("SHARED_READ_ONLY", idle(lockHolder{statement: "lock tables orders read"})), TableLock, true},
		"LOCK TABLES … WRITE":                          {onTable("SHARED_NO_READ_WRITE", idle(lockHolder{inTransaction: true})), TableLock, true},
		"LOCK TABLES … WRITE, still waiting":           {onTable("SHARED_NO_READ_WRITE", lockHolder{pending: true, statement: "LOCK TABLES orders WRITE"}), TableLock, true},
		"LOCK TABLES, shown as an ordinary lock":       {onTable("SHARED_READ", idle(lockHolder{})), TableLock, false},
		"LOCK TABLES in a transaction, shown so":       {onTable("SHARED_READ", idle(lockHolder{transaction: &engineTransaction{tablesInUse: 1}})), TableLock, false},
		"HANDLER … OPEN":                               {onTable("SHARED", idle(lockHolder{explicit: true})), TableLock, true},
		"FLUSH TABLES WITH READ LOCK":                  {lockHolder{lockType: "GLOBAL SHARED", connectionID: 7, command: "Sleep"}, TableLock, true},
		"an ALTER that copies":                         {onTable("SHARED_NO_WRITE", lockHolder{statement: "ALTER TABLE orders ENGINE=InnoDB"}), SchemaChange, true},
		"an ALTER that waits for its turn":             {onTable("EXCLUSIVE", lockHolder{pending: true, statement: "/* x */ alter table orders add x int"}), SchemaChange, true},
		"ANALYZE TABLE":                                {onTable("SHARED_READ", lockHolder{statement: "analyze table orders"}), SchemaChange, true},
		"a dump, by its program":                       {onTable("SHARED_READ", lockHolder{program: "mysqldump", statement: "SELECT …"}), Backup, false},
		"a dump, by its statement":                     {onTable("SHARED_READ", lockHolder{statement: "SELECT /*!40001 SQL_NO_CACHE */ * FROM `orders`"}), Backup, false},
		"an applier of replication":                    {onTable("SHARED_WRITE", lockHolder{user: "system user", threadName: "thread/sql/replica_worker"}), Replication, false},
		"an event":                                     {onTable("SHARED_WRITE", lockHolder{threadName: "thread/sql/event_worker", command: "Connect"}), Replication, false},
		"a session of ours":                            {onTable("SHARED_WRITE", lockHolder{user: own, statement: "INSERT /* gh-ost `a`.`b` */ IGNORE"}), OwnSession, false},
		"the lock of an attempt that was lost":         {onTable("SHARED_READ_ONLY", idle(lockHolder{user: own, statement: "LOCK /* gh-ost */ TABLES"})), OwnSession, true},
		"its RENAME":                                   {onTable("EXCLUSIVE", lockHolder{user: own, pending: true, statement: "RENAME /* gh-ost x */ TABLE"}), OwnSession, true},
		"somebody else who runs another migration":     {onTable("SHARED_READ", lockHolder{user: "dba", statement: "SELECT /* gh-ost */ 1"}), RunningStatement, false},
		"an XA transaction between prepare and commit": {onTable("SHARED_WRITE", idle(lockHolder{prepared: true, inTransaction: true})), PreparedTransaction, false},
		"an XA transaction of a client that is gone":   {lockHolder{table: orders, lockType: "SHARED_WRITE", vanished: true}, PreparedTransaction, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := given.holder.blocker(own)
			assert.Equal(t, given.kind.String(), b.Kind.String())
			assert.Equal(t, given.deliberate, b.deliberate)
		})
	}
}

func TestWhatWillSoonBeGoneIsNotWaitedFor(t *testing.T) {
	const limit = 3 * time.Second
	for name, given := range map[string]struct {
		blocker    Blocker
		lock, swap bool
	}{
		"a busy transaction below the limit":          {Blocker{Kind: RunningStatement, Age: 2900 * time.Millisecond}, false, true},
		"a busy transaction above it":                 {Blocker{Kind: RunningStatement, Age: limit}, true, true},
		"an idle transaction of some milliseconds":    {Blocker{Kind: IdleTransaction, Age: 20 * time.Millisecond, Idle: 10 * time.Millisecond}, false, false},
		"an idle transaction of more than a second":   {Blocker{Kind: IdleTransaction, Age: 1100 * time.Millisecond, Idle: time.Second}, true, true},
		"a lock that is held on purpose":              {Blocker{Kind: TableLock, deliberate: true}, true, true},
		"a prepared transaction of a vanished client": {Blocker{Kind: PreparedTransaction, deliberate: true}, true, true},
		"a schema change in the queue":                {Blocker{Kind: SchemaChange, deliberate: true, Pending: true}, true, true},
		"a reader that is about to end":               {Blocker{Kind: RunningStatement, Age: 199 * time.Millisecond}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, given.lock, given.blocker.obstructsLock(limit), "before the lock")
			assert.Equal(t, given.swap, given.blocker.obstructsSwap(), "before the swap")
		})
	}
}

func TestOnlyWhatLosesLittleIsEnded(t *testing.T) {
	session := func(b Blocker) Blocker { b.ConnectionID = 7; return b }
	for name, given := range map[string]struct {
		blocker Blocker
		ending  ending
	}{
		"an idle reader": {session(Blocker{Kind: IdleTransaction, TransactionSeen: true}), idleReader},
		"an idle session whose work nobody knows": {session(Blocker{Kind: IdleTransaction}), notEnded},
		"a running read":                               {session(Blocker{Kind: RunningStatement, Statement: "(SELECT 1)"}), runningReader},
		"a running read after few writes":              {session(Blocker{Kind: RunningStatement, Statement: "SELECT 1", TransactionSeen: true, RowsModified: 5}), smallWriter},
		"a running write that has not yet written":     {session(Blocker{Kind: RunningStatement, Statement: "UPDATE t SET a = 1", TransactionSeen: true}), smallWriter},
		"a running write that the engine hides":        {session(Blocker{Kind: RunningStatement, Statement: "UPDATE t SET a = 1"}), notEnded},
		"an idle writer of few rows":                   {session(Blocker{Kind: IdleTransaction, TransactionSeen: true, RowsModified: smallTransactionRows}), smallWriter},
		"an idle writer of many rows":                  {session(Blocker{Kind: IdleTransaction, TransactionSeen: true, RowsModified: smallTransactionRows + 1}), notEnded},
		"a table lock":                                 {session(Blocker{Kind: TableLock, TransactionSeen: true}), notEnded},
		"a schema change":                              {session(Blocker{Kind: SchemaChange, TransactionSeen: true}), notEnded},
		"a backup":                                     {session(Blocker{Kind: Backup, TransactionSeen: true, Statement: "SELECT 1"}), notEnded},
		"replication":                                  {session(Blocker{Kind: Replication, TransactionSeen: true}), notEnded},
		"a session of ours":                            {session(Blocker{Kind: OwnSession, TransactionSeen: true}), notEnded},
		"a prepared transaction":                       {session(Blocker{Kind: PreparedTransaction, TransactionSeen: true}), notEnded},
		"a suspect":                                    {session(Blocker{Kind: IdleTransaction, TransactionSeen: true, Suspected: true}), notEnded},
		"an idle reader without a session to be ended": {Blocker{Kind: IdleTransaction, TransactionSeen: true}, notEnded},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, given.ending.String(), given.blocker.ending().String())
		})
	}
}

func TestOneClassIsEndedAtATimeAndTheMostHarmlessFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blockers := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Blocker {
			return Blocker{
				ConnectionID:    rapid.Int64Range(0, 3).Draw(t, "id"),
				Kind:            BlockerKind(rapid.IntRange(0, int(OwnSession)).Draw(t, "kind")),
				Statement:       rapid.SampledFrom([]string{"", "SELECT 1", "UPDATE t SET a = 1"}).Draw(t, "statement"),
				TransactionSeen: rapid.Bool().Draw(t, "seen"),
				RowsModified:    rapid.SampledFrom([]int64{0, 1, 10_000}).Draw(t, "rows"),
				Suspected:       rapid.Bool().Draw(t, "suspected"),
			}
		})).Draw(t, "blockers")

		chosen, class := victims(blockers)

		for _, b := range chosen {
			assert.Equal(t, class, b.ending())
			assert.Contains(t, []BlockerKind{IdleTransaction, RunningStatement}, b.Kind)
			assert.LessOrEqual(t, b.RowsModified, int64(smallTransactionRows))
			assert.False(t, b.Suspected || b.ConnectionID == 0)
		}
		for _, b := range blockers {
			if b.ending() != notEnded {
				assert.NotEmpty(t, chosen)
				assert.LessOrEqual(t, class, b.ending())
			}
		}
	})
}

func TestTheVerbOfAStatementIsFound(t *testing.T) {
	for statement, verb := range map[string]string{
		"select 1": "SELECT", "  (SELECT 1) UNION (SELECT 2)": "SELECT", "/* a */ /*+ b */update t": "UPDATE", "-- x\ninsert": "INSERT",
		"# x\n delete from t": "DELETE", "/* open": "", "": "", "With a AS (SELECT 1) SELECT 1": "WITH", "-- only": "",
	} {
		assert.Equal(t, verb, firstWord(statement), statement)
	}
}
