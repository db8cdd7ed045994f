package differential

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pgregory.net/rapid"

	"github.com/github/gh-ost/go/internal/testserver"
)

// randomCase is all that a migration is made of.
type randomCase struct {
	zone    string // the server's time zone
	create  string
	rows    []string // statements that fill the table
	actions []string // of the ALTER
	before  []string // statements from when the stream follows the table until the first row is copied
	beside  []string // statements that run beside the copy
	after   []string // statements while the cut-over is postponed
}

func drawCase(t *rapid.T, flavor testserver.Flavor) randomCase {
	zone := rapid.SampledFrom([]string{"SYSTEM", "SYSTEM", "+05:30", "America/New_York"}).Draw(t, "time zone")
	b := drawTable(t, flavor)
	c := randomCase{zone: zone, create: b.create(), actions: drawAlter(t, flavor, b)}
	for range rapid.IntRange(0, 8).Draw(t, "fills") {
		c.rows = append(c.rows, drawInsert(t, b, 5))
	}
	c.before = drawStatements(t, b, 4, "before the copy")
	c.beside = drawStatements(t, b, 8, "beside the copy")
	c.after = drawStatements(t, b, 4, "after the copy")
	return c
}

func (c randomCase) alter() string {
	if len(c.actions) == 0 {
		return "ENGINE=InnoDB"
	}
	return strings.Join(c.actions, ", ")
}

// files are the case as a folder of localtests/ has it.
func (c randomCase) files() map[string]string {
	lines := func(statements ...string) string {
		if len(statements) == 0 {
			return ""
		}
		return strings.Join(statements, ";\n") + ";\n"
	}
	globals, localRows := "", ""
	if c.zone != "SYSTEM" {
		globals, localRows = fmt.Sprintf("time_zone = '%s'\n", c.zone), "\n"
	}
	return map[string]string{
		"globals":       globals,
		"local_rows":    localRows,
		"create.sql":    lines(append([]string{c.create}, c.rows...)...),
		"alter":         c.alter() + "\n",
		"dml.sql":       lines(append(append([]string{}, c.before...), c.beside...)...),
		"postponed.sql": lines(c.after...),
		"extra_args":    "--approve-renamed-columns\n",
	}
}

func (c randomCase) String() string {
	var text strings.Builder
	files := c.files()
	for _, name := range []string{"globals", "create.sql", "alter", "extra_args", "dml.sql", "postponed.sql"} {
		if files[name] != "" {
			fmt.Fprintf(&text, "--- %s\n%s", name, files[name])
		}
	}
	return text.String()
}

// casesVariable names the folder that cases which break the property are written to.
const casesVariable = "DIFFERENTIAL_CASES"

// save writes the case, over the one that it was shrunk from, if the environment wants it.
func (c randomCase) save(flavor testserver.Flavor, reason error) error {
	folder := os.Getenv(casesVariable)
	if folder == "" {
		return nil
	}
	folder = filepath.Join(folder, string(flavor))
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	files := c.files()
	files["flavor"] = string(flavor) + "\n"
	files["../"+string(flavor)+".reason"] = reason.Error() + "\n"
	for name, text := range files {
		if text == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}
