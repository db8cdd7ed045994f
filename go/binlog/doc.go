// Package binlog reads a server's binary log as a replica does, and hands over what happened to the followed tables, in
// order, together with every statement that stands in the log as text.
//
// What it promises:
//
//   - An event is handed over if its transaction was committed, and once within a run, however often the connection is
//     lost. Rows of prepared XA transactions come in the place of their commit; rows that the log takes back (ROLLBACK TO
//     after a write to a table without transactions) do not come at all.
//   - A row is whole, or there is an error: column bitmaps are looked at, partial JSON is refused, compressed transactions
//     and events are expanded. What cannot be told for certain ends the stream: see errors.go.
//   - Reading and decoding run ahead of the handler, bounded in bytes. Transactions above 8 MiB pass through as they come.
//   - HandledTransaction is a place from which another stream misses nothing.
//   - A connection that takes up where another was lost has the last transaction sent once more, and goes on only if it is
//     as before (anchor.go): a log that was reset, or has lost its end in a crash, is not read on.
//
// What it relies on: one server process writes transactions to its log one after the other, and sends a log to the
// end of a complete one; the account has REPLICATION SLAVE; no other replica has the server id. (MySQL tells replicas
// apart by a UUID, which the library makes up anew, so there a second one of the same id does no harm.)
//
// Values, looked at on MySQL 9.7 and MariaDB 10.11 (value_test.go):
//
//	integers                    int8, int16, int32 (also MEDIUMINT), int64; signed, also if the column is unsigned
//	FLOAT, DOUBLE               float32, float64
//	DECIMAL                     string, with all its decimals
//	BIT, ENUM, SET              int64: bits, index, mask; the 64th bit is the sign
//	YEAR                        int; 0 for 0000
//	DATE, TIME, DATETIME        string; fractions to the column's digits, but a TIME of whole seconds has none
//	TIMESTAMP                   string in UTC, fractions to the column's digits; "0000-00-00 00:00:00" for zero
//	CHAR, VARCHAR               string of bytes in the column's character set; CHAR without the blanks at its end
//	BINARY, VARBINARY           string; BINARY without the zero bytes at its end: pad it
//	INET4, INET6, UUID          string, the stored bytes without the zero bytes at their end: pad them
//	TEXT, BLOB, GEOMETRY        []byte as stored (GEOMETRY: SRID, then WKB)
//	VECTOR                      []byte on MySQL
//	JSON                        sql.JSONBinary on MySQL; on MariaDB it is a LONGTEXT: []byte
//	COMPRESSED columns          (MariaDB) as without it
//
// Columns stand in the order of the table. VIRTUAL and STORED generated columns are in every full image of both products,
// with their values, whether indexed or not, as are invisible columns; the hidden columns of functional indexes are not.
//
// Scars:
//
//   - MariaDB logs rows that were rolled back to a savepoint, followed by the rollback, if the transaction also wrote to
//     a MyISAM table or made a temporary one. So a transaction is held until its end as long as it is small.
//   - The library KILLs its lost connection by number when it reconnects. After a restart of the server that number belongs
//     to somebody else. Our dialer refuses it the second connection that it needs for this.
//   - The server gives up on a client that does not read for net_write_timeout, 60 s by default: a handler that is throttled
//     for longer would lose the connection, and a long transaction would never get through.
//   - The library counts MariaDB's GTIDs with warnings to stderr, so it reads by position, and the set goes into a variable.
//   - Under PARTIAL_JSON MySQL logs every update as PARTIAL_UPDATE_ROWS; those of tables without JSON are whole.
//   - Temporal columns of MariaDB before 10.1 look alike in the log whatever their fraction, so they are refused.
package binlog
