// Package ledger puts load on a table and keeps book of what was acknowledged, so that a test, a benchmark
// or the demo can prove that a migration lost, added or bent no row.
//
// # What it promises
//
// Every writer owns a share of the table: its ids and its values of the unique column belong to nobody else. So one
// goroutine alone decides what its rows are, and its own record of the transactions that the server acknowledged is
// the exact truth about its share; no reading back is needed to know it. Unique values are handed over between the rows
// of a share all the time (swaps, re-use after a delete, REPLACE, changed primary keys), and shares lie interleaved in
// the primary key, so the rows of one hand-over stand in different chunks of a copy.
//
// A transaction whose outcome was never told (the connection died in COMMIT, or in a statement that commits by itself)
// is settled: its old session is killed and seen to be gone, then its rows are read. They must be wholly as before it, or
// wholly as after it; anything else is a contradiction, which fails the report. What this cannot see is an unacknowledged
// transaction that was committed, then lost as a whole before it was settled; to its client that looks like a rollback.
//
// Besides the final comparison ([Ledger.Verify]) writers notice at once when a statement changes another number of
// rows than it must, or when rows that only they write read differently from what they wrote.
//
// Waits are measured per statement, with their time of day; [Ledger.WriteWaits] and [Ledger.ReadWaits] answer for any
// window of time and count statements that are still waiting.
//
// # What it relies on
//
// Nobody else writes to the table, and the columns in [Columns] keep their names and can hold their values. Columns that
// are added are ignored. A session needs the right to see and kill the other sessions of its own user.
//
// It imports no other package of this project, so that all of them can use it in their tests.
//
// # Scars
//
// A statement that sits in a stalled network holds no lock in the server yet, so a locking read does not wait for it, and
// it may still run later: therefore the old session must be gone before its rows are read. Connection ids begin again
// when a server restarts, so an id alone may be somebody else's by then: therefore each session holds a lock with a name
// of its own, and whoever holds that lock is killed. (The process list is no help here: in MySQL a look into
// information_schema.PROCESSLIST fails while any session runs a statement with a four-byte character.)
//
// Load like this one makes a native online ALTER (ALGORITHM=INPLACE on MySQL) fail with a duplicate entry: a comparison
// needs ALGORITHM=COPY.
package ledger
