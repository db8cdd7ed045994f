package inspect

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDirectoriesThatTheGhostDoesNotTakeOverAreFound(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		if !at.isMariaDB() {
			t.Skip("MySQL takes only directories that it was started with")
		}
		directory := t.TempDir()
		require.NoError(t, os.Chmod(directory, 0o777))
		at.exec("CREATE TABLE t (id int PRIMARY KEY COMMENT 'DATA DIRECTORY = ''/nowhere''') ENGINE=InnoDB DATA DIRECTORY = '%s'", directory)
		at.exec("CREATE TABLE ghost LIKE t")

		lost, err := LostDirectories(t.Context(), at.db, at.table("t"), at.table("ghost"))

		require.NoError(t, err)
		require.Len(t, lost, 1)
		assert.Contains(t, lost[0], directory)
		at.exec("DROP TABLE t")
	})
}

func TestDirectoriesAreReadAsBothServersShowThem(t *testing.T) {
	for text, want := range map[string]int{
		"/*!50100 DATA DIRECTORY = '/fast/' */":                   1,
		"DATA DIRECTORY='/fast/' INDEX DIRECTORY='/faster/'":      2,
		"COMMENT='DATA DIRECTORY = ''/fast/'''":                   0,
		"PARTITION p0 VALUES LESS THAN (9) DATA DIRECTORY = '/a'": 1,
	} {
		assert.Len(t, directoryOption.FindAllString(text, -1), want, text)
	}
}
