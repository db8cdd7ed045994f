package inspect

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatDependsOnTheTimeZoneIsFound(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		at.exec("CREATE TABLE t (id int PRIMARY KEY, ts timestamp NULL, dt datetime DEFAULT CURRENT_TIMESTAMP, n bigint, tod time, txt varchar(40), txt2 varchar(40))")
		for _, c := range []struct {
			alter    string
			clocks   []string
			computed string // of the one that is found; "" if there is none
			onMySQL  bool
			convert  string
		}{
			{alter: "ADD COLUMN x int, ADD COLUMN at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP, ADD COLUMN text varchar(20) DEFAULT 'now()'"},
			{alter: "ADD COLUMN at datetime DEFAULT CURRENT_TIMESTAMP, ADD COLUMN at3 datetime(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)", clocks: []string{"at", "at3"}},
			{alter: "ADD COLUMN day date DEFAULT (CURRENT_DATE)", computed: "column `day`"},
			{alter: "ADD COLUMN d date AS (date(ts)) VIRTUAL"},
			{alter: "ADD COLUMN d date AS (date(ts)) STORED", computed: "column `d`"},
			{alter: "ADD COLUMN d date AS (date(dt)) STORED"},
			{alter: "ADD COLUMN d date AS (date(ts)) VIRTUAL, ADD KEY (d)", computed: "column `d`"},
			{alter: "ADD COLUMN d datetime AS (from_unixtime(n)) STORED", onMySQL: true, computed: "column `d`"},
			{alter: "ADD KEY h ((hour(ts)))", onMySQL: true, computed: "the key `h`"},
			{alter: "ADD CONSTRAINT new CHECK (ts > '2001-01-01')", computed: "the check `new`"},
			{alter: "ADD CONSTRAINT new CHECK (dt > '2001-01-01')"},
			{alter: "MODIFY tod datetime", convert: "column `tod`"},
			{alter: "MODIFY txt datetime", onMySQL: true, convert: "column `txt`"},
			{alter: "MODIFY n datetime, MODIFY ts datetime"},
		} {
			if c.onMySQL && at.isMariaDB() {
				continue
			}
			t.Run(c.alter, func(t *testing.T) {
				shared, err := at.migrate("t", c.alter, false)
				require.NoError(t, err)

				found, err := ReadLocalTime(t.Context(), at.db, at.dialect, at.read("ghost of it"), shared)

				require.NoError(t, err)
				var clocks []string
				for _, column := range found.Clocks {
					clocks = append(clocks, column.Name)
				}
				assert.Equal(t, c.clocks, clocks)
				for _, part := range []struct {
					want  string
					found []string
				}{{c.computed, found.Computed}, {c.convert, found.Converted}} {
					if part.want == "" {
						assert.Empty(t, part.found)
					} else if assert.Len(t, part.found, 1) {
						assert.Contains(t, part.found[0], part.want)
					}
				}
			})
		}
	})
}
