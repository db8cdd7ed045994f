package mysql

// InnoDBTables is the table of information_schema with a row for each of InnoDB's tables, which are the partitions where
// a table has some: table_id and name. The name is the path of its file: see logic's table identities. The account needs
// PROCESS to read it.
func (d Dialect) InnoDBTables() string {
	if d.atLeast(8, 0, 0) {
		return "information_schema.innodb_tables"
	}
	return "information_schema.innodb_sys_tables"
}

// InnoDBIndexes is the same for indexes: index_id and table_id.
func (d Dialect) InnoDBIndexes() string {
	if d.atLeast(8, 0, 0) {
		return "information_schema.innodb_indexes"
	}
	return "information_schema.innodb_sys_indexes"
}
