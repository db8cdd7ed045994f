package main

import (
	"slices"

	"github.com/github/gh-ost/go/base"
)

// options is what the command line says. What the migration context takes as it is, flags write there; what has to pass a
// setter first, or concerns the command itself, stands here until it has been validated.
type options struct {
	migration *base.MigrationContext
	given     map[string]bool // the flags that occur, by name

	// of the command itself
	checkFlag, help, version, verbose, debug, quiet, stack bool
	askPass                                                bool

	execute       bool
	cleanup       bool
	storageEngine string
	charset       string
	cutOver       string

	chunkSize, dmlBatchSize, defaultRetries, heartbeatIntervalMillis, maxLagMillis int64
	niceRatio                                                                      float64
	cutOverLockTimeoutSeconds, exponentialBackoffMaxInterval                       int64

	maxLoad, criticalLoad, controlReplicas, throttleQuery, throttleHTTP string
	ignoreHTTPErrors                                                    bool
	replicationLagQuery                                                 string

	socketMode string

	statsdAddr             string
	statsdTags             []string
	runtimeMetricsInterval int64
}

func newOptions() *options {
	return &options{migration: base.NewMigrationContext(), given: map[string]bool{}}
}

// table is every flag there is, in the order in which they are shown. Building it sets all defaults.
func (o *options) table() []flagGroup {
	return []flagGroup{
		{"Connection", o.connectionFlags()},
		{"What to migrate", o.targetFlags()},
		{"Topology and safety", o.topologyFlags()},
		{"Copying, applying, counting", o.rowFlags()},
		{"Throttling", o.throttlingFlags()},
		{"Cut-over", o.cutOverFlags()},
		{"Interfaces, hooks, metrics, logging", slices.Concat(o.interfaceFlags(), o.commandFlags())},
	}
}
