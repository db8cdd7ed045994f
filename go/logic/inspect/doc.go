// Package inspect says what the original and the ghost table are, what they share, and what is refused. It knows servers
// and tables, and no migration.
//
// It promises:
//
//   - A Table is what the server's information_schema says, with every column at its place in a row of the binary log, and
//     with the unique keys that can carry a migration in order of preference.
//   - Compare is pure. The key that it chooses is one that the original's rows are told apart by and that the ghost enforces:
//     some unique key of the ghost has the key's columns or some of them, and no others.
//   - StricterGhostKeys lists every unique key of the ghost that could refuse rows which the original accepts. Where it is
//     not certain that a key could not, it is listed.
//   - Refusals name the table, column or variable, its value, and what to do. Those that concern a server's variables are
//     *VariableError.
//
// It relies on information_schema as the account may see it: it does not show tables, triggers and foreign keys for which the
// account has no rights, so grants are checked before. Foreign keys that refer to the table from schemas beyond the account's
// rights are seen only with the PROCESS privilege.
//
// Scars:
//
//   - A ghost key with more columns than the original's does not keep an old and a new version of a row apart.
//   - A functional key part has no column name; a key of (a, (b + 1)) must not be taken for one of (a).
//   - An index that is invisible, ignored or by prefix cannot be walked in order, but it refuses duplicates all the same.
//   - EXPLAIN has no column "rows" where its default format is TREE.
//   - A primary key that MySQL made itself may be hidden in information_schema; its column is in the binary log's rows.
//   - information_schema shows a question mark for a character of four bytes in the labels of ENUM and SET.
//   - A trigger's body may have bytes that are no characters of any set; information_schema shows something else then. MySQL takes
//     the semicolon that follows it in a request for a part of it.
//   - MariaDB's key_column_usage answers for a table T when asked for one named t.
package inspect
