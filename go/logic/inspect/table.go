package inspect

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// Table is a table as the server described it. It does not change once read.
type Table struct {
	Name    sql.TableName // as it was asked for
	Engine  string        // as the server spells it, such as InnoDB
	Columns *sql.ColumnList
	// UniqueKeys are the keys that rows can be walked and told apart by, the preferred first.
	UniqueKeys []*sql.UniqueKey

	stored      sql.TableName     // the name by which information_schema has it
	indexes     []index           // all unique ones, in no particular order
	unusable    []string          // why unique indexes are not among UniqueKeys, one text each
	expressions map[string]string // of generated columns, by the column's name in lower case
	defaults    map[string]bool   // the columns that have a default, by the column's name in lower case
}

// transactionalEngines are those whose reads can lock rows.
var transactionalEngines = map[string]bool{"innodb": true, "tokudb": true, "rocksdb": true}

// Transactional tells whether the table's engine has transactions and row locks.
func (t *Table) Transactional() bool {
	return transactionalEngines[strings.ToLower(t.Engine)]
}

// expression returns what a generated column is computed by.
func (t *Table) expression(column sql.Column) string {
	return t.expressions[strings.ToLower(column.Name)]
}

// lacksDefault tells whether a row must come with a value for the column.
func (t *Table) lacksDefault(column sql.Column) bool {
	return !column.Nullable && !column.IsGenerated() && !column.AutoIncrement && !t.defaults[strings.ToLower(column.Name)]
}

// RequireUniqueKey is an error if the table has no key that a migration could use.
func (t *Table) RequireUniqueKey() error {
	switch {
	case len(t.UniqueKeys) > 0:
		return nil
	case len(t.indexes) == 0:
		return fmt.Errorf("no PRIMARY nor UNIQUE key found in table %s: rows cannot be told apart. Give it one first, with a native ALTER TABLE", t.Name)
	default:
		return fmt.Errorf("no PRIMARY nor UNIQUE key found in table %s that rows can be walked by (%s). Give it one on whole columns first, with a native ALTER TABLE",
			t.Name, strings.Join(t.unusable, "; "))
	}
}

// ReadTable reads a table's definition. It is an error if there is no table of exactly this name, or if it is a view or
// something else that cannot be migrated.
func ReadTable(ctx context.Context, db *gosql.DB, dialect mysql.Dialect, name sql.TableName) (*Table, error) {
	session, err := db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the definition of %s: %w", name, err)
	}
	defer session.Close()
	hideAgain, err := showGeneratedKeys(ctx, session, dialect)
	if err != nil {
		return nil, fmt.Errorf("reading the definition of %s: %w", name, err)
	}
	table, err := readTable(ctx, session, name)
	if hideErr := hideAgain(); err == nil && hideErr != nil {
		return nil, fmt.Errorf("reading the definition of %s: %w", name, hideErr)
	}
	return table, err
}

// showGeneratedKeys makes MySQL show the primary keys that it made itself, of which rows in the binary log have the column.
// The function that it returns undoes that.
func showGeneratedKeys(ctx context.Context, session *gosql.Conn, dialect mysql.Dialect) (undo func() error, err error) {
	nothing := func() error { return nil }
	if dialect.IsMariaDB() {
		return nothing, nil
	}
	const variable = "show_gipk_in_create_table_and_information_schema"
	var name, value string
	err = session.QueryRowContext(ctx, "SHOW /* gh-ost */ SESSION VARIABLES WHERE Variable_name = '"+variable+"'").Scan(&name, &value)
	if errors.Is(err, gosql.ErrNoRows) || err == nil && mysql.IsOn(value) {
		return nothing, nil
	}
	if err != nil {
		return nil, err
	}
	set := func(value string) error {
		_, err := session.ExecContext(ctx, "SET /* gh-ost */ SESSION "+variable+" = "+value)
		return err
	}
	return func() error { return set("OFF") }, set("ON")
}

func readTable(ctx context.Context, db mysql.Querier, name sql.TableName) (*Table, error) {
	table := &Table{Name: name}
	stored, err := table.readHead(ctx, db)
	if err != nil {
		return nil, err
	}
	table.stored = stored
	if err := table.readColumns(ctx, db, stored); err != nil {
		return nil, fmt.Errorf("reading the columns of %s: %w", name, err)
	}
	if table.indexes, err = readUniqueIndexes(ctx, db, stored); err != nil {
		return nil, fmt.Errorf("reading the unique keys of %s: %w", name, err)
	}
	table.chooseCandidates()
	return table, nil
}

