package logic

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/ledger"
	"github.com/github/gh-ost/go/internal/testproxy"
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/logic/cutover"
	"github.com/github/gh-ost/go/logic/inspect"
	"github.com/github/gh-ost/go/sql"
)

func includeTriggers(suffix string) func(*base.MigrationContext) {
	return func(c *base.MigrationContext) { c.IncludeTriggers, c.TriggerSuffix = true, suffix }
}

// asAccount makes triggers those of the account that migrations run with, which may create them again. Those of an account with all
// rights it may not.
func asAccount(server *testserver.Server, statement string) string {
	return strings.ReplaceAll(statement, "CREATE TRIGGER", "CREATE DEFINER='"+server.User+"'@'%' TRIGGER")
}

// allowAnyDefiner lets the account that migrations run with create triggers for others, until the test ends.
func allowAnyDefiner(t *testing.T, server *testserver.Server) {
	privilege := "SET_ANY_DEFINER"
	if server.Flavor == testserver.MariaDB {
		privilege = "SET USER"
	}
	server.Exec(t, fmt.Sprintf("GRANT %s ON *.* TO '%s'@'%%'", privilege, server.User))
	t.Cleanup(func() {
		_, err := server.DB(t).Exec(fmt.Sprintf("REVOKE %s ON *.* FROM '%s'@'%%'", privilege, server.User))
		assert.NoError(t, err)
	})
}

// audited is a table whose triggers keep book of every write.
type audited struct {
	t      *testing.T
	db     *gosql.DB
	schema string
	book   string // the table that they write into
	before [][]string
}

// keepBook gives the table t triggers of all kinds. Writers may be at it.
func keepBook(t *testing.T, server *testserver.Server, schema string) *audited {
	a := &audited{t: t, db: server.SchemaDB(t, schema), schema: schema, book: server.Schema(t) + ".book"}
	allowAnyDefiner(t, server)
	server.Exec(t, fmt.Sprintf("DROP USER IF EXISTS auditor@localhost; CREATE USER auditor@localhost IDENTIFIED BY 'Secret-1'; GRANT ALL ON `%s`.* TO auditor@localhost; GRANT ALL ON `%s`.* TO auditor@localhost",
		schema, strings.TrimSuffix(a.book, ".book")))
	t.Cleanup(func() {
		_, err := server.DB(t).Exec("DROP USER IF EXISTS auditor@localhost")
		assert.NoError(t, err)
	})
	session, err := a.db.Conn(t.Context())
	require.NoError(t, err)
	defer session.Close()
	image := func(row string) string {
		return strings.ReplaceAll("CONCAT_WS('|', %.slot, IFNULL(CRC32(%.payload), '-'), %.counter, %.touched, %.mark)", "%", row)
	}
	for _, statement := range []string{
		"CREATE TABLE " + a.book + " (seq bigint AUTO_INCREMENT PRIMARY KEY, kind char(1), old_id bigint, old_image varchar(200), new_id bigint, new_image varchar(200), word varchar(50)) DEFAULT CHARSET=utf8mb4",
		"ALTER TABLE t ADD COLUMN touched int NOT NULL DEFAULT 0, ADD COLUMN mark varchar(20) CHARACTER SET utf8mb4 NOT NULL DEFAULT ''",
		// No writer sees some of the triggers without the others.
		"LOCK TABLES t WRITE, " + a.book + " WRITE",
		"SET NAMES utf8mb4",
		"CREATE TRIGGER `t_au` AFTER UPDATE ON `t` FOR EACH ROW BEGIN DECLARE word varchar(50) DEFAULT 'größer; €'; IF OLD.id <> 0 THEN INSERT INTO " + a.book +
			" (kind, old_id, old_image, new_id, new_image, word) VALUES ('u', OLD.id, " + image("OLD") + ", NEW.id, " + image("NEW") + ", word); END IF; END",
		"CREATE DEFINER=auditor@localhost TRIGGER `t_ad` AFTER DELETE ON `t` FOR EACH ROW INSERT INTO " + a.book + " (kind, old_id, old_image) VALUES ('d', OLD.id, " + image("OLD") + ")",
		"CREATE TRIGGER `twice` BEFORE UPDATE ON `t` FOR EACH ROW SET NEW.touched = (NEW.touched * 2) % 9973",
		"CREATE TRIGGER `plus one` BEFORE UPDATE ON `t` FOR EACH ROW PRECEDES `twice` SET NEW.touched = OLD.touched + 1",
		"SET NAMES latin1",
		"SET sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT'",
		"CREATE TRIGGER `t_bi` BEFORE INSERT ON `t` FOR EACH ROW SET NEW.\"mark\" = 'gr\xfc\xdfe ' || 'x'",
		"SET NAMES utf8mb4, sql_mode = ''",
		"CREATE TRIGGER `t_ai` AFTER INSERT ON `t` FOR EACH ROW INSERT INTO " + a.book + " (kind, new_id, new_image) VALUES ('i', NEW.id, " + image("NEW") + ")",
		"CREATE TRIGGER `t_bd` BEFORE DELETE ON `t` FOR EACH ROW SET @deleted = OLD.id",
		"UNLOCK TABLES",
	} {
		_, err := session.ExecContext(t.Context(), asAccount(server, statement))
		require.NoError(t, err, statement)
	}
	a.before = a.triggersOf("t", "")
	require.Len(t, a.before, 7)
	return a
}

