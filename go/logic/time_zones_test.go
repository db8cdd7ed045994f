package logic

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

// setTimeZone changes the shared server's zone until undo is called.
func setTimeZone(t *testing.T, server *testserver.Server, zone string) (undo func()) {
	t.Helper()
	server.Exec(t, fmt.Sprintf("SET GLOBAL time_zone = '%s'", zone))
	return func() { server.Exec(t, "SET GLOBAL time_zone = 'SYSTEM'") }
}

func TestAddedColumnsTakeTheServersTimeAsTheirDefault(t *testing.T) {
	for _, c := range []struct{ name, zone, also string }{
		{"a clock alone", "Asia/Tokyo", ""},
		{"a clock that is never set", "-07:30", ""},
		{"beside an expression", "Asia/Kolkata", ", ADD COLUMN hour datetime DEFAULT (CURRENT_TIMESTAMP + INTERVAL 1 HOUR)"},
		{"beside an expression, in a zone that sets its clock", "America/New_York", ", ADD COLUMN hour datetime DEFAULT (CURRENT_TIMESTAMP + INTERVAL 1 HOUR)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			testserver.Both(t, func(t *testing.T, server *testserver.Server) {
				defer setTimeZone(t, server, c.zone)()
				r := scenario{
					create: []string{"CREATE TABLE %t (id int PRIMARY KEY, ts timestamp NULL, v int)", "INSERT INTO %t VALUES (1, '2023-07-01 12:00:00', 0), (2, '2023-01-01 12:00:00', 0)"},
					alter:  "ADD COLUMN at datetime(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3), ADD COLUMN moment timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP" + c.also,
				}.begin(t, server)
				r.copyRows()
				r.exec("INSERT INTO %t VALUES (3, '2023-07-01 12:00:00', 0)", "UPDATE %t SET v = 1 WHERE id = 2")
				require.NoError(t, r.end())

				var rows, clocks, moments, hours, before int
				hour := "at + INTERVAL 1 HOUR"
				if c.also != "" {
					hour = "hour"
				}
				require.NoError(t, r.db.QueryRowContext(t.Context(), fmt.Sprintf("SELECT COUNT(*), SUM(ABS(TIMESTAMPDIFF(SECOND, at, NOW())) < 100), SUM(ABS(UNIX_TIMESTAMP() - UNIX_TIMESTAMP(moment)) < 100),"+
					" SUM(ABS(TIMESTAMPDIFF(SECOND, %s, NOW() + INTERVAL 1 HOUR)) < 100), SUM(ts = IF(id = 2, '2023-01-01 12:00:00', '2023-07-01 12:00:00')) FROM t", hour)).
					Scan(&rows, &clocks, &moments, &hours, &before))
				assert.Equal(t, []int{3, 3, 3, 3, 3}, []int{rows, clocks, moments, hours, before})
			})
		})
	}
}
