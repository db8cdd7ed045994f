// Package localtests migrates many small tables with the real program on real servers, and compares each with what a native
// ALTER makes of the same rows.
//
// A case is a folder below localtests/ of the checkout with these files, of which create.sql alone must be there:
//
//	create.sql      creates the table `t` (or the one that the file table names), its rows, and whatever else it takes
//	alter           the text for --alter and for the native ALTER TABLE; default: ENGINE=InnoDB
//	dml.sql         statements run over and over on a session of their own, from before the program starts until all rows are
//	                copied and once more after that; they must bear repetition
//	postponed.sql   statements run once, between the row copy and the cut-over
//	extra_args      more arguments for the program, one a line
//	expect_failure  the program must fail, and its log must have every line of this file; nothing may have been changed
//	expect_log      the program's log must have every line of this file
//	native_refuses  the native ALTER must fail as well, which shows that a refusal is the server's and not ours
//	table           the table's name
//	columns         expressions to compare beside the columns, one a line; {table} stands for the table's name
//	sql_mode        sql_mode of the sessions that create and change rows; default: the server's
//	globals         global variables of the server that alters, name = value, one a line; such a case runs alone
//	twin.sql        statements run on the native result before it is compared, where a difference is meant (foreign keys)
//	gtid            if it is there, the stream is read by GTID
//	local_rows      if it is there, the twin gets its rows in the server's time zone instead of UTC, for columns that are computed by it
//	flavor          the one server that the case is for: mysql or mariadb
//	ignore          why the case is not run
//
// Each file may exist as NAME.mysql or NAME.mariadb too, which wins on that server, and as NAME.replica, which wins over both
// where the binary log of a replica is read. An empty one of these takes the file away.
//
// A case succeeds if rows (sorted, each column as hex) and structure (SHOW CREATE TABLE) are those of its twin: the table of
// create.sql, in another schema, given the original's rows as they stand before the cut-over, and altered natively in
// strict mode.
package localtests
