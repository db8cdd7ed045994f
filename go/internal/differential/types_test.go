package differential

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/github/gh-ost/go/internal/testserver"
)

// family says which types a column is usually changed between.
type family string

const (
	integers family = "integer"
	numbers  family = "number"
	times    family = "time"
	texts    family = "text"
	bytesOf  family = "bytes"
	labels   family = "label"
	others   family = "other"
)

// columnType is a type with values that it takes.
type columnType struct {
	text   string
	family family
	values []string // SQL literals
	prefix bool     // only a prefix of it can be indexed, and it has no literal default
	only   testserver.Flavor
}

func (t columnType) isIndexable() bool { return !t.prefix && t.family != others }
func (t columnType) hasCharset() bool  { return t.family == texts || t.family == labels }

var (
	smallIntegers = []string{"0", "1", "2", "3", "5", "7", "100", "-1", "127"}
	largeIntegers = append([]string{"-128", "255", "32767", "65535", "2147483647", "4294967295"}, smallIntegers...)
	hugeIntegers  = append([]string{"9223372036854775807", "18446744073709551615", "-9223372036854775808"}, largeIntegers...)
	decimals      = []string{"0", "1", "-1.5", "2.25", "99.99", "0.004", "-0.005", "1234", "12345678.12"}
	doubles       = []string{"0", "1", "-1.5", "0.1", "1e10", "3.4028e38", "1.17549e-38", "16777217"}
	dates         = []string{"'2020-02-29'", "'1999-12-31'", "'2038-01-19'", "'1970-01-02'", "'2024-07-01'"}
	moments       = []string{"'2020-02-29 12:34:56'", "'1999-12-31 23:59:59.999999'", "'2024-07-01 00:00:00.5'", "'1970-01-02 00:00:01'", "'2037-12-31 08:00:00.123456'"}
	spans         = []string{"'00:00:00'", "'-01:02:03'", "'12:34:56.789'", "'838:59:59'", "'23:59:59.999999'"}
	words         = []string{"''", "'a'", "'A'", "'a '", "'b'", "'zz'", "'12'", "'ab\\\\c'", "'o''k'", "'-5'", "'1.5'", "'2020-01-01'"}
	letters       = append([]string{"'ä'", "'ß'", "'Äpfel'", "'0123456789'", "'€'"}, words...)
	pages         = append([]string{"'日本'", "'🎉x'", "REPEAT('x', 40)", "REPEAT('ü', 25)", "'ab        '"}, letters...)
	chapters      = append([]string{"REPEAT('x', 255)", "REPEAT('ü', 128)", "REPEAT('y', 300)", "REPEAT(' ', 280)"}, pages...)
	blobs         = []string{"x''", "x'00'", "x'6100'", "x'61'", "x'ff00fe'", "x'20'", "x'e29c93'"}
	files         = append([]string{"REPEAT(x'00', 255)", "REPEAT(x'00ff', 150)"}, blobs...)
)

