package inspect

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// LocalTime is what in a ghost table depends on the time zone of the session that writes a row.
type LocalTime struct {
	// Clocks are the ghost's own DATETIME columns whose default is plainly CURRENT_TIMESTAMP.
	Clocks []sql.Column
	// Computed are what the server computes from moments or from the clock, one text each: columns that are stored or
	// indexed, parts of keys, checks, and defaults of the ghost's own columns.
	Computed []string
	// Converted are changes of type whose result depends on the zone for some values, one text each.
	Converted []string
}

// ReadLocalTime finds out what in the ghost depends on the time zone of sessions that write.
func ReadLocalTime(ctx context.Context, db mysql.Querier, dialect mysql.Dialect, ghost *Table, shared *Shared) (*LocalTime, error) {
	found := &LocalTime{}
	reader := localTimeReader{db: db, dialect: dialect, ghost: ghost, found: found}
	for _, column := range ghost.Columns.Columns() {
		if column.Type.Kind == sql.KindTimestamp {
			name := strings.ToLower(column.Name)
			reader.moments = append(reader.moments, sql.EscapeName(name), `"`+strings.ReplaceAll(name, `"`, `""`)+`"`)
		}
	}
	if err := reader.read(ctx, shared); err != nil {
		return nil, fmt.Errorf("looking for what in %s depends on the time zone: %w", ghost.Name, err)
	}
	for _, pair := range shared.Columns {
		if pair.IsWritten() && convertsByZone(pair, dialect) {
			found.Converted = append(found.Converted, fmt.Sprintf("column %s, which changes from %s to %s", sql.EscapeName(pair.Source.Name), pair.Source.Type.Text, pair.Target.Type.Text))
		}
	}
	return found, nil
}

// convertsByZone is true of a time of day that is given the date of today, and of text that may name an offset.
func convertsByZone(pair sql.SharedColumn, dialect mysql.Dialect) bool {
	source, target := pair.Source.Type, pair.Target.Type
	toDate := target.Kind == sql.KindDate || target.Kind == sql.KindDateTime || target.Kind == sql.KindTimestamp
	isText := source.IsCharacter() || source.IsBinary() || source.Kind == sql.KindJSON || source.Kind == sql.KindEnum || source.Kind == sql.KindSet
	return toDate && (source.Kind == sql.KindTime || isText && dialect.TakesOffsets())
}

type localTimeReader struct {
	db      mysql.Querier
	dialect mysql.Dialect
	ghost   *Table
	moments []string // the ghost's TIMESTAMP columns, as expressions name them in either style of quotes, in lower case
	found   *LocalTime
}

func (r localTimeReader) read(ctx context.Context, shared *Shared) error {
	indexed, err := r.indexed(ctx)
	if err != nil {
		return err
	}
	for _, column := range r.ghost.Columns.Columns() {
		isKept := column.Generation == sql.StoredGenerated || indexed[strings.ToLower(column.Name)]
		if column.IsGenerated() && isKept && r.dependsOnZone(r.ghost.expression(column)) {
			r.add("column %s, which is computed by %s", sql.EscapeName(column.Name), r.ghost.expression(column))
		}
	}
	if err := r.defaults(ctx, shared); err != nil {
		return err
	}
	return r.checks(ctx)
}

func (r localTimeReader) add(format string, args ...any) {
	r.found.Computed = append(r.found.Computed, fmt.Sprintf(format, args...))
}

// indexed are the columns that belong to some key, by their names in lower case. Parts that are expressions are looked at.
func (r localTimeReader) indexed(ctx context.Context) (map[string]bool, error) {
	expression := "NULL"
	if r.dialect.HasFunctionalKeys() {
		expression = "expression"
	}
	indexed := map[string]bool{}
	err := r.each(ctx, "SELECT /* gh-ost */ index_name, IFNULL(column_name, ''), IFNULL("+expression+", '') FROM information_schema.statistics"+
		" WHERE table_schema = ? AND table_name = ?", func(texts []string) {
		indexed[strings.ToLower(texts[1])] = true
		if r.dependsOnZone(texts[2]) {
			r.add("the key %s, which holds %s", sql.EscapeName(texts[0]), texts[2])
		}
	})
	return indexed, err
}

