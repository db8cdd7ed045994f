package logic

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

func TestATableIsKnownAgainWhateverItsName(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, name := range []string{"t", "T", "my-table", "a$b c", "ä日", "x@002dy", "%_|'\"`", "p#P#p0"} {
			t.Run(name, func(t *testing.T) {
				db, schema := server.DB(t), server.Schema(t)
				table := sql.TableName{Schema: schema, Name: name}
				identified, err := mysql.Identify(t.Context(), db)
				require.NoError(t, err)
				read := func(table sql.TableName) tableIdentity {
					identity, err := readTableIdentity(t.Context(), db, identified, table)
					require.NoError(t, err)
					return identity
				}
				renamed := sql.TableName{Schema: schema, Name: "another name"}
				server.Exec(t, "CREATE TABLE "+table.String()+" (id int AUTO_INCREMENT PRIMARY KEY, at timestamp NOT NULL DEFAULT '2020-02-02 20:20:20') COMMENT='AUTO_INCREMENT=9 '")
				server.Exec(t, "CREATE TABLE "+sql.TableName{Schema: schema, Name: name + "_"}.String()+" (id int PRIMARY KEY)")
				made := read(table)
				require.Len(t, made.IDs, 1)

				server.Exec(t, "INSERT INTO "+table.String()+" () VALUES (), (), ()")
				server.Exec(t, "RENAME TABLE "+table.String()+" TO "+renamed.String())
				assert.Equal(t, made, read(renamed), "rows and another name change nothing")
				assert.True(t, made.provenBy(read(renamed)))

				server.Exec(t, "CREATE TABLE "+table.String()+" LIKE "+renamed.String())
				twin := read(table)
				assert.Equal(t, made.Structure, twin.Structure)
				assert.False(t, made.equals(twin), "another table of the same structure")

				server.Exec(t, "ALTER TABLE "+renamed.String()+" COMMENT='AUTO_INCREMENT=10 '")
				assert.False(t, made.equals(read(renamed)), "another structure")
			})
		}
	})
}

func TestEachPartitionCounts(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		db, schema := server.DB(t), server.Schema(t)
		table := sql.TableName{Schema: schema, Name: "Parted"}
		identified, err := mysql.Identify(t.Context(), db)
		require.NoError(t, err)
		server.Exec(t, "CREATE TABLE "+table.String()+" (id int PRIMARY KEY) PARTITION BY RANGE (id) SUBPARTITION BY HASH (id) SUBPARTITIONS 2 (PARTITION `p-1` VALUES LESS THAN (10), PARTITION pMax VALUES LESS THAN MAXVALUE)")

		identity, err := readTableIdentity(t.Context(), db, identified, table)

		require.NoError(t, err)
		assert.Len(t, identity.IDs, 4)
		server.Exec(t, "ALTER TABLE "+table.String()+" TRUNCATE PARTITION pMax")
		truncated, err := readTableIdentity(t.Context(), db, identified, table)
		require.NoError(t, err)
		assert.False(t, identity.equals(truncated))
	})
}

func TestWhatIsNoTableHasNoIdentity(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		db, schema := server.DB(t), server.Schema(t)
		identified, err := mysql.Identify(t.Context(), db)
		require.NoError(t, err)
		server.Exec(t, "CREATE VIEW "+schema+".v AS SELECT 1 AS one")

		_, err = readTableIdentity(t.Context(), db, identified, sql.TableName{Schema: schema, Name: "v"})
		assert.ErrorContains(t, err, "it is a view")
		_, err = readTableIdentity(t.Context(), db, identified, sql.TableName{Schema: schema, Name: "none"})
		assert.True(t, mysql.IsNoSuchTable(err), "%v", err)
	})
}

func TestATableOfAnotherEngineHasNoIDsAndNoProof(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		db, schema := server.DB(t), server.Schema(t)
		identified, err := mysql.Identify(t.Context(), db)
		require.NoError(t, err)
		server.Exec(t, "CREATE TABLE "+schema+".m (id int PRIMARY KEY) ENGINE=MyISAM")

		identity, err := readTableIdentity(t.Context(), db, identified, sql.TableName{Schema: schema, Name: "m"})

		require.NoError(t, err)
		assert.Empty(t, identity.IDs)
		assert.True(t, identity.equals(identity))
		assert.False(t, identity.provenBy(identity))
	})
}

func TestAnIdentityIsReadAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		identity := tableIdentity{
			Server:    rapid.StringN(1, 80, 200).Draw(t, "server"),
			IDs:       rapid.SliceOfNDistinct(rapid.Uint64Range(1, 300), 0, 100, rapid.ID).Draw(t, "ids"),
			Structure: rapid.StringMatching(`[0-9a-f]{64}`).Draw(t, "structure"),
		}
		slices.Sort(identity.IDs)
		if len(identity.IDs) == 0 {
			identity.IDs = nil
		}

		text := identity.String()

		read, err := parseTableIdentity(text)
		require.NoError(t, err, text)
		require.Equal(t, identity, read, text)
		require.Equal(t, text, asciiOnly(text), "it fits the changelog")
	})
}

func TestAnIdentityThatIsTooLongForItsPlaceDoesWithoutIDs(t *testing.T) {
	identity := tableIdentity{Server: "s", Structure: "f"}
	for id := range uint64(8192) {
		identity.IDs = append(identity.IDs, 1_000_000+2*id)
	}
	read, err := parseTableIdentity(identity.String())
	require.NoError(t, err)
	assert.Empty(t, read.IDs)
	assert.True(t, identity.equals(read))
	assert.False(t, identity.provenBy(read))
}

func TestABrokenIdentityIsRefused(t *testing.T) {
	for _, text := range []string{"", "{}", `{"server":"\"s\""}`, `{"server":"s","structure":"f"}`,
		`{"server":"\"s\"","ids":"x","structure":"f"}`, `{"server":"\"s\"","ids":"2-1","structure":"f"}`, `{"server":"\"s\"","ids":"0-18446744073709551615","structure":"f"}`} {
		_, err := parseTableIdentity(text)
		assert.Error(t, err, text)
	}
}
