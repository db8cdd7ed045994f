package logic

import (
	"strings"
	"testing"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/testserver"
)

func approveRenames(c *base.MigrationContext) { c.ApproveRenamedColumns = true }
func allowNullableKey(c *base.MigrationContext) {
	c.NullableUniqueKeyAllowed = true
}

const sequence = "WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 45) "

func TestTablesOfEveryKeyComeOutAsByANativeAlter(t *testing.T) {
	scenarios(t, map[string]scenario{
		"composite key": {
			create: []string{"CREATE TABLE %t (a int NOT NULL, b varchar(10) NOT NULL, c date NOT NULL, v int, PRIMARY KEY (a, b, c))",
				"INSERT INTO %t " + sequence + "SELECT n % 3, CONCAT('k', n % 7), DATE_ADD('2020-01-01', INTERVAL n DAY), n FROM s"},
			alter:  "ADD COLUMN extra int NOT NULL DEFAULT 3",
			before: []string{"UPDATE %t SET a = a + 1 WHERE a = 2", "DELETE FROM %t WHERE b = 'k3'", "UPDATE %t SET b = 'K1' WHERE b = 'k1'"},
			after:  []string{"UPDATE %t SET c = DATE_ADD(c, INTERVAL 100 DAY) WHERE a = 0", "DELETE FROM %t WHERE a = 1 AND b = 'k2'", "INSERT INTO %t VALUES (9, '', '1999-12-31', 1)"},
		},
		"string key that ignores case and accents": {
			create: []string{"CREATE TABLE %t (k varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci NOT NULL PRIMARY KEY, v int)",
				"INSERT INTO %t VALUES ('abc', 1), ('Äpfel', 2), ('straße', 3), ('ZZ', 4), ('ñ', 5), ('', 6), ('𝄞', 7)"},
			alter:  "ADD COLUMN extra int",
			before: []string{"UPDATE %t SET k = 'ABC' WHERE k = 'abc'", "UPDATE %t SET k = 'apfel' WHERE v = 2", "DELETE FROM %t WHERE k = 'zz'", "INSERT INTO %t VALUES ('Zz', 8)"},
			after:  []string{"UPDATE %t SET k = 'aBc', v = 10", "UPDATE %t SET k = 'STRASSE' WHERE v = 3"}[1:],
		},
		"string key with trailing spaces, PAD SPACE": {
			create: []string{"CREATE TABLE %t (k varchar(20) CHARACTER SET latin1 COLLATE latin1_swedish_ci NOT NULL PRIMARY KEY, v int)",
				"INSERT INTO %t VALUES ('a ', 1), ('b', 2), ('c   ', 3), (' d', 4), ('\u00e9', 5)"},
			alter:  "ADD COLUMN extra int",
			before: []string{"UPDATE %t SET k = 'a' WHERE v = 1", "DELETE FROM %t WHERE k = 'c'", "INSERT INTO %t VALUES ('C', 6)"},
			after:  []string{"UPDATE %t SET k = 'b   ' WHERE v = 2", "UPDATE %t SET k = 'E ' WHERE v = 5", "UPDATE %t SET v = 60 WHERE k = 'c'"},
		},
		"string key with trailing spaces, binary collation": {
			create: []string{"CREATE TABLE %t (k varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL PRIMARY KEY, v int)",
				"INSERT INTO %t VALUES ('a ', 1), ('A', 2), ('b', 3), ('B  ', 4)"},
			alter:  "ADD COLUMN extra int",
			before: []string{"UPDATE %t SET k = 'a' WHERE v = 1", "DELETE FROM %t WHERE v = 4"},
			after:  []string{"UPDATE %t SET k = 'B' WHERE v = 3", "INSERT INTO %t VALUES ('b', 5)"},
		},
		"string key, NO PAD": {
			only: testserver.MySQL,
			create: []string{"CREATE TABLE %t (k varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci NOT NULL PRIMARY KEY, v int)",
				"INSERT INTO %t VALUES ('a', 1), ('a ', 2), ('a  ', 3), ('ß', 4)"},
			alter:  "ADD COLUMN extra int",
			before: []string{"DELETE FROM %t WHERE v = 2", "UPDATE %t SET v = 30 WHERE v = 3"},
			after:  []string{"INSERT INTO %t VALUES ('A ', 5)", "UPDATE %t SET k = 'SS' WHERE v = 4"},
		},
		"binary keys with trailing zeros": { // K20
			create: []string{"CREATE TABLE %t (k binary(4) NOT NULL PRIMARY KEY, v int)",
				"INSERT INTO %t VALUES (x'61000000', 1), (x'00000000', 2), (x'61620000', 3), (x'61626300', 4), (x'ff00ff00', 5), ('', 6) ON DUPLICATE KEY UPDATE v = 6"},
			alter:  "ADD COLUMN extra int",
			before: []string{"UPDATE %t SET v = v + 100 WHERE k = x'61000000'", "DELETE FROM %t WHERE k = x'61620000'"},
			after:  []string{"UPDATE %t SET v = v + 100", "DELETE FROM %t WHERE k = x'ff00ff00'", "UPDATE %t SET k = x'61000001' WHERE k = x'61000000'", "INSERT INTO %t VALUES (x'20', 9)"},
		},
		"varbinary keys that differ in trailing zeros": { // K20
			create: []string{"CREATE TABLE %t (k varbinary(8) NOT NULL PRIMARY KEY, v int)",
				"INSERT INTO %t VALUES ('', 1), (x'00', 2), (x'0000', 3), (x'20', 4), (x'61', 5), (x'6120', 6), (x'6100', 7)"},
			alter:  "ADD COLUMN extra int",
			before: []string{"UPDATE %t SET v = v + 100 WHERE k = ''", "DELETE FROM %t WHERE k = x'00'", "UPDATE %t SET v = v + 100 WHERE k = x'6100'"},
			after:  []string{"UPDATE %t SET v = v + 1000", "DELETE FROM %t WHERE k = x'0000'", "INSERT INTO %t VALUES (x'00', 9)", "DELETE FROM %t WHERE k = x'61'"},
		},
		"unsigned bigint key": { // K21
			create: []string{"CREATE TABLE %t (k bigint unsigned NOT NULL PRIMARY KEY, v int)",
				"INSERT INTO %t VALUES (0, 0), (1, 1), (9223372036854775807, 2), (9223372036854775808, 3), (18446744073709551615, 4), (18446744073709551614, 5)"},
			alter:  "ADD COLUMN extra int",
			allows: "NO_AUTO_VALUE_ON_ZERO",
			before: []string{"UPDATE %t SET v = v + 100 WHERE k = 18446744073709551615", "DELETE FROM %t WHERE k = 9223372036854775808"},
			after:  []string{"UPDATE %t SET v = v + 100", "DELETE FROM %t WHERE k = 18446744073709551614", "INSERT INTO %t VALUES (9223372036854775809, 9)"},
		},
		"decimal and double keys": { // K21
			create: []string{"CREATE TABLE %t (k decimal(65,30) NOT NULL, d double NOT NULL, v int, PRIMARY KEY (k, d))",
				"INSERT INTO %t VALUES (0.000000000000000000000000000001, 0.1, 1), (-0.000000000000000000000000000001, 1.1, 2), (99999999999999999999999999999999999.999999999999999999999999999999, 1e300, 3), (0, -1e-300, 4)"},
			alter:  "ADD COLUMN extra int",
			before: []string{"UPDATE %t SET v = v + 100 WHERE v = 1", "DELETE FROM %t WHERE v = 2"},
			after:  []string{"UPDATE %t SET v = v + 1000", "DELETE FROM %t WHERE v = 1003", "UPDATE %t SET d = 0.30000000000000004 WHERE v = 1101"},
		},
		"temporal key in a session time zone": {
			create: []string{"SET time_zone = '-08:00'", "CREATE TABLE %t (k timestamp(3) NOT NULL DEFAULT '2020-01-01', d datetime(6) NOT NULL, v int, PRIMARY KEY (k, d))",
				"INSERT INTO %t VALUES ('2020-10-25 02:30:00.123', '2020-10-25 02:30:00.000001', 1), ('1970-01-02 00:00:00', '1000-01-01', 2), ('2037-12-31 23:59:59', '9999-12-31 23:59:59.999999', 3)"},
			alter:  "ADD COLUMN extra timestamp NULL DEFAULT '2021-06-01 12:00:00'",
			before: []string{"UPDATE %t SET v = v + 100 WHERE v = 1", "DELETE FROM %t WHERE v = 2"},
			after:  []string{"UPDATE %t SET v = v + 1000", "INSERT INTO %t VALUES ('2020-03-29 02:30:00', '2020-03-29 02:30:00', 9)", "SET time_zone = @@global.time_zone"},
		},
		"enum and set keys": {
			create: []string{"CREATE TABLE %t (k enum('z','m','a') NOT NULL, s set('x','y') NOT NULL, v int, PRIMARY KEY (k, s))",
				"INSERT INTO %t VALUES ('z', 'x', 1), ('a', 'x,y', 2), ('m', '', 3), ('a', '', 4)"},
			alter:  "ADD COLUMN extra int",
			before: []string{"UPDATE %t SET k = 'm' WHERE v = 1", "DELETE FROM %t WHERE v = 2"},
			after:  []string{"UPDATE %t SET s = 'y' WHERE v = 4", "INSERT INTO %t VALUES ('z', 'y', 5)"},
		},
		"nullable unique key without a NULL": {
			create:  []string{"CREATE TABLE %t (k int, v int, UNIQUE KEY u (k))", "INSERT INTO %t VALUES (1, 1), (2, 2), (3, 3)"},
			alter:   "ADD COLUMN extra int",
			options: []func(*base.MigrationContext){allowNullableKey},
			before:  []string{"UPDATE %t SET k = 20 WHERE k = 2"},
			after:   []string{"DELETE FROM %t WHERE k = 3", "INSERT INTO %t VALUES (4, 4)"},
		},
		"primary key changed to another column": {
			create: []string{"CREATE TABLE %t (a int NOT NULL PRIMARY KEY, b int NOT NULL, v int, UNIQUE KEY u (b))", "INSERT INTO %t " + sequence + "SELECT n, 100 - n, n FROM s"},
			alter:  "DROP PRIMARY KEY, ADD PRIMARY KEY (b), DROP KEY u",
			before: []string{"UPDATE %t SET a = a + 1000 WHERE a < 5", "DELETE FROM %t WHERE b = 90"},
			after:  []string{"UPDATE %t SET b = b + 1000 WHERE a > 40", "INSERT INTO %t VALUES (7777, 7777, 1)"},
		},
		"primary key made wider, old one kept as unique": {
			create: []string{"CREATE TABLE %t (a int NOT NULL PRIMARY KEY, b int NOT NULL, v int)", "INSERT INTO %t " + sequence + "SELECT n, 100 - n, n FROM s"},
			alter:  "DROP PRIMARY KEY, ADD PRIMARY KEY (b, a), ADD UNIQUE KEY (a)",
			before: []string{"UPDATE %t SET a = a + 1000 WHERE a < 5", "DELETE FROM %t WHERE b = 90"},
			after:  []string{"UPDATE %t SET b = b + 1000 WHERE a > 40"},
		},
		"type of the key changed": {
			create: []string{"CREATE TABLE %t (k int NOT NULL PRIMARY KEY, v int)", "INSERT INTO %t " + sequence + "SELECT n - 20, n FROM s"},
			alter:  "MODIFY k varchar(20) CHARACTER SET latin1 NOT NULL",
			before: []string{"UPDATE %t SET k = k - 100 WHERE k < -10", "DELETE FROM %t WHERE k = 3"},
			after:  []string{"UPDATE %t SET k = k + 1000 WHERE k > 10", "DELETE FROM %t WHERE k = -5"},
		},
		"keys shifted up by one": { // K3
			create: []string{"CREATE TABLE %t (id int NOT NULL PRIMARY KEY, v int)", "INSERT INTO %t " + strings.Replace(sequence, "45", "95", 1) + "SELECT n, n FROM s"},
			alter:  "ADD COLUMN extra int",
			before: []string{"UPDATE %t SET id = id + 1 ORDER BY id DESC"},
			after:  []string{"UPDATE %t SET id = id + 1 ORDER BY id DESC"},
		},
		"statements that write more than they seem to": { // K4
			create: []string{"CREATE TABLE %t (id int NOT NULL PRIMARY KEY, u int NOT NULL, UNIQUE KEY (u))", "INSERT INTO %t " + sequence + "SELECT n, n FROM s"},
			alter:  "ADD COLUMN extra int",
			before: []string{"REPLACE INTO %t VALUES (1, 30)", "INSERT INTO %t VALUES (5, 5) ON DUPLICATE KEY UPDATE u = 1000"},
			after: []string{"REPLACE INTO %t VALUES (2, 40)", "INSERT INTO %t VALUES (6, 6) ON DUPLICATE KEY UPDATE u = 2000", "BEGIN", "UPDATE %t SET u = u + 5000 WHERE id > 40",
				"SAVEPOINT s", "DELETE FROM %t", "ROLLBACK TO s", "COMMIT"},
		},
		"empty table": {
			create: []string{"CREATE TABLE %t (id int NOT NULL AUTO_INCREMENT PRIMARY KEY, v int)"},
			alter:  "ADD COLUMN extra int",
		},
		"empty table that gets rows": {
			create: []string{"CREATE TABLE %t (id int NOT NULL AUTO_INCREMENT PRIMARY KEY, v int)"},
			alter:  "ADD COLUMN extra int",
			before: []string{"INSERT INTO %t (v) VALUES (1), (2)"},
			after:  []string{"INSERT INTO %t (v) VALUES (3)", "DELETE FROM %t WHERE v = 1"},
		},
		"one row": {
			create: []string{"CREATE TABLE %t (id int NOT NULL PRIMARY KEY, v int)", "INSERT INTO %t VALUES (0, 1)"},
			alter:  "ENGINE=InnoDB",
			allows: "NO_AUTO_VALUE_ON_ZERO",
			after:  []string{"UPDATE %t SET v = 2"},
		},
		"emptied while it is copied": {
			create: []string{"CREATE TABLE %t (id int NOT NULL PRIMARY KEY, v int)", "INSERT INTO %t " + sequence + "SELECT n, n FROM s"},
			alter:  "ENGINE=InnoDB",
			before: []string{"DELETE FROM %t"},
		},
	})
}

