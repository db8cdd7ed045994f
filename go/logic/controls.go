package logic

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/logic/server"
	"github.com/github/gh-ost/go/mysql"
)

// controls is what an operator can see and change of a migration, for the interactive server.
type controls struct {
	mgtr *Migrator
}

var _ server.Controls = controls{}

func (c controls) context() *base.MigrationContext { return c.mgtr.context }

// changed makes a setting that may hold the migration back, or let it go on, take effect at once.
func (c controls) changed() { c.mgtr.throttler.SettingsChanged() }

func (c controls) WriteStatus(ctx context.Context, w io.Writer) error {
	return c.mgtr.printStatus(ctx, printHintsAndLine, w)
}

func (c controls) WriteStatusLine(ctx context.Context, w io.Writer) error {
	return c.mgtr.printStatus(ctx, printLine, w)
}

func (c controls) Table() string              { return c.context().OriginalTableName }
func (c controls) RequiresNamedCutOver() bool { return c.context().ForceNamedCutOverCommand }
func (c controls) RequiresNamedPanic() bool   { return c.context().ForceNamedPanicCommand }

func (c controls) Coordinates() string {
	if coordinates := c.mgtr.streamer.Coordinates(); coordinates != nil {
		return coordinates.DisplayString()
	}
	return ""
}

func (c controls) ApplierIdentity() server.Identity   { return identityOf(c.mgtr.applier.server) }
func (c controls) InspectorIdentity() server.Identity { return identityOf(c.mgtr.inspector) }

func identityOf(s *mysql.Server) server.Identity {
	return server.Identity{Host: s.Key().StringCode(), Version: s.Version}
}

func (c controls) CutOverReport() string {
	report := c.mgtr.lastReport.Load()
	if report == nil {
		return ""
	}
	return strings.Join(report.Lines(), "\n")
}

func (c controls) ChunkSize() int64             { return c.context().GetChunkSize() }
func (c controls) SetChunkSize(rows int64)      { c.context().SetChunkSize(rows) }
func (c controls) DMLBatchSize() int64          { return c.context().GetDMLBatchSize() }
func (c controls) SetDMLBatchSize(events int64) { c.context().SetDMLBatchSize(events) }
func (c controls) NiceRatio() float64           { return c.context().GetNiceRatio() }
func (c controls) SetNiceRatio(ratio float64)   { c.context().SetNiceRatio(ratio) }

func (c controls) MaxLagMillis() int64 {
	return c.context().GetMaxLagMillisecondsThrottleThreshold()
}

func (c controls) SetMaxLagMillis(millis int64) {
	c.context().SetMaxLagMillisecondsThrottleThreshold(millis)
	c.changed()
}

func (c controls) MaxLoad() string { return c.context().GetMaxLoad().String() }

func (c controls) SetMaxLoad(list string) error { return c.set(c.context().ReadMaxLoad(list)) }

func (c controls) CriticalLoad() string { return c.context().GetCriticalLoad().String() }

func (c controls) SetCriticalLoad(list string) error {
	return c.set(c.context().ReadCriticalLoad(list))
}

// set finishes a setter that may have failed.
func (c controls) set(err error) error {
	if err == nil {
		c.changed()
	}
	return err
}

func (c controls) ThrottleQuery() string { return c.context().GetThrottleQuery() }

func (c controls) SetThrottleQuery(query string) {
	c.context().SetThrottleQuery(query)
	c.changed()
}

func (c controls) ThrottleHTTP() string { return c.context().GetThrottleHTTP() }

func (c controls) SetThrottleHTTP(url string) {
	c.context().SetThrottleHTTP(url)
	c.changed()
}

func (c controls) ControlReplicas() string {
	return c.context().GetThrottleControlReplicaKeys().ToCommaDelimitedList()
}

func (c controls) SetControlReplicas(list string) error {
	return c.set(c.context().ReadThrottleControlReplicaKeys(list))
}

func (c controls) ThrottleByUser(throttle bool) {
	c.context().SetThrottleCommandedByUser(throttle)
	c.changed()
}

func (c controls) PostponeCutOver(flagFile string) error {
	if err := base.TouchFile(flagFile); err != nil {
		return err
	}
	c.context().SetPostponeCutOverFlagFile(flagFile)
	return nil
}

func (c controls) PostponeFlagFile() string { return c.context().GetPostponeCutOverFlagFile() }

func (c controls) Unpostpone() bool {
	if !c.context().IsPostponing() {
		return false
	}
	c.context().RequestUnpostpone(time.Now())
	return true
}

func (c controls) Panic(reason error) { c.mgtr.abort(reason) }
