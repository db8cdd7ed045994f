package testserver

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const orphanVariable = "TESTSERVER_BE_AN_ORPHAN"

func TestMain(m *testing.M) { os.Exit(Main(m, Options{Replica: true})) }

func TestServersAreSetUpForGhost(t *testing.T) {
	Both(t, func(t *testing.T, server *Server) {
		ids := map[int]bool{}
		for _, instance := range []*Server{server, server.Replica} {
			var logBin, logUpdates, readOnly, id int
			var format, image, bind string
			require.NoError(t, instance.DB(t).QueryRow("SELECT @@log_bin, @@log_slave_updates, @@read_only, @@server_id, @@binlog_format, @@binlog_row_image, @@bind_address").
				Scan(&logBin, &logUpdates, &readOnly, &id, &format, &image, &bind))
			assert.Equal(t, []any{1, 1, 0, "ROW", "FULL", "127.0.0.1"}, []any{logBin, logUpdates, readOnly, format, image, bind})
			ids[id] = true
		}
		assert.Len(t, ids, 2, "primary and replica have server ids of their own")

		var zoned string
		require.NoError(t, server.DB(t).QueryRow("SELECT CONVERT_TZ('2020-07-01 12:00:00', 'UTC', 'Europe/Berlin')").Scan(&zoned))
		assert.Equal(t, "2020-07-01 14:00:00", zoned)
	})
}

func TestReplicaHasWhatThePrimaryHasAfterCatchUp(t *testing.T) {
	Both(t, func(t *testing.T, server *Server) {
		schema := server.Schema(t)
		server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY) AS SELECT 1 AS id")
		server.CatchUp(t)
		var rows int
		require.NoError(t, server.Replica.DB(t).QueryRow("SELECT count(*) FROM "+schema+".t").Scan(&rows))
		assert.Equal(t, 1, rows)
	})
}

func TestKilledServerComesBackWithItsDataOnItsPort(t *testing.T) {
	BothFresh(t, Options{Args: []string{"--max-connections=77"}}, func(t *testing.T, server *Server) {
		schema := server.Schema(t)
		server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY) AS SELECT 7 AS id")
		pid := server.PID

		server.Kill(t)
		require.Error(t, server.DB(t).Ping())
		server.Restart(t)

		assert.NotEqual(t, pid, server.PID)
		var id, connections int
		require.NoError(t, server.DB(t).QueryRow("SELECT id, @@max_connections FROM "+schema+".t").Scan(&id, &connections))
		assert.Equal(t, []int{7, 77}, []int{id, connections})
	})
}

func TestReplicaResumesAfterItsRestart(t *testing.T) {
	BothFresh(t, Options{Replica: true}, func(t *testing.T, server *Server) {
		server.Replica.Kill(t)
		schema := server.Schema(t)
		server.Replica.Restart(t)
		server.CatchUp(t)
		server.Replica.Exec(t, "USE "+schema)
	})
}

func TestServersEndWithAKilledTestBinary(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a server; not run with -short")
	}
	// Given a test binary, like this one, that has started servers
	binary, err := os.Executable()
	require.NoError(t, err)
	command := exec.Command(binary, "-test.run=^TestBeAnOrphanMaker$", "-test.v")
	command.Env = append(os.Environ(), orphanVariable+"=1")
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	var pids []int
	for lines := bufio.NewScanner(stdout); len(pids) == 0 && lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "orphans "); ok {
			for field := range strings.FieldsSeq(text) {
				pid, err := strconv.Atoi(field)
				require.NoError(t, err)
				require.True(t, running(pid))
				pids = append(pids, pid)
			}
		}
	}
	require.Len(t, pids, 2)

	// When it is killed
	require.NoError(t, command.Process.Kill())
	require.Error(t, command.Wait())

	// Then its servers are gone soon
	for _, pid := range pids {
		assert.Eventually(t, func() bool { return !running(pid) }, 10*time.Second, 50*time.Millisecond)
	}
}

// TestBeAnOrphanMaker is the body of the process that TestServersEndWithAKilledTestBinary kills.
func TestBeAnOrphanMaker(t *testing.T) {
	if os.Getenv(orphanVariable) == "" {
		t.Skip("is run by TestServersEndWithAKilledTestBinary")
	}
	server := Start(t, Options{Replica: true})
	fmt.Println("\norphans", server.PID, server.Replica.PID)
	select {}
}

func TestSchemaNamesNeedNoQuotes(t *testing.T) {
	for test, want := range map[string]string{
		"TestRows/mysql":                             "t3_rows",
		"TestÜber-größe_1":                           "t3_bergre_1",
		"TestAnExceedinglyLongNameOfATestThatGoesOn": "t3_anexceedinglylongnameofa",
	} {
		assert.Equal(t, want, schemaName(test, 3))
	}
}
