package inspect

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/sql"
)

// conversionTypes have values each that are close to each other, or at the ends of the type. Sources ignore what does not fit.
var conversionTypes = map[string][]string{
	"tinyint": {"-128", "-1", "0", "1", "127"}, "tinyint unsigned": {"0", "1", "127", "128", "255"}, "smallint": {"-32768", "-129", "256", "32767"}, "smallint unsigned": {"0", "65535"},
	"mediumint": {"-8388608", "8388607"}, "mediumint unsigned": {"0", "16777215"}, "int": {"-2147483648", "2147483647"}, "int unsigned": {"0", "4294967295"},
	"bigint": {"-9223372036854775808", "9223372036854775807", "9007199254740992", "9007199254740993"}, "bigint unsigned": {"0", "9223372036854775808", "18446744073709551615"},
	"decimal(5,2)": {"1.10", "1.11", "-999.99", "999.99"}, "decimal(6,2)": {"1.10", "1.11", "9999.99"}, "decimal(6,3)": {"1.101", "1.102", "999.999"}, "decimal(4,2) unsigned": {"0", "99.99"},
	"double(10,2)": {"0.1", "0.11", "99999999.99"}, "float": {"0.1", "0.2", "16777216"}, "float(7,3)": {"0.101", "0.102"},
	"varchar(3) collate utf8mb4_general_ci": {"''", "'a'", "'b '"}, "char(5) collate utf8mb4_general_ci": {"'a'", "'b'"}, "double": {"0.1", "0.10000000000000002", "9007199254740993"}, "bit(3)": {"b'0'", "b'111'"}, "bit(9)": {"b'0'", "b'111111111'"}, "year": {"1901", "2155", "2000"},
	"date": {"'2024-02-29'", "'2024-03-01'"}, "time": {"'-838:59:59'", "'00:00:00'"}, "time(3)": {"'00:00:00.001'", "'00:00:00.002'"},
	"datetime": {"'2024-03-31 02:30:00'", "'2024-03-31 03:30:00'"}, "datetime(6)": {"'2024-03-31 02:30:00.000001'", "'2024-03-31 02:30:00.000002'"},
	"timestamp(3) null": {"'2024-10-27 01:30:00.001'", "'2024-10-27 01:30:00.002'"},
	"char(3)":           {"''", "'a'", "'A'", "'abc'"}, "char(5)": {"''", "'a '", "'abcde'"}, "varchar(3)": {"''", "'a'", "'a '", "' a'", "'ab '"}, "varchar(200)": {"''", "'a'", "'a '", "repeat('x', 199)", "repeat('x', 200)"},
	"varchar(3) collate utf8mb4_bin": {"'a'", "'A'", "'a '", "'ä'"}, "varchar(9) collate utf8mb4_bin": {"'a'", "'A'", "'abc'", "'abcdefghi'"}, "varchar(3) character set latin1": {"'ä'", "'a'"},
	"binary(2)": {"''", "'a'", "x'6100'", "x'0061'"}, "binary(4)": {"''", "'a'", "x'61000000'"}, "varbinary(4)": {"''", "'a'", "x'6100'", "x'61000000'"}, "varbinary(9)": {"'a'", "x'6100'"},
	"enum('x','y')": {"'x'", "'y'"}, "enum('y','x')": {"'x'", "'y'"}, "enum('x','y','z')": {"'x'", "'y'", "'z'"}, "set('x','y')": {"''", "'x'", "'x,y'"}, "set('x','y','z')": {"'x,z'", "''"},
}

