package base

import (
	gosql "database/sql"
	"errors"
	"fmt"

	driver "github.com/go-sql-driver/mysql"

	"github.com/github/gh-ost/go/mysql"
)

// errUnknownSystemVariable is the server's answer where a system variable does not exist: ER_UNKNOWN_SYSTEM_VARIABLE.
const errUnknownSystemVariable = 1193

// ValidateConnection asks a server for its version, and whether it is the one meant: the port it reports (or its extra port)
// must be the one it was reached by. The port is not compared behind a provider's proxy, nor with SkipPortValidation. name
// says in messages whose connection it is.
func ValidateConnection(db *gosql.DB, connectionConfig *mysql.ConnectionConfig, migrationContext *MigrationContext, name string) (string, error) {
	var version string
	var port int
	row := db.QueryRowContext(migrationContext.GetContext(), `select /* gh-ost */ @@global.version, @@global.port`)
	if err := row.Scan(&version, &port); err != nil {
		return "", fmt.Errorf("connecting the %s to %s: %w", name, connectionConfig.Key, err)
	}
	if err := validatePort(db, connectionConfig, migrationContext, port); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	migrationContext.Log.Infof("%s connection validated on %s", name, connectionConfig.Key)
	return version, nil
}

func validatePort(db *gosql.DB, config *mysql.ConnectionConfig, c *MigrationContext, port int) error {
	if c.SkipPortValidation || c.TrustsConfiguredAddress() || port == config.Key.Port {
		return nil
	}
	extraPort, err := readExtraPort(db, c)
	if err != nil {
		return err
	}
	if extraPort > 0 && extraPort == config.Key.Port {
		return nil
	}
	return fmt.Errorf("unexpected database port reported: the server reached at %s says that its port is %d. "+
		"If it is the right server behind a proxy or a port mapping, use --skip-port-validation", config.Key, port)
}

// readExtraPort returns the second port that MariaDB and Percona Server have; 0 if there is none.
func readExtraPort(db *gosql.DB, c *MigrationContext) (int, error) {
	var port int
	err := db.QueryRowContext(c.GetContext(), `select /* gh-ost */ @@global.extra_port`).Scan(&port)
	var serverError *driver.MySQLError
	if errors.As(err, &serverError) && serverError.Number == errUnknownSystemVariable {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("reading the extra port: %w", err)
	}
	return port, nil
}
