package mysql

import (
	"crypto/tls"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	driver "github.com/go-sql-driver/mysql"
)

const (
	// DefaultCharset is the list of character sets that a connection asks for, the first that the server knows.
	DefaultCharset = "utf8mb4,utf8,latin1"

	// MaxTableNameLength is the server's limit for a table name, in characters.
	MaxTableNameLength = 64

	// The names of the isolation levels in ConnectionConfig.
	RepeatableRead = "REPEATABLE-READ"
	ReadCommitted  = "READ-COMMITTED"

	isolationParameter = "transaction_isolation"
	programName        = "gh-ost"

	// plainMode is a session's sql_mode without the modes that change what a statement of ours says, or is answered: under
	// MariaDB's EMPTY_STRING_IS_NULL the literal '' is NULL, and under its ORACLE types have other names; under
	// PAD_CHAR_TO_FULL_LENGTH a CHAR is read with spaces that it does not hold. It is written without that literal, and says
	// nothing new to others.
	plainMode = "REPLACE(REPLACE(REPLACE(@@SESSION.sql_mode,'EMPTY_STRING_IS_NULL',SPACE(0)),'ORACLE',SPACE(0)),'PAD_CHAR_TO_FULL_LENGTH',SPACE(0))"
)

// ConnectionConfig says how to connect to one server. It is filled before its first use and not changed while
// connections are opened; other servers get a duplicate.
type ConnectionConfig struct {
	// Key is the server's address.
	Key InstanceKey
	// User and Password are the account.
	User, Password string
	// ImpliedKey is the address by which the server knows itself, where that was asked; it starts as Key.
	ImpliedKey *InstanceKey
	// Timeout, in seconds, bounds connecting and each single read and write. Zero: no bound. Since a read waits for
	// the statement's result, it also bounds how long a statement may run.
	Timeout float64
	// TransactionIsolation is the session's isolation level, RepeatableRead or ReadCommitted; empty: the server's default.
	TransactionIsolation string
	// Charset lists character sets, the first that the server knows is used; empty: DefaultCharset.
	Charset string

	// MultiStatements lets a query have several statements, separated by semicolons.
	MultiStatements bool
	// FoundRows makes an UPDATE's affected rows those that it has found, and not only those that it has changed.
	FoundRows bool

	tls *tlsSettings
}

// NewConnectionConfig returns a configuration without an address.
func NewConnectionConfig() *ConnectionConfig {
	config := &ConnectionConfig{}
	config.ImpliedKey = &config.Key
	return config
}

// DuplicateCredentials returns a configuration for another server: same account, TLS (with the new server's name),
// time-out, isolation and character set.
func (c *ConnectionConfig) DuplicateCredentials(key InstanceKey) *ConnectionConfig {
	duplicate := *c
	duplicate.Key = key
	duplicate.ImpliedKey = &duplicate.Key
	return &duplicate
}

// Duplicate returns an independent copy. What the server said of itself (ImpliedKey) is not taken along.
func (c *ConnectionConfig) Duplicate() *ConnectionConfig {
	return c.DuplicateCredentials(c.Key)
}

// String describes the configuration without its password.
func (c *ConnectionConfig) String() string {
	return fmt.Sprintf("%s, user=%s, usingTLS=%t", c.Key.DisplayString(), c.User, c.tls != nil)
}

// Equals tells whether both lead to the same server: by the configured address, or by the one that the server itself
// reports.
func (c *ConnectionConfig) Equals(other *ConnectionConfig) bool {
	if other == nil {
		return false
	}
	return c.Key.Equals(&other.Key) || c.impliedKey().Equals(other.ImpliedKey)
}

func (c *ConnectionConfig) impliedKey() InstanceKey {
	if c.ImpliedKey == nil {
		return c.Key
	}
	return *c.ImpliedKey
}

// UseTLS makes all connections of this configuration use TLS. An empty caCertificatePath means the system's
// authorities. Client certificate and key are given both or not at all. With allowInsecure neither the chain nor the
// host name is checked. The files are in PEM format and are read now.
func (c *ConnectionConfig) UseTLS(caCertificatePath, clientCertificate, clientKey string, allowInsecure bool) error {
	settings, err := loadTLS(caCertificatePath, clientCertificate, clientKey, allowInsecure)
	if err != nil {
		return err
	}
	c.tls = settings
	return nil
}

