package inspect

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/sql"
)

// pairs shows shared columns as text: a>b for one that is renamed, (a) for one that is not written.
func pairs(columns []sql.SharedColumn) string {
	var texts []string
	for _, pair := range columns {
		text := pair.Source.Name
		if pair.Target.Name != text {
			text += ">" + pair.Target.Name
		}
		if !pair.IsWritten() {
			text = "(" + text + ")"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ",")
}

// What is expected of one ALTER: either the error's phrase, or the rest.
type comparisonCase struct {
	create, alter string
	only          string // mysql or mariadb, where the other's grammar differs
	allowNullable bool

	refused  []string // phrases
	columns  string
	key      string // name/name in the ghost
	stricter string
	warnings []string // phrases, one for each warning
}

var comparisonCases = map[string]comparisonCase{
	"nothing changes": {create: "id int PRIMARY KEY, a int, b int", alter: "FORCE", columns: "id,a,b", key: "PRIMARY/PRIMARY"},
	"columns are added, dropped and moved": {create: "id int PRIMARY KEY, a int, b int", alter: "DROP a, ADD c int FIRST, MODIFY id int AFTER b",
		columns: "id,b", key: "PRIMARY/PRIMARY"},
	"CHANGE renames":        {create: "id int PRIMARY KEY, a int", alter: "CHANGE a c bigint", columns: "id,a>c", key: "PRIMARY/PRIMARY"},
	"RENAME COLUMN renames": {create: "id int PRIMARY KEY, a int", alter: "RENAME COLUMN a TO c", columns: "id,a>c", key: "PRIMARY/PRIMARY"},
	"names are compared ignoring case": {create: "id int PRIMARY KEY, name int, b int", alter: "CHANGE Name alias int, CHANGE B B int",
		columns: "id,name>alias,b>B", key: "PRIMARY/PRIMARY"},
	"two columns swap their names": {create: "id int PRIMARY KEY, a int, b varchar(9)", alter: "CHANGE a b int, CHANGE b a varchar(9)",
		columns: "id,a>b,b>a", key: "PRIMARY/PRIMARY"},
	"a column takes the name of a dropped one": {create: "id int PRIMARY KEY, a int, b int", alter: "DROP b, CHANGE a b int",
		columns: "id,a>b", key: "PRIMARY/PRIMARY"},
	"a new column takes the name of a renamed one": {create: "id int PRIMARY KEY, a int", alter: "CHANGE a b int, ADD a int",
		columns: "id,a>b", key: "PRIMARY/PRIMARY"},
	"a column that is dropped and added again loses its data": {create: "id int PRIMARY KEY, a int, b int", alter: "DROP a, ADD a int",
		columns: "id,b", key: "PRIMARY/PRIMARY"},
	"comments and defaults are no changes": {create: "id int PRIMARY KEY, a int, b int", alter: `ADD z INT COMMENT "change a b int", ADD y varchar(20) DEFAULT 'x, drop a'`,
		columns: "id,a,b", key: "PRIMARY/PRIMARY"},
	"odd names": {create: "`the ``id` int PRIMARY KEY, `a 'b' \"c\"` int", alter: "CHANGE `a 'b' \"c\"` `x ``y` int, RENAME COLUMN `the ``id` TO `the 'id`",
		columns: "the `id>the 'id,a 'b' \"c\">x `y", key: "PRIMARY/PRIMARY"},

	"a generated column is not carried over": {create: "id int PRIMARY KEY, a int, g int AS (a + 1), s int AS (a + 2) STORED", alter: "FORCE",
		columns: "id,a", key: "PRIMARY/PRIMARY"},
	"a column that becomes a generated one is not carried over": {create: "id int PRIMARY KEY, a int, s int", alter: "MODIFY s int AS (a + 2) STORED",
		columns: "id,a", key: "PRIMARY/PRIMARY"},
	"a generated column that becomes an ordinary one is": {create: "id int PRIMARY KEY, a int, s int AS (a + 2) STORED", alter: "MODIFY s int",
		columns: "id,a,s", key: "PRIMARY/PRIMARY"},
	"a generated column of the key serves in conditions": {create: "a int NOT NULL, s int AS (a + 2) STORED NOT NULL, UNIQUE KEY k (s)", alter: "ADD x int", only: "mysql",
		columns: "a,(s)", key: "k/k"},
	"a virtual column of the key serves in conditions": {create: "a int NOT NULL, v int AS (a + 2), UNIQUE KEY k (v)", alter: "ADD x int", allowNullable: true,
		columns: "a,(v)", key: "k/k", warnings: []string{"nullable"}},
	"a key's column that the ghost computes differently makes it useless": {create: "a int NOT NULL, s int AS (a + 2) STORED NOT NULL, UNIQUE KEY k (s)", only: "mysql",
		alter: "MODIFY s int AS (a + 3) STORED NOT NULL", refused: []string{"no shared unique key can be found", "key `k` has the column `s`, which the ghost computes in another way"}},
	"a key's column that the ghost computes from wider values keeps it": {create: "a int NOT NULL, s int AS (a + 2) STORED NOT NULL, UNIQUE KEY k (s)", only: "mysql",
		alter: "MODIFY a bigint NOT NULL", columns: "a,(s)", key: "k/k"},
	"a key's column that the ghost computes from other values makes it useless": {create: "a decimal(9,2) NOT NULL, s int AS (a + 2) STORED NOT NULL, UNIQUE KEY k (s)", only: "mysql",
		alter: "MODIFY a decimal(9,1) NOT NULL", refused: []string{"no shared unique key can be found", "computes in another way"}},

	"a renamed key column keeps the key": {create: "id int PRIMARY KEY, a int", alter: "CHANGE id pk bigint", columns: "id>pk,a", key: "PRIMARY/PRIMARY"},
	"a renamed key keeps its columns":    {create: "a int NOT NULL, UNIQUE KEY k (a)", alter: "RENAME INDEX k TO other", columns: "a", key: "k/other"},
	"the columns' order in the ghost's key does not matter": {create: "a int, b int, PRIMARY KEY (a, b)", alter: "DROP PRIMARY KEY, ADD PRIMARY KEY (b, a)",
		columns: "a,b", key: "PRIMARY/PRIMARY"},
	"the next key serves if the first is dropped": {create: "id int PRIMARY KEY, a int NOT NULL, UNIQUE KEY k (a)", alter: "DROP PRIMARY KEY, ADD KEY (id)",
		columns: "id,a", key: "k/k"},
	"a superset in the ghost enforces nothing": {create: "id int PRIMARY KEY, ts int NOT NULL", alter: "DROP PRIMARY KEY, ADD PRIMARY KEY (id, ts)",
		refused: []string{"no shared unique key can be found", "key `PRIMARY` has no counterpart in the ghost"}},
	"a superset in the ghost is passed over for a key that is kept": {create: "id int PRIMARY KEY, ts int NOT NULL, UNIQUE KEY k (ts)", alter: "DROP PRIMARY KEY, ADD PRIMARY KEY (id, ts)",
		columns: "id,ts", key: "k/k"},
	"a subset in the ghost enforces more": {create: "a int, b int, PRIMARY KEY (a, b)", alter: "DROP PRIMARY KEY, ADD PRIMARY KEY (b)",
		columns: "a,b", key: "PRIMARY/PRIMARY", stricter: "PRIMARY(b)"},
	"the same columns are preferred to a subset": {create: "a int, b int, PRIMARY KEY (a, b)", alter: "ADD UNIQUE KEY aa (a)",
		columns: "a,b", key: "PRIMARY/PRIMARY", stricter: "aa(a)"},
	"all keys are dropped": {create: "id int PRIMARY KEY, a int NOT NULL, UNIQUE KEY k (a)", alter: "DROP PRIMARY KEY, DROP KEY k",
		refused: []string{"no shared unique key can be found", "key `PRIMARY` has no counterpart", "key `k` has no counterpart"}},
	"the key's column is dropped": {create: "id int PRIMARY KEY, a int", alter: "DROP id, ADD PRIMARY KEY (a)",
		refused: []string{"no shared unique key can be found", "key `PRIMARY` loses its column `id`"}},
	"a functional key is not taken for one of its plain columns": {create: "a int NOT NULL, b int NOT NULL, UNIQUE KEY k (a, (b + 1))", alter: "ADD x int", only: "mysql",
		refused: []string{"no shared unique key can be found", "key `k` has the expression"}},
	"a functional key in the ghost does not enforce one of its plain columns": {create: "a int, PRIMARY KEY (a)", alter: "DROP PRIMARY KEY, ADD UNIQUE KEY (a, (a + 1))", only: "mysql",
		refused: []string{"no shared unique key can be found"}},
	"an invisible key in the ghost enforces all the same": {create: "id int, a int NOT NULL, UNIQUE KEY k (id), PRIMARY KEY (a)", alter: "ALTER INDEX k INVISIBLE, DROP PRIMARY KEY", only: "mysql", allowNullable: true,
		columns: "id,a", key: "k/k", warnings: []string{"nullable"}},
	"a key by prefix in the ghost enforces more": {create: "a varchar(20) PRIMARY KEY", alter: "DROP PRIMARY KEY, ADD UNIQUE KEY k (a(10))",
		columns: "a", key: "PRIMARY/k", stricter: "k(a)"},

	"nullable keys need leave":      {create: "a int, b int, UNIQUE KEY k (a)", alter: "ADD x int", refused: []string{"key `k`", "--allow-nullable-unique-key"}},
	"nullable keys with leave":      {create: "a int, b int, UNIQUE KEY k (a)", alter: "ADD x int", allowNullable: true, columns: "a,b", key: "k/k", warnings: []string{"nullable"}},
	"keys without NULL come first":  {create: "a int, b int NOT NULL, UNIQUE KEY k (a), UNIQUE KEY l (b)", alter: "ADD x int", columns: "a,b", key: "l/l"},
	"FLOAT in the key":              {create: "a float NOT NULL, b int NOT NULL, PRIMARY KEY (a), UNIQUE KEY k (b)", alter: "ADD x int", columns: "a,b", key: "k/k", warnings: []string{"float"}},
	"FLOAT in the only key":         {create: "a float PRIMARY KEY", alter: "ADD x int", refused: []string{"no shared unique key can be found", "`a` of type float"}},
	"a key's column becomes FLOAT":  {create: "a int PRIMARY KEY", alter: "MODIFY a float NOT NULL", refused: []string{"no shared unique key can be found", "`a` of type float"}},
	"DOUBLE and DECIMAL in the key": {create: "a double, b decimal(9,2), PRIMARY KEY (a, b)", alter: "ADD x int", columns: "a,b", key: "PRIMARY/PRIMARY"},
	"DATETIME to TIMESTAMP in the key": {create: "a datetime PRIMARY KEY", alter: "MODIFY a timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP",
		refused: []string{"no support at this time for converting", "`a`"}},
	"DATETIME to TIMESTAMP elsewhere": {create: "id int PRIMARY KEY, a datetime", alter: "MODIFY a timestamp NULL", columns: "id,a", key: "PRIMARY/PRIMARY"},

	"a new unique key is stricter":                         {create: "id int PRIMARY KEY, a int", alter: "ADD UNIQUE KEY u (a)", columns: "id,a", key: "PRIMARY/PRIMARY", stricter: "u(a)"},
	"a unique key of new columns is stricter":              {create: "id int PRIMARY KEY", alter: "ADD a int, ADD UNIQUE KEY u (a)", columns: "id", key: "PRIMARY/PRIMARY", stricter: "u(a)"},
	"a new unique key that the primary key implies is not": {create: "id int PRIMARY KEY, a int", alter: "ADD UNIQUE KEY u (a, id)", columns: "id,a", key: "PRIMARY/PRIMARY"},
	"a new unique key that another one implies is not":     {create: "id int PRIMARY KEY, a int, b int, UNIQUE KEY k (a)", alter: "ADD UNIQUE KEY u (b, a), DROP KEY k", columns: "id,a,b", key: "PRIMARY/PRIMARY"},
	"a shorter key is stricter":                            {create: "id int PRIMARY KEY, a int, b int, UNIQUE KEY u (a, b)", alter: "DROP KEY u, ADD UNIQUE KEY u (a)", columns: "id,a,b", key: "PRIMARY/PRIMARY", stricter: "u(a)"},
	"a longer string is not":                               {create: "id int PRIMARY KEY, a varchar(10), UNIQUE KEY u (a)", alter: "MODIFY a varchar(20)", columns: "id,a", key: "PRIMARY/PRIMARY"},
	"a shorter string is":                                  {create: "id int PRIMARY KEY, a varchar(10), UNIQUE KEY u (a)", alter: "MODIFY a varchar(9)", columns: "id,a", key: "PRIMARY/PRIMARY", stricter: "u(a)"},
	"another collation is": {create: "id int PRIMARY KEY, a varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, UNIQUE KEY u (a)", alter: "MODIFY a varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
		columns: "id,a", key: "PRIMARY/PRIMARY", stricter: "u(a)"},
	"another character set is":      {create: "a varchar(10) CHARACTER SET latin1 PRIMARY KEY", alter: "CONVERT TO CHARACTER SET utf8mb4", columns: "a", key: "PRIMARY/PRIMARY", stricter: "PRIMARY(a)"},
	"a bigger integer is not":       {create: "id int unsigned PRIMARY KEY", alter: "MODIFY id bigint", columns: "id", key: "PRIMARY/PRIMARY"},
	"a smaller integer is":          {create: "id bigint PRIMARY KEY", alter: "MODIFY id int", columns: "id", key: "PRIMARY/PRIMARY", stricter: "PRIMARY(id)"},
	"another sign is":               {create: "id int PRIMARY KEY", alter: "MODIFY id int unsigned", columns: "id", key: "PRIMARY/PRIMARY", stricter: "PRIMARY(id)"},
	"a prefix of what was whole is": {create: "id int PRIMARY KEY, a varchar(20), UNIQUE KEY u (a)", alter: "DROP KEY u, ADD UNIQUE KEY u (a(5))", columns: "id,a", key: "PRIMARY/PRIMARY", stricter: "u(a)"},
	"a prefix that holds all of what was whole is not": {create: "id int PRIMARY KEY, a varchar(20) CHARACTER SET utf8mb4, UNIQUE KEY u (a)", alter: "DROP KEY u, MODIFY a text CHARACTER SET utf8mb4, ADD UNIQUE KEY u (a(20))",
		columns: "id,a", key: "PRIMARY/PRIMARY"},
	"a longer prefix is not":                     {create: "id int PRIMARY KEY, a varchar(20), UNIQUE KEY u (a(5))", alter: "DROP KEY u, ADD UNIQUE KEY u (a(6))", columns: "id,a", key: "PRIMARY/PRIMARY"},
	"a whole column instead of a prefix is not":  {create: "id int PRIMARY KEY, a varchar(20), UNIQUE KEY u (a(5))", alter: "DROP KEY u, ADD UNIQUE KEY u (a)", columns: "id,a", key: "PRIMARY/PRIMARY"},
	"a shorter prefix is":                        {create: "id int PRIMARY KEY, a varchar(20), UNIQUE KEY u (a(5))", alter: "DROP KEY u, ADD UNIQUE KEY u (a(4))", columns: "id,a", key: "PRIMARY/PRIMARY", stricter: "u(a)"},
	"a key that follows a renamed column is not": {create: "id int PRIMARY KEY, a int, UNIQUE KEY u (a)", alter: "CHANGE a b int", columns: "id,a>b", key: "PRIMARY/PRIMARY"},
	"a key on a column that took the name of a unique one is": {create: "id int PRIMARY KEY, a int, b int, UNIQUE KEY u (a)", alter: "DROP KEY u, CHANGE a b int, CHANGE b a int, ADD UNIQUE KEY u (a)",
		columns: "id,a>b,b>a", key: "PRIMARY/PRIMARY", stricter: "u(a)"},
	"a functional key that stays is not": {create: "id int PRIMARY KEY, a int, UNIQUE KEY u ((a + 1))", alter: "ADD x int", only: "mysql", columns: "id,a", key: "PRIMARY/PRIMARY"},
	"a functional key whose column changes its values is": {create: "id int PRIMARY KEY, a decimal(9,2), UNIQUE KEY u ((a + 1))", alter: "MODIFY a decimal(9,1)", only: "mysql",
		columns: "id,a", key: "PRIMARY/PRIMARY", stricter: "u()"},
	"a new functional key is":                           {create: "id int PRIMARY KEY, a int", alter: "ADD UNIQUE KEY u (id, (a + 1)), ADD UNIQUE KEY v ((a * 2))", only: "mysql", columns: "id,a", key: "PRIMARY/PRIMARY", stricter: "v()"},
	"an enumeration that gets more labels is not":       {create: "id int PRIMARY KEY, a enum('x','y'), UNIQUE KEY u (a)", alter: "MODIFY a enum('x','y','z')", columns: "id,a", key: "PRIMARY/PRIMARY"},
	"labels in another order are not":                   {create: "id int PRIMARY KEY, a enum('x','y'), b set('x','y'), UNIQUE KEY u (a), UNIQUE KEY v (b)", alter: "MODIFY a enum('z','y','x'), MODIFY b set('y','x')", columns: "id,a,b", key: "PRIMARY/PRIMARY"},
	"labels that are missing are":                       {create: "id int PRIMARY KEY, a enum('x','y'), b set('x','y'), UNIQUE KEY u (a), UNIQUE KEY v (b)", alter: "MODIFY a enum('z','x'), MODIFY b set('y')", columns: "id,a,b", key: "PRIMARY/PRIMARY", stricter: "u(a) v(b)"},
	"labels that may hide characters are told of":       {create: "id int PRIMARY KEY, a enum('x','y?'), b set('x')", alter: "ADD x int", columns: "id,a,b", key: "PRIMARY/PRIMARY", warnings: []string{"labels of column `a`"}},
	"fewer digits of seconds are":                       {create: "id int PRIMARY KEY, a datetime(6), UNIQUE KEY u (a)", alter: "MODIFY a datetime(3)", columns: "id,a", key: "PRIMARY/PRIMARY", stricter: "u(a)"},
	"TIMESTAMP to DATETIME is":                          {create: "id int PRIMARY KEY, a timestamp NULL, UNIQUE KEY u (a)", alter: "MODIFY a datetime", columns: "id,a", key: "PRIMARY/PRIMARY", stricter: "u(a)"},
	"VARCHAR to CHAR is not, where blanks do not count": {create: "id int PRIMARY KEY, a varchar(9) CHARACTER SET latin1, UNIQUE KEY u (a)", alter: "MODIFY a char(9) CHARACTER SET latin1", columns: "id,a", key: "PRIMARY/PRIMARY"},
	"VARCHAR to CHAR is, for it drops blanks": {create: "id int PRIMARY KEY, a varchar(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin, UNIQUE KEY u (a)",
		alter: "MODIFY a char(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin", only: "mariadb", columns: "id,a", key: "PRIMARY/PRIMARY", stricter: "u(a)"},
	"VARCHAR to CHAR is, for it drops blanks that count": {create: "id int PRIMARY KEY, a varchar(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin, UNIQUE KEY u (a)",
		alter: "MODIFY a char(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin", only: "mysql", columns: "id,a", key: "PRIMARY/PRIMARY", stricter: "u(a)"},
	"DOUBLE that is rounded is":           {create: "id int PRIMARY KEY, a double, UNIQUE KEY u (a)", alter: "MODIFY a double(10,2)", columns: "id,a", key: "PRIMARY/PRIMARY", stricter: "u(a)"},
	"DOUBLE no longer rounded is not":     {create: "id int PRIMARY KEY, a double(10,2), UNIQUE KEY u (a)", alter: "MODIFY a double", columns: "id,a", key: "PRIMARY/PRIMARY"},
	"VARBINARY to BINARY is, for it pads": {create: "id int PRIMARY KEY, a varbinary(9), UNIQUE KEY u (a)", alter: "MODIFY a binary(9)", columns: "id,a", key: "PRIMARY/PRIMARY", stricter: "u(a)"},
}

func TestComparisonOfAnOriginalWithItsAlteredGhost(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		for name, test := range comparisonCases {
			if test.only != "" && test.only != string(at.server.Flavor) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				at := at
				at.t = t
				at.exec("DROP TABLE IF EXISTS t")
				at.exec("CREATE TABLE t (%s)", test.create)

				shared, err := at.migrate("t", test.alter, test.allowNullable)

				if test.refused != nil {
					require.Error(t, err)
					for _, phrase := range test.refused {
						assert.ErrorContains(t, err, phrase)
					}
					return
				}
				require.NoError(t, err)
				assert.Equal(t, test.columns, pairs(shared.Columns))
				assert.Equal(t, test.key, shared.Key.Name+"/"+shared.Key.NameInGhostTable)
				var stricter []string
				for _, key := range shared.StricterGhostKeys {
					assert.Equal(t, key.Name, key.NameInGhostTable)
					stricter = append(stricter, key.Name+"("+key.Columns.String()+")")
				}
				assert.Equal(t, test.stricter, strings.Join(stricter, " "))
				require.Len(t, shared.Warnings, len(test.warnings), "%v", shared.Warnings)
				for i, phrase := range test.warnings {
					assert.Contains(t, shared.Warnings[i], phrase)
				}
				_, err = sql.NewApplyStatements(at.table("ghost of it"), shared.Columns, shared.Key, sql.TimeZones{Server: "+00:00"})
				assert.NoError(t, err, "what is shared is enough to apply")
				_, err = sql.NewCopyStatements(at.table("t"), at.table("ghost of it"), shared.Columns, shared.Key, "", sql.TimeZones{Server: "+00:00"})
				assert.NoError(t, err, "and to copy")
			})
		}
	})
}

