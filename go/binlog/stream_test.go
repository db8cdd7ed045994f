package binlog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/mysql"
)

// bothKinds runs a test by file position and by GTID, on both servers.
func bothKinds(t *testing.T, test func(t *testing.T, server *testserver.Server, kind func(*Settings))) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		t.Run("file", func(t *testing.T) { test(t, server, func(*Settings) {}) })
		t.Run("gtid", func(t *testing.T) { test(t, server, byGTID) })
	})
}

func TestCommitsAfterConnectedAreNotMissed(t *testing.T) {
	bothKinds(t, func(t *testing.T, server *testserver.Server, kind func(*Settings)) {
		schema := server.Schema(t)
		server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY); CREATE TABLE "+schema+".other LIKE "+schema+".t")
		server.Exec(t, "INSERT INTO "+schema+".t VALUES (1)")

		f := follow(t, server, schema, kind)
		server.Exec(t, "INSERT INTO "+schema+".other VALUES (1), (2); INSERT INTO "+schema+".t VALUES (2), (3); "+
			"UPDATE "+schema+".t SET id = 4 WHERE id = 1; DELETE FROM "+schema+".t WHERE id = 2")

		f.rows("t", 4)
		assert.Equal(t, []string{"insert [] [2]", "insert [] [3]", "update [1] [4]", "delete [2] []"}, f.changesOf("t"))
		assert.Empty(t, f.changesOf("other"))
	})
}

func TestAnotherStreamGoesOnWhereTheLastOneHasHandledAll(t *testing.T) {
	bothKinds(t, func(t *testing.T, server *testserver.Server, kind func(*Settings)) {
		schema := server.Schema(t)
		server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY)")
		settings := settingsFor(server, schema)
		kind(&settings)
		from := position(t, server, settings.UseGTID)

		// A handler that stops in the middle of the second transaction.
		enough := errors.New("enough")
		first := followFrom(t, settings, from, func(_ context.Context, event *Event) error {
			if event.Kind == Insert && event.Rows[0].After[0] == int32(3) {
				return enough
			}
			return nil
		})
		assert.True(t, first.HandledTransaction().Equals(from), "nothing was handled yet: %s", first.HandledTransaction())
		server.Exec(t, "INSERT INTO "+schema+".t VALUES (1); "+
			"BEGIN; INSERT INTO "+schema+".t VALUES (2); INSERT INTO "+schema+".t VALUES (3); COMMIT; "+
			"INSERT INTO "+schema+".t VALUES (4)")
		require.ErrorIs(t, first.end(), enough)
		handled := first.HandledTransaction()
		assert.True(t, from.SmallerThan(handled))
		assert.True(t, handled.SmallerThan(first.Coordinates()))

		settings.ServerID = nextServerID()
		second := followFrom(t, settings, handled)
		second.rows("t", 3)
		assert.Equal(t, []string{"insert [] [2]", "insert [] [3]", "insert [] [4]"}, second.changesOf("t"))
	})
}

func TestCoordinatesAreTheServersOwn(t *testing.T) {
	bothKinds(t, func(t *testing.T, server *testserver.Server, kind func(*Settings)) {
		schema := server.Schema(t)
		server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY)")
		f := follow(t, server, schema, kind)

		server.Exec(t, "FLUSH BINARY LOGS; INSERT INTO "+schema+".t VALUES (1)")

		at := position(t, server, f.settings.UseGTID)
		event := f.rows("t", 1)[0]
		assert.True(t, event.Coordinates.SmallerThanOrEquals(at), "%s <= %s", event.Coordinates, at)
		f.waitUntil("all is handled", func() bool { return at.SmallerThanOrEquals(f.HandledTransaction()) })
		assert.Equal(t, at.String(), f.HandledTransaction().String())
		assert.Equal(t, at.String(), f.Coordinates().String())
		if f.settings.UseGTID {
			assert.Equal(t, at.String(), event.Coordinates.String(), "with the transaction of the event")
		}
	})
}

