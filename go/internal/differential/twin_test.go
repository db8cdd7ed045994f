package differential

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/github/gh-ost/go/sql"
)

// strictly is the session's state in which a migration writes, and so the native ALTER has to.
const strictly = "SET sql_mode = CONCAT(@@GLOBAL.sql_mode, ',STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO')"

// alterTwin makes a table of the original's rows, alters it natively, and returns it as it is then.
func (r *trial) alterTwin() (picture, error) {
	r.twins++
	return r.alterCopy("t", fmt.Sprintf("twin%d", r.twins))
}

func (r *trial) alterCopy(original, twin string) (picture, error) {
	columns, err := r.strings("SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = '" + original +
		"' AND COALESCE(generation_expression, '') = '' ORDER BY ordinal_position")
	if err != nil {
		return picture{}, err
	}
	for i, name := range columns {
		columns[i] = sql.EscapeName(name)
	}
	list := strings.Join(columns, ", ")
	if err := r.exec(
		"CREATE TABLE "+twin+" LIKE "+original,
		"SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES'",
		fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s", twin, list, list, original),
		strictly,
	); err != nil {
		return picture{}, err
	}
	err = r.exec("ALTER TABLE " + twin + " " + r.alter() + ", ALGORITHM=COPY")
	if resetErr := r.exec("SET sql_mode = @@GLOBAL.sql_mode"); resetErr != nil {
		return picture{}, errors.Join(err, resetErr)
	}
	if refused := (*mysql.MySQLError)(nil); errors.As(err, &refused) {
		return picture{refusal: err}, nil
	} else if err != nil {
		return picture{}, err
	}
	return r.look(twin)
}

// hadMisfit tells whether a native ALTER would have failed at some moment, by going through all of them again.
func (r *trial) hadMisfit() (bool, error) {
	if err := r.exec(strings.Replace(r.create, "CREATE TABLE t ", "CREATE TABLE again ", 1)); err != nil {
		return false, err
	}
	for i, statement := range r.done {
		for _, verb := range []string{"INSERT IGNORE INTO ", "UPDATE IGNORE ", "DELETE IGNORE FROM "} {
			if rest, found := strings.CutPrefix(statement, verb+"t "); found {
				statement = verb + "again " + rest
				break
			}
		}
		if _, err := r.db.ExecContext(r.ctx, statement); err != nil {
			continue // as it did before
		}
		twin := fmt.Sprintf("moment%d", i)
		at, err := r.alterCopy("again", twin)
		if err != nil || at.refusal != nil {
			return err == nil, err
		}
		if err := r.exec("DROP TABLE " + twin); err != nil {
			return false, err
		}
	}
	return false, nil
}

// strings returns the only column of a query's rows.
func (r *trial) strings(query string) (texts []string, err error) {
	rows, err := r.db.QueryContext(r.ctx, query)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, rows.Err()
}

var tableOptions = regexp.MustCompile(` AUTO_INCREMENT=\d+`)

// look reads a table: its rows, sorted, each column as hex, and what SHOW CREATE TABLE says behind its name.
func (r *trial) look(table string) (picture, error) {
	columns, err := r.strings("SELECT CONCAT(data_type, ' ', column_name) FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = '" +
		table + "' ORDER BY ordinal_position")
	if err != nil {
		return picture{}, err
	}
	var parts []string
	for _, column := range columns {
		dataType, name, _ := strings.Cut(column, " ")
		parts = append(parts, "'"+strings.ReplaceAll(name, "'", "''")+"='", "COALESCE("+distinctText(sql.EscapeName(name), dataType)+", 'NULL')", "' '")
	}
	var result picture
	if result.rows, err = r.strings("SELECT CONCAT(" + strings.Join(parts, ", ") + ") FROM " + table); err != nil {
		return picture{}, err
	}
	slices.Sort(result.rows)
	var name string
	if err := r.db.QueryRowContext(r.ctx, "SHOW CREATE TABLE "+table).Scan(&name, &result.definition); err != nil {
		return picture{}, err
	}
	result.definition = tableOptions.ReplaceAllString(strings.TrimPrefix(result.definition, "CREATE TABLE "+sql.EscapeName(table)), "")
	return result, nil
}

// distinctText is an expression whose text tells the values of the column apart.
func distinctText(column, dataType string) string {
	switch dataType {
	case "float":
		return "HEX(CAST(CAST(" + column + " AS DOUBLE) AS BINARY))" // as a FLOAT it would show six digits
	case "tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "double", "bit", "year", "date", "time", "datetime", "timestamp":
		return "HEX(CAST(" + column + " AS BINARY))" // HEX of a number would round it
	case "enum", "set":
		return "CONCAT(HEX(" + column + "), ' ', " + column + " + 0)" // the empty label and the invalid value look alike
	case "uuid", "inet4", "inet6":
		return "HEX(CAST(" + column + " AS CHAR))"
	default:
		return "HEX(" + column + ")"
	}
}
