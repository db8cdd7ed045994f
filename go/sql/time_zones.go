package sql

import "strings"

// utc is the zone of TIMESTAMP values in the binary log and, unless TimeZones.Local, of the sessions that copy and apply.
const utc = "+00:00"

// TimeZones says in which zone a native ALTER would turn moments into local time, and in which the sessions of copy and
// apply are. At +00:00 no hour occurs twice, so that each TIMESTAMP passes as it is; local time is converted explicitly.
// Sessions in the server's own zone are for tables whose server-side expressions depend on it. The zero value will do where
// nothing is converted between TIMESTAMP and other types.
type TimeZones struct {
	Server string // the global time_zone, as CONVERT_TZ takes it
	Local  bool   // the sessions are in Server, too; else they are at +00:00
	// OffsetLiterals is true of a server that takes a moment as text that ends in its offset: MySQL since 8.0.19. Without
	// them a moment of the hour that a zone repeats cannot be applied in a local session: the statement is refused.
	OffsetLiterals bool
}

// Session is the time_zone that sessions of these statements must have.
func (z TimeZones) Session() string {
	if z.Local {
		return z.Server
	}
	return utc
}

// areUTC is true if no local time differs from the moment.
func (z TimeZones) areUTC() bool { return z.Server == utc }

// textLiteral quotes a zone's name, in which no backslash occurs.
func textLiteral(name string) string { return "'" + strings.ReplaceAll(name, "'", "''") + "'" }
