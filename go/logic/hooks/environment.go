package hooks

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Environment is what every hook is told of the migration: a snapshot taken by the caller when the event happens.
type Environment struct {
	DatabaseName   string
	TableName      string // the original table
	GhostTableName string // in a revert, the old table
	OldTableName   string // the name that the original table will get
	DDL            string // the ALTER as it was given

	Elapsed     time.Duration // since the start
	ElapsedCopy time.Duration // of the row copy; zero before it

	EstimatedRows int64
	CopiedRows    int64

	MigratedHost  string // as the server says; empty before it is connected
	InspectedHost string
	ExecutingHost string

	InspectedLag time.Duration
	HeartbeatLag time.Duration
	Progress     float64 // percent
	ETASeconds   int64   // math.MinInt64 if unknown

	Hint, HintOwner, HintToken string

	DryRun bool // nothing is executed
	Revert bool
}

// Variables returns the environment variables as NAME=value.
func (e Environment) Variables() []string {
	return []string{
		Variable("GH_OST_DATABASE_NAME", e.DatabaseName),
		Variable("GH_OST_TABLE_NAME", e.TableName),
		Variable("GH_OST_GHOST_TABLE_NAME", e.GhostTableName),
		Variable("GH_OST_OLD_TABLE_NAME", e.OldTableName),
		Variable("GH_OST_DDL", e.DDL),
		Variable("GH_OST_ELAPSED_SECONDS", decimal(e.Elapsed.Seconds())),
		Variable("GH_OST_ELAPSED_COPY_SECONDS", decimal(e.ElapsedCopy.Seconds())),
		Variable("GH_OST_ESTIMATED_ROWS", strconv.FormatInt(e.EstimatedRows, 10)),
		Variable("GH_OST_COPIED_ROWS", strconv.FormatInt(e.CopiedRows, 10)),
		Variable("GH_OST_MIGRATED_HOST", e.MigratedHost),
		Variable("GH_OST_INSPECTED_HOST", e.InspectedHost),
		Variable("GH_OST_EXECUTING_HOST", e.ExecutingHost),
		Variable("GH_OST_INSPECTED_LAG", decimal(e.InspectedLag.Seconds())),
		Variable("GH_OST_HEARTBEAT_LAG", decimal(e.HeartbeatLag.Seconds())),
		Variable("GH_OST_PROGRESS", decimal(e.Progress)),
		Variable("GH_OST_ETA_SECONDS", strconv.FormatInt(e.ETASeconds, 10)),
		Variable("GH_OST_HOOKS_HINT", e.Hint),
		Variable("GH_OST_HOOKS_HINT_OWNER", e.HintOwner),
		Variable("GH_OST_HOOKS_HINT_TOKEN", e.HintToken),
		Variable("GH_OST_DRY_RUN", strconv.FormatBool(e.DryRun)),
		Variable("GH_OST_REVERT", strconv.FormatBool(e.Revert)),
	}
}

// CommandVariable tells OnInteractiveCommand which command was received. Scripts expect the single quotes around it.
func CommandVariable(command string) string {
	return Variable("GH_OST_COMMAND", "'"+command+"'")
}

// StatusVariable tells OnStatus the status line. Scripts expect the single quotes around it.
func StatusVariable(statusLine string) string {
	return Variable("GH_OST_STATUS", "'"+statusLine+"'")
}

// InstantDDLVariable tells OnSuccess whether the ALTER was done as instant DDL, without a ghost table.
func InstantDDLVariable(instant bool) string {
	return Variable("GH_OST_INSTANT_DDL", strconv.FormatBool(instant))
}

// LastBatchCopyErrorVariable tells OnBatchCopyRetry why the attempt failed.
func LastBatchCopyErrorVariable(message string) string {
	return Variable("GH_OST_LAST_BATCH_COPY_ERROR", message)
}

// Variable returns name=value. No environment can hold a NUL byte: error texts that quote binary values lose theirs.
func Variable(name, value string) string {
	return name + "=" + strings.ReplaceAll(value, "\x00", "")
}

func decimal(value float64) string { return fmt.Sprintf("%f", value) }
