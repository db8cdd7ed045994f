package sql

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestColumnTypesAreReadFromTheServersText(t *testing.T) {
	for text, expected := range map[string]ColumnType{
		"int(10) unsigned":                      {Name: "int", Kind: KindInt, Unsigned: true, Length: 10},
		"bigint unsigned":                       {Name: "bigint", Kind: KindBigInt, Unsigned: true},
		"int(5) unsigned zerofill":              {Name: "int", Kind: KindInt, Unsigned: true, ZeroFill: true, Length: 5},
		"decimal(10,2)":                         {Name: "decimal", Kind: KindDecimal, Length: 10, Decimals: 2},
		"double(10,2)":                          {Name: "double", Kind: KindDouble, Length: 10, Decimals: 2, FixedDecimals: true},
		"double":                                {Name: "double", Kind: KindDouble},
		"bit(64)":                               {Name: "bit", Kind: KindBit, Length: 64},
		"datetime(6)":                           {Name: "datetime", Kind: KindDateTime, Decimals: 6},
		"timestamp":                             {Name: "timestamp", Kind: KindTimestamp},
		"binary(0)":                             {Name: "binary", Kind: KindBinary},
		"binary":                                {Name: "binary", Kind: KindBinary, Length: 1},
		"varchar(100) /*M!100301 COMPRESSED*/":  {Name: "varchar", Kind: KindVarChar, Length: 100},
		"datetime /* mariadb-5.3 */":            {Name: "datetime", Kind: KindDateTime},
		"multipolygon":                          {Name: "multipolygon", Kind: KindGeometry},
		"vector(3)":                             {Name: "vector", Kind: KindVector, Length: 3},
		"uuid":                                  {Name: "uuid", Kind: KindInet, Length: 16},
		"enum('unsigned','/*c*/','a,b')":        {Name: "enum", Kind: KindEnum, Labels: []string{"unsigned", "/*c*/", "a,b"}},
		`enum('it''s','back\\slash','l\nf','')`: {Name: "enum", Kind: KindEnum, Labels: []string{"it's", `back\slash`, "l\nf", ""}},
		"set(' a)','ü')":                        {Name: "set", Kind: KindSet, Labels: []string{" a)", "ü"}},
		"newtype(a,b) with words":               {Name: "newtype", Kind: KindUnknown},
	} {
		parsed, err := ParseColumnType(text)
		require.NoError(t, err, text)
		expected.Text = text
		assert.Equal(t, expected, parsed)
	}
}

func TestTextThatIsNoColumnTypeIsRefused(t *testing.T) {
	for _, text := range []string{"", "(5)", "enum('a", "enum(a)", "varchar(x)", "decimal(1,2,3)", "int(5"} {
		_, err := ParseColumnType(text)
		assert.ErrorContains(t, err, "cannot read the column type", text)
	}
}

func TestLabelsAreReadBackAsTheServerQuotedThem(t *testing.T) {
	quote := strings.NewReplacer("'", "''", `\`, `\\`, "\n", `\n`, "\r", `\r`, "\x00", `\0`)
	rapid.Check(t, func(t *rapid.T) {
		labels := rapid.SliceOfN(rapid.StringOf(rapid.SampledFrom([]rune("ab',()\\/* \n\x00ü"))), 1, 5).Draw(t, "labels")
		quoted := make([]string, len(labels))
		for i, label := range labels {
			quoted[i] = "'" + quote.Replace(label) + "'"
		}
		parsed, err := ParseColumnType("enum(" + strings.Join(quoted, ",") + ")")
		require.NoError(t, err)
		assert.Equal(t, labels, parsed.Labels)
	})
}