// RegisterTLSConfig makes the TLS settings known to the SQL driver under the name that GetDBUri puts into the URI. It
// serves this configuration and its duplicates; without UseTLS it does nothing. Pools opened with Open do without.
func (c *ConnectionConfig) RegisterTLSConfig() error {
	if c.tls == nil {
		return nil
	}
	if err := driver.RegisterTLSConfig(c.tls.name, c.tls.config); err != nil {
		return fmt.Errorf("registering the TLS settings of %s: %w", c.Key, err)
	}
	return nil
}

// TLSConfig returns the TLS settings for this server, for connections that are made without the SQL driver; nil if TLS
// is not used.
func (c *ConnectionConfig) TLSConfig() *tls.Config {
	if c.tls == nil {
		return nil
	}
	config := c.tls.config.Clone()
	config.ServerName = c.Key.Hostname
	return config
}

// GetDBUri returns the SQL driver's data source name, for OpenDB and GetDB. It holds the password. An empty
// databaseName selects no default schema. With TLS, RegisterTLSConfig comes first.
func (c *ConnectionConfig) GetDBUri(databaseName string) string {
	config := driver.NewConfig()
	c.fill(config, databaseName)
	if c.tls != nil {
		config.TLSConfig = c.tls.name
	}
	if c.TransactionIsolation != "" {
		// OpenDB takes it out again: see there.
		config.Params[isolationParameter] = "'" + c.TransactionIsolation + "'"
	}
	charsets := c.charsets()
	for i := range charsets {
		charsets[i] = url.QueryEscape(charsets[i])
	}
	return config.FormatDSN() + "&charset=" + strings.Join(charsets, ",")
}

// driverConfig returns the SQL driver's configuration. Unlike the URI it has no reserved characters, so any user,
// password and schema name will do.
func (c *ConnectionConfig) driverConfig(databaseName string) (*driver.Config, error) {
	if !c.Key.IsValid() {
		return nil, fmt.Errorf("cannot connect: %q is not a server's host and port", c.Key.DisplayString())
	}
	charsets := c.charsets()
	for _, charset := range charsets {
		if err := checkCharset(charset); err != nil {
			return nil, err
		}
	}
	// The driver takes a list of character sets by URI only.
	config, err := driver.ParseDSN("/?charset=" + strings.Join(charsets, ","))
	if err != nil {
		return nil, fmt.Errorf("connection character sets %q: %w", c.Charset, err)
	}
	c.fill(config, databaseName)
	config.TLS = c.TLSConfig()
	config.Logger = &driver.NopLogger{} // what it says comes back as an error too
	return config, nil
}

func (c *ConnectionConfig) fill(config *driver.Config, databaseName string) {
	config.User = c.User
	config.Passwd = c.Password
	config.Net = "tcp"
	config.Addr = c.Key.StringCode()
	config.DBName = databaseName
	config.InterpolateParams = true
	config.MultiStatements, config.ClientFoundRows = c.MultiStatements, c.FoundRows
	config.MaxAllowedPacket = 0 // ask the server: a row may be larger than the driver's default
	config.ConnectionAttributes = "program_name:" + programName
	config.Params = map[string]string{"autocommit": "1", "sql_mode": plainMode}

	timeout := time.Duration(c.Timeout * float64(time.Second))
	config.Timeout, config.ReadTimeout, config.WriteTimeout = timeout, timeout, timeout
}

func (c *ConnectionConfig) charsets() []string {
	list := c.Charset
	if strings.TrimSpace(list) == "" {
		list = DefaultCharset
	}
	charsets := strings.Split(list, ",")
	for i := range charsets {
		charsets[i] = strings.TrimSpace(charsets[i])
	}
	return charsets
}

// unsafeCharsets have characters whose second byte is a backslash or a quote: the driver, which escapes byte by byte,
// would send a broken statement.
var unsafeCharsets = []string{"big5", "cp932", "gb2312", "gbk", "gb18030", "sjis"}

func checkCharset(charset string) error {
	isName := charset != "" && strings.Trim(charset, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
	if !isName {
		return fmt.Errorf("connection character set %q is not a name (flag charset): give a list such as %s", charset, DefaultCharset)
	}
	if slices.Contains(unsafeCharsets, strings.ToLower(charset)) {
		return fmt.Errorf("connection character set %s cannot be used safely (flag charset): "+
			"use utf8mb4; the tables' own character sets are not touched by this", charset)
	}
	return nil
}