func TestConversionsThatAreSaidToKeepValuesApartDo(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		tables := map[string]*Table{}
		names := map[string]string{}
		for columnType, values := range conversionTypes {
			name := fmt.Sprint("t", len(names))
			names[columnType] = name
			at.exec("CREATE TABLE %s (v %s, UNIQUE KEY (v)) DEFAULT CHARSET utf8mb4", name, columnType)
			for _, value := range values {
				at.exec("INSERT IGNORE INTO %s VALUES (%s)", name, value)
			}
			at.exec("CREATE TABLE into_%[1]s LIKE %[1]s", name)
			tables[columnType] = at.read(name)
		}
		kept := 0
		for source, from := range tables {
			for target, to := range tables {
				ghost := *to
				pair := sql.SharedColumn{Source: from.Columns.Columns()[0], Target: ghost.Columns.Columns()[0]}
				c := comparison{original: from, ghost: &ghost, pairs: []sql.SharedColumn{pair}}
				if !c.keepsDistinct(pair) {
					assert.NotEqual(t, source, target, "a type that does not change keeps its values apart")
					continue
				}
				kept++
				at.exec("DELETE FROM into_%s", names[target])
				_, err := at.admin.ExecContext(t.Context(), fmt.Sprintf("INSERT INTO into_%s SELECT v FROM %s", names[target], names[source]))
				assert.NoError(t, err, "%s to %s", source, target)
			}
		}
		assert.Greater(t, kept, len(tables)+20, "not only types that stay as they are")
	})
}

func TestColumnsOfTwoServersAgreeIfTheyMeanTheSame(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		const create = "id int, name varchar(20) CHARACTER SET utf8mb4, e enum('a','b'), g int AS (id + 1) STORED"
		at.exec("CREATE TABLE one (%s)", create)
		one := at.read("one")
		for columns, refused := range map[string]string{
			create: "",
			"ID int, name varchar(20) CHARACTER SET utf8mb4, e enum('a','b'), g int AS (id + 1) STORED":                 "",
			"id int NOT NULL, name varchar(20) CHARACTER SET utf8mb4, e enum('a','b'), g int AS (id + 1) STORED":        "",
			"id int(5), name varchar(20) CHARACTER SET utf8mb4, e enum('a','b'), g int(3) AS (id + 1) STORED, KEY (id)": "",
			"id int, e enum('a','b'), name varchar(20) CHARACTER SET utf8mb4, g int AS (id + 1) STORED":                 "id,name,e,g",
			create + ", more int": "has id,name,e,g,more",
			"id bigint, name varchar(20) CHARACTER SET utf8mb4, e enum('a','b'), g int AS (id + 1) STORED":       "column `id` is int",
			"id int unsigned, name varchar(20) CHARACTER SET utf8mb4, e enum('a','b'), g int AS (id + 1) STORED": "unsigned on the one to change",
			"id int, name varchar(20) CHARACTER SET latin1, e enum('a','b'), g int AS (id + 1) STORED":           "CHARACTER SET latin1",
			"id int, name varchar(21) CHARACTER SET utf8mb4, e enum('a','b'), g int AS (id + 1) STORED":          "varchar(21)",
			"id int, name varchar(20) CHARACTER SET utf8mb4, e enum('b','a'), g int AS (id + 1) STORED":          "column `e` is enum('a','b')",
			"id int, name varchar(20) CHARACTER SET utf8mb4, e enum('a','b'), g int":                             "column `g` is",
		} {
			at.exec("DROP TABLE IF EXISTS other")
			at.exec("CREATE TABLE other (%s)", columns)
			err := ColumnsAgree(one, at.read("other"))
			if refused == "" {
				assert.NoError(t, err, columns)
				continue
			}
			require.Error(t, err, columns)
			assert.ErrorContains(t, err, refused)
			assert.ErrorContains(t, err, "is not the same on both servers")
		}
	})
}

func TestOldAndNewNamesOfOneCharacterSetAgree(t *testing.T) {
	columnType, err := sql.ParseColumnType("varchar(20)")
	require.NoError(t, err)
	table := func(charset string) *Table {
		return &Table{Columns: sql.NewColumnList([]sql.Column{{Name: "a", Type: columnType, Charset: charset}})}
	}
	assert.NoError(t, ColumnsAgree(table("utf8"), table("utf8mb3")))
	assert.Error(t, ColumnsAgree(table("utf8"), table("utf8mb4")))
}
