package main

import (
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// killWhileCopying leaves what a run leaves that is killed in its midst.
func (p *place) killWhileCopying(more ...string) {
	p.t.Helper()
	p.touch(p.file("hold"))
	run := p.start(append([]string{"--verbose", "--throttle-flag-file=" + p.file("hold")}, more...)...)
	run.logs("Migration max values")
	_ = run.command.Process.Kill()
	<-run.ended
	require.True(p.t, p.hasTable("_t_gho"))
}

// cleanUp runs the command with --cleanup and without --alter.
func (p *place) cleanUp(more ...string) outcome {
	p.t.Helper()
	return p.run(append([]string{"--cleanup", "--alter="}, more...)...)
}

func TestWhatAKilledRunHasLeftIsRemovedOnceThatIsSaid(t *testing.T) {
	onBoth(t, func(p *place) {
		p.createT()
		before := p.tables()
		p.killWhileCopying("--checkpoint", "--chunk-size=10")
		killed := p.tables()

		dry := p.cleanUp("--execute=false")

		assert.Equal(p.t, 0, dry.exitCode)
		for _, table := range []string{"_t_gho", "_t_ghc", "_t_ghk"} {
			assert.Contains(p.t, dry.stdout, "would remove: `"+p.schema+"`.`"+table+"`: ")
		}
		assert.Contains(p.t, dry.stdout, "nothing was removed: say --execute")
		assert.Equal(p.t, killed, p.tables())

		got := p.cleanUp()

		assert.Equal(p.t, 0, got.exitCode)
		assert.Empty(p.t, got.stderr)
		assert.Contains(p.t, got.stdout, "removed: `"+p.schema+"`.`_t_gho`: ghost table\n")
		assert.Equal(p.t, before, p.tables())
		again := p.cleanUp()
		assert.Equal(p.t, 0, again.exitCode)
		assert.Contains(p.t, again.stdout, "nothing is left of a migration of `"+p.schema+"`.`t`")
		assert.Equal(p.t, 0, p.run().exitCode, "the next run needs no drop flags")
		assert.Equal(p.t, 500, p.number("SELECT COUNT(extra) FROM t"))
		p.requireReleased()
	})
}

func TestTheCommandThatAnAbortedRunNamesCleansUpAfterIt(t *testing.T) {
	onBoth(t, func(p *place) {
		p.createT()
		before := p.tables()
		config := p.file("my.cnf")
		require.NoError(p.t, os.WriteFile(config, []byte("[client]\nuser="+p.server.User+"\npassword="+p.server.Password+"\n"), 0o600))
		p.touch(p.file("panic"))
		got := p.run("--conf="+config, "--user=", "--password=", "--panic-flag-file="+p.file("panic"))
		require.Equal(p.t, 1, got.exitCode)
		require.True(p.t, p.hasTable("_t_gho"))
		advice := regexp.MustCompile(`(?m)to remove all that is left of this migration: gh-ost (.*)$`).FindStringSubmatch(got.stderr)
		require.NotNil(p.t, advice, got.stderr)
		assert.NotContains(p.t, advice[1], "password")

		command := exec.Command("sh", "-c", os.Args[0]+" "+advice[1]) //nolint:gosec // this test binary
		command.Env = append(os.Environ(), asCommand+"=real")
		output, err := command.CombinedOutput()

		require.NoError(p.t, err, string(output))
		assert.Equal(p.t, before, p.tables())
	})
}

func TestCleanupOfARunningMigrationIsRefused(t *testing.T) {
	onBoth(t, func(p *place) {
		p.createT()
		run := p.start("--verbose", "--postpone-cut-over-flag-file="+p.file("postpone"))
		run.states("postponing cut-over")
		before := p.tables()

		got := p.cleanUp()

		assert.Equal(p.t, 1, got.exitCode)
		assert.Regexp(p.t, oneFatalLine, got.stderr)
		assert.Contains(p.t, got.stderr, "another gh-ost process is already migrating")
		assert.Equal(p.t, before, p.tables())
		require.NoError(p.t, os.Remove(p.file("postpone")))
		assert.Equal(p.t, 0, run.wait().exitCode)
	})
}

func TestCleanupNamesWhatItLeavesAndEndsWithZero(t *testing.T) {
	onBoth(t, func(p *place) {
		p.createT()
		p.exec("CREATE TABLE _t_gho (precious int)", "CREATE TABLE _t_del (precious int)", "CREATE VIEW _t_ghc AS SELECT 1")
		before := p.tables()

		got := p.cleanUp()

		assert.Equal(p.t, 0, got.exitCode)
		assert.Contains(p.t, got.stdout, "left as it is: `"+p.schema+"`.`_t_gho`: that it is a ghost table of this tool is not proven")
		assert.Contains(p.t, got.stdout, "To remove it by hand: DROP TABLE `"+p.schema+"`.`_t_gho`\n")
		assert.Contains(p.t, got.stdout, "To remove it by hand: DROP VIEW `"+p.schema+"`.`_t_ghc`\n")
		assert.Contains(p.t, got.stdout, "`_t_del`: it is no sentry")
		assert.NotContains(p.t, got.stdout, "DROP TABLE `"+p.schema+"`.`_t_del`")
		assert.Equal(p.t, before, p.tables())
	})
}

func TestCleanupIsNoPartOfOtherWork(t *testing.T) {
	for _, other := range []string{"--revert", "--resume"} {
		got := runCommand(t, append(runnable, "--cleanup", "--old-table=_orders_del", other)...)
		assert.Equal(t, 1, got.exitCode)
		assert.Contains(t, got.stderr, "--cleanup removes what --resume or --revert would need")
	}
	got := runCommand(t, append(runnable, "--cleanup", "--verbose")...)
	assert.Equal(t, 1, got.exitCode, "there is no server")
	assert.Contains(t, got.stderr, "WARNING --alter is ignored with --cleanup")
	named := runCommand(t, "--host=127.0.0.1", "--port=1", "--cleanup", "--database=shop")
	assert.Contains(t, named.stderr, "--table is required")
	assert.NotContains(t, named.stderr, "--alter is required")
}
