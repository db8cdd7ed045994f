package main

import (
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testproxy"
	"github.com/github/gh-ost/go/internal/testserver"
)

var oneFatalLine = regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d FATAL [^\n]*\n$`)

// requireRefused makes sure that the run ended with one line that has these words, and left everything as it was.
func requireRefused(p *place, before []string, got outcome, words ...string) {
	p.t.Helper()
	assert.Equal(p.t, 1, got.exitCode)
	assert.Regexp(p.t, oneFatalLine, got.stderr)
	for _, word := range words {
		assert.Contains(p.t, got.stderr, word)
	}
	assert.NotContains(p.t, got.stdout, "# Done")
	assert.Equal(p.t, before, p.tables(), "the server is as it was")
	assert.NoFileExists(p.t, p.socket())
}

func TestWhatCannotBeMigratedIsRefusedInOneLineAndNothingIsChanged(t *testing.T) {
	const plain = "CREATE TABLE t (id int NOT NULL PRIMARY KEY, n int)"
	for name, refused := range map[string]struct {
		setup     []string
		arguments []string
		words     []string
	}{
		"no such table": {nil, nil, []string{"cannot find table", "`t`"}},
		"a view":        {[]string{"CREATE TABLE u (id int PRIMARY KEY)", "CREATE VIEW t AS SELECT * FROM u"}, nil, []string{"`t`", "VIEW"}},
		"no unique key": {[]string{"CREATE TABLE t (id int NOT NULL, KEY (id))"}, nil, []string{"`t`", "no PRIMARY nor UNIQUE key found"}},
		"child of a foreign key": {[]string{"CREATE TABLE u (id int PRIMARY KEY)", "CREATE TABLE t (id int PRIMARY KEY, u int, CONSTRAINT fk FOREIGN KEY (u) REFERENCES u (id))"}, nil,
			[]string{"found 1 child-side foreign keys", "`t`", "--discard-foreign-keys"}},
		"parent of a foreign key": {[]string{plain, "CREATE TABLE u (id int PRIMARY KEY, t int, CONSTRAINT fk FOREIGN KEY (t) REFERENCES t (id))"}, []string{"--discard-foreign-keys"},
			[]string{"found 1 parent-side foreign keys", "`t`", "fk"}},
		"its own parent": {[]string{"CREATE TABLE t (id int PRIMARY KEY, u int, FOREIGN KEY (u) REFERENCES t (id))"}, []string{"--discard-foreign-keys"},
			[]string{"found 1 parent-side foreign keys"}},
		"a trigger":                                {[]string{plain, "CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW SET NEW.n = 1"}, nil, []string{"found triggers on", "tr"}},
		"a ghost table is there":                   {[]string{plain, "CREATE TABLE _t_gho (precious int)"}, nil, []string{"`_t_gho`", "already exists", "--initially-drop-ghost-table"}},
		"an old table is there":                    {[]string{plain, "CREATE TABLE _t_del (precious int)"}, nil, []string{"`_t_del`", "already exists", "--initially-drop-old-table"}},
		"somebody's table by the changelog's name": {[]string{plain, "CREATE TABLE _t_ghc (precious int)"}, nil, []string{"`_t_ghc`", "--force-table-names"}},
		"ALTER that the server does not take":      {[]string{plain}, []string{"--alter=ADD COLUMN c nosuchtype"}, []string{"--alter", "nosuchtype"}},
		"ALTER of a column that is not there":      {[]string{plain}, []string{"--alter=MODIFY nosuch int"}, []string{"--alter", "nosuch"}},
		"ALTER that is broken off":                 {[]string{plain}, []string{"--alter=ADD COLUMN c varchar(10"}, []string{"--alter"}},
		"ALTER of a table's name":                  {[]string{plain}, []string{"--alter=RENAME TO other"}, []string{"renames the table", "--alter"}},
		"renamed column, not approved":             {[]string{plain}, []string{"--alter=CHANGE n m int"}, []string{"map[n:m]", "--approve-renamed-columns", "--skip-renamed-columns"}},
		"renamed column, not approved, RENAME":     {[]string{plain}, []string{"--alter=RENAME COLUMN n TO m"}, []string{"map[n:m]", "--approve-renamed-columns", "--skip-renamed-columns"}},
		"no shared unique key":                     {[]string{plain}, []string{"--alter=DROP PRIMARY KEY, ADD PRIMARY KEY (n)"}, []string{"no shared unique key can be found", "PRIMARY"}},
		"nullable unique key":                      {[]string{"CREATE TABLE t (n int, UNIQUE KEY u (n))"}, nil, []string{"`u`", "nullable", "--allow-nullable-unique-key"}},
		"NULL in the unique key": {[]string{"CREATE TABLE t (n int, UNIQUE KEY u (n))", "INSERT INTO t VALUES (1), (NULL)"}, []string{"--allow-nullable-unique-key"},
			[]string{"u", "NULL", "--allow-nullable-unique-key"}},
		"the primary, without leave": {[]string{plain}, []string{"--allow-on-master=false"}, []string{"--allow-on-master"}},
		"wrong password":             {[]string{plain}, []string{"--password=wrong"}, []string{"Access denied"}},
		"no such account":            {[]string{plain}, []string{"--user=nobody-here"}, []string{"nobody-here"}},
		"nobody listens":             {[]string{plain}, []string{"--port=1"}, []string{"127.0.0.1:1"}},
		"a socket file in no folder": {[]string{plain}, []string{"--serve-socket-file=/no/such/folder/s"}, []string{"/no/such/folder/s"}},
		"a flag file in no folder":   {[]string{plain}, []string{"--postpone-cut-over-flag-file=/no/such/folder/f"}, []string{"--postpone-cut-over-flag-file", "/no/such/folder/f"}},
		"a schema that is not there": {[]string{plain}, []string{"--database=no_such_schema"}, []string{"no_such_schema"}},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(p *place) {
				p.exec(refused.setup...)
				before := p.tables()
				requireRefused(p, before, p.run(refused.arguments...), refused.words...)
			})
		})
	}
}

func TestAMissingPrivilegeIsNamed(t *testing.T) {
	onBoth(t, func(p *place) {
		p.createT()
		user := "u" + p.schema[:min(20, len(p.schema))]
		p.exec(fmt.Sprintf("CREATE USER '%s'@'%%' IDENTIFIED BY 'secret'", user), fmt.Sprintf("GRANT SELECT, INSERT ON %s.* TO '%s'@'%%'", p.schema, user))
		p.t.Cleanup(func() { p.exec("DROP USER '" + user + "'@'%'") })
		requireRefused(p, p.tables(), p.run("--user="+user, "--password=secret"), "insufficient privileges", "REPLICATION SLAVE")
	})
}

func TestAPortThatIsAnothersIsRefused(t *testing.T) {
	onBoth(t, func(p *place) {
		p.createT()
		proxy := testproxy.Start(p.t, net.JoinHostPort(p.server.Host, strconv.Itoa(p.server.Port)))
		_, port, err := net.SplitHostPort(proxy.Addr())
		require.NoError(p.t, err)
		requireRefused(p, p.tables(), p.run("--port="+port), "unexpected database port reported", port, strconv.Itoa(p.server.Port))
	})
}

func TestABinaryLogThatDoesNotTellIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		options []string
		words   []string
	}{
		"no log":                 {[]string{"--skip-log-bin", "--skip-log-slave-updates"}, []string{"log_bin", "Set log-bin"}},
		"two settings are wrong": {[]string{"--binlog-format=STATEMENT", "--binlog-row-image=MINIMAL"}, []string{"SET GLOBAL binlog_format", "SET GLOBAL binlog_row_image"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testserver.BothFresh(t, testserver.Options{Args: test.options}, func(t *testing.T, server *testserver.Server) {
				p := newPlace(t, server)
				p.createT()
				requireRefused(p, p.tables(), p.run(), test.words...)
			})
		})
	}
}

func TestASecondRunOnTheTableIsRefusedAndTheFirstGoesOn(t *testing.T) {
	onBoth(t, func(p *place) {
		p.createT()
		flag := p.file("postpone")
		first := p.start("--verbose", "--postpone-cut-over-flag-file="+flag)
		first.states("postponing")
		before := p.tables()

		got := p.run("--serve-socket-file=" + p.file("other"))

		assert.Equal(p.t, 1, got.exitCode)
		assert.Regexp(p.t, oneFatalLine, got.stderr)
		assert.Contains(p.t, got.stderr, "another gh-ost process is already migrating")
		assert.Contains(p.t, got.stderr, "gh-ost::"+p.schema+".t")
		assert.Equal(p.t, before, p.tables())
		first.tell("unpostpone")
		assert.Equal(p.t, 0, first.wait().exitCode)
		assert.Equal(p.t, 500, p.number("SELECT COUNT(extra) FROM t"))
	})
}

func TestADryRunChangesNothingAndShowsTheNewTable(t *testing.T) {
	onBoth(t, func(p *place) {
		p.createT()
		before := p.tables()

		got := p.run("--execute=false", "--verbose")

		assert.Equal(p.t, 0, got.exitCode)
		assert.Contains(p.t, got.stderr, "New table structure follows")
		assert.Contains(p.t, got.stdout, "CREATE TABLE `_t_gho`")
		assert.Contains(p.t, got.stdout, "`extra` int")
		assert.True(p.t, strings.HasSuffix(got.stdout, "# Done\n"))
		assert.NotContains(p.t, got.stderr, "Locking")
		assert.Equal(p.t, before, p.tables())
		p.requireReleased()
	})
}
