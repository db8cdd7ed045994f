package mysql

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// A CyclePolicy says what to do when the search for the primary comes back to a server that it has seen.
type CyclePolicy uint8

const (
	// RefuseCycles: servers that replicate from one another have no primary to be found.
	RefuseCycles CyclePolicy = iota
	// AcceptCycles: the server where the cycle closes is the primary.
	AcceptCycles
)

// A TopologyError says why the primary cannot be told.
type TopologyError struct {
	At     InstanceKey // the server at which the search ended
	Reason string
}

// Error implements error.
func (e *TopologyError) Error() string {
	return fmt.Sprintf("cannot find the primary, at %s: %s", e.At, e.Reason)
}

// FindPrimary follows the chain of sources from a server up to the one that has none, and returns how to connect to
// that: with the account and TLS settings of start. It connects to each server on the way. A server that does not
// replicate although it has a source ends the search with a *ReplicationStoppedError; a cycle that is not accepted, and
// a server with several sources, with a *TopologyError.
func FindPrimary(ctx context.Context, start *ConnectionConfig, cycles CyclePolicy) (*ConnectionConfig, error) {
	key, err := walkToPrimary(ctx, start.Key, cycles, func(ctx context.Context, key InstanceKey) (*topologyNode, error) {
		return visit(ctx, start.DuplicateCredentials(key))
	})
	if err != nil {
		return nil, err
	}
	if key == start.Key {
		return start.Duplicate(), nil
	}
	return start.DuplicateCredentials(key), nil
}

// topologyNode is what the search knows of a server.
type topologyNode struct {
	identity string          // tells servers apart that go by several addresses; empty if the server has nothing of the kind
	channels []ReplicaStatus // one for each source
}

// visit connects to a server, asks, and closes the connection.
func visit(ctx context.Context, config *ConnectionConfig) (node *topologyNode, err error) {
	db, err := config.Open("")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	server, err := Identify(ctx, db)
	if err != nil {
		return nil, err
	}
	channels, err := NewReplica(db, server.Dialect).Status(ctx)
	if err != nil {
		return nil, err
	}
	return &topologyNode{identity: server.UUID, channels: channels}, nil
}

// walkToPrimary is the search itself. visit returns what a server says.
func walkToPrimary(ctx context.Context, start InstanceKey, cycles CyclePolicy,
	visit func(context.Context, InstanceKey) (*topologyNode, error),
) (InstanceKey, error) {
	var path []InstanceKey
	seen := map[string]bool{} // addresses and identities
	for key := start; ; {
		var node *topologyNode
		var err error
		known := seen[key.StringCode()]
		if !known {
			if node, err = visit(ctx, key); err != nil {
				return InstanceKey{}, fmt.Errorf("searching for the primary, asking %s (if it cannot be reached from here "+
					"under this name, give assume-master-host): %w", key, err)
			}
			known = node.identity != "" && seen[node.identity]
		}
		if known {
			// The cycle closes at the server before: its source is one that we come from.
			last := path[len(path)-1]
			if cycles == AcceptCycles {
				return last, nil
			}
			return InstanceKey{}, &TopologyError{At: last, Reason: fmt.Sprintf("the servers replicate in a cycle, %s; "+
				"give allow-master-master if writes go to one of them only, or assume-master-host to name that",
				describePath(path, key))}
		}
		seen[key.StringCode()] = true
		if node.identity != "" {
			seen[node.identity] = true
		}
		path = append(path, key)

		if len(node.channels) == 0 {
			return key, nil
		}
		if len(node.channels) > 1 {
			return InstanceKey{}, &TopologyError{At: key, Reason: fmt.Sprintf("it replicates from %d sources; "+
				"give assume-master-host to name the one where the table is written", len(node.channels))}
		}
		channel := node.channels[0]
		if !channel.Running() {
			return InstanceKey{}, fmt.Errorf("searching for the primary, at %s: %w", key, &ReplicationStoppedError{Status: channel})
		}
		if !channel.Source.IsValid() {
			return InstanceKey{}, &TopologyError{At: key, Reason: fmt.Sprintf("its source is %q, which is no address; "+
				"give assume-master-host", channel.Source)}
		}
		key = channel.Source
	}
}

func describePath(path []InstanceKey, closing InstanceKey) string {
	texts := make([]string, 0, len(path)+1)
	for _, key := range path {
		texts = append(texts, key.String())
	}
	return strings.Join(append(texts, closing.String()), " <- ")
}