var types = []columnType{
	{text: "tinyint", family: integers, values: smallIntegers},
	{text: "tinyint unsigned", family: integers, values: smallIntegers},
	{text: "smallint", family: integers, values: largeIntegers},
	{text: "mediumint unsigned", family: integers, values: largeIntegers},
	{text: "int", family: integers, values: largeIntegers},
	{text: "int unsigned", family: integers, values: largeIntegers},
	{text: "bigint", family: integers, values: hugeIntegers},
	{text: "bigint unsigned", family: integers, values: hugeIntegers},
	{text: "decimal(10,2)", family: numbers, values: decimals},
	{text: "decimal(6,0)", family: numbers, values: decimals},
	{text: "decimal(20,6)", family: numbers, values: decimals},
	{text: "float", family: numbers, values: doubles},
	{text: "double", family: numbers, values: doubles},
	{text: "bit(8)", family: integers, values: []string{"b'0'", "b'1'", "b'11111111'", "b'1100001'"}},
	{text: "year", family: integers, values: []string{"1901", "1999", "2024", "2155"}},
	{text: "date", family: times, values: dates},
	{text: "time", family: times, values: spans},
	{text: "time(3)", family: times, values: spans},
	{text: "datetime", family: times, values: moments},
	{text: "datetime(6)", family: times, values: moments},
	{text: "timestamp", family: times, values: moments},
	{text: "timestamp(3)", family: times, values: moments},
	{text: "char(5)", family: texts, values: words},
	{text: "varchar(3)", family: texts, values: words},
	{text: "varchar(20)", family: texts, values: letters},
	{text: "varchar(60)", family: texts, values: pages},
	{text: "varchar(300)", family: texts, values: chapters},
	{text: "tinytext", family: texts, values: pages, prefix: true},
	{text: "text", family: texts, values: chapters, prefix: true},
	{text: "mediumtext", family: texts, values: chapters, prefix: true},
	{text: "binary(4)", family: bytesOf, values: blobs},
	{text: "varbinary(8)", family: bytesOf, values: blobs},
	{text: "tinyblob", family: bytesOf, values: blobs, prefix: true},
	{text: "blob", family: bytesOf, values: files, prefix: true},
	{text: "enum('a','b','c')", family: labels, values: []string{"'a'", "'b'", "'c'"}},
	{text: "enum('c','a','ö','b')", family: labels, values: []string{"'a'", "'b'", "'c'", "'ö'"}},
	{text: "set('a','b','c')", family: labels, values: []string{"''", "'a'", "'a,c'", "'a,b,c'"}},
	{text: "set('c','a')", family: labels, values: []string{"''", "'a'", "'c,a'"}},
	{text: "json", family: others, prefix: true, values: []string{`'{}'`, `'[1, 2.5, "ä"]'`, `'{"a": null, "b": true}'`, `'1'`, `'12.5'`, `'true'`, `'"x"'`}},
	{text: "uuid", family: others, only: testserver.MariaDB, values: []string{"'123e4567-e89b-12d3-a456-426614174000'", "'00000000-0000-0000-0000-000000000001'"}},
	{text: "inet6", family: others, only: testserver.MariaDB, values: []string{"'::1'", "'2001:db8::ff00:42:8329'"}},
}

// charsets are what follows a type with characters; the empty one is the table's.
var charsets = []string{
	"", "", "", "CHARACTER SET latin1", "CHARACTER SET utf8mb4", "CHARACTER SET utf8mb3", "CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
	"CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci", "CHARACTER SET latin1 COLLATE latin1_bin", "CHARACTER SET ucs2",
}

// drawType draws a type of this server that is wanted.
func drawType(t *rapid.T, flavor testserver.Flavor, wanted func(columnType) bool) columnType {
	var choices []columnType
	for _, candidate := range types {
		if (candidate.only == "" || candidate.only == flavor) && wanted(candidate) {
			choices = append(choices, candidate)
		}
	}
	return choices[rapid.IntRange(0, len(choices)-1).Draw(t, "type")]
}

// drawCharset draws a character set that has all labels of the type.
func drawCharset(t *rapid.T, of columnType) string {
	if !of.hasCharset() {
		return ""
	}
	return rapid.SampledFrom(charsets).Draw(t, "charset")
}

func anyType(columnType) bool { return true }

// oneIn is true once in so many cases, and shrinks to false.
func oneIn(t *rapid.T, many int, label string) bool {
	return rapid.IntRange(0, many-1).Draw(t, label) == many-1
}

// drawSome draws up to most different ones, at least one if there are any.
func drawSome[T any](t *rapid.T, of []T, most int, label string) []T {
	if len(of) == 0 {
		return nil
	}
	count := rapid.IntRange(1, min(most, len(of))).Draw(t, label+" count")
	return slices.Clone(rapid.Permutation(of).Draw(t, label)[:count])
}
