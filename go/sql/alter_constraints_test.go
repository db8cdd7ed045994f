package sql

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNamesOfConstraintsAreTranslatedForTheGhostTable(t *testing.T) {
	translate := func(name string) string {
		return map[string]string{"positive": "_t_gho_chk_1", "a`b": "ghost`s"}[name]
	}
	keepOthers := func(name string) string {
		if translated := translate(name); translated != "" {
			return translated
		}
		return name
	}
	for _, test := range []struct {
		text    string
		names   []string
		options string
	}{
		{"DROP CHECK positive", []string{"positive"}, "DROP CHECK `_t_gho_chk_1`"},
		{"ALTER TABLE s.t ADD x INT,\n drop constraint /* old */ `positive` -- gone", []string{"positive"},
			"ADD x INT,\n drop constraint /* old */ `_t_gho_chk_1` -- gone"},
		{"ALTER CHECK positive NOT ENFORCED, ALTER CONSTRAINT `a``b` ENFORCED;", []string{"positive", "a`b"},
			"ALTER CHECK `_t_gho_chk_1` NOT ENFORCED, ALTER CONSTRAINT `ghost``s` ENFORCED;"},
		{"DROP CONSTRAINT IF EXISTS positive, DROP CHECK `other`", []string{"positive", "other"},
			"DROP CONSTRAINT IF EXISTS `_t_gho_chk_1`, DROP CHECK `other`"},
		{"DROP CHECK positive, ADD b INT CONSTRAINT `other` CHECK (b > 0), ADD CONSTRAINT positive CHECK (a > 0)", []string{"positive"},
			"DROP CHECK `_t_gho_chk_1`, ADD b INT CONSTRAINT `other` CHECK (b > 0), ADD CONSTRAINT `_t_gho_chk_1` CHECK (a > 0)"},
		{"ADD CONSTRAINT positive UNIQUE (a), DROP INDEX positive, DROP FOREIGN KEY positive, DROP positive, ALTER positive DROP DEFAULT", nil,
			"ADD CONSTRAINT positive UNIQUE (a), DROP INDEX positive, DROP FOREIGN KEY positive, DROP positive, ALTER positive DROP DEFAULT"},
	} {
		parser := parsed(t, test.text)
		assert.Equal(t, test.names, parser.ReferencedConstraints(), test.text)
		assert.Equal(t, test.options, parser.OptionsForConstraints(keepOthers), test.text)
	}
}
