package sql

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestATriggersStatementIsCutAtItsNames(t *testing.T) {
	ghost := TableName{Schema: "s", Name: "_t_gho"}
	for statement, expected := range map[string]string{
		"CREATE DEFINER=`root`@`localhost` TRIGGER `one` BEFORE INSERT ON `t` FOR EACH ROW SET @x = 1":                   "CREATE /* gh-ost */ DEFINER=`root`@`localhost` TRIGGER `n` BEFORE INSERT ON `s`.`_t_gho` FOR EACH ROW SET @x = 1",
		"CREATE DEFINER=`trigger on`@`%` TRIGGER x.one  AFTER UPDATE   ON  x . t FOR EACH ROW BEGIN SET @a = ';'; END":   "CREATE /* gh-ost */ DEFINER=`trigger on`@`%` TRIGGER `n`  AFTER UPDATE   ON  `s`.`_t_gho` FOR EACH ROW BEGIN SET @a = ';'; END",
		"CREATE DEFINER=\"a`b\"@\"%\" TRIGGER IF NOT EXISTS \"two x\" BEFORE DELETE ON t FOR\neach ROW\nSET @x=\"it's\"": "CREATE /* gh-ost */ DEFINER=\"a`b\"@\"%\" TRIGGER `n` BEFORE DELETE ON `s`.`_t_gho` FOR\neach ROW\nSET @x=\"it's\"",
		"create or replace trigger if before insert on/* c */`on` for each row/* b */SET @x='\\'":                        "CREATE /* gh-ost */ TRIGGER `n` before insert on/* c */`s`.`_t_gho` for each row/* b */SET @x='\\'",
		"CREATE DEFINER=`Jürgen`@`%` TRIGGER über AFTER INSERT ON `tür` FOR EACH ROW CALL p('ü')":                        "CREATE /* gh-ost */ DEFINER=`Jürgen`@`%` TRIGGER `n` AFTER INSERT ON `s`.`_t_gho` FOR EACH ROW CALL p('ü')",
	} {
		parsed, err := ParseTriggerStatement(statement)
		require.NoError(t, err, statement)
		assert.Equal(t, statement, parsed.Head()+parsed.Body())
		assert.Equal(t, expected, parsed.HeadFor("n", ghost)+parsed.Body())
	}
}

func TestWhatIsNoTriggersStatementIsRefused(t *testing.T) {
	for _, statement := range []string{
		"", "CREATE", "CREATE TABLE t (id int)", "CREATE TRIGGER", "CREATE TRIGGER x AFTER INSERT", "CREATE TRIGGER x AFTER INSERT ON",
		"CREATE TRIGGER x AFTER INSERT ON t FOR EACH", "CREATE TRIGGER x AFTER INSERT ON t FOR EACH ROW", "CREATE TRIGGER `x AFTER INSERT ON t FOR EACH ROW SET @x=1",
		"CREATE TRIGGER x. AFTER INSERT ON t FOR EACH ROW SET @x = 1", "ALTER TRIGGER x",
	} {
		_, err := ParseTriggerStatement(statement)
		assert.Error(t, err, statement)
	}
}
