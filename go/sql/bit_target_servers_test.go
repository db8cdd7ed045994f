package sql

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

// bitRefusal is a value that neither the copy nor the apply may store as bits.
type bitRefusal struct {
	from, to, value string
	// bent: the native ALTER takes it and stores something else, such as 0, on this server or, if it is "both", on both.
	bent testserver.Flavor
}

const bentByBoth testserver.Flavor = "both"

var bitRefusals = []bitRefusal{
	{from: "varchar(40)", to: "bit(16)", value: "'a'"},
	{from: "varchar(40)", to: "bit(16)", value: "'5a'"},
	{from: "varchar(40)", to: "bit(16)", value: "''"},
	{from: "varchar(40)", to: "bit(16)", value: "'5.5'"},
	{from: "varchar(40)", to: "bit(16)", value: "'1e2'"},
	{from: "varchar(40)", to: "bit(16)", value: "'0x10'"},
	{from: "varchar(40)", to: "bit(16)", value: "'-1'"},
	{from: "varchar(40)", to: "bit(16)", value: "'70000'"},
	{from: "varchar(40)", to: "bit(16)", value: "'99999999999999999999'"},
	{from: "varchar(40)", to: "bit(64)", value: "'a'"},
	{from: "varchar(40)", to: "bit(64)", value: "'9223372036854775808'"},
	{from: "varchar(40)", to: "bit(64)", value: "'18446744073709551615'"},
	{from: "varchar(40)", to: "bit(64)", value: "'-9223372036854775809'"},
	{from: "varchar(40) CHARACTER SET ucs2", to: "bit(64)", value: "'5.7'"},
	{from: "varchar(40) CHARACTER SET ucs2", to: "bit(64)", value: "'5a'", bent: bentByBoth},
	{from: "text", to: "bit(16)", value: "'70000'"},
	{from: "text", to: "bit(16)", value: "'5a'", bent: testserver.MySQL},
	{from: "text", to: "bit(64)", value: "'18446744073709551615'", bent: testserver.MySQL},
	{from: "varbinary(40)", to: "bit(64)", value: "0x05"},
	{from: "varbinary(40)", to: "bit(64)", value: "0x3500"},
	{from: "binary(4)", to: "bit(64)", value: "'5'"},
	{from: "blob", to: "bit(16)", value: "'a'", bent: testserver.MySQL},
	{from: "double", to: "bit(16)", value: "-0.6"},
	{from: "double", to: "bit(16)", value: "65535.5"},
	{from: "double", to: "bit(16)", value: "1e30"},
	{from: "double", to: "bit(64)", value: "1e300"},
	{from: "double", to: "bit(64)", value: "-1e300"},
	{from: "double", to: "bit(64)", value: "18446744073709551616e0"},
	{from: "double", to: "bit(64)", value: "9223372036854775808e0", bent: testserver.MariaDB},
	{from: "float", to: "bit(16)", value: "65535.5"},
	{from: "float", to: "bit(64)", value: "1e30", bent: bentByBoth},
	{from: "decimal(30,5)", to: "bit(8)", value: "-1"},
	{from: "decimal(30,5)", to: "bit(8)", value: "255.5"},
	{from: "decimal(30,5)", to: "bit(64)", value: "18446744073709551616"},
	{from: "bigint", to: "bit(16)", value: "-1"},
	{from: "date", to: "bit(16)", value: "'2020-01-02'"},
	{from: "time", to: "bit(32)", value: "'-10:20:30'"},
	{from: "json", to: "bit(64)", value: "'[1]'"},
	{from: "json", to: "bit(64)", value: "'\"a\"'"},
	{from: "json", to: "bit(16)", value: "'70000'"},
	{from: "bit(16)", to: "json", value: "5"},
	{from: "bit(16)", to: "bit(4)", value: "16"},
	{from: "year", to: "bit(8)", value: "2001"},
}

func TestWhatStandsForNoNumberThatFitsIsRefusedAsBits(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		server.Exec(t, testClock)
		loose, strict := session(t, server, schema, "+00:00", ""), session(t, server, schema, "+00:00", strictMode)
		start := binlogEnd(t, server, server.DB(t))
		for i, c := range bitRefusals {
			fill(t, loose, fmt.Sprintf("o%d", i), conversion{from: c.from, values: []string{c.value}})
		}
		inserted := insertedRows(t, server, schema, start, binlogEnd(t, server, server.DB(t)))

		for i, c := range bitRefusals {
			t.Run(fmt.Sprintf("%s to %s: %s", c.from, c.to, c.value), func(t *testing.T) {
				original, ghost, native := fmt.Sprintf("o%d", i), fmt.Sprintf("g%d", i), fmt.Sprintf("n%d", i)
				alter := " MODIFY v " + c.to
				mustExec(t, loose, fmt.Sprintf("CREATE TABLE %s LIKE %s", native, original))
				mustExec(t, loose, fmt.Sprintf("CREATE TABLE %s LIKE %s", ghost, original))
				mustExec(t, loose, fmt.Sprintf("INSERT INTO %s SELECT * FROM %s", native, original))
				mustExec(t, loose, "ALTER TABLE "+ghost+alter)
				source, target := describe(t, loose, schema, original), describe(t, loose, schema, ghost)
				shared := pairColumns(source, target)

				_, err := strict.ExecContext(t.Context(), "ALTER TABLE "+native+alter)
				if c.bent == bentByBoth || c.bent == server.Flavor {
					require.NoError(t, err, "native")
				} else {
					require.Error(t, err, "native")
				}

				applying, err := NewApplyStatements(TableName{schema, ghost}, shared, primaryKey(source[0]), TimeZones{Server: "+00:00"})
				require.NoError(t, err)
				query, args, err := applying.Replace(inserted[original])
				require.NoError(t, err)
				_, err = strict.ExecContext(t.Context(), query, args...)
				assert.Error(t, err, "applied")

				copying, err := NewCopyStatements(TableName{schema, original}, TableName{schema, ghost}, shared, primaryKey(source[0]), "LOCK IN SHARE MODE", TimeZones{Server: "+00:00"})
				require.NoError(t, err)
				query, args, err = copying.InsertChunk(Bound{int64(0)}, true, Bound{int64(1000)})
				require.NoError(t, err)
				_, err = strict.ExecContext(t.Context(), query, args...)
				assert.Error(t, err, "copied")
				assert.Empty(t, contents(t, strict, ghost, target))
			})
		}
	})
}