func TestColumnsComeOutAsByANativeAlter(t *testing.T) {
	scenarios(t, map[string]scenario{
		"renamed by CHANGE": { // K13
			create:  []string{"CREATE TABLE %t (id int NOT NULL PRIMARY KEY, `name` varchar(20), other int)", "INSERT INTO %t " + sequence + "SELECT n, CONCAT('n', n), n FROM s"},
			alter:   "CHANGE Name alias varchar(30) CHARACTER SET latin1",
			options: []func(*base.MigrationContext){approveRenames},
			before:  []string{"UPDATE %t SET name = 'früh' WHERE id < 5"},
			after:   []string{"UPDATE %t SET name = 'spät' WHERE id > 40", "INSERT INTO %t VALUES (100, NULL, 1), (101, '', 2)"},
		},
		"renamed by RENAME COLUMN": { // K12
			create:  []string{"CREATE TABLE %t (id int NOT NULL PRIMARY KEY, a varchar(20), b int)", "INSERT INTO %t " + sequence + "SELECT n, CONCAT('n', n), n FROM s"},
			alter:   "RENAME COLUMN a TO c",
			options: []func(*base.MigrationContext){approveRenames},
			before:  []string{"UPDATE %t SET a = 'early' WHERE id < 5"},
			after:   []string{"UPDATE %t SET a = 'late' WHERE id > 40", "INSERT INTO %t VALUES (100, 'x', 1)"},
		},
		"two columns exchange their names": {
			create:  []string{"CREATE TABLE %t (id int NOT NULL PRIMARY KEY, a int, b int)", "INSERT INTO %t " + sequence + "SELECT n, n, 1000 + n FROM s"},
			alter:   "RENAME COLUMN a TO b, RENAME COLUMN b TO a",
			options: []func(*base.MigrationContext){approveRenames},
			after:   []string{"UPDATE %t SET a = -1 WHERE id < 5"},
		},
		"the key's column renamed": {
			create:  []string{"CREATE TABLE %t (id int NOT NULL AUTO_INCREMENT PRIMARY KEY, v int)", "INSERT INTO %t " + sequence + "SELECT n, n FROM s"},
			alter:   "CHANGE id ident bigint NOT NULL AUTO_INCREMENT",
			options: []func(*base.MigrationContext){approveRenames},
			before:  []string{"UPDATE %t SET id = id + 100 WHERE id < 5"},
			after:   []string{"DELETE FROM %t WHERE id > 100", "INSERT INTO %t (v) VALUES (9)"},
		},
		"text that looks like other changes": { // K14
			create: []string{"CREATE TABLE %t (id int NOT NULL PRIMARY KEY, a int, b int)", "INSERT INTO %t " + sequence + "SELECT n, n, n FROM s"},
			alter:  "ADD z INT COMMENT \"change a b int\", ADD y varchar(20) DEFAULT 'x, drop a', ADD `rename column a to c` int /* , drop b */",
			after:  []string{"UPDATE %t SET a = -a"},
		},
		"generated columns": {
			create: []string{"CREATE TABLE %t (id int NOT NULL PRIMARY KEY, a int, virt int GENERATED ALWAYS AS (a + 1) VIRTUAL, kept int GENERATED ALWAYS AS (a * 2) STORED, z int, UNIQUE KEY (kept))",
				"INSERT INTO %t (id, a, z) " + sequence + "SELECT n, n, n FROM s"},
			alter:   "ADD COLUMN extra int GENERATED ALWAYS AS (z + 5) STORED AFTER id",
			before:  []string{"UPDATE %t SET a = a + 1000 WHERE id < 5"},
			after:   []string{"UPDATE %t SET a = a + 2000, z = 1 WHERE id > 40", "DELETE FROM %t WHERE virt = 21"},
			differs: true, // MariaDB writes the expression in the column's own words
		},
		"a column dropped, one added in its place": {
			create: []string{"CREATE TABLE %t (id int NOT NULL PRIMARY KEY, a int, b int, c int)", "INSERT INTO %t " + sequence + "SELECT n, n, n, n FROM s"},
			alter:  "DROP COLUMN b, ADD COLUMN d int DEFAULT 5 FIRST, MODIFY c bigint AFTER id",
			before: []string{"UPDATE %t SET b = 0, c = 9 WHERE id < 5"},
			after:  []string{"UPDATE %t SET a = 0, c = 8 WHERE id > 40"},
		},
		"character sets converted": { // K17, K18
			create: []string{"CREATE TABLE %t (id int NOT NULL PRIMARY KEY, u varchar(20) CHARACTER SET ucs2, l text CHARACTER SET latin1, g varchar(20) CHARACTER SET sjis)",
				"INSERT INTO %t VALUES (1, 'plain ü', 'ü and €', 'テスト'), (2, 'x', 'y', 'z'), (3, NULL, '', '')"},
			alter:   "MODIFY u varchar(20) CHARACTER SET utf8mb4, CHANGE l long_text mediumtext CHARACTER SET utf8mb4, MODIFY g varchar(20) CHARACTER SET utf8mb4",
			options: []func(*base.MigrationContext){approveRenames},
			before:  []string{"UPDATE %t SET u = 'früh', l = '€ früh', g = 'ア' WHERE id = 2"},
			after:   []string{"INSERT INTO %t VALUES (4, 'Ωmega', '‰ und ü', 'ソ'), (5, '', '', '')", "UPDATE %t SET l = 'Ž' WHERE id = 1"},
		},
		"labels reordered": { // K15, K16
			create: []string{"CREATE TABLE %t (id int NOT NULL PRIMARY KEY, s set('a','b','c'), e enum('x','y','z'), s2 set('a','b'))",
				"INSERT INTO %t VALUES (1, 'a,c', 'x', 'a'), (2, 'b', 'z', 'b'), (3, '', NULL, '')"},
			alter:  "MODIFY s set('c','b','a'), MODIFY e enum('z','x'), MODIFY s2 varchar(20)",
			before: []string{"UPDATE %t SET s = 'a,b,c', e = 'z', s2 = 'a,b' WHERE id = 3"},
			after:  []string{"UPDATE %t SET s = 'c', e = 'x' WHERE id = 2", "INSERT INTO %t VALUES (4, 'a', 'z', 'b')"},
		},
		"zero dates, zero keys": { // K22
			create: []string{"CREATE TABLE %t (id int NOT NULL AUTO_INCREMENT PRIMARY KEY, d date, dt datetime NOT NULL, ts timestamp NULL)",
				"INSERT INTO %t VALUES (0, '0000-00-00', '2020-00-01 00:00:00', '0000-00-00 00:00:00'), (1, '2021-01-00', '0000-00-00 00:00:00', NULL), (50, NULL, '2020-01-01', NULL), (51, NULL, '2020-01-01', NULL)",
				"DELETE FROM %t WHERE id = 51"},
			alter:   "ADD COLUMN extra int",
			allows:  "ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO",
			options: []func(*base.MigrationContext){func(c *base.MigrationContext) { c.AllowZeroInDate = true }},
			before:  []string{"UPDATE %t SET d = '2020-00-00' WHERE id = 50"},
			after:   []string{"UPDATE %t SET dt = '0000-00-00 00:00:00' WHERE id = 50", "INSERT INTO %t VALUES (7, '0000-00-00', '2020-00-00', NULL)"},
		},
		"next AUTO_INCREMENT value": { // K22
			create: []string{"CREATE TABLE %t (id int NOT NULL AUTO_INCREMENT PRIMARY KEY, v int) AUTO_INCREMENT = 1000", "INSERT INTO %t (v) VALUES (1), (2)", "DELETE FROM %t WHERE id = 1001"},
			alter:  "ADD COLUMN extra int",
			after:  []string{"INSERT INTO %t (v) VALUES (3)"},
		},
		"a CHECK dropped by its name": { // K25; on MySQL a constraint's name belongs to the schema, the copy has others
			only:    testserver.MySQL,
			create:  []string{"CREATE TABLE %t (id int NOT NULL PRIMARY KEY, a int, CONSTRAINT small CHECK (a < 1000), CONSTRAINT positive CHECK (a > 0), CONSTRAINT also CHECK (a < 1000))", "INSERT INTO %t VALUES (1, 1), (2, 2)"},
			alter:   "DROP CONSTRAINT positive, ADD COLUMN b int",
			native:  "DROP CONSTRAINT oracle_chk_2, ADD COLUMN b int",
			after:   []string{"INSERT INTO %t VALUES (3, 3)"},
			differs: true,
		},
		"a CHECK dropped by its name, which belongs to the table": {
			only:   testserver.MariaDB,
			create: []string{"CREATE TABLE %t (id int NOT NULL PRIMARY KEY, a int, CONSTRAINT positive CHECK (a > 0), CONSTRAINT small CHECK (a < 1000))", "INSERT INTO %t VALUES (1, 1), (2, 2)"},
			alter:  "DROP CONSTRAINT positive, ADD COLUMN b int",
			after:  []string{"INSERT INTO %t VALUES (3, 3)"},
		},
		"a CHECK switched off by its name": {
			only:    testserver.MySQL,
			create:  []string{"CREATE TABLE %t (id int NOT NULL PRIMARY KEY, a int, CONSTRAINT positive CHECK (a > 0))", "INSERT INTO %t VALUES (1, 1), (2, 2)"},
			alter:   "ALTER CHECK positive NOT ENFORCED",
			native:  "ALTER CHECK oracle_chk_1 NOT ENFORCED",
			after:   []string{"INSERT INTO %t VALUES (3, 3)"},
			differs: true,
		},
	})
}

func TestNamesOfEveryKindAreMigrated(t *testing.T) {
	all := map[string]scenario{}
	for _, table := range []string{"with-dash", "with space", "back`quote", "Capital", "9digits", "frage?", "ünïcödé", "quote's \"", "per%cent", "_", "select", strings.Repeat("x", 64), strings.Repeat("ü", 60)} {
		all[table] = scenario{
			table:  table,
			create: []string{"CREATE TABLE %t (`id?` int NOT NULL PRIMARY KEY, `a-b ``c` int, `per%cent` varchar(20))", "INSERT INTO %t " + sequence + "SELECT n, n, '?%' FROM s"},
			alter:  "ADD COLUMN `new?` int",
			before: []string{"UPDATE %t SET `a-b ``c` = 0 WHERE `id?` < 5", "DELETE FROM %t WHERE `id?` = 7"},
			after:  []string{"UPDATE %t SET `id?` = `id?` + 1000, `per%cent` = '''?' WHERE `id?` > 40"},
		}
	}
	scenarios(t, all)
}
