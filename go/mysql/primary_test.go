package mysql

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func server(host string) InstanceKey { return InstanceKey{Hostname: host, Port: 3306} }

// topology maps each address to what a visitor finds there.
type topology map[string]*topologyNode

func (n topology) visit(_ context.Context, key InstanceKey) (*topologyNode, error) {
	node, ok := n[key.Hostname]
	if !ok {
		return nil, errors.New("no such host")
	}
	return node, nil
}

func (n topology) primaryOf(t *testing.T, host string, cycles CyclePolicy) (InstanceKey, error) {
	t.Helper()
	return walkToPrimary(t.Context(), server(host), cycles, n.visit)
}

func primary(identity string) *topologyNode { return &topologyNode{identity: identity} }

func replicaOf(identity string, sources ...string) *topologyNode {
	node := primary(identity)
	for _, source := range sources {
		node.channels = append(node.channels, ReplicaStatus{Source: server(source), IORunning: "Yes", SQLRunning: "Yes"})
	}
	return node
}

func TestPrimaryIsFoundAtTheEndOfTheChain(t *testing.T) {
	servers := topology{"a": primary("A"), "b": replicaOf("B", "a"), "c": replicaOf("C", "b")}
	for _, start := range []string{"a", "b", "c"} {
		key, err := servers.primaryOf(t, start, RefuseCycles)
		require.NoError(t, err)
		assert.Equal(t, server("a"), key)
	}
}

func TestMastersOfOneAnotherAreRefusedUnlessAllowed(t *testing.T) {
	servers := topology{"a": replicaOf("A", "b"), "b": replicaOf("B", "a"), "c": replicaOf("C", "a")}

	_, err := servers.primaryOf(t, "c", RefuseCycles)
	var topologyError *TopologyError
	require.ErrorAs(t, err, &topologyError)
	assert.ErrorContains(t, err, "c:3306 <- a:3306 <- b:3306 <- a:3306")
	assert.ErrorContains(t, err, "allow-master-master")

	key, err := servers.primaryOf(t, "c", AcceptCycles)
	require.NoError(t, err)
	assert.Equal(t, server("b"), key, "the cycle closes at b")
}

func TestCycleIsSeenThoughAServerGoesByTwoNames(t *testing.T) {
	servers := topology{"localhost": replicaOf("A", "b"), "a": replicaOf("A", "b"), "b": replicaOf("B", "a")}
	key, err := servers.primaryOf(t, "localhost", AcceptCycles)
	require.NoError(t, err)
	assert.Equal(t, server("b"), key)
}

func TestServerThatReplicatesFromItselfIsACycle(t *testing.T) {
	servers := topology{"a": replicaOf("", "a")}
	_, err := servers.primaryOf(t, "a", RefuseCycles)
	assert.Error(t, err)
	key, err := servers.primaryOf(t, "a", AcceptCycles)
	require.NoError(t, err)
	assert.Equal(t, server("a"), key)
}

func TestStoppedReplicationEndsTheSearch(t *testing.T) {
	servers := topology{"a": primary("A"), "b": replicaOf("B", "a"), "c": replicaOf("C", "b")}
	servers["b"].channels[0].SQLRunning = "No"
	servers["b"].channels[0].LastSQLError = "duplicate entry"
	_, err := servers.primaryOf(t, "c", AcceptCycles)
	var stopped *ReplicationStoppedError
	require.ErrorAs(t, err, &stopped)
	assert.ErrorContains(t, err, "b:3306")
	assert.ErrorContains(t, err, "duplicate entry")
}

func TestSeveralSourcesNeedADecision(t *testing.T) {
	servers := topology{"a": primary("A"), "b": primary("B"), "c": replicaOf("C", "a", "b")}
	_, err := servers.primaryOf(t, "c", AcceptCycles)
	assert.ErrorContains(t, err, "2 sources")
	assert.ErrorContains(t, err, "assume-master-host")
}

func TestSourceThatCannotBeReachedIsNamedWithTheRemedy(t *testing.T) {
	servers := topology{"c": replicaOf("C", "nowhere"), "d": replicaOf("D", "_")}
	_, err := servers.primaryOf(t, "c", RefuseCycles)
	assert.ErrorContains(t, err, "asking nowhere:3306")
	assert.ErrorContains(t, err, "assume-master-host")

	_, err = servers.primaryOf(t, "d", RefuseCycles)
	assert.ErrorContains(t, err, "no address")
}
