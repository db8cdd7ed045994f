package mysql

import (
	"context"
	gosql "database/sql"
	sqldriver "database/sql/driver"
	"fmt"
	"strings"
	"sync"

	driver "github.com/go-sql-driver/mysql"
)

// MaxDBPoolConnections is the number of connections that a pool opens at most, unless its owner sets another.
const MaxDBPoolConnections = 3

// Open returns a pool of connections to the configured server; nothing is connected yet. databaseName is the default
// schema, empty for none. The session statements (such as "SET SESSION time_zone = '+00:00'") are sent in order on
// every new connection before anybody gets it, so that all connections of the pool are alike. The caller closes the pool.
func (c *ConnectionConfig) Open(databaseName string, sessionStatements ...string) (*gosql.DB, error) {
	config, err := c.driverConfig(databaseName)
	if err != nil {
		return nil, err
	}
	return openPool(config, c.TransactionIsolation, sessionStatements, asItIs)
}

// OpenDB returns a pool for a data source name as GetDBUri makes it; nothing is connected yet. The caller closes it.
func OpenDB(mysqlURI string) (*gosql.DB, error) {
	config, err := driver.ParseDSN(mysqlURI)
	if err != nil {
		return nil, fmt.Errorf("reading the data source name: %w", err)
	}
	config.Logger = &driver.NopLogger{}
	// The system variable has another name on MariaDB before 11.1; the SET TRANSACTION statement is the same everywhere.
	isolation := strings.Trim(config.Params[isolationParameter], `'"`)
	delete(config.Params, isolationParameter)
	return openPool(config, isolation, nil, asItIs)
}

func asItIs(connector sqldriver.Connector) sqldriver.Connector { return connector }

// openPool opens a pool; wrap is given what makes its connections, once they are prepared.
func openPool(config *driver.Config, isolation string, sessionStatements []string, wrap func(sqldriver.Connector) sqldriver.Connector) (*gosql.DB, error) {
	var statements []string
	if isolation != "" {
		statement, err := setIsolation(isolation)
		if err != nil {
			return nil, err
		}
		statements = append(statements, statement)
	}
	statements = append(statements, sessionStatements...)

	connector, err := driver.NewConnector(config)
	if err != nil {
		return nil, fmt.Errorf("preparing connections to %s: %w", config.Addr, err)
	}
	db := gosql.OpenDB(wrap(&sessionConnector{Connector: connector, statements: statements}))
	db.SetMaxOpenConns(MaxDBPoolConnections)
	db.SetMaxIdleConns(MaxDBPoolConnections)
	return db, nil
}

func setIsolation(level string) (string, error) {
	switch words := strings.ToUpper(strings.ReplaceAll(level, "-", " ")); words {
	case "READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE":
		return "SET /* gh-ost */ SESSION TRANSACTION ISOLATION LEVEL " + words, nil
	default:
		return "", fmt.Errorf("%q is not a transaction isolation level: use %s or %s", level, RepeatableRead, ReadCommitted)
	}
}

// sessionConnector prepares each new connection before the pool sees it.
type sessionConnector struct {
	sqldriver.Connector
	statements []string
}

// Connect implements driver.Connector.
func (c *sessionConnector) Connect(ctx context.Context) (sqldriver.Conn, error) {
	connection, err := c.Connector.Connect(ctx)
	if err != nil || len(c.statements) == 0 {
		return connection, err
	}
	for _, statement := range c.statements {
		if err := execute(ctx, connection, statement); err != nil {
			_ = connection.Close() // err is the one to tell
			return nil, fmt.Errorf("preparing a new session (%s): %w", statement, err)
		}
	}
	return connection, nil
}

func execute(ctx context.Context, connection sqldriver.Conn, statement string) error {
	execer, ok := connection.(sqldriver.ExecerContext)
	if !ok {
		return fmt.Errorf("the SQL driver's connection (%T) cannot execute statements", connection)
	}
	_, err := execer.ExecContext(ctx, statement, nil)
	return err
}

// poolKey is a pool's identity: the migration that asked, and where to.
type poolKey struct{ migrationUUID, uri string }

// pools is what GetDB hands out. It is the package's only state, and exists because embedders rely on getting the same
// pool again; the tool itself opens its pools with Open and owns them.
var pools = struct {
	sync.Mutex
	open map[poolKey]*gosql.DB
}{open: map[poolKey]*gosql.DB{}}

// GetDB returns the process's pool for a migration and a data source name, opening it at the first call; exists tells
// that it was there before. A pool stays known after its owner closed it.
func GetDB(migrationUUID, mysqlURI string) (db *gosql.DB, exists bool, err error) {
	pools.Lock()
	defer pools.Unlock()
	key := poolKey{migrationUUID: migrationUUID, uri: mysqlURI}
	if db, exists = pools.open[key]; exists {
		return db, true, nil
	}
	if db, err = OpenDB(mysqlURI); err != nil {
		return nil, false, err
	}
	pools.open[key] = db
	return db, false, nil
}