// keptApart takes renamed columns for unrelated ones.
type keptApart struct{ *sql.AlterTableParser }

func (keptApart) RenamedColumn(string) (string, bool) { return "", false }

func TestColumnsThatAreNotCarriedOverAreNamed(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		at.exec("CREATE TABLE t (id int PRIMARY KEY, a int)")
		at.exec("CREATE TABLE ghost (id int PRIMARY KEY, b int)")
		alter := sql.NewParserFromAlterStatement("CHANGE a b int")

		shared, err := Compare(at.read("t"), at.read("ghost"), keptApart{alter}, false)

		require.NoError(t, err)
		assert.Equal(t, "id", pairs(shared.Columns))
		require.Len(t, shared.Warnings, 1)
		assert.Contains(t, shared.Warnings[0], "column `a` has no counterpart")
	})
}

func TestRenameThatTheGhostDoesNotShowIsRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		at.exec("CREATE TABLE t (id int PRIMARY KEY, a int)")
		_, err := Compare(at.read("t"), at.read("t"), sql.NewParserFromAlterStatement("CHANGE a b int"), false)
		assert.ErrorContains(t, err, "seems to rename column `a` to `b`")
	})
}

func TestCompareLeavesItsTablesAsTheyAre(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		at.exec("CREATE TABLE t (id int PRIMARY KEY, s int AS (id + 1) STORED)")
		at.exec("CREATE TABLE ghost (id int PRIMARY KEY, s int)")
		original := at.read("t")
		_, err := Compare(original, at.read("ghost"), sql.NewAlterTableParser(), false)
		require.NoError(t, err)
		assert.Equal(t, at.read("t"), original)
	})
}
