package inspect

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/binlog"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// oddNames are legal names that break careless code.
var oddNames = []string{
	"with blank", "qu'ote", `dou"ble`, "back`quote", "per%cent", "under_score", "underXscore", "question?mark", "semi;colon", "-- dash", "/* mark */", "0digit", "12345", "select", `back\slash`,
	"äöü€", "Capital", strings.Repeat("x", 64), strings.Repeat("ü", 64),
}

func TestTablesOfOddNamesAreRead(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		for _, name := range oddNames {
			at.exec("CREATE TABLE %[1]s (%[2]s int NOT NULL, `other column` int, UNIQUE KEY %[2]s (%[2]s))", sql.EscapeName(name), sql.EscapeName(name))
		}
		for _, name := range oddNames {
			table := at.read(name)
			assert.Equal(t, at.table(name), table.Name)
			assert.Equal(t, []string{name, "other column"}, table.Columns.Names())
			require.Len(t, table.UniqueKeys, 1, name)
			assert.Equal(t, name, table.UniqueKeys[0].Name)
			assert.Equal(t, []string{name}, table.UniqueKeys[0].Columns.Names())

			_, err := EstimateRows(t.Context(), at.db, at.dialect, at.table(name))
			assert.NoError(t, err)
			null, err := HasNullKey(t.Context(), at.db, at.table(name), &sql.UniqueKey{Name: name, Columns: *sql.NewColumnList([]sql.Column{{Name: name, Nullable: true}})})
			assert.NoError(t, err)
			assert.False(t, null)
			assert.NoError(t, CheckForeignKeys(t.Context(), at.db, at.table(name), false))
			assert.NoError(t, CheckTriggers(t.Context(), at.db, at.table(name)))
		}
	})
}

func TestNamesAreTakenExactly(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		at.exec("CREATE TABLE abc (x int PRIMARY KEY)")
		at.exec("CREATE TABLE äbc (y int PRIMARY KEY)")
		at.exec("CREATE TABLE ABC (z int PRIMARY KEY)")
		assert.Equal(t, []string{"x"}, at.read("abc").Columns.Names())
		assert.Equal(t, []string{"y"}, at.read("äbc").Columns.Names())
		assert.Equal(t, []string{"z"}, at.read("ABC").Columns.Names())
		assert.Equal(t, "x", at.read("abc").UniqueKeys[0].Columns.String())
		assert.Equal(t, "z", at.read("ABC").UniqueKeys[0].Columns.String())

		for _, pattern := range []string{"a_c", "ab%", "abc ", "%", "", "Abc"} {
			_, err := ReadTable(t.Context(), at.db, at.dialect, at.table(pattern))
			assert.ErrorContains(t, err, "cannot find table", pattern)
		}
		_, err := ReadTable(t.Context(), at.db, at.dialect, sql.TableName{Schema: "nowhere", Name: "abc"})
		assert.ErrorContains(t, err, "cannot find table `nowhere`.`abc`")
		assert.ErrorContains(t, err, "--table")
	})
}

func TestWhatIsNoOrdinaryTableIsRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		at.exec("CREATE TABLE t (id int PRIMARY KEY)")
		at.exec("CREATE VIEW v AS SELECT * FROM t")
		refused := map[string]string{"v": "is a VIEW"}
		if at.isMariaDB() {
			at.exec("CREATE SEQUENCE seq")
			at.exec("CREATE TABLE versioned (id int PRIMARY KEY) WITH SYSTEM VERSIONING")
			refused["seq"], refused["versioned"] = "is a SEQUENCE", "system-versioned"
		}
		for name, phrase := range refused {
			_, err := ReadTable(t.Context(), at.db, at.dialect, at.table(name))
			assert.ErrorContains(t, err, phrase)
			assert.ErrorContains(t, err, at.table(name).String())
		}
		_, err := ReadTable(t.Context(), at.db, at.dialect, sql.TableName{Schema: "information_schema", Name: "TABLES"})
		assert.ErrorContains(t, err, "VIEW")
	})
}

