package logic

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/logic/status"
)

// printing says what to print of the status.
type printing uint8

const (
	printLine printing = iota // the hint block comes along when it is due
	printHintsAndLine
)

// tickStatus prints the status in its cadence until the context ends.
func (mgtr *Migrator) tickStatus(ctx context.Context) error {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	if err := mgtr.printStatus(ctx, printHintsAndLine, io.Discard); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			eta := mgtr.observeProgress()
			mgtr.measureProgress()
			due := mgtr.cadence.Tick(mgtr.context.ElapsedTime(), eta, mgtr.context.TimeSincePointOfInterest())
			if !due.Line {
				continue
			}
			if err := mgtr.printStatus(ctx, printLine, io.Discard); err != nil {
				return err
			}
		}
	}
}

// observeProgress refreshes the figures that hooks and embedders read.
func (mgtr *Migrator) observeProgress() time.Duration {
	mgtr.statusMutex.Lock()
	defer mgtr.statusMutex.Unlock()
	progress := mgtr.progress()
	eta := mgtr.estimator.Observe(progress, mgtr.context.ElapsedRowCopyTime())
	mgtr.context.SetProgressPct(progress.Percentage())
	mgtr.context.SetETADuration(eta)
	mgtr.context.SetEtaRowsPerSecond(int64(mgtr.estimator.RowsPerSecond()))
	mgtr.context.SetRecentBinlogCoordinates(mgtr.streamer.Coordinates())
	return eta
}

func (mgtr *Migrator) progress() status.Progress {
	return status.Progress{
		Copied:   mgtr.context.GetTotalRowsCopied(),
		Estimate: mgtr.context.GetTotalRowsEstimate(),
		Complete: mgtr.copied.Load(),
	}
}

// printStatus prints the status on stdout and into w, and tells the log and the status hook.
func (mgtr *Migrator) printStatus(ctx context.Context, what printing, w io.Writer) error {
	snapshot := mgtr.snapshot()
	line := snapshot.Line()
	text := line + "\n"
	if what == printHintsAndLine || status.HintsDue(snapshot.Elapsed) {
		text = mgtr.hints().Block() + text
	}
	mgtr.printMutex.Lock()
	_, err := io.WriteString(os.Stdout, text)
	mgtr.printMutex.Unlock()
	if err != nil {
		_ = mgtr.log.Errore(fmt.Errorf("printing the status: %w", err)) // a closed terminal must not end a migration
	}
	mgtr.log.Info(line)
	if interval := mgtr.context.HooksStatusIntervalSec; interval > 0 && int64(snapshot.Elapsed.Seconds())%interval == 0 {
		if err := mgtr.hooks.OnStatus(line); err != nil && ctx.Err() == nil {
			_ = mgtr.log.Errore(err)
		}
	}
	_, err = io.WriteString(w, text)
	return err
}

func (mgtr *Migrator) snapshot() status.Snapshot {
	c := mgtr.context
	throttled, reason, _ := mgtr.throttler.Gate().State()
	coordinates := ""
	if at := mgtr.streamer.Coordinates(); at != nil {
		coordinates = at.DisplayString()
	}
	return status.Snapshot{
		Progress:        mgtr.progress(),
		EventsApplied:   c.GetTotalDMLEventsApplied(),
		Backlog:         mgtr.backlog.Len(),
		Elapsed:         c.ElapsedTime(),
		CopyElapsed:     c.ElapsedRowCopyTime(),
		Coordinates:     coordinates,
		Lag:             c.GetCurrentLagDuration(),
		HeartbeatLag:    c.TimeSinceLastHeartbeatOnChangelog(),
		CountingRows:    mgtr.counting.Load(),
		Checksum:        mgtr.verificationProgress(),
		Postponing:      c.IsPostponing(),
		CutOverWaitsFor: mgtr.gate.WaitsFor(),
		Throttled:       throttled,
		ThrottleReason:  reason,
		CriticalSection: c.IsInCutOverCriticalSection(),
		ETA:             c.GetETADuration(),
	}
}

func (mgtr *Migrator) hints() status.Hints {
	c := mgtr.context
	flagFile := func(path string) status.FlagFile {
		return status.FlagFile{Path: path, Exists: path != "" && base.FileExists(path)}
	}
	return status.Hints{
		Original:                   mgtr.names.original.String(),
		Ghost:                      mgtr.names.ghost.String(),
		Applier:                    mgtr.applier.server.Key().StringCode(),
		Inspector:                  mgtr.inspector.Key().StringCode(),
		ExecutingHost:              mgtr.host,
		Started:                    c.GetStartTime(),
		ChunkSize:                  c.GetChunkSize(),
		MaxLag:                     c.MaxLag(),
		DMLBatchSize:               c.GetDMLBatchSize(),
		MaxLoad:                    c.GetMaxLoad().String(),
		CriticalLoad:               c.GetCriticalLoad().String(),
		NiceRatio:                  c.GetNiceRatio(),
		ThrottleQuery:              c.GetThrottleQuery(),
		ThrottleFlagFile:           flagFile(c.ThrottleFlagFile),
		ThrottleAdditionalFlagFile: flagFile(c.ThrottleAdditionalFlagFile),
		PostponeCutOverFlagFile:    flagFile(c.GetPostponeCutOverFlagFile()),
		PanicFlagFile:              c.PanicFlagFile,
		ControlReplicas:            c.GetThrottleControlReplicaKeys().Len(),
		SocketFile:                 c.ServeSocketFile,
		TCPPort:                    int(c.ServeTCPPort),
	}
}
