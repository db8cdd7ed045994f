package logic

import (
	"context"
	"fmt"
	"strings"

	"github.com/github/gh-ost/go/logic/inspect"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// chooseTimeZones decides in which time zone rows are copied and applied. At +00:00 every moment passes as it is, and what
// the ALTER converts to or from local time is converted explicitly. But what the server itself computes from moments, or
// from the clock, it computes by the session's zone: a table with such things gets sessions in the server's zone, as a
// native ALTER has it.
func (mgtr *Migrator) chooseTimeZones(ctx context.Context, ghost *inspect.Table) error {
	server := mgtr.applier.server
	zone, err := mysql.ReadTimeZone(ctx, mgtr.applier.general)
	if err != nil {
		return err
	}
	mgtr.applier.timeZones = sql.TimeZones{Server: zone.Name, OffsetLiterals: server.Dialect.TakesOffsets()}
	if zone.IsUTC() {
		mgtr.applier.timeZones.Server = "+00:00"
		return nil
	}
	local, err := inspect.ReadLocalTime(ctx, mgtr.applier.general, server.Dialect, ghost, mgtr.shared)
	if err != nil {
		return err
	}
	if len(local.Computed)+len(local.Converted) == 0 {
		mgtr.fillClocks(local.Clocks)
		return nil
	}
	moment := momentInKey(mgtr.shared)
	if zone.Fixed || moment == "" {
		mgtr.applier.timeZones.Local = true
		mgtr.log.Infof("Rows are written in time_zone='%s', on which depends what the server makes of %s", zone.Name, strings.Join(append(local.Computed, local.Converted...), ", "))
		return nil
	}
	if len(local.Computed) > 0 {
		return fmt.Errorf("what the server computes in the altered table depends on time_zone='%s' (%s), and the unique key %s holds the TIMESTAMP %s, by which rows cannot be told apart in a zone that sets its clock back. Give the table a unique key without a TIMESTAMP first, or drop what depends on the zone and add it natively",
			zone.Name, strings.Join(local.Computed, ", "), sql.EscapeName(mgtr.shared.Key.Name), sql.EscapeName(moment))
	}
	mgtr.fillClocks(local.Clocks)
	_ = mgtr.log.Warningf("rows are written in time_zone='+00:00', because the unique key %s holds the TIMESTAMP %s: a time of day without a date, and text that names an offset, become UTC instead of local time in %s",
		sql.EscapeName(mgtr.shared.Key.Name), sql.EscapeName(moment), strings.Join(local.Converted, ", "))
	return nil
}

// fillClocks gives the ghost's own DATETIME columns the local time, which is their default in a session of the server's zone.
func (mgtr *Migrator) fillClocks(columns []sql.Column) {
	for _, column := range columns {
		mgtr.shared.Filled = append(mgtr.shared.Filled, sql.NewClockColumn(column, mgtr.applier.timeZones))
	}
}

// momentInKey names a TIMESTAMP of the key by which rows are walked and told apart, on either side; "" if there is none.
func momentInKey(shared *inspect.Shared) string {
	for _, pair := range shared.Columns {
		if _, inKey := shared.Key.Columns.Lookup(pair.Source.Name); !inKey {
			continue
		}
		if pair.Source.Type.Kind == sql.KindTimestamp || pair.Target.Type.Kind == sql.KindTimestamp {
			return pair.Source.Name
		}
	}
	return ""
}
