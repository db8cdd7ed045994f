// Package cutover decides, without any I/O, what one cut-over attempt does next.
//
// An attempt has two sessions on the server. The locking session creates a sentry table under the name that the
// original will get, locks the original against writes and the sentry against everything, and is the only one that
// ever drops the sentry or unlocks. The renaming session asks for both renames in one statement, which the server
// cannot carry out while the sentry stands. [State.Step] takes what was observed (an [Event]) and answers with what
// to do ([Action]); the sessions around it carry out actions and report events, nothing else.
//
// What it promises, whatever the order of events:
//
//   - An attempt aborts unless every step of the commit has been confirmed.
//   - Abort while the sentry stands: unlock first, so that writers go on at once; the RENAME can only fail. Then it
//     is killed and confirmed gone, and only then is the sentry dropped.
//   - Abort after the sentry's drop: the RENAME is killed and confirmed gone before anybody may write.
//   - Commit: every event up to the lock is applied, the RENAME waits, the sentry is dropped, the RENAME is proven to
//     be queued on the original table, unlock.
//   - The attempt ends only when its lock is released and its RENAME has ended, and its outcome is what the server did.
//
// It relies on the server's metadata locks: a queued exclusive request goes before later shared ones (so
// max_write_lock_count must not be low), and RENAME takes its names in order.
//
// The scars: a sentry dropped by a second session behind a once-guard, which left a table locked for minutes; a
// RENAME whose client had gone away and which swapped the tables after the abort; an unlock before the RENAME stood
// in the queue, which let writes into the old table. The exploration in explore_test.go walks all interleavings
// against a model of those locks, and shows that it would find each of these again.
package cutover
