package base

import (
	"fmt"
	"strings"

	"github.com/github/gh-ost/go/mysql"
)

// ConnectionSettings says which servers to connect to, as whom, and what to believe of what they say.
type ConnectionSettings struct {
	// InspectorConnectionConfig is the server to inspect and to stream from.
	InspectorConnectionConfig *mysql.ConnectionConfig
	// ApplierConnectionConfig is the server that is changed; the migration finds it out from the inspected one.
	ApplierConnectionConfig *mysql.ConnectionConfig
	// AssumeMasterHostname is host[:port] of the primary. Empty: it is looked for.
	AssumeMasterHostname string
	// CliUser and CliPassword are the account given by the user; they win over the configuration file.
	CliUser     string
	CliPassword string
	// CliMasterUser and CliMasterPassword are the account on the primary. Empty: the same as on the inspected server.
	CliMasterUser     string
	CliMasterPassword string
	// ConfigFile is the path of the configuration file. Empty: none.
	ConfigFile string
	// ReplicaServerId is the server id to register with as a replica; unique among all replicas of the server.
	ReplicaServerId uint
	// BinlogSyncerMaxReconnectAttempts bounds successive reconnects of the stream without progress. 0 or less: no bound.
	BinlogSyncerMaxReconnectAttempts int
	// UseGTIDs takes stream positions as GTID sets instead of file and offset.
	UseGTIDs bool
	// SkipPortValidation does not compare the port that a server reports with the one it was reached by.
	SkipPortValidation bool
	// AliyunRDS, GoogleCloudPlatform and AzureMySQL: the server stands behind a proxy of that provider, so what it reports
	// as its own host and port says nothing.
	AliyunRDS           bool
	GoogleCloudPlatform bool
	AzureMySQL          bool
}

// TrustsConfiguredAddress tells whether the configured host and port count, whatever the server says of itself.
func (c *ConnectionSettings) TrustsConfiguredAddress() bool {
	return c.AliyunRDS || c.GoogleCloudPlatform || c.AzureMySQL
}

// SetConnectionConfig sets the isolation level of the connections, which depends on the storage engine: READ COMMITTED
// for rocksdb, which knows no gap locks, REPEATABLE READ for all others.
func (c *ConnectionSettings) SetConnectionConfig(storageEngine string) error {
	isolation := mysql.RepeatableRead
	if storageEngine == "rocksdb" {
		isolation = mysql.ReadCommitted
	}
	return c.eachConfig(func(config *mysql.ConnectionConfig) { config.TransactionIsolation = isolation })
}

// SetConnectionCharset sets the list of character sets for the connections. Empty: the default list.
func (c *ConnectionSettings) SetConnectionCharset(charset string) {
	if strings.TrimSpace(charset) == "" {
		charset = mysql.DefaultCharset
	}
	_ = c.eachConfig(func(config *mysql.ConnectionConfig) { config.Charset = charset })
}

func (c *ConnectionSettings) eachConfig(set func(*mysql.ConnectionConfig)) error {
	if c.InspectorConnectionConfig == nil || c.ApplierConnectionConfig == nil {
		return fmt.Errorf("the inspector and the applier need connection settings first")
	}
	set(c.InspectorConnectionConfig)
	set(c.ApplierConnectionConfig)
	return nil
}

// InspectorIsAlsoApplier tells whether the inspected server is the one that is changed.
func (c *ConnectionSettings) InspectorIsAlsoApplier() bool {
	return c.InspectorConnectionConfig.Equals(c.ApplierConnectionConfig)
}

// GetInspectorHostname is the inspected server's name, as it reports itself where it was asked.
func (c *ConnectionSettings) GetInspectorHostname() string {
	return reportedHostname(c.InspectorConnectionConfig)
}

// GetApplierHostname is the changed server's name, as it reports itself; empty before it is known.
func (c *ConnectionSettings) GetApplierHostname() string {
	return reportedHostname(c.ApplierConnectionConfig)
}

func reportedHostname(config *mysql.ConnectionConfig) string {
	if config == nil || config.ImpliedKey == nil {
		return ""
	}
	return config.ImpliedKey.Hostname
}