// triggersOf lists what the server knows of a table's triggers, but for the suffix of their names, the table's name and the
// time of creation.
func (a *audited) triggersOf(table, suffix string) (triggers [][]string) {
	a.t.Helper()
	read, err := inspect.ReadTriggers(a.t.Context(), a.db, sql.TableName{Schema: a.schema, Name: table})
	require.NoError(a.t, err)
	for _, trigger := range read {
		rows, err := a.db.Query("SHOW CREATE TRIGGER " + sql.EscapeName(trigger.Name))
		require.NoError(a.t, err)
		require.True(a.t, rows.Next())
		columns, err := rows.Columns()
		require.NoError(a.t, err)
		texts, targets := make([]string, len(columns)), make([]any, len(columns))
		for i := range texts {
			targets[i] = &texts[i]
		}
		require.NoError(a.t, rows.Scan(targets...))
		require.NoError(a.t, rows.Close())
		plain := strings.TrimSuffix(trigger.Name, suffix)
		texts[0] = strings.TrimSuffix(texts[0], suffix)
		texts[2] = strings.Replace(texts[2], sql.EscapeName(trigger.Name), sql.EscapeName(plain), 1)
		for _, quote := range []string{"`", `"`} { // RENAME puts the name there as the trigger's sql_mode has it
			texts[2] = strings.Replace(texts[2], "ON "+quote+table+quote, "ON `t`", 1)
		}
		triggers = append(triggers, append(texts[:6], fmt.Sprint(trigger.Order)))
	}
	return triggers
}

