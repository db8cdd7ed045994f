package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hook writes a hook script that says what it was told.
func (p *place) hook(name, variable string) {
	p.t.Helper()
	script := "#!/bin/sh\necho \"" + name + " $" + variable + "\" >>" + p.file("told") + "\n"
	require.NoError(p.t, os.MkdirAll(p.file("hooks"), 0o700))
	require.NoError(p.t, os.WriteFile(filepath.Join(p.file("hooks"), name), []byte(script), 0o700)) //nolint:gosec // it is to be run
}

func (p *place) told() string {
	p.t.Helper()
	text, err := os.ReadFile(p.file("told"))
	require.NoError(p.t, err)
	return string(text)
}

func TestAChangeThatTheServerMakesAtOnceEndsTheRunInSeconds(t *testing.T) {
	for flag, alter := range map[string]string{
		"--attempt-instant-ddl": "ADD COLUMN extra int NOT NULL DEFAULT 7",
		"--attempt-inplace-ddl": "MODIFY body varchar(200), ALTER COLUMN n SET DEFAULT 5",
	} {
		t.Run(flag, func(t *testing.T) {
			onBoth(t, func(p *place) {
				p.createT()
				for _, hook := range []string{"gh-ost-on-success", "gh-ost-on-validated", "gh-ost-on-failure"} {
					p.hook(hook, "GH_OST_INSTANT_DDL")
				}
				began := time.Now()

				got := p.run("--verbose", flag, "--alter="+alter, "--hooks-path="+p.file("hooks"))

				assert.Equal(p.t, 0, got.exitCode)
				assert.Less(p.t, time.Since(began), 15*time.Second)
				assert.Equal(p.t, "gh-ost-on-success true\n", p.told())
				assert.True(p.t, strings.HasSuffix(got.stdout, "# Done\n"))
				changed := 0
				for _, column := range p.tables() {
					if column == "column t.extra int" || column == "column t.extra int(11)" || column == "column t.body varchar(200)" {
						changed++
					}
				}
				assert.Equal(p.t, 1, changed)
				assert.Equal(p.t, 1, p.number("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()"))
				assert.NotContains(p.t, got.stderr, "drop table")
				requireInOrder(p.t, got.stderr, "Ghost table altered", "Attempting to execute alter with ALGORITHM=", "Success! table ", "Done migrating ", "Tearing down throttler")
				p.requireReleased()
			})
		})
	}
}

func TestAChangeThatIsWorkIsMigratedAllTheSame(t *testing.T) {
	onBoth(t, func(p *place) {
		p.createT()
		p.hook("gh-ost-on-success", "GH_OST_INSTANT_DDL")

		got := p.run("--verbose", "--attempt-instant-ddl", "--attempt-inplace-ddl", "--alter=ADD INDEX (n)", "--hooks-path="+p.file("hooks"))

		assert.Equal(p.t, 0, got.exitCode)
		assert.Equal(p.t, "gh-ost-on-success false\n", p.told())
		assert.Contains(p.t, got.stderr, "ALGORITHM=INSTANT not supported")
		assert.Contains(p.t, got.stderr, "ALGORITHM=INPLACE is not attempted: the server would build an index")
		assert.True(p.t, p.hasTable("_t_del"))
		p.requireReleased()
	})
}
