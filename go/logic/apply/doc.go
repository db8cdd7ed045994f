// Package apply writes what the stream says of the original table into the ghost table.
//
// What it promises: after every entry of the backlog has been applied, the ghost holds, for each key that the entries
// named, the last image that they gave. Entries of one batch are coalesced (only the last image of a key counts), its
// deletes go before its replaces, and a batch is one transaction, so that a retried batch sends exactly what its first
// try sent. A marker is reached only after everything queued before it has been committed.
//
// While somebody holds the writer (Hold) the ghost is not changed by it at all: the cut-over does that while triggers stand on
// the ghost.
//
// What it relies on: events carry whole rows, come in the order of commits, and every row that a REPLACE pushes out of
// the ghost by another unique key either is part of the same batch or has an event of its own still to come. Deletes
// before replaces make the batch right also where a collation takes two different spellings for one key: of such keys
// at most one is alive at the batch's end.
//
// The scars: a retried batch that sent only the second half of a key change left the row under both keys; INSERT
// IGNORE dropped rows whose unique value had changed hands; heartbeats that filled the queue made the stream stand
// still while the migration was throttled; a token delivered to a channel that nobody read any more did the same.
package apply