// requireEveryWriteOnce: the book tells each row's story without a gap and without a repetition, up to what the table holds.
func (a *audited) requireEveryWriteOnce() {
	a.t.Helper()
	rows, err := a.db.Query("SELECT seq, kind, IFNULL(old_id, 0), IFNULL(old_image, ''), IFNULL(new_id, 0), IFNULL(new_image, ''), IFNULL(word, '') FROM " + a.book + " ORDER BY seq")
	require.NoError(a.t, err)
	defer rows.Close()
	known := map[int64]string{} // the last image of each row that was written; "" if it is gone
	written, wrong := 0, 0
	blame := func(format string, args ...any) {
		if wrong++; wrong <= 5 {
			assert.Fail(a.t, fmt.Sprintf(format, args...))
		}
	}
	for ; rows.Next(); written++ {
		var seq, oldID, newID int64
		var kind, oldImage, newImage, word string
		require.NoError(a.t, rows.Scan(&seq, &kind, &oldID, &oldImage, &newID, &newImage, &word))
		if kind != "i" {
			if last, ok := known[oldID]; ok && last != oldImage {
				blame("entry %d (%s) changes row %d from %q, which was last %q", seq, kind, oldID, oldImage, last)
			}
			known[oldID] = ""
		}
		if kind != "d" {
			if last := known[newID]; last != "" {
				blame("entry %d (%s) brings row %d, which is there: %q", seq, kind, newID, last)
			}
			known[newID] = newImage
		}
		switch kind {
		case "i":
			assert.True(a.t, strings.HasSuffix(newImage, "|0|grüße x"), newImage)
		case "u":
			before, after := touched(a.t, oldImage), touched(a.t, newImage)
			require.Equal(a.t, (before+1)*2%9973, after, "entry %d: %s to %s", seq, oldImage, newImage)
			require.Equal(a.t, "größer; €", word)
		}
	}
	require.NoError(a.t, rows.Err())
	require.Greater(a.t, written, 100)
	now := map[int64]string{}
	rows, err = a.db.Query("SELECT id, CONCAT_WS('|', slot, IFNULL(CRC32(payload), '-'), counter, touched, mark) FROM t")
	require.NoError(a.t, err)
	defer rows.Close()
	for rows.Next() {
		var id int64
		var image string
		require.NoError(a.t, rows.Scan(&id, &image))
		now[id] = image
	}
	require.NoError(a.t, rows.Err())
	for id, image := range known {
		if now[id] != image {
			blame("row %d is %q, the book has it as %q", id, now[id], image)
		}
	}
	assert.Zero(a.t, wrong, "of %d entries", written)
}

func touched(t *testing.T, image string) (n int) {
	_, err := fmt.Sscan(strings.Split(image, "|")[3], &n)
	require.NoError(t, err, image)
	return n
}

// requireMoved: the new table has the triggers that the original had, and the old one has kept them.
func (a *audited) requireMoved(suffix string) {
	a.t.Helper()
	assert.Equal(a.t, a.before, a.triggersOf("t", suffix))
	assert.Equal(a.t, a.before, a.triggersOf("_t_del", ""))
}

// requireNoneOnGhost is called between attempts.
func (r *faultRun) requireNoneOnGhost() {
	names, err := inspect.ReadTriggers(context.Background(), r.admin, r.names.ghost)
	assert.NoError(r.t, err)
	assert.Empty(r.t, names, "an attempt that has failed leaves no trigger on the ghost")
}

func TestTriggersMoveWithALiveTable(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for name, option := range map[string]func(*base.MigrationContext){
			"atomic": func(*base.MigrationContext) {}, "two steps": twoStep, "with a checksum": withChecksum,
		} {
			t.Run(name, func(t *testing.T) {
				r := newFaultRun(t, server, includeTriggers("_n"), option)
				book := keepBook(t, server, r.schema)

				r.succeed()

				assert.Equal(t, []string{"swapped"}, r.outcomes())
				book.requireEveryWriteOnce()
				book.requireMoved("_n")
				last := -1
				for _, text := range []string{"Found 7 triggers on `" + r.schema + "`.`t`", "Waiting for events up to lock: got", "Createing trigger `t_ad_n` on `" + r.schema + "`.`_t_gho`",
					"Createing trigger `plus one_n` on", "Createing trigger `twice_n` on", "Triggers created on _t_gho", "Session renaming tables is"} {
					at := r.log.place(text)
					assert.Greater(t, at, last, "%s comes in its order", text)
					last = at
				}
				t.Log(r.lastReport.Load().Lines())
			})
		}
	})
}

