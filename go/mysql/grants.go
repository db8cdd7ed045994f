package mysql

import (
	"context"
	gosql "database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/github/gh-ost/go/sql"
)

// Privileges that a migration needs on the schema of its table.
var schemaPrivileges = []string{
	"ALTER", "CREATE", "DELETE", "DROP", "INDEX", "INSERT", "LOCK TABLES", "SELECT", "TRIGGER", "UPDATE",
}

const allPrivileges = "ALL PRIVILEGES"

// Grants is what an account may do, as far as a migration of tables in one schema is concerned. Rights that come from
// roles count if the roles are active in a new session.
type Grants struct {
	Account       string   // as the server knows it, user@host
	Schema        string   // the schema that was asked about
	ActiveRoles   []string // roles in force
	InactiveRoles []string // roles that the account has and a new session does not use

	All               bool     // everything, everywhere
	Super             bool     // SUPER
	ReplicationClient bool     // REPLICATION CLIENT, BINLOG MONITOR on MariaDB: where the binary log stands
	ReplicationSlave  bool     // REPLICATION SLAVE: stream the binary log
	MissingOnSchema   []string // which of the rights needed on the schema are lacking; empty if it has all

	// The following are needed by some options only.

	Process           bool // PROCESS: see the sessions of other accounts
	ConnectionAdmin   bool // CONNECTION_ADMIN or SUPER: end the sessions of other accounts
	ReplicationAdmin  bool // REPLICATION_SLAVE_ADMIN or SUPER: stop and start replication
	VariablesAdmin    bool // SYSTEM_VARIABLES_ADMIN or SUPER (MariaDB: BINLOG ADMIN): set binlog_format globally
	PerformanceSchema bool // SELECT on all of performance_schema
}

// Sufficient tells whether the account can migrate: it has everything; or SUPER, REPLICATION SLAVE and the schema's
// rights; or REPLICATION CLIENT, REPLICATION SLAVE and the schema's rights.
func (g *Grants) Sufficient() bool {
	return g.All || (g.Super || g.ReplicationClient) && g.ReplicationSlave && len(g.MissingOnSchema) == 0
}

// String says in which way the rights are sufficient, or which are missing.
func (g *Grants) String() string {
	switch {
	case g.All:
		return "User has ALL privileges"
	case !g.Sufficient():
		return g.Check().Error()
	case g.Super:
		return "User has SUPER, REPLICATION SLAVE privileges, and has ALL privileges on " + sql.EscapeName(g.Schema) + ".*"
	default:
		return "User has REPLICATION CLIENT, REPLICATION SLAVE privileges, and has ALL privileges on " + sql.EscapeName(g.Schema) + ".*"
	}
}

// Check returns an *InsufficientPrivilegesError if the account cannot migrate.
func (g *Grants) Check() error {
	if g.Sufficient() {
		return nil
	}
	missing := &InsufficientPrivilegesError{Grants: *g, MissingOnSchema: g.MissingOnSchema}
	if !g.Super && !g.ReplicationClient {
		missing.MissingGlobally = append(missing.MissingGlobally, "REPLICATION CLIENT")
	}
	if !g.ReplicationSlave {
		missing.MissingGlobally = append(missing.MissingGlobally, "REPLICATION SLAVE")
	}
	return missing
}

// An InsufficientPrivilegesError says what an account lacks.
type InsufficientPrivilegesError struct {
	Grants          Grants
	MissingGlobally []string
	MissingOnSchema []string
}

// Error implements error.
func (e *InsufficientPrivilegesError) Error() string {
	var missing []string
	if len(e.MissingGlobally) > 0 {
		missing = append(missing, strings.Join(e.MissingGlobally, ", ")+" on *.*")
	}
	if len(e.MissingOnSchema) > 0 {
		missing = append(missing, strings.Join(e.MissingOnSchema, ", ")+" on "+sql.EscapeName(e.Grants.Schema)+".*")
	}
	text := fmt.Sprintf("insufficient privileges: account %s lacks %s; grant them", e.Grants.Account, strings.Join(missing, ", and "))
	if len(e.Grants.InactiveRoles) > 0 {
		text += fmt.Sprintf(", or make its roles active by default if they have them (%s)", strings.Join(e.Grants.InactiveRoles, ", "))
	}
	return text
}

// ReadGrants returns what the account of a pool may do with tables of a schema.
func ReadGrants(ctx context.Context, db *gosql.DB, dialect Dialect, schema string) (*Grants, error) {
	conn, err := db.Conn(ctx) // which roles are active is a matter of the session
	if err != nil {
		return nil, fmt.Errorf("reading the account's privileges: %w", err)
	}
	defer conn.Close()
	grants, err := readGrants(ctx, conn, dialect, schema)
	if err != nil {
		return nil, fmt.Errorf("reading the account's privileges: %w", err)
	}
	return grants, nil
}

