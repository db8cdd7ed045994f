package binlog

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/sql"
)

// valueCase is a column, what is written to it, and what comes out of the log.
type valueCase struct {
	column  string
	literal string
	want    any
}

var valuesOfBoth = []valueCase{
	{"tinyint", "-128", int8(-128)},
	{"tinyint unsigned", "255", int8(-1)},
	{"smallint unsigned", "65535", int16(-1)},
	{"mediumint", "-8388608", int32(-8388608)},
	{"mediumint unsigned", "16777215", int32(-1)},
	{"int unsigned", "4294967295", int32(-1)},
	{"bigint", "-9223372036854775808", int64(math.MinInt64)},
	{"bigint unsigned", "18446744073709551615", int64(-1)},
	{"bool", "true", int8(1)},
	{"decimal(65,30)", "-12345678901234567890123456789012345.000000000000000000000000000001", "-12345678901234567890123456789012345.000000000000000000000000000001"},
	{"decimal(10,0)", "-7", "-7"},
	{"decimal(9,9)", "0.000000001", "0.000000001"},
	{"float", "1.1", float32(1.1)},
	{"double", "1.7976931348623157e308", 1.7976931348623157e308},
	{"double", "0.1", 0.1},
	{"bit(1)", "b'1'", int64(1)},
	{"bit(9)", "b'100000001'", int64(257)},
	{"bit(64)", "0xffffffffffffffff", int64(-1)},
	{"year", "0", 0},
	{"year", "1901", 1901},
	{"year", "2155", 2155},
	{"date", "'0000-00-00'", "0000-00-00"},
	{"date", "'2024-02-00'", "2024-02-00"},
	{"date", "'9999-12-31'", "9999-12-31"},
	{"time", "'-838:59:59'", "-838:59:59"},
	{"time", "'00:00:00'", "00:00:00"},
	{"time(1)", "'-00:00:00.1'", "-00:00:00.1"},
	{"time(2)", "'-00:00:01.01'", "-00:00:01.01"},
	{"time(3)", "'-01:02:03.456'", "-01:02:03.456"},
	{"time(4)", "'12:34:56.0001'", "12:34:56.0001"},
	{"time(6)", "'-00:00:00.000001'", "-00:00:00.000001"},
	{"datetime", "'0000-00-00 00:00:00'", "0000-00-00 00:00:00"},
	{"datetime(1)", "'2024-02-29 23:59:59.9'", "2024-02-29 23:59:59.9"},
	{"datetime(3)", "'2024-02-29 23:59:59.007'", "2024-02-29 23:59:59.007"},
	{"datetime(6)", "'0001-01-01 00:00:00.000001'", "0001-01-01 00:00:00.000001"},
	// The session's time zone is +05:30.
	{"timestamp null", "'2024-02-29 05:30:00'", "2024-02-29 00:00:00"},
	{"timestamp null", "'0000-00-00 00:00:00'", "0000-00-00 00:00:00"},
	{"timestamp(6) null", "'2024-02-29 05:29:59.123456'", "2024-02-28 23:59:59.123456"},
	{"timestamp(2) null", "'2038-01-19 08:44:07.99'", "2038-01-19 03:14:07.99"},
	{"char(3) charset latin1", "'ü '", "\xfc"},
	{"char(200) charset utf8mb4", "'€'", "€"},
	{"varchar(3) charset ucs2", "'aé'", "\x00a\x00\xe9"},
	{"varchar(300) charset utf8mb4", "''", ""},
	{"binary(4)", "x'01000000'", "\x01"},
	{"binary(4)", "x'00000000'", ""},
	{"binary(4)", "x'20202020'", "    "},
	{"varbinary(4)", "x'0000'", "\x00\x00"},
	{"varbinary(300)", "x'ff00'", "\xff\x00"},
	{"tinytext charset latin1", "'ü'", []byte("\xfc")},
	{"mediumtext charset utf8mb4", "''", []byte{}},
	{"longtext charset utf8mb4", "repeat('x', 70000)", bytes.Repeat([]byte("x"), 70000)},
	{"tinyblob", "x'00'", []byte{0}},
	{"blob", "x''", []byte{}},
	{"mediumblob", "x'00ff'", []byte{0, 0xff}},
	{"enum('a','b')", "'b'", int64(2)},
	{"enum('a','b')", "null", nil},
	{"set('a','b','c')", "'a,c'", int64(5)},
	{"set('" + strings.Join(setMembers(64), "','") + "')", "9223372036854775809", int64(math.MinInt64 + 1)},
	{"geometry", "st_geomfromtext('POINT(1 2)')", []byte("\x00\x00\x00\x00\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\x00\x40")},
	{"int", "null", nil},
}

var valuesOfMySQL = []valueCase{
	{"json", "'{}'", sql.JSONBinary{0, 0, 0, 4, 0}},
	{"json", "'1'", sql.JSONBinary{5, 1, 0}},
	{"json", "'null'", sql.JSONBinary{4, 0}},
	{"json", "null", nil},
	{"vector(2)", "string_to_vector('[1,2]')", []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}},
}

