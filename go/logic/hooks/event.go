package hooks

// Event is a moment of a migration at which hooks run. Its value is the prefix of the names of the files that are executed.
type Event string

// The events, in the order in which a migration meets them.
const (
	OnStartup            Event = "gh-ost-on-startup"             // before any connection
	OnValidated          Event = "gh-ost-on-validated"           // the tables are inspected, the ghost table is built
	OnRowCountComplete   Event = "gh-ost-on-rowcount-complete"   // an exact count has ended
	OnBeforeRowCopy      Event = "gh-ost-on-before-row-copy"     // before the first chunk
	OnBatchCopyRetry     Event = "gh-ost-on-batch-copy-retry"    // an attempt at copying a chunk has failed
	OnStatus             Event = "gh-ost-on-status"              // a status line is printed
	OnInteractiveCommand Event = "gh-ost-on-interactive-command" // a command has been received, and is not yet executed
	OnRowCopyComplete    Event = "gh-ost-on-row-copy-complete"   // all rows are copied
	OnBeforeCutOver      Event = "gh-ost-on-before-cut-over"     // once, before the first attempt
	OnBeginPostponed     Event = "gh-ost-on-begin-postponed"     // the cut-over begins to be postponed
	OnStopReplication    Event = "gh-ost-on-stop-replication"    // test on replica: before replication is stopped
	OnStartReplication   Event = "gh-ost-on-start-replication"   // test on replica: before replication is started again
	OnSuccess            Event = "gh-ost-on-success"             // the migration is complete
	OnFailure            Event = "gh-ost-on-failure"             // the migration has failed
)
