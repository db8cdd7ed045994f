package mysql

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// everySchemaPrivilege is what a migration needs on its schema, as the server lists it.
const everySchemaPrivilege = "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, INDEX, ALTER, LOCK TABLES, TRIGGER"

func grantsOf(t *testing.T, schema string, lines ...string) *Grants {
	t.Helper()
	rights := newRights(schema)
	for _, line := range lines {
		require.NoError(t, rights.add(line, "gromit@%"), line)
	}
	grants := rights.grants()
	grants.Account, grants.Schema, grants.InactiveRoles = "gromit@%", schema, rights.roles
	return grants
}

func TestGrantsThatAreSufficient(t *testing.T) {
	for name, lines := range map[string][]string{
		"everything, MariaDB and MySQL 5.7": {
			"GRANT ALL PRIVILEGES ON *.* TO 'gromit'@'%' IDENTIFIED BY PASSWORD '*A' WITH GRANT OPTION",
		},
		"client, slave, and the schema by name": {
			"GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO `gromit`@`%`",
			"GRANT ALL PRIVILEGES ON `my_shop`.* TO `gromit`@`%`",
		},
		"the schema with its underscore escaped": {
			"GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO `gromit`@`%`",
			"GRANT " + everySchemaPrivilege + " ON `my\\_shop`.* TO `gromit`@`%`",
		},
		"the schema by a pattern": {
			"GRANT REPLICATION SLAVE, BINLOG MONITOR ON *.* TO `gromit`@`%`",
			"GRANT ALL PRIVILEGES ON `my%`.* TO `gromit`@`%`",
		},
		"super": {
			"GRANT SUPER, REPLICATION SLAVE, " + everySchemaPrivilege + " ON *.* TO `gromit`@`%`",
		},
		"spread over global and schema rights": {
			"GRANT SELECT, PROCESS, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO `gromit`@`%`",
			"GRANT INSERT, UPDATE, DELETE, CREATE, DROP, INDEX, ALTER, LOCK TABLES, TRIGGER ON `my_shop`.* TO `gromit`@`%`",
		},
		"in double quotes": {
			`GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO "gromit"@"%"`,
			`GRANT ALL PRIVILEGES ON "my_shop".* TO "gromit"@"%"`,
		},
		"without quotes": {
			"GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO gromit@%",
			"GRANT ALL PRIVILEGES ON my_shop.* TO gromit@%",
		},
		"by a role of MariaDB": {
			"GRANT `migrator` TO `gromit`@`%`",
			"GRANT USAGE ON *.* TO `gromit`@`%`",
			"GRANT REPLICATION SLAVE, BINLOG MONITOR ON *.* TO `migrator`",
			"GRANT " + everySchemaPrivilege + " ON `my_shop`.* TO `migrator`",
			"SET DEFAULT ROLE `migrator` FOR `gromit`@`%`",
		},
		"with a right revoked on another schema": {
			"GRANT REPLICATION SLAVE, REPLICATION CLIENT, " + everySchemaPrivilege + " ON *.* TO `gromit`@`%`",
			"REVOKE INSERT, UPDATE ON `mysql`.* FROM `gromit`@`%`",
		},
	} {
		grants := grantsOf(t, "my_shop", lines...)
		assert.True(t, grants.Sufficient(), "%s: %s", name, grants)
		assert.NoError(t, grants.Check(), name)
	}
}

func TestGrantsThatAreInsufficientAreNamed(t *testing.T) {
	replication := "GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO `gromit`@`%`"
	for name, test := range map[string]struct {
		lines   []string
		message string
	}{
		"nothing": {
			[]string{"GRANT USAGE ON *.* TO `gromit`@`%`"},
			"lacks REPLICATION CLIENT, REPLICATION SLAVE on *.*, and ALTER, CREATE, DELETE, DROP, INDEX, INSERT, LOCK TABLES, SELECT, TRIGGER, UPDATE on `my_shop`.*",
		},
		"one schema right missing": {
			[]string{replication, "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, INDEX, ALTER, LOCK TABLES ON `my_shop`.* TO `gromit`@`%`"},
			"account gromit@% lacks TRIGGER on `my_shop`.*; grant",
		},
		"all on another schema": {
			[]string{replication, "GRANT ALL PRIVILEGES ON `my-shop`.* TO `gromit`@`%`", "GRANT ALL PRIVILEGES ON `my_shop2`.* TO `gromit`@`%`"},
			"lacks ALTER,",
		},
		"a literal underscore is no wildcard": {
			[]string{replication, "GRANT ALL PRIVILEGES ON `my\\_shop`.`orders` TO `gromit`@`%`"},
			"lacks ALTER,",
		},
		"on a single table, one that is called *": {
			[]string{replication, "GRANT ALL PRIVILEGES ON `my_shop`.`*` TO `gromit`@`%`"},
			"lacks ALTER,",
		},
		"on columns only": {
			[]string{replication, "GRANT SELECT (`a`, `b`), " +
				"INSERT, UPDATE, DELETE, CREATE, DROP, INDEX, ALTER, LOCK TABLES, TRIGGER ON `my_shop`.* TO `gromit`@`%`"},
			"lacks SELECT on",
		},
		"revoked in part": {
			[]string{
				"GRANT REPLICATION SLAVE, REPLICATION CLIENT, " + everySchemaPrivilege + " ON *.* TO `gromit`@`%`",
				"REVOKE DELETE ON `my_shop`.* FROM `gromit`@`%`",
			},
			"lacks DELETE on",
		},
		"a replica's right is not a client's": {
			[]string{"GRANT REPLICATION CLIENT, " + everySchemaPrivilege + " ON *.* TO `gromit`@`%`"},
			"lacks REPLICATION SLAVE on *.*; grant",
		},
		"in a role that is not active": {
			[]string{"GRANT USAGE ON *.* TO `gromit`@`%`", "GRANT `migrator`@`%`,`reader`@`%` TO `gromit`@`%`"},
			"make its roles active by default if they have them (migrator@%, reader@%)",
		},
		"words inside names are not rights": {
			[]string{replication, "GRANT USAGE ON `x ALL PRIVILEGES ON my_shop`.* TO `gromit`@`%`"},
			"lacks ALTER,",
		},
	} {
		err := grantsOf(t, "my_shop", test.lines...).Check()
		var insufficient *InsufficientPrivilegesError
		if assert.ErrorAs(t, err, &insufficient, name) {
			assert.ErrorContains(t, err, "insufficient privileges", name)
			assert.ErrorContains(t, err, test.message, name)
		}
	}
}

