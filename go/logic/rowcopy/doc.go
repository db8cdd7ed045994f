// Package rowcopy copies the rows that the original table has when the copy begins.
//
// A walk over the unique key in use cuts the table into ranges, ahead of the sessions that copy them; each range is
// copied by one locking INSERT … SELECT inside the server. Rows whose key stands in the ghost already are passed over,
// whatever else does not fit is an error.
//
// What it promises: when Run returns nil, every row that stood in the original between its lowest and its highest key
// when those were read, and that nobody has changed since, stands in the ghost; a changed one has an event.
//
// What it relies on: the stream was listening before the bounds were read, and the events of the original are applied
// as whole rows. Reads are locking, so that a row which a client has changed but not committed is waited for: what the
// copy misses is committed after it, and its event comes after it. Sessions are READ COMMITTED, which keeps the locks
// of rows and drops those of gaps, so that clients can insert meanwhile.
//
// The scars: INSERT IGNORE, which bends and drops what it cannot store; a chunk that waited for one row's lock for
// fifty seconds while it held a thousand others, which clients wanted (so the wait for a row is short, and tried again).
package rowcopy
