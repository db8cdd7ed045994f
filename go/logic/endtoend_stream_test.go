package logic

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

// deception is what somebody does that the stream tells less of than happened.
type deception struct {
	statements []string
	says       string // a pattern: the copy may meet the change before the stream tells of it
}

func TestWhatTheStreamDoesNotTellEndsTheMigrationWithinSeconds(t *testing.T) {
	deceptions := map[string]deception{
		"minimal row image, update": { // K6
			statements: []string{"SET binlog_row_image = 'MINIMAL'", "UPDATE t SET n = 5 WHERE id = 3"}, says: "binlog_row_image"},
		"minimal row image, insert": {
			statements: []string{"SET binlog_row_image = 'MINIMAL'", "INSERT INTO t (id) VALUES (100)"}, says: "binlog_row_image"},
		"row image without blobs": { // K7
			statements: []string{"SET binlog_row_image = 'NOBLOB'", "UPDATE t SET n = 5 WHERE id = 3"}, says: "binlog_row_image"},
		"statement format": { // K8
			statements: []string{"SET binlog_format = 'STATEMENT'", "UPDATE t SET n = n + 1"}, says: "UPDATE"},
		"truncated":                      {statements: []string{"TRUNCATE TABLE t"}, says: "TRUNCATE"},                // K9
		"column added instantly":         {statements: []string{"ALTER TABLE t ADD COLUMN later int"}, says: "ALTER"}, // K10
		"column dropped":                 {statements: []string{"ALTER TABLE t DROP COLUMN n"}, says: "ALTER|Unknown column"},
		"type changed":                   {statements: []string{"ALTER TABLE t MODIFY n bigint"}, says: "ALTER"},
		"renamed away":                   {statements: []string{"RENAME TABLE t TO elsewhere"}, says: "RENAME|doesn't exist"},
		"dropped":                        {statements: []string{"DROP TABLE t"}, says: "DROP|doesn't exist"},
		"another table put in its place": {statements: []string{"CREATE TABLE u LIKE t", "RENAME TABLE t TO elsewhere, u TO t"}, says: "RENAME"},
		"altered by its qualified name":  {statements: []string{"SET @s = CONCAT('ALTER TABLE ', DATABASE(), '.t ADD COLUMN later int')", "PREPARE p FROM @s", "EXECUTE p"}, says: "ALTER"},
		"an index that changes no rows":  {statements: []string{"CREATE INDEX i ON t (n)"}, says: "CREATE INDEX"},
	}
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for name, d := range deceptions {
			for moment, begin := range map[string]func(*running){"before the copy": func(*running) {}, "when all is copied": (*running).copyRows} {
				t.Run(name+", "+moment, func(t *testing.T) {
					t.Parallel()
					s := scenario{create: []string{"CREATE TABLE t (id int NOT NULL PRIMARY KEY, body text, n int)", "INSERT INTO t " + sequence + "SELECT n, REPEAT('x', n), n FROM s"},
						alter: "ADD COLUMN extra int"}
					r := s.begin(t, server)
					begin(r)
					r.exec(d.statements...)

					started := time.Now()
					err := r.ended()

					require.Error(t, err)
					assert.Regexp(t, d.says, err.Error())
					assert.Regexp(t, "\\.`?t\\b", err.Error(), "names the table")
					assert.Less(t, time.Since(started), 5*time.Second)
					assert.Contains(t, tablesOf(t, r.db, r.schema), "_t_gho", "nothing was swapped")
				})
			}
		}
	})
}

func TestTextThatReachesOnlyOtherTablesIsOfNoConcern(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		scenario{
			create: []string{"CREATE TABLE %t (id int NOT NULL PRIMARY KEY, n int)", "INSERT INTO %t VALUES (1, 1), (2, 2)",
				"CREATE TABLE checksums (db char(64), tbl char(64), chunk int, crc char(40), cnt int, PRIMARY KEY (db, tbl, chunk))"},
			alter: "ADD COLUMN extra int",
			after: []string{"SET binlog_format = 'STATEMENT'",
				"REPLACE INTO checksums (db, tbl, chunk, cnt, crc) SELECT DATABASE(), 't', 1, COUNT(*) AS cnt, COALESCE(LOWER(CONV(BIT_XOR(CAST(CRC32(CONCAT_WS('#', `id`, `n`, CONCAT(ISNULL(`n`)))) AS UNSIGNED)), 10, 16)), 0) AS crc FROM %t FORCE INDEX(`PRIMARY`) WHERE (1=1)",
				"UPDATE checksums SET cnt = GREATEST(cnt, 2) WHERE tbl IN ('t')", "CREATE TABLE gone LIKE checksums", "INSERT INTO gone SELECT * FROM checksums", "DROP TABLE gone", "DELETE FROM checksums",
				"SET binlog_format = 'ROW'", "UPDATE %t SET n = n + 1"},
		}.run(t, server)
	})
}

// K5: what a payload event wraps is unwrapped.
func TestCompressedTransactionsAreSeen(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		compress := map[testserver.Flavor]string{
			testserver.MySQL:   "SET binlog_transaction_compression = ON",
			testserver.MariaDB: "SET @ignored = 0", // MariaDB compresses events for all sessions or none
		}[server.Flavor]
		scenario{
			create: []string{"CREATE TABLE %t (id int NOT NULL PRIMARY KEY, body text, n int)", "INSERT INTO %t " + sequence + "SELECT n, REPEAT('x', n * 50), n FROM s"},
			alter:  "ADD COLUMN extra int",
			before: []string{compress, "UPDATE %t SET n = n + 1000 WHERE id < 10", "DELETE FROM %t WHERE id = 30", "BEGIN", "INSERT INTO %t VALUES (100, REPEAT('y', 5000), 1)", "UPDATE %t SET n = 0 WHERE id = 100", "COMMIT"},
			after:  []string{"UPDATE %t SET body = REPEAT('z', id) WHERE id > 20", "DELETE FROM %t WHERE id = 40", "INSERT INTO %t VALUES (200, '', NULL)"},
		}.run(t, server)
	})
}

func TestRelationsMadeMeanwhileHoldTheCutOverBackUntilTheyAreGone(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for name, relation := range map[string]struct{ make, says, remove string }{
			"trigger":     {"CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW SET NEW.n = 1", "cut-over waits: found triggers on", "DROP TRIGGER tr"},
			"foreign key": {"CREATE TABLE child (id int PRIMARY KEY, t int, FOREIGN KEY (t) REFERENCES t (id))", "cut-over waits: found 1 parent-side foreign keys", "DROP TABLE child"},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := scenario{create: []string{"CREATE TABLE t (id int NOT NULL PRIMARY KEY, n int)", "INSERT INTO t VALUES (1, 2)"}, alter: "ADD COLUMN extra int"}
				r := s.begin(t, server)
				r.copyRows()
				r.exec(relation.make)
				require.NoError(t, os.Remove(r.postpone))
				r.await(relation.says)
				assert.Contains(t, tablesOf(t, r.db, r.schema), "_t_gho", "nothing is swapped")
				r.exec(relation.remove)
				require.NoError(t, r.ended())
			})
		}
	})
}