func TestGrantsAreDescribedAsScriptsExpect(t *testing.T) {
	all := grantsOf(t, "shop", "GRANT ALL PRIVILEGES ON *.* TO `gromit`@`%`")
	assert.Equal(t, "User has ALL privileges", all.String())

	super := grantsOf(t, "shop", "GRANT SUPER, REPLICATION SLAVE ON *.* TO x", "GRANT ALL PRIVILEGES ON `shop`.* TO x")
	assert.Contains(t, super.String(), "User has SUPER, REPLICATION SLAVE privileges, and has ALL privileges on `shop`")

	client := grantsOf(t, "shop", "GRANT REPLICATION CLIENT, REPLICATION SLAVE ON *.* TO x", "GRANT ALL PRIVILEGES ON `shop`.* TO x")
	assert.Contains(t, client.String(), "User has REPLICATION CLIENT, REPLICATION SLAVE privileges, and has ALL privileges on `shop`")
}

func TestRightsForSingleOptionsAreSeen(t *testing.T) {
	none := grantsOf(t, "shop", "GRANT USAGE ON *.* TO `gromit`@`%`", "GRANT PROXY ON ``@`` TO `gromit`@`%` WITH GRANT OPTION",
		"GRANT EXECUTE ON PROCEDURE `sys`.`ps_setup_save` TO `gromit`@`%`")
	assert.False(t, none.Process || none.ConnectionAdmin || none.ReplicationAdmin || none.VariablesAdmin || none.PerformanceSchema)

	some := grantsOf(t, "shop", "GRANT PROCESS ON *.* TO `gromit`@`%`",
		"GRANT CONNECTION_ADMIN,REPLICATION_SLAVE_ADMIN,SYSTEM_VARIABLES_ADMIN ON *.* TO `gromit`@`%`",
		"GRANT SELECT ON `performance\\_schema`.* TO `gromit`@`%`")
	assert.True(t, some.Process && some.ConnectionAdmin && some.ReplicationAdmin && some.VariablesAdmin && some.PerformanceSchema)

	super := grantsOf(t, "shop", "GRANT SUPER ON *.* TO `gromit`@`%`")
	assert.True(t, super.ConnectionAdmin && super.ReplicationAdmin && super.VariablesAdmin)
}

func TestGrantPatternsFollowLike(t *testing.T) {
	for _, test := range []struct {
		pattern, schema string
		want            bool
	}{
		{"shop", "shop", true}, {"shop", "Shop", true}, {"shop", "shops", false}, {"sho_", "shop", true}, {`sho\_`, "shop", false},
		{`sho\_`, "sho_", true}, {"%", "shop", true}, {"%", "", true}, {"s%p", "shop", true}, {"s%o", "shop", false}, {`100\%`, "100%", true},
		{`100\%`, "1000", false}, {"ä_ü", "äöü", true}, {"%%o%", "shop", true}, {"", "shop", false}, {`x\`, `x\`, true},
	} {
		grant := grantLine{schema: test.pattern}
		assert.Equal(t, test.want, grant.schemaMatches(test.schema), "%s matches %s", test.pattern, test.schema)
	}
}

func TestGrantLineThatCannotBeReadIsAnError(t *testing.T) {
	for _, line := range []string{"", "GRANT", "GRANT SELECT ON *.*", "GRANT SELECT ON `a.* TO x", "GRANT SELECT ON *.* TO"} {
		_, err := parseGrant(line)
		assert.Error(t, err, line)
	}
}

func TestNamesInGrantLinesMayContainAnything(t *testing.T) {
	grant, err := parseGrant("GRANT SELECT ON `we``ird TO ON`.* TO `o'brien`@`%` WITH GRANT OPTION")
	require.NoError(t, err)
	assert.Equal(t, "we`ird TO ON", grant.schema)
	assert.Equal(t, "o'brien@%", grant.grantee)
	assert.Equal(t, []string{"SELECT"}, grant.privileges)
	assert.Equal(t, []string{"a@%", "b c@%"}, splitRoles("`a`@`%`,`b c`@`%`"))
	assert.Equal(t, []string{"migrator"}, splitRoles("migrator"))
}
