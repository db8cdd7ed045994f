package logic

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/github/gh-ost/go/sql"
)

func TestChecksAreReadFromTheStructureThatTheServerShows(t *testing.T) {
	structure := "CREATE TABLE `t` (\n  `id` int NOT NULL COMMENT 'CONSTRAINT `x` CHECK (1)',\n  PRIMARY KEY (`id`),\n" +
		"  CONSTRAINT `a``b` CHECK ((`id` <> _utf8mb4'),\\n')) /*!80016 NOT ENFORCED */,\n" +
		"  CONSTRAINT `fk` FOREIGN KEY (`id`) REFERENCES `p` (`id`),\n" +
		"  CONSTRAINT `t_chk_1` CHECK ((`id` > 0))\n) ENGINE=InnoDB"

	assert.Equal(t, []check{
		{"a`b", "CHECK ((`id` <> _utf8mb4'),\\n')) /*!80016 NOT ENFORCED */"},
		{"t_chk_1", "CHECK ((`id` > 0))"},
	}, parseChecks(structure))
}

func TestNamesOfChecksDoNotDriftOverMigrations(t *testing.T) {
	names := cutOverNames{original: sql.TableName{Name: "t"}, ghost: sql.TableName{Name: "_t_gho"}}
	long := strings.Repeat("ß", 64)
	for _, test := range []struct{ name, taken, want string }{
		{"t_chk_7", "", "_t_gho_chk_7"},
		{"t_chk_x", "", "_t_chk_x"},
		{"t_chk_07", "", "_t_chk_07"},
		{"positive", "", "_positive"},
		{"_positive", "", "positive"},
		{"positive", "_positive", "__positive"},
		{"_positive", "positive", "__positive"},
		{"_", "", "__"},
		{long, "", "_" + strings.Repeat("ß", 63)},
		{long, "_" + strings.Repeat("ß", 63), "__" + strings.Repeat("ß", 62)},
	} {
		assert.Equal(t, test.want, ghostCheckName(test.name, names, map[string]bool{test.taken: true}), test.name)
	}
}
