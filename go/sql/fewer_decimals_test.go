package sql

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

func TestFractionsThatATypeNoLongerShowsAreRoundedWhetherCopiedOrApplied(t *testing.T) {
	cases := map[string]struct {
		conversion
		rounded []string
	}{
		"plain": {conversion{from: "float", to: "float(7,2)", values: []string{"1.126", "2.25", "1.5", "NULL"}}, []string{"2.25", "1.1299999952316284", "1.5", "NULL"}},
		"wide":  {conversion{from: "double", to: "double(8,2)", values: []string{"1.126", "2.25", "1.5", "NULL"}}, []string{"2.25", "1.13", "1.5", "NULL"}},
		"fixed": {conversion{from: "double(8,3)", to: "double(8,2)", values: []string{"1.126", "1.13"}}, []string{"1.13", "1.13"}},
	}
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		conn := session(t, server, schema, "+00:00", strictMode)
		start := binlogEnd(t, server, server.DB(t))
		for name, c := range cases {
			fill(t, conn, name, c.conversion)
		}
		inserted := insertedRows(t, server, schema, start, binlogEnd(t, server, server.DB(t)))

		for name, c := range cases {
			t.Run(c.String(), func(t *testing.T) {
				for _, table := range []string{name + "_copied", name + "_applied"} {
					mustExec(t, conn, "CREATE TABLE "+table+" LIKE "+EscapeName(name))
					mustExec(t, conn, "ALTER TABLE "+table+" MODIFY v "+c.to)
				}
				source, target := describe(t, conn, schema, name), describe(t, conn, schema, name+"_copied")
				shared, zones := pairColumns(source, target), TimeZones{}

				copying, err := NewCopyStatements(TableName{schema, name}, TableName{schema, name + "_copied"}, shared, primaryKey(source[0]), "", zones)
				require.NoError(t, err)
				query, args, err := copying.InsertChunk(Bound{int64(0)}, true, Bound{int64(1000)})
				require.NoError(t, err)
				mustExec(t, conn, query, args...)
				applying, err := NewApplyStatements(TableName{schema, name + "_applied"}, shared, primaryKey(source[0]), zones)
				require.NoError(t, err)
				query, args, err = applying.Replace(inserted[name])
				require.NoError(t, err)
				mustExec(t, conn, query, args...)

				assert.ElementsMatch(t, c.rounded, contents(t, conn, name+"_copied", target[1:]), "copied")
				assert.ElementsMatch(t, c.rounded, contents(t, conn, name+"_applied", target[1:]), "applied")
			})
		}
	})
}
