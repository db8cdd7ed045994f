package inspect

import (
	gosql "database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// oddSession is a session of somebody who creates triggers.
func (p place) oddSession(settings string) *gosql.Conn {
	p.t.Helper()
	session, err := p.admin.Conn(p.t.Context())
	require.NoError(p.t, err)
	p.t.Cleanup(func() { _ = session.Close() })
	p.on(session, settings)
	return session
}

func (p place) on(session *gosql.Conn, statement string) {
	p.t.Helper()
	_, err := session.ExecContext(p.t.Context(), statement)
	require.NoError(p.t, err, statement)
}

// stored is what the server keeps of a table's triggers: text as bytes, settings, order.
func (p place) stored(table string) (triggers [][]string) {
	p.t.Helper()
	session := p.oddSession("SET character_set_results = NULL")
	rows, err := session.QueryContext(p.t.Context(), "SELECT trigger_name, action_order FROM information_schema.triggers"+
		" WHERE event_object_schema = ? AND event_object_table = ? ORDER BY event_manipulation, action_timing, action_order", p.schema, table)
	require.NoError(p.t, err)
	var names [][]string
	require.NoError(p.t, mysql.ScanRows(rows, func(v [][]byte) error { names = append(names, []string{string(v[0]), string(v[1])}); return nil }))
	for _, name := range names {
		rows, err := session.QueryContext(p.t.Context(), "SHOW CREATE TRIGGER "+sql.EscapeName(name[0]))
		require.NoError(p.t, err)
		require.NoError(p.t, mysql.ScanRows(rows, func(v [][]byte) error {
			triggers = append(triggers, []string{name[0], name[1], string(v[1]), string(v[2]), string(v[3]), string(v[4])})
			return nil
		}))
	}
	return triggers
}

func TestTriggersAreCreatedAgainByteForByte(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		at.exec("CREATE TABLE t (id int PRIMARY KEY, v varchar(50))")
		at.exec("CREATE TABLE u LIKE t")
		at.exec("CREATE USER 'somebody else'@'%%' IDENTIFIED BY 'Secret-1'")
		defer at.exec("DROP USER 'somebody else'")
		create := func(settings string, statements ...string) {
			session := at.oddSession(settings)
			for _, statement := range statements {
				at.on(session, statement)
			}
		}
		create("SET NAMES utf8mb4, sql_mode = ''",
			"CREATE DEFINER='somebody else'@'%' TRIGGER `one` BEFORE INSERT ON `t` FOR EACH ROW SET @x = 'ü€😀'",
			"CREATE TRIGGER `zero` BEFORE INSERT ON `t` FOR EACH ROW PRECEDES one BEGIN SET @x = 1; /* ; */ SET @y = ''''; END",
			"CREATE TRIGGER `half` BEFORE INSERT ON `t` FOR EACH ROW FOLLOWS zero SET @x = 2 -- ;")
		create("SET NAMES latin1, sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT'",
			"CREATE TRIGGER \"\xfcber\" AFTER UPDATE ON \"t\" FOR EACH ROW SET @x = 'f\xfcr' || _binary'\xff\x81' || NEW.\"v\"",
			"CREATE TRIGGER plain AFTER UPDATE ON `t` FOR EACH ROW SET @x = 'f\xfcr'")
		create("SET NAMES sjis, sql_mode = 'NO_BACKSLASH_ESCAPES'",
			"CREATE TRIGGER `seventh` BEFORE DELETE ON `t` FOR EACH ROW SET @x = '\x83\x5c\\'")
		create("SET NAMES utf8mb4 COLLATE utf8mb4_bin, character_set_client = gbk", "CREATE TRIGGER `sixth` BEFORE DELETE ON `t` FOR EACH ROW SET @x = '\x81\x5c'")
		before := at.stored("t")
		require.Len(t, before, 7)

		triggers, err := ReadTriggers(t.Context(), at.admin, at.table("t"))
		require.NoError(t, err)
		require.Len(t, triggers, 7)
		var names []string
		for _, trigger := range triggers {
			names = append(names, trigger.Name)
		}
		assert.Equal(t, []string{"seventh", "sixth", "zero", "half", "one", "über", "plain"}, names)
		builder := at.oddSession("SET NAMES utf8mb4")
		sender := at.oddSession("SET NAMES utf8mb4")
		for _, trigger := range triggers {
			request, err := trigger.CreateRequest(t.Context(), builder, trigger.Name+"_n", at.table("u"))
			require.NoError(t, err, trigger.Name)
			at.on(sender, request)
		}

		after := at.stored("u")
		require.Len(t, after, len(before))
		for i := range before {
			assert.Equal(t, before[i][0]+"_n", after[i][0])
			before[i][0], after[i][0] = "", ""
			for _, end := range []string{"`", `"`, " "} {
				after[i][3] = strings.Replace(after[i][3], "_n"+end, end, 1)
			}
			for _, table := range []string{"`" + at.schema + "`.`u`", "`u`"} {
				after[i][3] = strings.Replace(after[i][3], table, "`t`", 1)
			}
			before[i][3] = strings.NewReplacer(`"t"`, "`t`", "\"\xfcber\"", "`\xfcber`", " plain ", " `plain` ").Replace(before[i][3])
			assert.Equal(t, before[i], after[i])
		}
		again, err := ReadTriggers(t.Context(), at.admin, at.table("t"))
		require.NoError(t, err)
		assert.Equal(t, triggers, again)
	})
}

func TestNamesOfTriggersThatAreTakenAreFound(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		at.exec("CREATE TABLE t (id int PRIMARY KEY)")
		at.exec("CREATE TRIGGER a AFTER INSERT ON t FOR EACH ROW SET @x = 1")
		taken, err := TriggerNamesTaken(t.Context(), at.db, at.schema, []string{"a", "b"})
		require.NoError(t, err)
		assert.Equal(t, []string{at.table("t").String() + ".`a`"}, taken)
	})
}