func TestStatementsOfAllTablesArrive(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY, a int)")
		f := follow(t, server, schema)

		file := filepath.Join(t.TempDir(), "rows")
		require.NoError(t, os.WriteFile(file, []byte("7\t7\n"), 0o644))
		statements := []string{
			"ALTER TABLE t ADD b int",
			"TRUNCATE t",
			"/* why */ CREATE TABLE other (id int)",
			"DROP TABLE `other`",
		}
		for _, statement := range statements {
			server.Exec(t, "USE "+schema+"; "+statement)
		}
		server.Exec(t, "USE "+schema+"; SET binlog_format = STATEMENT; UPDATE t SET a = 2")
		server.Exec(t, "INSERT INTO "+schema+".t VALUES (1, 2, 3)")

		row := f.rows("t", 1)[0]
		assert.Equal(t, 3, row.ColumnCount, "the new column shows")
		var texts []string
		for _, event := range f.waitFor("statements", func([]*Event) bool { return true }) {
			if event.Kind == Statement {
				assert.Equal(t, schema, event.Schema)
				texts = append(texts, event.Statement)
			}
		}
		require.Len(t, texts, len(statements)+1)
		for i, want := range append(statements, "UPDATE t SET a = 2") {
			assert.Contains(t, texts[i], want[:8]) // the server writes DROP TABLE in its own way
		}
	})
}

func TestLoadDataInStatementFormatArrivesAsStatement(t *testing.T) {
	// The event's layout: fixed part, status variables, schema, statement.
	body := make([]byte, 26)
	body[8], body[11] = 2, 3
	body = append(body, "svrdb\x00LOAD DATA INFILE 'x' INTO TABLE t"...)
	got := decodeLoadQuery(body, 99)
	assert.Equal(t, &Event{Kind: Statement, Schema: "db", Statement: "LOAD DATA INFILE 'x' INTO TABLE t", Bytes: 99}, got.event)
}

func TestCompressedTransactionsAreExpanded(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY, c longtext)")
		f := follow(t, server, schema)

		compress := "SET binlog_transaction_compression = ON; "
		if server.Flavor == testserver.MariaDB {
			compress = ""
			server.Exec(t, "SET GLOBAL log_bin_compress = ON, GLOBAL log_bin_compress_min_len = 10")
			defer server.Exec(t, "SET GLOBAL log_bin_compress = OFF, GLOBAL log_bin_compress_min_len = DEFAULT")
		}
		table := schema + ".t"
		server.Exec(t, compress+"INSERT INTO "+table+" VALUES (1, repeat('x', 1000)), (2, repeat('y', 100000)); "+
			"UPDATE "+table+" SET c = 'z' WHERE id = 2; DELETE FROM "+table+" WHERE id = 1; "+
			"BEGIN; INSERT INTO "+table+" VALUES (3, ''); INSERT INTO "+table+" VALUES (4, ''); COMMIT; "+
			"XA START 'x'; INSERT INTO "+table+" VALUES (5, repeat('x', 1000)); XA END 'x'; XA PREPARE 'x'; XA COMMIT 'x'")

		rows := flat(f.rows("t", 7))
		assert.Len(t, rows[0].After[1], 1000)
		assert.Len(t, rows[1].After[1], 100000)
		assert.Equal(t, []byte("z"), rows[2].After[1])
		assert.Len(t, rows[2].Before[1], 100000)
		assert.Equal(t, int32(1), rows[3].Before[0])
		assert.Equal(t, []any{int32(4), []byte{}}, rows[5].After)
		assert.Equal(t, int32(5), rows[6].After[0])
	})
}

// flat are the rows of events, which servers cut as they like.
func flat(events []*Event) []RowChange {
	var rows []RowChange
	for _, event := range events {
		rows = append(rows, event.Rows...)
	}
	return rows
}

func TestPartialRowImagesAreRefused(t *testing.T) {
	for _, c := range []struct {
		name, setting, change string
		columns               []string
		onlyMySQL             bool
	}{
		{"update", "binlog_row_image = MINIMAL", "UPDATE t SET a = 2", []string{"#2", "#3"}, false},
		{"insert", "binlog_row_image = MINIMAL", "INSERT INTO t (id) VALUES (2)", []string{"#2", "#3"}, false},
		{"delete", "binlog_row_image = MINIMAL", "DELETE FROM t", []string{"#2", "#3"}, false},
		{"text", "binlog_row_image = NOBLOB", "UPDATE t SET a = 2", []string{"#3"}, false},
		{"json", "binlog_row_value_options = PARTIAL_JSON", "UPDATE j SET d = json_set(d, '$.a', 2)", []string{"#2"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			testserver.Both(t, func(t *testing.T, server *testserver.Server) {
				if c.onlyMySQL && server.Flavor != testserver.MySQL {
					t.Skip("MySQL's own")
				}
				schema := server.Schema(t)
				server.Exec(t, "USE "+schema+"; CREATE TABLE t (id int PRIMARY KEY, a int, c text); INSERT INTO t VALUES (1, 1, 'x'); "+
					`CREATE TABLE j (id int PRIMARY KEY, d json); INSERT INTO j VALUES (1, '{"a": 1}'); CREATE TABLE other LIKE t`)
				f := follow(t, server, schema)

				server.Exec(t, "USE "+schema+"; SET "+c.setting+"; INSERT INTO other (id) VALUES (1); "+c.change)

				var partial *PartialRowError
				require.ErrorAs(t, f.end(), &partial)
				assert.Equal(t, schema, partial.Schema)
				assert.Equal(t, c.columns, partial.Columns)
				assert.ErrorContains(t, partial, c.setting[:16])
			})
		})
	}
}

