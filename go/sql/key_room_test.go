package sql

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// keyPair is a column that changes its type; the character set is the collation's first word.
func keyPair(t *testing.T, from, to, collation string) SharedColumn {
	t.Helper()
	column := func(text string) Column {
		columnType, err := ParseColumnType(text)
		require.NoError(t, err)
		charset, _, _ := strings.Cut(collation, "_")
		return Column{Name: "k", Type: columnType, Charset: charset, Collation: collation}
	}
	return SharedColumn{Source: column(from), Target: column(to)}
}

func TestAColumnHasRoomForAllThatAnotherHolds(t *testing.T) {
	for _, change := range []struct {
		from, to string
		room     bool
	}{
		{"int", "bigint", true}, {"int", "smallint", false}, {"int", "int unsigned", false}, {"int", "varchar(20)", true}, {"int", "varchar(5)", false},
		{"int", "decimal(20,0)", true}, {"int", "decimal(5,0)", false}, {"int", "text", true},
		{"decimal(10,2)", "decimal(12,4)", true}, {"decimal(10,2)", "decimal(11,4)", false}, {"decimal(10,2)", "decimal(10,2) unsigned", false},
		{"varchar(9)", "varchar(12)", true}, {"varchar(9)", "varchar(8)", false}, {"varchar(9)", "char(9)", true}, {"varchar(9)", "char(8)", false}, {"varchar(9)", "text", true},
		{"varbinary(9)", "varbinary(8)", false}, {"binary(4)", "binary(4)", true}, {"binary(4)", "binary(5)", true}, {"binary(4)", "binary(3)", false}, {"binary(4)", "varbinary(4)", true},
		{"enum('a','b')", "enum('a')", false}, {"enum('a','b')", "enum('b','a')", true}, {"enum('abc')", "varchar(2)", false}, {"enum('äöü')", "varchar(3)", true},
		{"datetime(3)", "datetime(6)", true}, {"datetime(6)", "datetime(3)", false}, {"bit(3)", "bit(4)", true}, {"bit(4)", "bit(3)", false},
		{"double(10,2)", "double", true}, {"double(10,2)", "double(12,2)", false}, {"uuid", "char(36)", false}, {"inet6", "varchar(39)", true},
	} {
		assert.Equal(t, change.room, keyPair(t, change.from, change.to, "utf8mb4_bin").HasRoomForAll(), "%s to %s", change.from, change.to)
	}
}
