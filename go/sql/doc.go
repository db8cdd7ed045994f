// Package sql holds what is text and value, and nothing that talks to a server: names, columns and their types, the ALTER
// statement's options, and the statements that walk, copy and change rows.
//
// It promises:
//   - A value arrives byte for byte as a native ALTER would have converted it (Binding). What can be left to the server is left
//     to it: text goes as its column's own bytes with their character set named, dates as dates, and so on.
//   - Statements read exactly the intervals of the index that they are about, on MySQL and on MariaDB (CopyStatements,
//     ApplyStatements), and pass over no error but that of a row that is already there.
//   - What it builds does not change once made and may be used by several goroutines.
//
// It relies on sessions that interpolate parameters in the client, without a limit on the packet (interpolateParams=true,
// maxAllowedPacket=0: a statement that the driver prepares instead fails on `_latin1 ?`), `SET NAMES utf8mb4`, and
// character_set_results = NULL where bounds are read. Their time zone is TimeZones.Session: +00:00, where no hour occurs
// twice and conversions to and from local time are written out, or the server's own, where it computes values by it.
//
// Scars, each held by a test in servers_test.go, keys_servers_test.go or json_servers_test.go:
//   - No server uses an index to compare an ENUM by order of its numbers, and the order of its labels is not the index's: such
//     ranges are lists of numbers.
//   - Strict mode refuses an ENUM's index 0 as a number; MySQL takes the digits '0'. MariaDB takes no expression for it, so
//     there such rows are written outside strict mode, and the warnings are counted (WriteErrorValuesLeniently).
//   - INSERT … SELECT makes other text of a FLOAT, a ZEROFILL or the year 0000 than ALTER does, and other bits of text, of a
//     DOUBLE, a date or a document: it takes the bytes, and cuts off fractions (bitFormat). More of that kind: alterConversion.
//   - MariaDB's INSERT … SELECT cuts a string for a shorter TEXT by its length modulo 256 or 65536 (storesUnchecked).
//   - MySQL copies a TIMESTAMP by its local time, even in a native ALTER: of the hour that occurs twice only one is left. In
//     local sessions it passes as text with its offset, which MySQL forgets where it has to round the seconds; and a cast AT
//     TIME ZONE drops them.
//   - A choice between dates (IF) is text to MySQL, and no number is made of it.
//   - A decimal compared with a string is compared as a double; a number without exponent is no double, and loses -0.
//   - The types of a JSON document's parts that only columns have (TIMESTAMP, BIT, BLOB) are lent by JSON_TABLE.
//   - The driver takes a question mark in a name for a placeholder: such statements go out with their values written in.
//   - MySQL 9 warns (1287, 3719) where an old character set is named, as _ucs2 is; the warning is no sign of a lost value.
package sql