// plainClock is the default CURRENT_TIMESTAMP, as both servers show it.
var plainClock = regexp.MustCompile(`(?i)^current_timestamp(\(\d?\))?$`)

// defaults looks at the columns that get no value from the original.
func (r localTimeReader) defaults(ctx context.Context, shared *Shared) error {
	own := map[string]bool{}
	for _, name := range shared.GhostsOwn {
		own[strings.ToLower(name)] = true
	}
	return r.each(ctx, "SELECT /* gh-ost */ column_name, IFNULL(column_default, ''), extra FROM information_schema.columns"+
		" WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position", func(texts []string) {
		name, value := texts[0], texts[1]
		column, _ := r.ghost.Columns.Lookup(name)
		isComputed := r.dialect.IsMariaDB() || strings.Contains(strings.ToUpper(texts[2]), "DEFAULT_GENERATED")
		switch {
		case !own[strings.ToLower(name)] || !isComputed:
		case plainClock.MatchString(value) && column.Type.Kind == sql.KindTimestamp: // it is the moment, in any zone
		case plainClock.MatchString(value) && column.Type.Kind == sql.KindDateTime:
			r.found.Clocks = append(r.found.Clocks, column)
		case r.dependsOnZone(value):
			r.add("column %s, whose default is %s", sql.EscapeName(name), value)
		}
	})
}

func (r localTimeReader) checks(ctx context.Context) error {
	if !r.dialect.HasCheckConstraints() {
		return nil
	}
	query := "SELECT /* gh-ost */ constraint_name, check_clause FROM information_schema.check_constraints WHERE constraint_schema = ? AND table_name = ?"
	if !r.dialect.IsMariaDB() {
		query = "SELECT /* gh-ost */ c.constraint_name, c.check_clause FROM information_schema.check_constraints c" +
			" JOIN information_schema.table_constraints t ON t.constraint_schema = c.constraint_schema AND t.constraint_name = c.constraint_name" +
			" WHERE t.constraint_type = 'CHECK' AND t.table_schema = ? AND t.table_name = ?"
	}
	return r.each(ctx, query, func(texts []string) {
		if r.dependsOnZone(texts[1]) {
			r.add("the check %s, which is %s", sql.EscapeName(texts[0]), texts[1])
		}
	})
}

// each calls a function with each row's texts; the query is about the ghost.
func (r localTimeReader) each(ctx context.Context, query string, do func(texts []string)) error {
	rows, err := r.db.QueryContext(ctx, query, r.ghost.stored.Schema, r.ghost.stored.Name)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	texts, places := make([]string, len(names)), make([]any, len(names))
	for i := range texts {
		places[i] = &texts[i]
	}
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			return err
		}
		do(texts)
	}
	return rows.Err()
}

var (
	quotedText = regexp.MustCompile(`'(?:[^'\\]|\\.|'')*'`)
	// zonedFunction matches the calls that read the clock, or turn a moment into local time or back. Servers show
	// CURRENT_DATE and the like as calls.
	zonedFunction = regexp.MustCompile(`(?i)\b(now|current_timestamp|localtime|localtimestamp|sysdate|curdate|current_date|curtime|current_time|from_unixtime|unix_timestamp)\b *\(`)
)

// dependsOnZone tells whether an expression, as the server shows it, may depend on the session's time zone. It says so too
// often rather than too rarely.
func (r localTimeReader) dependsOnZone(expression string) bool {
	expression = quotedText.ReplaceAllString(expression, "")
	if zonedFunction.MatchString(expression) {
		return true
	}
	for _, moment := range r.moments {
		if strings.Contains(strings.ToLower(expression), moment) {
			return true
		}
	}
	return false
}