func TestPartialJSONSettingDoesNotMatterToTablesWithoutJSON(t *testing.T) {
	server := testserver.Shared(t, testserver.MySQL)
	schema := server.Schema(t)
	server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY, a int); INSERT INTO "+schema+".t VALUES (1, 1)")
	f := follow(t, server, schema)

	server.Exec(t, "SET binlog_row_value_options = PARTIAL_JSON; UPDATE "+schema+".t SET a = 2")

	f.rows("t", 1)
	assert.Equal(t, []string{"update [1 1] [1 2]"}, f.changesOf("t"))
}

func TestMissingColumnsAreNamedWhereTheLogKnowsThem(t *testing.T) {
	server := testserver.Shared(t, testserver.MySQL)
	schema := server.Schema(t)
	server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY, a int, b int unsigned); INSERT INTO "+schema+".t VALUES (1, 1, 4294967295)")
	server.Exec(t, "SET GLOBAL binlog_row_metadata = FULL")
	defer server.Exec(t, "SET GLOBAL binlog_row_metadata = MINIMAL")
	f := follow(t, server, schema)

	server.Exec(t, "UPDATE "+schema+".t SET a = 2")
	f.rows("t", 1)
	assert.Equal(t, []string{"update [1 1 -1] [1 2 -1]"}, f.changesOf("t"), "integers stay signed")

	server.Exec(t, "SET binlog_row_image = MINIMAL; UPDATE "+schema+".t SET a = 3")
	assert.ErrorContains(t, f.end(), schema+".t was logged incompletely")
	assert.ErrorContains(t, f.err, "a, b")
}

func TestXARowsComeWithTheirCommit(t *testing.T) {
	bothKinds(t, func(t *testing.T, server *testserver.Server, kind func(*Settings)) {
		schema := server.Schema(t)
		table := schema + ".t"
		server.Exec(t, "CREATE TABLE "+table+" (id int PRIMARY KEY)")
		f := follow(t, server, schema, kind)
		xa := func(xid string, id int, end string) {
			server.Exec(t, fmt.Sprintf("XA START %[1]s; INSERT INTO %[2]s VALUES (%[3]d); XA END %[1]s; %[4]s", xid, table, id, end))
		}

		xa("'rolled back'", 1, "XA PREPARE 'rolled back'; XA ROLLBACK 'rolled back'")
		xa("'one phase'", 2, "XA COMMIT 'one phase' ONE PHASE")
		xa("'waits','b',7", 3, "XA PREPARE 'waits','b',7")
		server.Exec(t, "INSERT INTO "+table+" VALUES (4)")
		f.rows("t", 2)
		assert.Equal(t, []string{"insert [] [2]", "insert [] [4]"}, f.changesOf("t"))

		// Who goes on where all is handled gets the prepared rows, too.
		handled := f.HandledTransaction()
		server.Exec(t, "XA COMMIT 'waits','b',7")
		f.rows("t", 3)
		assert.Equal(t, []string{"insert [] [2]", "insert [] [4]", "insert [] [3]"}, f.changesOf("t"))
		f.waitUntil("all is handled", func() bool {
			return position(t, server, f.settings.UseGTID).SmallerThanOrEquals(f.HandledTransaction())
		})

		settings := f.settings
		settings.ServerID = nextServerID()
		second := followFrom(t, settings, handled)
		second.waitFor("the prepared row", func([]*Event) bool {
			changes := second.changesOf("t")
			return len(changes) > 0 && changes[len(changes)-1] == "insert [] [3]"
		})
	})
}

