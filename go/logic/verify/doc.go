// Package verify compares the original table with its ghost while clients write, and says which rows differ for good.
//
// A pass walks over the original's key in chunks and compares sums over the hashes of both tables' rows. A chunk that
// differs, for some of its changes may not be applied yet, is read again row by row after the stream has passed it: a token
// that was written after the read has come back, so everything committed before is applied. A row that still differs
// is read again the same way. Rows that the stream says were changed since a pass began are read again too, so that the
// comparison keeps up with what happens until the cut-over; what is left then is read while writers are locked out.
//
// What it promises:
//   - A difference that is reported is one: the row was read three times, everything up to each read was applied, and no
//     event touched it in between. What differs under the cut-over's lock ends the attempt only, since the lock may be lost
//     while rows are read; then it is judged in the same way.
//   - When Final returns nil, every row was equal at some moment since the pass began, and no event touched it after that.
//     So a fault of the copy, of the applying and of the stream's order are found, and so are changes past the binary log
//     that were there when their row was read last.
//   - Reads take no row locks. Nothing is kept that grows with the table, and no more than a bound of touched rows: where
//     that overflows, the pass begins anew.
//
// What it relies on: Touch is told of each event before it can be applied, and before any later token comes back. Tables have
// transactions, or at least a statement sees whole rows.
//
// The scars: a session that was killed while its lock was relied on, and rows that differed for that reason alone; a temporary
// table whose deleted rows each later read had to pass over; servers without MD5 and SHA1 functions; a sum of CRC-32s, which is linear and does not see two rows that have
// swapped a value.
package verify