func TestFaultAnAttemptThatFailsLeavesNoTriggerOnTheGhost(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for name, fault := range map[string]struct {
			option func(*base.MigrationContext)
			at     cutover.Phase
			harm   func(r *faultRun)
		}{
			"the locking session is lost":            {func(*base.MigrationContext) {}, cutover.Renaming, func(r *faultRun) { r.kill("CONNECTION", r.lockID()) }},
			"the RENAME is killed":                   {func(*base.MigrationContext) {}, cutover.Checking, func(r *faultRun) { r.kill("QUERY", r.renameID()) }},
			"the renaming session is lost":           {func(*base.MigrationContext) {}, cutover.Renaming, func(r *faultRun) { r.kill("CONNECTION", r.renameID()) }},
			"two steps, the locking session is lost": {twoStep, cutover.Renaming, func(r *faultRun) { r.kill("CONNECTION", r.lockID()) }},
			"somebody reads the ghost": {lockTimeout(1), cutover.Draining, func(r *faultRun) {
				end := r.openTransaction("SELECT COUNT(*) FROM " + r.names.ghost.String())
				time.AfterFunc(3*time.Second, end)
			}},
			"a trigger's session is lost": {func(*base.MigrationContext) {}, cutover.Draining, func(r *faultRun) {
				end := r.openTransaction("SELECT COUNT(*) FROM " + r.names.ghost.String())
				go func() {
					defer end()
					assert.Eventually(r.t, func() bool { return r.killTriggerSession() }, 10*time.Second, 5*time.Millisecond)
				}()
			}},
		} {
			t.Run(name, func(t *testing.T) {
				r := newFaultRun(t, server, includeTriggers("_n"), fault.option)
				book := keepBook(t, server, r.schema)
				attempts := 0
				r.at(fault.at, func() { fault.harm(r) })
				r.atTimes(cutover.Preparing, 10, func() {
					attempts++
					r.requireNoneOnGhost()
				})

				r.succeed()

				r.requireReached(fault.at)
				assert.Greater(t, attempts, 1)
				book.requireEveryWriteOnce()
				book.requireMoved("_n")
			})
		}
	})
}

// killTriggerSession kills the session that creates triggers, when it does.
func (r *faultRun) killTriggerSession() bool {
	query := "SELECT id FROM information_schema.processlist WHERE info LIKE '%CREATE%TRIGGER%_t_gho%' AND user = ?"
	if r.server.Flavor == testserver.MySQL { // whose process list fails while a statement with a four-byte character waits
		query = "SELECT processlist_id FROM performance_schema.threads WHERE processlist_info LIKE '%CREATE%TRIGGER%_t_gho%' AND processlist_user = ?"
	}
	rows, err := r.admin.Query(query, r.server.User)
	if !assert.NoError(r.t, err) {
		return true
	}
	defer rows.Close()
	found := false
	for rows.Next() {
		var id int64
		assert.NoError(r.t, rows.Scan(&id))
		r.kill("CONNECTION", id)
		found = true
	}
	assert.NoError(r.t, rows.Err())
	return found
}

func TestFaultARunThatIsToldToStopLeavesNoTriggerOnTheGhost(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, option := range []func(*base.MigrationContext){func(*base.MigrationContext) {}, twoStep} {
			r := newFaultRun(t, server, includeTriggers("_n"), option)
			book := keepBook(t, server, r.schema)
			stop := errors.New("told to stop")
			r.at(cutover.Renaming, func() { r.Migrator.context.PanicAbort <- stop; time.Sleep(10 * time.Millisecond) })

			require.ErrorIs(t, requireEnd(t, r.start(), time.Minute), stop)

			r.load.requireNothingLost(t, "t")
			assert.False(t, r.isSwapped())
			r.requireNoneOnGhost()
			book.requireEveryWriteOnce()
			r.requireClean()
		}
	})
}

func TestFaultEventsThatDoNotArriveLeaveNoTriggerOnTheGhost(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		r := newProxiedRun(t, server, includeTriggers("_n"), lockTimeout(1))
		book := keepBook(t, server, r.schema)
		r.at(cutover.Draining, func() { r.stream().Stall(testproxy.ToClient) })
		r.at(cutover.Clearing, func() { r.stream().Resume() })

		r.succeed()

		assert.Len(t, r.outcomes(), 2)
		book.requireEveryWriteOnce()
		book.requireMoved("_n")
	})
}

