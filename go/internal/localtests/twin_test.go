package localtests

import (
	gosql "database/sql"
	"fmt"
	"regexp"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/sql"
)

// twin is a table of the same making as the original, in a schema of its own, that a native ALTER has changed.
type twin struct {
	db       *gosql.DB
	name     sql.TableName
	source   []string // the original's rows, which the twin had before the ALTER
	alterErr error
}

// autoIncrement is the option by which SHOW CREATE TABLE shows the next number.
var autoIncrement = regexp.MustCompile(` AUTO_INCREMENT=(\d+)`)

// fullStatement recognises an ALTER that names its table itself.
var fullStatement = regexp.MustCompile(`(?i)^\s*ALTER\s+(ONLINE\s+)?(IGNORE\s+)?TABLE\s`)

// newTwin makes the twin of the original as it is now, which nobody must be changing.
func (r *trial) newTwin() *twin {
	r.t.Helper()
	schema := newSchema(r.t, r.server)
	twin := &twin{db: r.server.SchemaDB(r.t, schema), name: sql.TableName{Schema: schema, Name: r.table}}
	r.execute(twin.db, "create.sql", r.create)
	session, err := twin.db.Conn(r.ctx)
	require.NoError(r.t, err)
	defer session.Close()
	do := func(query string) {
		r.t.Helper()
		_, err := session.ExecContext(r.ctx, query)
		require.NoError(r.t, err, query)
	}
	// The rows, by a session that takes everything as it is.
	do("SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES', foreign_key_checks = 0, time_zone = '+00:00'")
	if r.localRows {
		do("SET SESSION time_zone = @@GLOBAL.time_zone")
	}
	do("DELETE FROM " + twin.name.String())
	if columns := writableColumns(r.t, r.admin, r.original()); len(columns) > 0 {
		list := strings.Join(columns, ", ")
		do(fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s", twin.name, list, list, r.original()))
	}
	if next := autoIncrement.FindStringSubmatch(structureOf(r.t, r.admin, r.original())); next != nil {
		do(fmt.Sprintf("ALTER TABLE %s AUTO_INCREMENT = %s", twin.name, next[1]))
	}
	twin.source = rowsOf(r.t, r.admin, r.original(), r.columns)
	require.Equal(r.t, twin.source, rowsOf(r.t, twin.db, twin.name, r.columns), "the twin does not have the original's rows")

	// The ALTER, by a session as any client has it, but strict.
	do("SET SESSION sql_mode = @@GLOBAL.sql_mode, foreign_key_checks = 1, time_zone = @@GLOBAL.time_zone")
	do("SET SESSION sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO')")
	for _, argument := range r.extraArgs {
		switch argument {
		case "--allow-zero-in-date":
			do("SET SESSION sql_mode = REPLACE(REPLACE(@@sql_mode, 'NO_ZERO_IN_DATE', ''), 'NO_ZERO_DATE', '')")
		case "--skip-strict-mode":
			do("SET SESSION sql_mode = REPLACE(@@sql_mode, 'STRICT_ALL_TABLES', '')")
		}
	}
	statement := r.alter
	if !fullStatement.MatchString(statement) {
		statement = fmt.Sprintf("ALTER TABLE %s %s", sql.EscapeName(r.table), statement)
	}
	_, twin.alterErr = session.ExecContext(r.ctx, statement)
	if twin.alterErr == nil && r.twin != "" {
		do(r.twin)
	}
	return twin
}
