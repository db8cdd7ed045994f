package sql

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func column(t testing.TB, name, columnType, charset string) Column {
	t.Helper()
	parsed, err := ParseColumnType(columnType)
	require.NoError(t, err)
	return Column{Name: name, Type: parsed, Charset: charset}
}

func TestValuesAreWrittenInTheFormThatTheServerConverts(t *testing.T) {
	for _, c := range []struct {
		source, charset, target string
		value                   any
		expression              string
		args                    []any
	}{
		{"tinyint(3) unsigned", "", "tinyint unsigned", int8(-1), "?", []any{uint64(255)}},
		{"mediumint unsigned", "", "int", int32(-1), "?", []any{uint64(16777215)}},
		{"bigint unsigned", "", "bigint unsigned", int64(-1), "?", []any{uint64(math.MaxUint64)}},
		{"bigint unsigned", "", "bigint unsigned", []byte("18446744073709551615"), "?", []any{uint64(math.MaxUint64)}},
		{"int(5) unsigned zerofill", "", "varchar(9)", int32(42), "_utf8mb4 ?", []any{"00042"}},
		{"decimal(65,30)", "", "decimal(65,30)", "0.1", "CAST(? AS DECIMAL(65,30))", []any{"0.1"}},
		{"double", "", "double", 0.1, "1e-01", nil},
		{"double", "", "double", math.Copysign(0, -1), "-0e+00", nil},
		{"float", "", "float", float32(0.1), "1.0000000149011612e-01", nil},
		{"bit(3)", "", "bit(3)", []byte{5}, "?", []any{uint64(5)}},
		{"bit(9)", "", "varchar(9)", []byte{1, 5}, "_utf8mb4 ?", []any{"261"}},
		{"bit(9)", "", "mediumtext", []byte{1, 5}, "?", []any{[]byte{1, 5}}},
		{"bit(9)", "", "tinyblob", int64(5), "?", []any{[]byte{0, 5}}},
		{"bit(8)", "", "json", int64(53), "?", []any{[]byte("5")}},
		{"year(4)", "", "year", 0, "?", []any{int64(0)}},
		{"varchar(9)", "latin1", "varchar(9)", "\xfc", "_latin1 ?", []any{"\xfc"}},
		{"text", "utf8mb3", "text", []byte("a"), "_utf8mb4 ?", []any{"a"}},
		{"binary(3)", "", "binary(5)", "a", "?", []any{[]byte("a\x00\x00")}},
		{"blob", "", "blob", []byte(nil), "?", []any{[]byte{}}},
		{"enum('a','b')", "latin1", "enum('a','b')", int64(2), "?", []any{int64(2)}},
		{"enum('a','b')", "latin1", "enum('b','a')", int64(2), "_utf8mb4 ?", []any{"b"}},
		{"enum('a','b')", "latin1", "enum('0','a','00')", int64(0), "_utf8mb4 ?", []any{"000"}},
		{"enum('unsigned','b')", "latin1", "int", int64(1), "?", []any{int64(1)}},
		{"enum('a','b')", "latin1", "blob", int64(1), "CONVERT(_utf8mb4 ? USING latin1)", []any{"a"}},
		{"set('a','b','c')", "latin1", "set('c','b','a')", int64(5), "_utf8mb4 ?", []any{"a,c"}},
		{"timestamp", "", "timestamp", "2020-01-01 00:00:00", "?", []any{"2020-01-01 00:00:00"}},
		{"timestamp(2)", "", "datetime", "2020-01-01 00:00:00", "CONVERT_TZ(CAST(? AS DATETIME(2)), '+00:00', ?)", []any{"2020-01-01 00:00:00", "SYSTEM"}},
		{"time(3)", "", "text", "-01:02:03", "_utf8mb4 ?", []any{"-01:02:03.000"}},
		{"inet6", "", "inet6", "\xfe\x80", "CAST(? AS inet6)", []any{[]byte("\xfe\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")}},
		{"json", "", "json", JSONBinary{}, "CAST(_utf8mb4 ? AS JSON)", []any{"null"}},
		{"int", "", "int", nil, "NULL", nil},
		{"int", "", "bit(8)", int32(5), "?", []any{int64(5)}},
		{"varchar(9)", "latin1", "bit(8)", "5", "CAST(_latin1 ? AS SIGNED)", []any{"5"}},
		{"varbinary(9)", "", "bit(64)", "5", "CAST(? AS SIGNED) + (CAST(? AS DECIMAL(65)) > 9223372036854775807) * 9223372036854775807 * 2", []any{[]byte("5"), []byte("5")}},
		{"double", "", "bit(8)", 5.5, "CAST(5.5e+00 AS SIGNED)", nil},
		{"double", "", "bit(64)", 5.5, "CAST(5.5e+00 AS SIGNED) + (ABS(5.5e+00) >= 9223372036854774784e0) * 9223372036854775807 * 2", nil},
		{"decimal(3,1)", "", "bit(8)", "5.5", "/*!50700 CAST(*/CAST(? AS DECIMAL(3,1))/*!50700 AS SIGNED)*/", []any{"5.5"}},
		{"date", "", "bit(64)", "0000-00-00", "CAST(? AS SIGNED)", []any{int64(0)}},
		{"timestamp(2)", "", "bit(64)", "2020-01-01 00:00:00", "CAST(CONVERT_TZ(CAST(? AS DATETIME(2)), '+00:00', ?) AS SIGNED)", []any{"2020-01-01 00:00:00", "SYSTEM"}},
		{"varchar(9)", "latin1", "bit(8)", nil, "NULL", nil},
	} {
		t.Run(fmt.Sprintf("%s to %s: %v", c.source, c.target, c.value), func(t *testing.T) {
			binding, err := NewBinding(column(t, "a", c.source, c.charset), column(t, "b", c.target, "utf8mb4"), TimeZones{Server: "SYSTEM"})
			require.NoError(t, err)
			var query strings.Builder
			var args []any
			require.NoError(t, binding.Append(&query, &args, c.value))
			assert.Equal(t, c.expression, query.String())
			assert.Equal(t, c.args, args)
		})
	}
}