// beginWithTriggers starts the migration of a small table, which stops where all is copied.
func beginWithTriggers(t *testing.T, server *testserver.Server, create string, options ...func(*base.MigrationContext)) *running {
	t.Helper()
	r := &running{t: t, schema: server.Schema(t), table: "t", postpone: filepath.Join(t.TempDir(), "postpone")}
	r.db = server.SchemaDB(t, r.schema)
	r.db.SetMaxOpenConns(1)
	r.exec("CREATE TABLE %t (id int PRIMARY KEY, n int, v varchar(40))", "INSERT INTO %t VALUES (1, 1, 'a'), (2, 2, 'b')", "CREATE TABLE book (id int AUTO_INCREMENT PRIMARY KEY, word varchar(40))")
	if create != "" {
		r.exec(strings.Split(asAccount(server, create), ";")...)
	}
	r.migration = newMigration(t, server, r.schema, "t", "DROP COLUMN v", append(options, func(c *base.MigrationContext) { c.SetPostponeCutOverFlagFile(r.postpone) })...)
	require.NoError(t, os.WriteFile(r.postpone, nil, 0o600))
	r.result = r.start()
	t.Cleanup(func() {
		r.context.CancelContext()
		requireEnd(t, r.result, 20*time.Second)
	})
	return r
}

func (r *running) triggersOf(table string) (names []string) {
	r.t.Helper()
	triggers, err := inspect.ReadTriggers(r.t.Context(), r.db, sql.TableName{Schema: r.schema, Name: table})
	require.NoError(r.t, err)
	for _, trigger := range triggers {
		names = append(names, trigger.Name)
	}
	slices.Sort(names)
	return names
}

func TestTriggersThatCannotMoveAreRefusedAndNothingIsLeft(t *testing.T) {
	long := strings.Repeat("ü", 60)
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for name, refused := range map[string]struct {
			create, suffix string
			strip          bool
			message        []string
		}{
			"a name too long":         {create: "CREATE TRIGGER " + long + " AFTER INSERT ON t FOR EACH ROW SET @x = 1", suffix: "_much", message: []string{"`" + long + "`", "length > 64 characters", "--trigger-suffix"}},
			"a name taken":            {create: "CREATE TRIGGER x AFTER INSERT ON t FOR EACH ROW SET @x = 1; CREATE TRIGGER x_n AFTER INSERT ON book FOR EACH ROW SET @x = 1", suffix: "_n", message: []string{"found gh-ost triggers (", ".`book`.`x_n`"}},
			"a name taken by its own": {create: "CREATE TRIGGER x_n AFTER INSERT ON t FOR EACH ROW SET @x = 1; CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW SET @x = 1", suffix: "_n", strip: true, message: []string{"found gh-ost triggers (", ".`t`.`x`"}},
			"no name left":            {create: "CREATE TRIGGER _n AFTER INSERT ON t FOR EACH ROW SET @x = 1", suffix: "_n", strip: true, message: []string{"`_n`", "nothing would be left"}},
			"a column dropped":        {create: "CREATE TRIGGER x AFTER INSERT ON t FOR EACH ROW SET @x = 1; CREATE TRIGGER y BEFORE INSERT ON t FOR EACH ROW SET NEW.v = 'x'", suffix: "_n", message: []string{"creating the trigger `y`", "`y_n`", "'v'", "drops or renames a column"}},
			"no right to the definer": {create: "CREATE DEFINER='stranger'@'%' TRIGGER x AFTER INSERT ON t FOR EACH ROW SET @x = 1", suffix: "_n", message: []string{"creating the trigger `x`", "stranger@%", "SET USER"}},
		} {
			t.Run(name, func(t *testing.T) {
				if strings.Contains(refused.create, "stranger") && server.Flavor == testserver.MariaDB {
					t.Skip("there the account has SUPER")
				}
				r := beginWithTriggers(t, server, refused.create, includeTriggers(refused.suffix), func(c *base.MigrationContext) { c.RemoveTriggerSuffix = refused.strip })

				err := r.ended()

				require.ErrorContains(t, err, "--include-triggers")
				for _, part := range refused.message {
					require.ErrorContains(t, err, part)
				}
				assert.Equal(t, []string{"book", "t"}, tablesOf(t, r.db, r.schema))
				assert.Len(t, r.triggersOf("t"), strings.Count(refused.create, "ON t "))
			})
		}
	})
}

