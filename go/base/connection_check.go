package base

import (
	gosql "database/sql"
	"fmt"

	"github.com/github/gh-ost/go/mysql"
)

// ValidateConnection asks a server for its version, and whether it is the one meant: the port it reports (or its extra port)
// must be the one it was reached by. The port is not compared behind a provider's proxy, nor with SkipPortValidation. name
// says in messages whose connection it is. The error may be a *mysql.PortError.
func ValidateConnection(db *gosql.DB, connectionConfig *mysql.ConnectionConfig, migrationContext *MigrationContext, name string) (string, error) {
	server, err := mysql.Identify(migrationContext.GetContext(), db)
	if err != nil {
		return "", fmt.Errorf("connecting the %s to %s: %w", name, connectionConfig.Key, err)
	}
	if !migrationContext.SkipPortValidation && !migrationContext.TrustsConfiguredAddress() {
		if err := server.CheckPort(connectionConfig.Key); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
	}
	migrationContext.Log.Infof("%s connection validated on %s", name, connectionConfig.Key)
	return server.Version, nil
}