func TestColumnsAreReadWithAllThatMatters(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		at.exec(`CREATE TABLE t (
			id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
			name varchar(20) CHARACTER SET latin1 COLLATE latin1_german1_ci,
			label enum('a,b','it''s','c:\\d') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
			raw varbinary(9),
			hidden int INVISIBLE,
			made int DEFAULT (1 + 1),
			virt int GENERATED ALWAYS AS (made + 1) VIRTUAL,
			kept varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin GENERATED ALWAYS AS (concat(name, 'GENERATED')) STORED,
			at timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3)
		) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT 'VIRTUAL GENERATED'`)

		table := at.read("t")

		assert.Equal(t, "InnoDB", table.Engine)
		assert.True(t, table.Transactional())
		columns := table.Columns.Columns()
		for i := range columns {
			assert.Equal(t, i, columns[i].Ordinal)
			assert.NotEqual(t, sql.KindUnknown, columns[i].Type.Kind)
			columns[i].Type, columns[i].Ordinal = sql.ColumnType{Kind: columns[i].Type.Kind}, 0
		}
		assert.Equal(t, []sql.Column{
			{Name: "id", Type: sql.ColumnType{Kind: sql.KindBigInt}, AutoIncrement: true},
			{Name: "name", Type: sql.ColumnType{Kind: sql.KindVarChar}, Charset: "latin1", Collation: "latin1_german1_ci", Nullable: true},
			{Name: "label", Type: sql.ColumnType{Kind: sql.KindEnum}, Charset: "utf8mb4", Collation: "utf8mb4_bin"},
			{Name: "raw", Type: sql.ColumnType{Kind: sql.KindVarBinary}, Nullable: true},
			{Name: "hidden", Type: sql.ColumnType{Kind: sql.KindInt}, Nullable: true, Invisible: true},
			{Name: "made", Type: sql.ColumnType{Kind: sql.KindInt}, Nullable: true},
			{Name: "virt", Type: sql.ColumnType{Kind: sql.KindInt}, Nullable: true, Generation: sql.VirtualGenerated},
			{Name: "kept", Type: sql.ColumnType{Kind: sql.KindVarChar}, Charset: "utf8mb4", Collation: "utf8mb4_bin", Nullable: true, Generation: sql.StoredGenerated},
			{Name: "at", Type: sql.ColumnType{Kind: sql.KindTimestamp}},
		}, columns)
		label, _ := table.Columns.Lookup("LABEL")
		assert.Equal(t, []string{"a,b", "it's", `c:\d`}, label.Type.Labels)
		id, _ := table.Columns.Lookup("id")
		assert.True(t, id.Type.Unsigned)
	})
}

func TestEnginesWithoutTransactionsAreToldApart(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		for engine, transactional := range map[string]bool{"InnoDB": true, "MyISAM": false, "MEMORY": false} {
			at.exec("CREATE TABLE of_%[1]s (id int PRIMARY KEY) ENGINE=%[1]s", engine)
			table := at.read("of_" + engine)
			assert.Equal(t, engine, table.Engine)
			assert.Equal(t, transactional, table.Transactional())
			assert.NoError(t, table.RequireUniqueKey(), engine)
		}
	})
}

// The stream hands out values by place; here rows of tables with columns of every kind are read from a real binary log.
func TestOrdinalsAreThePlacesInRowsOfTheBinaryLog(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		at.exec("CREATE TABLE t (a int NOT NULL, virt int GENERATED ALWAYS AS (a + 100) VIRTUAL, hidden int INVISIBLE, kept int GENERATED ALWAYS AS (a + 200) STORED, z int, UNIQUE KEY (a), KEY (virt))")
		at.exec("ALTER TABLE t ADD COLUMN late int AFTER a")
		if !at.isMariaDB() {
			at.exec("CREATE TABLE functional (a int NOT NULL, b int, KEY f ((a + b)), PRIMARY KEY (a))")
			at.exec("ALTER TABLE functional ADD COLUMN late int, ALGORITHM=INSTANT")
			at.exec("ALTER TABLE functional ADD KEY g ((a * 2)), ADD COLUMN last int")
			at.exec("SET sql_generate_invisible_primary_key = ON; CREATE TABLE keyless (a int, b int)")
		}
		position, err := mysql.ReadFileBinlogCoordinates(t.Context(), at.db, at.dialect)
		require.NoError(t, err)
		at.exec("INSERT INTO t (a, late, hidden, z) VALUES (1, 2, 3, 4)")
		want := map[string]map[string]any{"t": {"a": int32(1), "late": int32(2), "hidden": int32(3), "z": int32(4), "kept": int32(201), "virt": int32(101)}}
		if !at.isMariaDB() {
			at.exec("INSERT INTO functional (a, b, late, last) VALUES (1, 2, 3, 4)")
			at.exec("INSERT INTO keyless (a, b) VALUES (5, 6)")
			want["functional"] = map[string]any{"a": int32(1), "b": int32(2), "late": int32(3), "last": int32(4)}
			want["keyless"] = map[string]any{"my_row_id": int64(1), "a": int32(5), "b": int32(6)}
		}

		rows := at.rowsSince(position, len(want))

		for name, values := range want {
			table := at.read(name)
			require.Len(t, rows[name], table.Columns.Len(), name)
			for column, value := range values {
				found, ok := table.Columns.Lookup(column)
				require.True(t, ok, "%s.%s", name, column)
				assert.Equal(t, value, rows[name][found.Ordinal], "%s.%s", name, column)
			}
		}
	})
}

// rowsSince reads inserted rows from the binary log, by table.
func (p place) rowsSince(position mysql.BinlogCoordinates, count int) map[string][]any {
	p.t.Helper()
	connection := mysql.NewConnectionConfig()
	connection.Key = mysql.InstanceKey{Hostname: p.server.Host, Port: p.server.Port}
	connection.User, connection.Password = p.server.User, p.server.Password
	stream := binlog.NewStream(binlog.Settings{
		Connection: connection, ServerID: 4711, Flavor: p.dialect.Flavor(), MaxReconnectAttempts: 1,
		Follow: func(schema, _ string) bool { return schema == p.schema },
	}, quiet{})
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	rows := map[string][]any{}
	err := stream.Run(ctx, position, func() {}, func(_ context.Context, event *binlog.Event) error {
		if event.Kind == binlog.Insert {
			rows[event.Table] = event.Rows[0].After
		}
		if len(rows) == count {
			cancel()
		}
		return nil
	})
	require.NoError(p.t, err)
	require.Len(p.t, rows, count)
	return rows
}