// readHead reads what kind of table it is, and returns the name by which information_schema has it: a server with
// lower_case_table_names stores it in lower case.
func (t *Table) readHead(ctx context.Context, db mysql.Querier) (stored sql.TableName, err error) {
	rows, err := db.QueryContext(ctx, "SELECT /* gh-ost */ table_schema, table_name, table_type, IFNULL(engine, '') FROM information_schema.tables"+
		" WHERE table_schema = ? AND table_name = ?", t.Name.Schema, t.Name.Name)
	if err != nil {
		return stored, fmt.Errorf("looking for the table %s: %w", t.Name, err)
	}
	defer rows.Close()
	var tableType string
	for rows.Next() {
		var name sql.TableName
		var kind, engine string
		if err := rows.Scan(&name.Schema, &name.Name, &kind, &engine); err != nil {
			return stored, fmt.Errorf("looking for the table %s: %w", t.Name, err)
		}
		// information_schema may compare more loosely than tables are told apart.
		if name == t.Name || stored == (sql.TableName{}) && strings.EqualFold(name.String(), t.Name.String()) {
			stored, tableType, t.Engine = name, kind, engine
		}
	}
	if err := rows.Err(); err != nil {
		return stored, fmt.Errorf("looking for the table %s: %w", t.Name, err)
	}
	if stored == (sql.TableName{}) {
		return stored, fmt.Errorf("cannot find table %s: check --database and --table, and that the account may read it", t.Name)
	}
	return stored, checkTableType(t.Name, tableType)
}

func checkTableType(name sql.TableName, tableType string) error {
	switch tableType {
	case "BASE TABLE":
		return nil
	case "VIEW", "SYSTEM VIEW":
		return fmt.Errorf("%s is a VIEW, not a table: migrate the table below it", name)
	case "SYSTEM VERSIONED":
		return fmt.Errorf("%s is a system-versioned table, whose history a copy would not carry: use a native ALTER TABLE", name)
	case "SEQUENCE":
		return fmt.Errorf("%s is a SEQUENCE, not a table: use ALTER SEQUENCE", name)
	default:
		return fmt.Errorf("%s is a %s, not an ordinary table, and cannot be migrated", name, tableType)
	}
}

func (t *Table) readColumns(ctx context.Context, db mysql.Querier, stored sql.TableName) error {
	rows, err := db.QueryContext(ctx, "SELECT /* gh-ost */ table_schema, table_name, column_name, column_type, IFNULL(character_set_name, ''), IFNULL(collation_name, ''),"+
		" is_nullable, extra, IFNULL(generation_expression, ''), column_default IS NOT NULL"+
		" FROM information_schema.columns WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position", stored.Schema, stored.Name)
	if err != nil {
		return err
	}
	defer rows.Close()
	t.expressions, t.defaults = map[string]string{}, map[string]bool{}
	var columns []sql.Column
	for rows.Next() {
		var from sql.TableName
		var column sql.Column
		var columnType, nullable, extra, expression string
		var hasDefault bool
		if err := rows.Scan(&from.Schema, &from.Name, &column.Name, &columnType, &column.Charset, &column.Collation, &nullable, &extra, &expression, &hasDefault); err != nil {
			return err
		}
		if from != stored {
			continue
		}
		if column.Type, err = sql.ParseColumnType(columnType); err != nil {
			return fmt.Errorf("column %s: %w", sql.EscapeName(column.Name), err)
		}
		column.Nullable = nullable == "YES"
		column.Ordinal = len(columns)
		readExtra(&column, extra)
		t.defaults[strings.ToLower(column.Name)] = hasDefault
		if column.IsGenerated() {
			t.expressions[strings.ToLower(column.Name)] = expression
		}
		columns = append(columns, column)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if len(columns) == 0 {
		return errors.New("the server shows none. Does the account have the right to SELECT from it?")
	}
	t.Columns = sql.NewColumnList(columns)
	return nil
}

// readExtra reads the attributes in information_schema.columns.extra. Among them may be DEFAULT_GENERATED, which is no
// generated column.
func readExtra(column *sql.Column, extra string) {
	words := strings.FieldsFunc(strings.ToUpper(extra), func(r rune) bool { return r == ' ' || r == ',' })
	for i, word := range words {
		switch word {
		case "AUTO_INCREMENT":
			column.AutoIncrement = true
		case "INVISIBLE":
			column.Invisible = true
		case "PERSISTENT":
			column.Generation = sql.StoredGenerated
		case "GENERATED":
			if i > 0 && words[i-1] == "VIRTUAL" {
				column.Generation = sql.VirtualGenerated
			} else {
				column.Generation = sql.StoredGenerated
			}
		case "VIRTUAL":
			column.Generation = sql.VirtualGenerated
		}
	}
}
