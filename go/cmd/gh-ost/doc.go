// Command gh-ost changes the structure of a MySQL or MariaDB table while the table stays in use.
//
// This package is the rim only: it turns flags into a base.MigrationContext, refuses what cannot be meant, hands over to
// package logic and turns the outcome into an exit code. It promises:
//
//   - Every flag stands in one table (flag_table.go and flags_*.go), which feeds the parser, --help and doc/flags.md.
//   - Exit codes: 0 success, 1 whatever went wrong, 2 a command line that cannot be read, 128 + signal when it was stopped.
//   - stdout has what scripts read (help, version, status, "# Done"), stderr the log.
//   - SIGINT and SIGTERM end the run through its context, so that locks and sockets are given back; a second one ends the
//     process at once. SIGHUP reads the configuration file again.
//
// Scars: a schema's name used to be escaped as if for a URL, so that "my db" became "my+db"; arguments behind a
// stray word ("--execute true --max-load=…") used to be dropped without a word.
package main