func readGrants(ctx context.Context, conn *gosql.Conn, dialect Dialect, schema string) (*Grants, error) {
	var account string
	if err := conn.QueryRowContext(ctx, "SELECT /* gh-ost */ CURRENT_USER()").Scan(&account); err != nil {
		return nil, err
	}
	var activeRoles gosql.NullString
	show := "SHOW /* gh-ost */ GRANTS" // on MariaDB: with those of the active role
	if dialect.HasRoles() {
		if err := conn.QueryRowContext(ctx, "SELECT /* gh-ost */ CURRENT_ROLE()").Scan(&activeRoles); err != nil {
			return nil, err
		}
	}
	if activeRoles.String == "NONE" {
		activeRoles = gosql.NullString{}
	}
	if activeRoles.Valid && !dialect.IsMariaDB() {
		show = "SHOW /* gh-ost */ GRANTS FOR CURRENT_USER() USING " + activeRoles.String // quoted by the server
	}

	lines, err := readColumn(ctx, conn, show)
	if err != nil {
		return nil, err
	}
	rights := newRights(schema)
	for _, line := range lines {
		if err := rights.add(line, account); err != nil {
			return nil, err
		}
	}
	grants := rights.grants()
	grants.Account, grants.Schema = account, schema
	if activeRoles.Valid {
		grants.ActiveRoles = splitRoles(activeRoles.String)
	}
	for _, role := range rights.roles {
		if !slices.Contains(grants.ActiveRoles, role) {
			grants.InactiveRoles = append(grants.InactiveRoles, role)
		}
	}
	return grants, nil
}

func readColumn(ctx context.Context, q Querier, query string) ([]string, error) {
	rows, err := q.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var values []string
	for rows.Next() {
		var value string
		if err := rows.Scan(&value); err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return values, rows.Err()
}

// rights adds up the lines of SHOW GRANTS.
type rights struct {
	schema        string
	global        map[string]bool // on *.*
	onSchema      map[string]bool
	onPerformance map[string]bool // on performance_schema.*
	revoked       map[string]bool // on the schema, from a global right
	roles         []string
}

func newRights(schema string) *rights {
	return &rights{
		schema: schema, global: map[string]bool{}, onSchema: map[string]bool{}, onPerformance: map[string]bool{}, revoked: map[string]bool{},
	}
}

// add takes one line. Rights on single tables, columns and routines do not help a migration, which makes new tables.
func (r *rights) add(line, account string) error {
	grant, err := parseGrant(line)
	if err != nil {
		return err
	}
	switch {
	case grant.verb == "GRANT" && grant.level == "" && len(grant.privileges) > 0:
		// Of roles of roles, only the account's own are its choice.
		if grant.grantee == account {
			r.roles = append(r.roles, grant.privileges...)
		}
	case grant.level == "*.*" && grant.verb == "GRANT":
		addAll(r.global, grant.privileges)
	case grant.object != "*":
		// not on a whole schema
	case grant.verb == "REVOKE":
		if grant.schemaMatches(r.schema) {
			addAll(r.revoked, grant.privileges)
		}
	default:
		if grant.schemaMatches(r.schema) {
			addAll(r.onSchema, grant.privileges)
		}
		if grant.schemaMatches("performance_schema") {
			addAll(r.onPerformance, grant.privileges)
		}
	}
	return nil
}

func addAll(set map[string]bool, privileges []string) {
	for _, privilege := range privileges {
		set[privilege] = true
	}
}

func (r *rights) grants() *Grants {
	everywhere := func(privileges ...string) bool {
		return r.global[allPrivileges] || slices.ContainsFunc(privileges, func(p string) bool { return r.global[p] })
	}
	grants := &Grants{
		All:               r.global[allPrivileges] && len(r.revoked) == 0,
		Super:             everywhere("SUPER"),
		ReplicationClient: everywhere("REPLICATION CLIENT", "BINLOG MONITOR"),
		ReplicationSlave:  everywhere("REPLICATION SLAVE"),
		Process:           everywhere("PROCESS"),
		ConnectionAdmin:   everywhere("SUPER", "CONNECTION_ADMIN", "CONNECTION ADMIN"),
		ReplicationAdmin:  everywhere("SUPER", "REPLICATION_SLAVE_ADMIN", "REPLICATION SLAVE ADMIN"),
		VariablesAdmin:    everywhere("SUPER", "SYSTEM_VARIABLES_ADMIN", "BINLOG ADMIN"),
	}
	grants.PerformanceSchema = everywhere("SELECT") || r.onPerformance["SELECT"] || r.onPerformance[allPrivileges]
	for _, privilege := range schemaPrivileges {
		globally := everywhere(privilege) && !r.revoked[privilege] && !r.revoked[allPrivileges]
		if !globally && !r.onSchema[privilege] && !r.onSchema[allPrivileges] {
			grants.MissingOnSchema = append(grants.MissingOnSchema, privilege)
		}
	}
	return grants
}
