package sql

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDroppedForeignKeysAreLeftOut(t *testing.T) {
	for text, want := range map[string]string{
		"DROP FOREIGN KEY fk":                                                    "",
		"DROP FOREIGN KEY fk, DROP COLUMN a":                                     "DROP COLUMN a",
		"ADD b INT, drop foreign key `f``k`":                                     "ADD b INT",
		"ADD b INT, DROP FOREIGN KEY x, DROP FOREIGN KEY IF EXISTS y, ADD c INT": "ADD b INT, ADD c INT",
		"DROP FOREIGN KEY x, ADD b INT, DROP FOREIGN KEY y , DROP FOREIGN KEY z": "ADD b INT",
		"ALTER TABLE s.t DROP FOREIGN KEY x,\n ADD b INT -- why":                 "ADD b INT -- why",
		"ADD b INT /* , DROP FOREIGN KEY x */, DROP KEY k":                       "ADD b INT /* , DROP FOREIGN KEY x */, DROP KEY k",
		"DROP FOREIGN KEY x PARTITION BY HASH (a)":                               "DROP FOREIGN KEY x PARTITION BY HASH (a)",
		"ADD b INT /*!80000 , DROP FOREIGN KEY x */":                             "ADD b INT /*!80000 , DROP FOREIGN KEY x */",
		"DROP CONSTRAINT fk":                                                     "",
		"DROP CONSTRAINT IF EXISTS `FK`, DROP CONSTRAINT other, DROP CHECK fk":   "DROP CONSTRAINT other, DROP CHECK fk",
		"ADD b INT, ALTER CONSTRAINT fk NOT ENFORCED, drop constraint `f``k`":    "ADD b INT, ALTER CONSTRAINT fk NOT ENFORCED",
		"DROP CONSTRAINT fk PARTITION BY HASH (a)":                               "DROP CONSTRAINT fk PARTITION BY HASH (a)",
		"": "",
	} {
		parser := NewParserFromAlterStatement(text)
		assert.Equal(t, want, parser.OptionsWithoutForeignKeyDrops("fk", "f`k"), text)
	}
}
