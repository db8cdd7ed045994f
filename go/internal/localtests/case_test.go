package localtests

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

const casesFolder = "../../../localtests"

// testCase is a folder, as one flavor of servers sees it.
type testCase struct {
	name   string
	number int // in the order of names
	flavor testserver.Flavor
	// throughReplica: the binary log that the program reads is a replica's
	throughReplica bool

	create, alter, dml, postponed, twin string
	extraArgs                           []string
	expectFailure, expectLog            []string
	nativeRefuses                       bool
	table                               string
	columns                             []string
	sqlMode                             *string
	globals                             []string
	gtid                                bool
	localRows                           bool
	ignore                              string
}

// readCases reads all cases that are for this flavor, in the order of their names.
func readCases(t testing.TB, flavor testserver.Flavor, topology topology) []*testCase {
	t.Helper()
	entries, err := os.ReadDir(casesFolder)
	require.NoError(t, err)
	var cases []*testCase
	for number, entry := range entries {
		if !entry.IsDir() {
			continue // the script that runs them
		}
		c := &testCase{name: entry.Name(), number: number, flavor: flavor, throughReplica: topology != onPrimary}
		if only := c.line(t, "flavor"); only != "" && only != string(flavor) {
			continue
		}
		c.readFiles(t)
		cases = append(cases, c)
	}
	return cases
}

func (c *testCase) readFiles(t testing.TB) {
	t.Helper()
	c.create, _ = c.read(t, "create.sql")
	require.NotEmpty(t, c.create, "case %s has no create.sql", c.name)
	c.alter = c.text(t, "alter")
	if c.alter == "" {
		c.alter = "ENGINE=InnoDB"
	}
	c.dml, c.postponed, c.twin = c.text(t, "dml.sql"), c.text(t, "postponed.sql"), c.text(t, "twin.sql")
	c.extraArgs, c.expectFailure, c.expectLog = c.lines(t, "extra_args"), c.lines(t, "expect_failure"), c.lines(t, "expect_log")
	_, c.nativeRefuses = c.read(t, "native_refuses")
	if c.table = c.line(t, "table"); c.table == "" {
		c.table = "t"
	}
	c.columns, c.globals = c.lines(t, "columns"), c.lines(t, "globals")
	if text, found := c.read(t, "sql_mode"); found {
		mode := strings.TrimSpace(text)
		c.sqlMode = &mode
	}
	_, c.gtid = c.read(t, "gtid")
	_, c.localRows = c.read(t, "local_rows")
	if text, found := c.read(t, "ignore"); found {
		c.ignore = strings.TrimSpace(text)
		require.NotEmpty(t, c.ignore, "case %s: the file ignore does not say why", c.name)
	}
}

// read reads a file of the case, or its variant for the flavor or for replicas.
func (c *testCase) read(t testing.TB, name string) (text string, found bool) {
	t.Helper()
	candidates := []string{name + "." + string(c.flavor), name}
	if c.throughReplica {
		candidates = slices.Insert(candidates, 0, name+".replica")
	}
	for _, candidate := range candidates {
		content, err := os.ReadFile(filepath.Join(casesFolder, c.name, candidate))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		require.NoError(t, err)
		if candidate != name && len(content) == 0 {
			return "", false
		}
		return string(content), true
	}
	return "", false
}

// text is a file without its last line break.
func (c *testCase) text(t testing.TB, name string) string {
	t.Helper()
	text, _ := c.read(t, name)
	return strings.TrimSuffix(text, "\n")
}

func (c *testCase) line(t testing.TB, name string) string {
	t.Helper()
	line := c.text(t, name)
	require.NotContains(t, line, "\n", "case %s: the file %s has more than one line", c.name, name)
	return line
}

func (c *testCase) lines(t testing.TB, name string) []string {
	t.Helper()
	text := c.text(t, name)
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

var knownFiles = []string{
	"create.sql", "alter", "dml.sql", "postponed.sql", "twin.sql", "extra_args", "expect_failure", "expect_log", "native_refuses", "table",
	"columns", "sql_mode", "globals", "gtid", "local_rows", "flavor", "ignore",
}

// unknownFiles lists what is in the folder and has no meaning, such as a name that was mistyped.
func (c *testCase) unknownFiles(t testing.TB) (unknown []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(casesFolder, c.name))
	require.NoError(t, err)
	for _, entry := range entries {
		name := entry.Name()
		for _, variant := range []string{string(testserver.MySQL), string(testserver.MariaDB), "replica"} {
			name = strings.TrimSuffix(name, "."+variant)
		}
		if !slices.Contains(knownFiles, name) {
			unknown = append(unknown, entry.Name())
		}
	}
	return unknown
}

// runsAlone tells whether the case changes what other cases on the server would feel.
func (c *testCase) runsAlone() bool { return len(c.globals) > 0 }

// setGlobals sets the case's global variables, and sets them back when its test ends.
func (c *testCase) setGlobals(t *testing.T, server *testserver.Server) {
	t.Helper()
	db := server.DB(t)
	for _, line := range c.globals {
		name, value, found := strings.Cut(line, "=")
		require.True(t, found, "case %s: globals are written name = value", c.name)
		name = strings.TrimSpace(name)
		var before any // of the server's type: a switch takes no text
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT @@GLOBAL."+name).Scan(&before))
		server.Exec(t, "SET GLOBAL "+name+" = "+value)
		t.Cleanup(func() {
			if _, err := db.Exec("SET GLOBAL "+name+" = ?", before); err != nil {
				t.Errorf("set %s back: %v", name, err)
			}
		})
	}
}
