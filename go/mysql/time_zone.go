package mysql

import (
	"context"
	gosql "database/sql"
	"fmt"
)

// TimeZone is a server's global time zone.
type TimeZone struct {
	Name   string // @@GLOBAL.time_zone, which may be SYSTEM
	Fixed  bool   // its clock is never set, from 1970 to 2037
	Offset int    // from UTC in seconds, where it is fixed
}

// IsUTC is true of a zone whose local time is always UTC, whatever its name.
func (z TimeZone) IsUTC() bool { return z.Fixed && z.Offset == 0 }

// offsetsOfZone has the least and the greatest offset of the zone at some moments, half a month apart: no zone sets its
// clock back sooner than that.
const offsetsOfZone = "SELECT /* gh-ost */ MIN(seconds), MAX(seconds) FROM (" +
	"SELECT TIMESTAMPDIFF(SECOND, moment, CONVERT_TZ(moment, '+00:00', @@GLOBAL.time_zone)) AS seconds FROM (" +
	"SELECT TIMESTAMP('1970-01-02 00:00:00') + INTERVAL 15 * (a.n + 12 * b.n + 144 * c.n) DAY AS moment FROM (" + twelve + ") a, (" + twelve + ") b, (" + twelve + ") c" +
	") AS moments WHERE moment < '2038-01-01') AS offsets"

const twelve = "SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6" +
	" UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9 UNION ALL SELECT 10 UNION ALL SELECT 11"

// ReadTimeZone asks a server for its global time zone, and tries out whether its clock is ever set.
func ReadTimeZone(ctx context.Context, q Querier) (TimeZone, error) {
	name, err := GlobalVariable(ctx, q, "time_zone")
	if err != nil {
		return TimeZone{}, fmt.Errorf("reading time_zone: %w", err)
	}
	zone := TimeZone{Name: name}
	rows, err := q.QueryContext(ctx, offsetsOfZone)
	if err != nil {
		return TimeZone{}, fmt.Errorf("finding out whether the clock of time_zone '%s' is ever set: %w", name, err)
	}
	defer rows.Close()
	var least, greatest gosql.NullInt64
	for rows.Next() {
		if err := rows.Scan(&least, &greatest); err != nil {
			return TimeZone{}, fmt.Errorf("reading the offsets of time_zone '%s': %w", name, err)
		}
	}
	if least.Valid && least == greatest {
		zone.Fixed, zone.Offset = true, int(least.Int64)
	}
	return zone, rows.Err()
}