var valuesOfMariaDB = []valueCase{
	{"json", `'{"a": 1.0}'`, []byte(`{"a": 1.0}`)},
	{"inet6", "'::ffff:1.2.3.0'", "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\x01\x02\x03"},
	{"inet6", "'::'", ""},
	{"inet4", "'1.2.0.0'", "\x01\x02"},
	{"uuid", "'123e4567-e89b-12d3-a456-426655440000'", "\x12\x3e\x45\x67\xe8\x9b\x12\xd3\xa4\x56\x42\x66\x55\x44"},
	{"text compressed", "repeat('abc', 200)", []byte(strings.Repeat("abc", 200))},
	{"text compressed", "'a'", []byte("a")},
	{"mediumblob compressed", "repeat('abc', 100000)", []byte(strings.Repeat("abc", 100000))},
	{"varchar(254) charset latin1 compressed", "repeat('x', 254)", strings.Repeat("x", 254)},
	{"varchar(255) charset latin1 compressed", "repeat('x', 255)", strings.Repeat("x", 255)},
	{"varchar(256) charset latin1 compressed", "repeat('x', 256)", strings.Repeat("x", 256)},
	{"varchar(10) charset latin1 compressed", "''", ""},
	{"varbinary(30000) compressed", "repeat('q', 20000)", strings.Repeat("q", 20000)},
}

func setMembers(count int) []string {
	members := make([]string, count)
	for i := range members {
		members[i] = "m" + strings.Repeat("i", i)
	}
	return members
}

func TestEachTypeArrivesAsItStandsInTheLog(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		cases := append(valuesOfBoth[:len(valuesOfBoth):len(valuesOfBoth)], valuesOfMySQL...)
		if server.Flavor == testserver.MariaDB {
			cases = append(valuesOfBoth[:len(valuesOfBoth):len(valuesOfBoth)], valuesOfMariaDB...)
		}
		schema := server.Schema(t)
		create, insert := "CREATE TABLE "+schema+".t (id int PRIMARY KEY", "INSERT INTO "+schema+".t VALUES (1"
		for i, c := range cases {
			create += fmt.Sprintf(", c%d %s", i, c.column)
			insert += ", " + c.literal
		}
		server.Exec(t, create+") ROW_FORMAT=DYNAMIC")
		f := follow(t, server, schema)

		server.Exec(t, "SET sql_mode = '', time_zone = '+05:30', SESSION character_set_client = utf8mb4; "+insert+")")
		server.Exec(t, "SET sql_mode = ''; DELETE FROM "+schema+".t")

		events := f.rows("t", 2)
		require.Equal(t, Insert, events[0].Kind)
		require.Equal(t, Delete, events[1].Kind)
		require.Equal(t, len(cases)+1, events[0].ColumnCount)
		for i, c := range cases {
			assert.Equal(t, c.want, events[0].Rows[0].After[i+1], "insert: %.60s %.60s", c.column, c.literal)
			assert.Equal(t, c.want, events[1].Rows[0].Before[i+1], "delete: %.60s %.60s", c.column, c.literal)
		}
	})
}

func TestGeneratedColumnsKeepTheirPlace(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		hidden := ", INDEX ((a + 5))" // makes a hidden column, which is not in the log
		if server.Flavor == testserver.MariaDB {
			hidden = ""
		}
		server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY, a int, v int AS (a + 1) VIRTUAL, s int AS (a + 2) STORED, "+
			"vi int AS (a + 3) VIRTUAL, z int, INDEX (vi)"+hidden+")")
		f := follow(t, server, schema)

		server.Exec(t, "INSERT INTO "+schema+".t (id, a, z) VALUES (1, 10, 77); UPDATE "+schema+".t SET a = 20; DELETE FROM "+schema+".t")

		first := []any{int32(1), int32(10), int32(11), int32(12), int32(13), int32(77)}
		second := []any{int32(1), int32(20), int32(21), int32(22), int32(23), int32(77)}
		events := f.rows("t", 3)
		assert.Equal(t, RowChange{After: first}, events[0].Rows[0])
		assert.Equal(t, RowChange{Before: first, After: second}, events[1].Rows[0])
		assert.Equal(t, RowChange{Before: second}, events[2].Rows[0])
	})
}

func TestCompressedColumnsAreReadWithAndWithoutZlibHeader(t *testing.T) {
	server := testserver.Shared(t, testserver.MariaDB)
	schema := server.Schema(t)
	server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY, c text COMPRESSED)")
	f := follow(t, server, schema)

	for _, wrap := range []string{"ON", "OFF"} {
		server.Exec(t, "SET GLOBAL column_compression_zlib_wrap = "+wrap)
		server.Exec(t, "REPLACE INTO "+schema+".t VALUES (1, repeat('abc', 500))")
	}

	for _, event := range f.rows("t", 2) {
		assert.Equal(t, []byte(strings.Repeat("abc", 500)), event.Rows[0].After[1])
	}
}

func TestTemporalFormatOfOldMariaDBIsRefusedByName(t *testing.T) {
	server := testserver.Shared(t, testserver.MariaDB)
	schema := server.Schema(t)
	server.Exec(t, "SET GLOBAL mysql56_temporal_format = OFF")
	server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY, c time(3))")
	server.Exec(t, "SET GLOBAL mysql56_temporal_format = ON")
	f := follow(t, server, schema)

	server.Exec(t, "INSERT INTO "+schema+".t VALUES (1, '-01:02:03.456')")

	var refused *DecodeError
	require.ErrorAs(t, f.end(), &refused)
	assert.Equal(t, "t", refused.Table)
	assert.ErrorContains(t, refused, "column #2 has the temporal format")
}

func TestOldTimeKeepsItsSign(t *testing.T) {
	for digits, want := range map[int32]string{-10203: "-01:02:03", 0: "00:00:00", 8385959: "838:59:59", -5: "-00:00:05"} {
		got, err := oldTime(digits)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

func TestDamagedCompressedValuesAreErrors(t *testing.T) {
	for name, stored := range map[string]string{
		"unknown method":  "\x70abc",
		"no length":       "\x82",
		"no zlib header":  "\x81\x03abc",
		"not deflated":    "\x89\x03\xff\xff\xff",
		"length too long": "\x89\x09KLJ\x06\x00",
	} {
		_, err := decompress([]byte(stored))
		assert.Error(t, err, name)
	}
}