func TestASuffixGoesBackAndForth(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		db := server.SchemaDB(t, schema)
		_, err := db.Exec(asAccount(server, "CREATE TABLE t (id int PRIMARY KEY); CREATE TRIGGER x AFTER INSERT ON t FOR EACH ROW SET @x = 1; CREATE TRIGGER y_n BEFORE INSERT ON t FOR EACH ROW SET @x = 1"))
		require.NoError(t, err)
		for _, names := range [][]string{{"x_n", "y"}, {"x", "y_n"}, {"x_n", "y"}} {
			m := newMigration(t, server, schema, "t", "ENGINE=InnoDB", includeTriggers("_n"), func(c *base.MigrationContext) {
				c.RemoveTriggerSuffix, c.OkToDropTable = true, true
			})

			require.NoError(t, requireEnd(t, m.start(), time.Minute))

			r := &running{t: t, db: db, schema: schema}
			assert.Equal(t, names, r.triggersOf("t"))
			assert.Equal(t, []string{"t"}, tablesOf(t, db, schema))
		}
	})
}

func TestTriggersThatAreMadeMeanwhileAreTakenOverAsTheyAreThen(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		r := beginWithTriggers(t, server, "CREATE TRIGGER a AFTER INSERT ON t FOR EACH ROW SET @x = 1; CREATE TRIGGER b AFTER INSERT ON t FOR EACH ROW SET @x = 1", includeTriggers("_n"))
		r.await("cut-over waits: the flag file")
		r.exec("DROP TRIGGER a", "DROP TRIGGER b", asAccount(server, "CREATE TRIGGER a AFTER UPDATE ON t FOR EACH ROW INSERT INTO book (word) VALUES ('now')"),
			asAccount(server, "CREATE TRIGGER c BEFORE UPDATE ON t FOR EACH ROW SET NEW.v = 'a column that the ALTER drops'"))

		require.NoError(t, os.Remove(r.postpone))
		r.await("cut-over waits: creating the trigger `c` on `" + r.schema + "`.`_t_gho`")
		assert.Empty(t, r.triggersOf("_t_gho"))
		r.exec("UPDATE %t SET n = 5 WHERE id = 1", "DROP TRIGGER c")

		require.NoError(t, r.ended())
		assert.Equal(t, []string{"a_n"}, r.triggersOf("t"))
		r.exec("UPDATE %t SET n = 6 WHERE id = 1")
		var words int
		require.NoError(t, r.db.QueryRow("SELECT COUNT(*) FROM book").Scan(&words))
		assert.Equal(t, 2, words, "one before, one after the swap")
	})
}

func TestATriggerThatIsMadeJustBeforeTheLockIsNotLost(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		r := newFaultRun(t, server, includeTriggers("_n"))
		r.at(cutover.Locking, func() {
			_, err := r.admin.Exec(asAccount(server, "CREATE TRIGGER late AFTER INSERT ON t FOR EACH ROW SET @x = 1"))
			assert.NoError(t, err)
		})

		r.succeed()

		assert.True(t, r.log.contains("were changed while the cut-over was prepared"))
		triggers, err := inspect.ReadTriggers(t.Context(), r.admin, sql.TableName{Schema: r.schema, Name: "t"})
		require.NoError(t, err)
		require.Len(t, triggers, 1)
		assert.Equal(t, "late_n", triggers[0].Name)
	})
}

