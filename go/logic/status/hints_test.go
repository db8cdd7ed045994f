package status

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheHintBlockLeavesOutWhatIsNotConfigured(t *testing.T) {
	hints := Hints{
		Original: "`shop`.`orders`", Ghost: "`shop`.`_orders_gho`",
		Applier: "db1:3306", Inspector: "db2:3306", ExecutingHost: "ops7",
		Started:   time.Date(2026, 8, 3, 4, 5, 6, 0, time.FixedZone("", 2*3600)),
		ChunkSize: 1000, MaxLag: 1500 * time.Millisecond, DMLBatchSize: 10, NiceRatio: 0.5,
		SocketFile: "/tmp/gh-ost.shop.orders.sock",
	}
	require.Equal(t, "# Migrating `shop`.`orders`; Ghost table is `shop`.`_orders_gho`\n"+
		"# Migrating db1:3306; inspecting db2:3306; executing on ops7\n"+
		"# Migration started at Mon Aug 03 04:05:06 +0200 2026\n"+
		"# chunk-size: 1000; max-lag-millis: 1500ms; dml-batch-size: 10; max-load: ; critical-load: ; nice-ratio: 0.500000\n"+
		"# Serving on unix socket: /tmp/gh-ost.shop.orders.sock\n", hints.Block())
}

func TestTheHintBlockTellsEveryFlagFileAndWhetherItExists(t *testing.T) {
	hints := Hints{
		Original: "`a`.`b`", Ghost: "`a`.`_b_gho`", Applier: "h:1", Inspector: "h:1", ExecutingHost: "x",
		Started:   time.Date(2026, 8, 3, 4, 5, 6, 0, time.UTC),
		ChunkSize: 10, MaxLag: 100 * time.Millisecond, DMLBatchSize: 1,
		MaxLoad: "Threads_connected=50,Threads_running=25", CriticalLoad: "Threads_running=1000",
		ThrottleFlagFile:           FlagFile{Path: "/run/throttle", Exists: true},
		ThrottleAdditionalFlagFile: FlagFile{Path: "/tmp/gh-ost.throttle"},
		ThrottleQuery:              "select hour(now())\nbetween 8 and 10",
		ControlReplicas:            2,
		PostponeCutOverFlagFile:    FlagFile{Path: "/run/postpone", Exists: true},
		PanicFlagFile:              "/run/panic",
		SocketFile:                 "/run/s",
		TCPPort:                    10001,
	}
	require.Equal(t, "# Migrating `a`.`b`; Ghost table is `a`.`_b_gho`\n"+
		"# Migrating h:1; inspecting h:1; executing on x\n"+
		"# Migration started at Mon Aug 03 04:05:06 +0000 2026\n"+
		"# chunk-size: 10; max-lag-millis: 100ms; dml-batch-size: 1; max-load: Threads_connected=50,Threads_running=25; critical-load: Threads_running=1000; nice-ratio: 0.000000\n"+
		"# throttle-flag-file: /run/throttle [set]\n"+
		"# throttle-additional-flag-file: /tmp/gh-ost.throttle \n"+
		"# throttle-query: select hour(now()) between 8 and 10\n"+
		"# throttle-control-replicas count: 2\n"+
		"# postpone-cut-over-flag-file: /run/postpone [set]\n"+
		"# panic-flag-file: /run/panic\n"+
		"# Serving on unix socket: /run/s\n"+
		"# Serving on TCP port: 10001\n", hints.Block())
}
