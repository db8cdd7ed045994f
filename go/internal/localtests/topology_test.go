package localtests

import (
	"net"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/testserver"
)

// topology says which server is inspected and which is changed.
type topology string

const (
	onPrimary      topology = "primary"         // the primary is inspected and changed
	throughReplica topology = "replica"         // a replica is inspected and its primary changed
	onReplica      topology = "test-on-replica" // a replica is inspected and changed; its tables are swapped back in the end
)

func topologyOf(text string) topology {
	if text == "" {
		return onPrimary
	}
	return topology(text)
}

// requireAvailable skips the test if the program does not offer what the topology needs.
func (p topology) requireAvailable(t *testing.T) {
	t.Helper()
	switch p {
	case onPrimary, throughReplica:
	case onReplica:
		if err := exec.CommandContext(t.Context(), program, "--check-flag", "--test-on-replica").Run(); err != nil {
			t.Skipf("--test-on-replica is not available in this version: %v", err)
		}
	default:
		t.Fatalf("%s is primary, replica or test-on-replica, not %q", topologyVariable, string(p))
	}
}

// runsAlone tells whether two cases cannot run at the same time: replication is stopped for each.
func (p topology) runsAlone() bool { return p == onReplica }

// inspected is the server that the program is pointed at.
func (p topology) inspected(server *testserver.Server) *testserver.Server {
	if p == onPrimary {
		return server
	}
	return server.Replica
}

// changed is the server on which the result stands.
func (p topology) changed(server *testserver.Server) *testserver.Server {
	if p == onReplica {
		return server.Replica
	}
	return server
}

// arguments tell the program which server plays which role.
func (p topology) arguments(server *testserver.Server) []string {
	host, port := p.inspected(server).Host, strconv.Itoa(p.inspected(server).Port)
	arguments := []string{"--host=" + host, "--port=" + port}
	switch p {
	case onPrimary:
		arguments = append(arguments, "--allow-on-master")
	case throughReplica: // the other cases need its replication: it must not be stopped to make sure of its format
		arguments = append(arguments, "--assume-rbr", "--assume-master-host="+net.JoinHostPort(server.Host, strconv.Itoa(server.Port)))
	case onReplica:
		arguments = append(arguments, "--assume-rbr", "--test-on-replica")
	}
	return arguments
}

// resultTable is where the result stands when the program has ended that was run with these arguments.
func (p topology) resultTable(table string, arguments []string) string {
	if p != onReplica {
		return table
	}
	context := base.NewMigrationContext()
	context.OriginalTableName = table
	for _, argument := range arguments {
		if name, forced := strings.CutPrefix(argument, "--force-table-names="); forced {
			context.ForceTmpTableName = name
		}
	}
	return context.GetGhostTableName()
}
