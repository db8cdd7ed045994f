package mysql

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

func TestAZoneThatSetsItsClockIsToldFromOneThatDoesNot(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		db, _ := open(t, configOf(server))
		defer server.Exec(t, "SET GLOBAL time_zone = 'SYSTEM'")
		for _, want := range []TimeZone{
			{Name: "+00:00", Fixed: true},
			{Name: "UTC", Fixed: true},
			{Name: "-03:30", Fixed: true, Offset: -12600},
			{Name: "Asia/Kolkata", Fixed: true, Offset: 19800},
			{Name: "Europe/Berlin"},
			{Name: "Australia/Lord_Howe"},
			{Name: "Africa/Casablanca"},
		} {
			server.Exec(t, "SET GLOBAL time_zone = '"+want.Name+"'")
			zone, err := ReadTimeZone(t.Context(), db)
			require.NoError(t, err)
			assert.Equal(t, want, zone)
			assert.Equal(t, want.Fixed && want.Offset == 0, zone.IsUTC())
		}
	})
}