func TestXACommitWithoutItsRowsIsForTheCallerToDecide(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY)")
		prepare := func(xid string, id int) {
			server.Exec(t, fmt.Sprintf("XA START '%[1]s'; INSERT INTO %[2]s.t VALUES (%[3]d); XA END '%[1]s'; XA PREPARE '%[1]s'", xid, schema, id))
		}
		prepare("tolerated", 1)
		prepare("unseen", 2)
		tolerated := make(chan string, 1)
		f := follow(t, server, schema, func(s *Settings) {
			s.OnUnseenXA = func(xid string, at mysql.BinlogCoordinates) error {
				select {
				case tolerated <- xid:
					return nil
				default:
					return &UnseenXAError{XID: xid, At: at}
				}
			}
		})

		server.Exec(t, "XA COMMIT 'tolerated'")
		server.Exec(t, "XA COMMIT 'unseen'")

		var unseen *UnseenXAError
		require.ErrorAs(t, f.end(), &unseen)
		assert.Equal(t, "X'746f6c657261746564',X'',1", <-tolerated)
		assert.Equal(t, "X'756e7365656e',X'',1", unseen.XID)
	})
}

func TestRowsTakenBackInTheLogDoNotArrive(t *testing.T) {
	server := testserver.Shared(t, testserver.MariaDB)
	schema := server.Schema(t)
	server.Exec(t, "USE "+schema+"; CREATE TABLE t (id int PRIMARY KEY); CREATE TABLE other (id int) ENGINE=MyISAM")
	f := follow(t, server, schema)

	server.Exec(t, "USE "+schema+"; BEGIN; INSERT INTO t VALUES (1); SAVEPOINT s; INSERT INTO t VALUES (2); "+
		"INSERT INTO other VALUES (1); ROLLBACK TO s; COMMIT; "+
		"BEGIN; INSERT INTO t VALUES (3); CREATE TEMPORARY TABLE tmp (id int); ROLLBACK; "+
		"INSERT INTO t VALUES (4)")

	f.rows("t", 2)
	assert.Equal(t, []string{"insert [] [1]", "insert [] [4]"}, f.changesOf("t"))
}

func TestTLSIsUsedWhenConfigured(t *testing.T) {
	server := testserver.Shared(t, testserver.MySQL)
	schema := server.Schema(t)
	server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY)")
	f := follow(t, server, schema, func(s *Settings) {
		require.NoError(t, s.Connection.UseTLS("", "", "", true))
	})
	server.Exec(t, "INSERT INTO "+schema+".t VALUES (1)")
	f.rows("t", 1)

	var encrypted int
	require.NoError(t, server.DB(t).QueryRowContext(t.Context(), "SELECT COUNT(*) FROM performance_schema.threads t "+
		"JOIN performance_schema.status_by_thread s USING (thread_id) "+
		"WHERE t.processlist_command LIKE 'Binlog Dump%' AND s.variable_name = 'Ssl_cipher' AND s.variable_value <> ''").Scan(&encrypted))
	assert.Positive(t, encrypted)

	verify := settingsFor(server, schema)
	require.NoError(t, verify.Connection.UseTLS("", "", "", false))
	err := NewStream(verify, nil).Run(t.Context(), position(t, server, false), nil, nil)
	assert.ErrorContains(t, err, "certificate", "an authority that nobody knows")
}

func TestBadSettingsAreNamed(t *testing.T) {
	connection := mysql.NewConnectionConfig()
	connection.Key = mysql.InstanceKey{Hostname: "localhost", Port: 3306}
	good := Settings{Connection: connection, ServerID: 1, Flavor: mysql.MySQLFlavor, Follow: func(string, string) bool { return true }}
	file := mysql.NewFileBinlogCoordinates("log.1", 4)
	gtid, err := mysql.NewGTIDBinlogCoordinates(mysql.MySQLFlavor, "")
	require.NoError(t, err)
	for want, c := range map[string]struct {
		change func(*Settings)
		from   mysql.BinlogCoordinates
	}{
		"replica-server-id":    {func(s *Settings) { s.ServerID = 0 }, file},
		"flavor":               {func(s *Settings) { s.Flavor = "postgres" }, file},
		"is a file position":   {byGTID, file},
		"a GTID set was given": {func(*Settings) {}, gtid},
		"no file":              {func(*Settings) {}, &mysql.FileBinlogCoordinates{}},
		"4 GiB":                {func(*Settings) {}, mysql.NewFileBinlogCoordinates("log.1", 1<<32)},
		"which tables":         {func(s *Settings) { s.Follow = nil }, file},
		"no connection":        {func(s *Settings) { s.Connection = nil }, file},
		"coordinates of type":  {func(*Settings) {}, nil},
	} {
		settings := good
		c.change(&settings)
		assert.ErrorContains(t, NewStream(settings, nil).Run(t.Context(), c.from, nil, nil), want)
	}
}