func TestWhatAKilledRunHasLeftOnTheGhostIsRemoved(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		db := server.SchemaDB(t, schema)
		_, err := db.Exec("CREATE TABLE t (id int PRIMARY KEY); CREATE TABLE _t_gho LIKE t; CREATE TRIGGER x AFTER INSERT ON t FOR EACH ROW SET @x = 1; CREATE TRIGGER x_n AFTER INSERT ON _t_gho FOR EACH ROW SET @x = 1")
		require.NoError(t, err)
		m := newMigration(t, server, schema, "t", "ENGINE=InnoDB", includeTriggers("_n"))
		require.NoError(t, m.validate(t.Context()))
		require.NoError(t, m.connect(t.Context()))
		defer m.teardown()

		require.NoError(t, m.removeGhostTriggers(t.Context()))

		r := &running{t: t, db: db, schema: schema}
		assert.Empty(t, r.triggersOf("_t_gho"))
		assert.Equal(t, []string{"x"}, r.triggersOf("t"))
		require.NoError(t, m.removeGhostTriggers(t.Context()))

		_, err = db.Exec("CREATE TRIGGER mine AFTER INSERT ON _t_gho FOR EACH ROW SET @x = 1")
		require.NoError(t, err)
		require.ErrorContains(t, m.removeGhostTriggers(t.Context()), "`mine`")
		assert.Equal(t, []string{"mine"}, r.triggersOf("_t_gho"))
	})
}

func TestARunThatIsKilledWithTriggersOnTheGhostIsResumedWithoutThem(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		load := startLoad(t, server, schema, "t", ledger.Options{Rows: 300, Writers: 6})
		book := keepBook(t, server, schema)
		run := mortalRun(t, server, schema)
		run.TriggerSuffix, run.DieAt = "_n", cutover.Renaming.String()
		require.Equal(t, killed, run.run(t))
		require.Len(t, book.triggersOf("_t_gho", "_n"), 7, "else this proves nothing")
		time.Sleep(500 * time.Millisecond) // events for the resumed run to apply

		run.Resume = true
		run.succeed(t)

		load.requireNothingLost(t, "t")
		book.requireEveryWriteOnce()
		book.requireMoved("_n")
	})
}

func TestADryRunTriesTheTriggers(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		db := server.SchemaDB(t, schema)
		_, err := db.Exec(asAccount(server, "CREATE TABLE t (id int PRIMARY KEY, v int); CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW SET NEW.v = 1"))
		require.NoError(t, err)
		noop := func(c *base.MigrationContext) { c.Noop = true }
		require.NoError(t, requireEnd(t, newMigration(t, server, schema, "t", "ADD w int", includeTriggers("_n"), noop).start(), time.Minute))
		err = requireEnd(t, newMigration(t, server, schema, "t", "DROP v", includeTriggers("_n"), noop).start(), time.Minute)
		require.ErrorContains(t, err, "creating the trigger `x`")
		assert.Equal(t, []string{"t"}, tablesOf(t, db, schema))
	})
}

func TestATestOnAReplicaLeavesNoTriggerOnTheGhost(t *testing.T) {
	server := testserver.Start(t, testserver.Options{Flavor: testserver.MySQL, Replica: true})
	schema := server.Schema(t)
	load := startLoad(t, server, schema, "t", ledger.Options{Rows: 500, Writers: 4})
	book := keepBook(t, server, schema)
	server.CatchUp(t)
	replica := server.Replica
	m := newMigration(t, replica, schema, "t", "ADD COLUMN extra int NOT NULL DEFAULT 7", onReplica(func(c *base.MigrationContext) { c.TestOnReplica = true }), includeTriggers("_n"))

	require.NoError(t, requireEnd(t, m.start(), time.Minute))

	assert.True(t, m.log.contains("Triggers created on _t_gho"))
	onReplica := &audited{t: t, db: replica.SchemaDB(t, schema), schema: schema}
	assert.Empty(t, onReplica.triggersOf("_t_gho", ""))
	assert.Equal(t, book.before, onReplica.triggersOf("t", ""))
	requireSameRows(t, replica.DB(t), schema, "t", "_t_gho")
	require.NoError(t, replicaOf(t, replica).Start(t.Context()))
	load.requireNothingLost(t, "t")
	server.CatchUp(t)
	book.requireEveryWriteOnce()
}