func TestAnEnumIsComparedByTheNumberZeroButStoredByItsDigit(t *testing.T) {
	binding, err := NewBinding(column(t, "a", "enum('a','b')", "latin1"), column(t, "b", "enum('b','a')", "latin1"), TimeZones{})
	require.NoError(t, err)
	var query strings.Builder
	var args []any
	require.NoError(t, binding.AppendComparable(&query, &args, int64(0)))
	assert.Equal(t, "?", query.String())
	assert.Equal(t, []any{int64(0)}, args)
}

func TestWhatCannotBeWrittenIsRefusedWithTheColumnAndItsType(t *testing.T) {
	for _, c := range []struct {
		source, target string
		value          any
		message        string
	}{
		{"int", "int", "1x", "value of column `a` int: not a number"},
		{"int", "int", 1.5, "a float64 does not come from such a column"},
		{"enum('a','b')", "text", int64(3), "there is no label 3"},
		{"enum('a','b')", "text", []byte("x"), `"x" is no label`},
		{"set('a','b')", "text", int64(4), "no label for the highest bit"},
		{"bit(3)", "bit(3)", int64(8), "more bits than the column"},
		{"json", "json", JSONBinary{0xff}, "unknown type 0xff"},
		{"json", "json", JSONBinary{0, 5, 0, 200, 0}, "ends too early"},
	} {
		binding, err := NewBinding(column(t, "a", c.source, ""), column(t, "b", c.target, ""), TimeZones{})
		require.NoError(t, err)
		assert.ErrorContains(t, binding.Append(&strings.Builder{}, &[]any{}, c.value), c.message)
	}
	_, err := NewBinding(column(t, "a", "hyperlog", ""), column(t, "b", "int", ""), TimeZones{})
	assert.ErrorContains(t, err, "column `a` hyperlog cannot be written to `b` int")
	_, err = NewBinding(column(t, "a", "vector(2)", ""), column(t, "b", "bit(64)", ""), TimeZones{})
	assert.ErrorContains(t, err, "stands for no number")
	_, err = NewBinding(column(t, "a", "datetime", ""), column(t, "b", "timestamp", ""), TimeZones{})
	assert.ErrorContains(t, err, "time zone")
	binding, err := NewBinding(column(t, "a", "int", ""), column(t, "b", "int", ""), TimeZones{})
	require.NoError(t, err)
	assert.ErrorContains(t, binding.AppendComparable(&strings.Builder{}, &[]any{}, nil), "column `a` of the unique key is NULL")
}

func TestDamagedJSONDocumentsGiveAnErrorAndNoPanic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		document := JSONBinary(rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "document"))
		if len(document) > 0 {
			document[0] %= 16
		}
		var query strings.Builder
		var args []any
		if jsonEncoder(&query, &args, document) == nil {
			assert.Equal(t, len(args), strings.Count(query.String(), "?"))
		}
	})
}

func TestDecimalsInJSONKeepEveryDigit(t *testing.T) {
	for _, c := range []struct {
		data string
		text string
	}{
		{"\x03\x02\x81\x32", "1.50"},
		{"\x03\x02\x7e\xcd", "-1.50"},
		{"\x0a\x00\x80\x00\x00\x00\x07", "7"},
		{"\x01\x01\x85", "0.5"},
	} {
		_, _, text, err := decodeJSONDecimal([]byte(c.data))
		require.NoError(t, err)
		assert.Equal(t, c.text, text)
	}
}
