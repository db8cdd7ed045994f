package mysql

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func exampleConfig() *ConnectionConfig {
	config := NewConnectionConfig()
	config.Key = InstanceKey{Hostname: "db1", Port: 3307}
	config.User, config.Password = "gromit", "penguin"
	return config
}

func TestDataSourceNameCarriesTheWholeConfiguration(t *testing.T) {
	config := exampleConfig()
	config.Timeout = 1.5
	config.TransactionIsolation = ReadCommitted
	config.Charset = "utf8mb4,latin1"

	parsed, err := driver.ParseDSN(config.GetDBUri("shop"))
	require.NoError(t, err)
	assert.Equal(t, "gromit", parsed.User)
	assert.Equal(t, "penguin", parsed.Passwd)
	assert.Equal(t, "db1:3307", parsed.Addr)
	assert.Equal(t, "shop", parsed.DBName)
	assert.Equal(t, 1500*time.Millisecond, parsed.Timeout)
	assert.Equal(t, parsed.Timeout, parsed.ReadTimeout)
	assert.Equal(t, parsed.Timeout, parsed.WriteTimeout)
	assert.True(t, parsed.InterpolateParams)
	assert.False(t, parsed.MultiStatements)
	assert.Zero(t, parsed.MaxAllowedPacket, "the server's own limit counts")
	assert.Equal(t, map[string]string{"autocommit": "1", "sql_mode": plainMode, "transaction_isolation": "'READ-COMMITTED'"}, parsed.Params)
	assert.Contains(t, parsed.FormatDSN(), "charset=utf8mb4,latin1")
	assert.Contains(t, exampleConfig().GetDBUri(""), "charset=utf8mb4,utf8,latin1")
}

func TestOddNamesSurviveTheDataSourceName(t *testing.T) {
	for _, schema := range []string{"a-b", "a b", "ä/ö?=&", "100%", "a.b`c"} {
		config := exampleConfig()
		config.Password = "p/a@s:s?w(o)r&d"
		config.Key.Hostname = "2001:db8::7"
		parsed, err := driver.ParseDSN(config.GetDBUri(schema))
		require.NoError(t, err, schema)
		assert.Equal(t, schema, parsed.DBName)
		assert.Equal(t, config.Password, parsed.Passwd)
		assert.Equal(t, "[2001:db8::7]:3307", parsed.Addr)
	}
}

func TestPasswordIsNotShown(t *testing.T) {
	assert.Equal(t, "db1:3307, user=gromit, usingTLS=false", exampleConfig().String())
}

func TestDuplicatesAreIndependentServers(t *testing.T) {
	original := exampleConfig()
	require.NoError(t, original.UseTLS("", "", "", false))
	original.ImpliedKey = &InstanceKey{Hostname: "internal", Port: 3306}

	other := original.DuplicateCredentials(InstanceKey{Hostname: "db2", Port: 3306})
	assert.Equal(t, "db2:3306", other.Key.String())
	assert.Equal(t, other.Key, *other.ImpliedKey)
	assert.Equal(t, original.Password, other.Password)
	assert.Equal(t, "db1", original.TLSConfig().ServerName)
	assert.Equal(t, "db2", other.TLSConfig().ServerName)

	same := original.Duplicate()
	same.Key.Port = 1
	assert.Equal(t, 1, same.ImpliedKey.Port)
	assert.Equal(t, 3307, original.Key.Port)
}

func TestConfigurationsAreEqualByAddressOrByWhatTheServerSays(t *testing.T) {
	a, b := exampleConfig(), exampleConfig()
	assert.True(t, a.Equals(b))
	b.Key.Hostname = "alias-of-db1"
	assert.False(t, a.Equals(b))
	assert.False(t, a.Equals(nil))

	reported := InstanceKey{Hostname: "internal", Port: 3306}
	a.ImpliedKey, b.ImpliedKey = &reported, &InstanceKey{Hostname: "internal", Port: 3306}
	assert.True(t, a.Equals(b))
	assert.False(t, a.Equals(&ConnectionConfig{}))
}

func TestConnectingIsRefusedWhenTheSettingsCannotWork(t *testing.T) {
	for message, spoil := range map[string]func(*ConnectionConfig){
		"not a server's host and port":       func(c *ConnectionConfig) { c.Key.Port = 0 },
		"gbk cannot be used safely":          func(c *ConnectionConfig) { c.Charset = "utf8mb4,gbk" },
		"is not a name (flag charset)":       func(c *ConnectionConfig) { c.Charset = "utf8mb4;drop" },
		`"SNAPSHOT" is not a transaction is`: func(c *ConnectionConfig) { c.TransactionIsolation = "SNAPSHOT" },
	} {
		config := exampleConfig()
		spoil(config)
		_, err := config.Open("shop")
		assert.ErrorContains(t, err, message)
	}
	_, err := OpenDB("no data source name")
	assert.Error(t, err)
}

func TestPoolIsFoundAgainByMigrationAndAddress(t *testing.T) {
	uri := exampleConfig().GetDBUri("shop")
	first, exists, err := GetDB("uuid-1", uri)
	require.NoError(t, err)
	require.False(t, exists)
	t.Cleanup(func() { assert.NoError(t, first.Close()) })
	assert.Equal(t, MaxDBPoolConnections, first.Stats().MaxOpenConnections)

	again, exists, err := GetDB("uuid-1", uri)
	require.NoError(t, err)
	assert.True(t, exists)
	assert.Same(t, first, again)

	other, exists, err := GetDB("uuid-2", uri)
	require.NoError(t, err)
	assert.False(t, exists)
	assert.NotSame(t, first, other)
	require.NoError(t, other.Close())

	_, exists, err = GetDB("uuid-1", "no data source name")
	assert.Error(t, err)
	assert.False(t, exists)
}

func TestTLSFilesAreCheckedWhenTheyAreNamed(t *testing.T) {
	dir := t.TempDir()
	missing, garbage := filepath.Join(dir, "missing.pem"), filepath.Join(dir, "garbage.pem")
	require.NoError(t, os.WriteFile(garbage, []byte("not a certificate"), 0o600))

	for message, files := range map[string][3]string{
		"flag ssl-ca":                                    {missing, "", ""},
		"no PEM certificate found in " + garbage:         {garbage, "", ""},
		"give both flags ssl-cert and ssl-key, or none":  {"", garbage, ""},
		"client certificate and key (flags ssl-cert, ss": {"", garbage, garbage},
	} {
		config := exampleConfig()
		assert.ErrorContains(t, config.UseTLS(files[0], files[1], files[2], false), message)
		assert.Nil(t, config.TLSConfig())
	}
}

func TestTLSSettingsAreRegisteredOncePerContent(t *testing.T) {
	certificate, key := writeCertificate(t, t.TempDir(), "gh-ost")

	secured := func(ca, cert, key string, insecure bool) *ConnectionConfig {
		config := exampleConfig()
		require.NoError(t, config.UseTLS(ca, cert, key, insecure))
		return config
	}
	variants := []*ConnectionConfig{
		secured("", "", "", false), secured("", "", "", true), secured(certificate, "", "", false),
		secured(certificate, certificate, key, false),
	}
	names := map[string]bool{}
	for _, config := range variants {
		names[config.tls.name] = true
		_, err := OpenDB(config.GetDBUri(""))
		require.ErrorContains(t, err, "unknown config name", "not registered yet")
		require.NoError(t, config.RegisterTLSConfig())
		t.Cleanup(func() { driver.DeregisterTLSConfig(config.tls.name) })

		// A duplicate for another server finds the same settings and checks that server's name.
		duplicate := config.DuplicateCredentials(InstanceKey{Hostname: "db2", Port: 3306})
		parsed, err := driver.ParseDSN(duplicate.GetDBUri(""))
		require.NoError(t, err)
		if !parsed.TLS.InsecureSkipVerify {
			assert.Equal(t, "db2", parsed.TLS.ServerName)
		}
	}
	assert.Len(t, names, len(variants))
	assert.Equal(t, variants[2].tls.name, secured(certificate, "", "", false).tls.name)
	assert.Len(t, variants[3].TLSConfig().Certificates, 1)
	assert.NoError(t, exampleConfig().RegisterTLSConfig(), "nothing to register")
}

// writeCertificate makes a self-signed certificate and returns the files of it and its key.
func writeCertificate(t *testing.T, dir, name string) (certificateFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)

	certificateFile, keyFile = filepath.Join(dir, name+".pem"), filepath.Join(dir, name+"-key.pem")
	require.NoError(t, os.WriteFile(certificateFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), 0o600))
	return certificateFile, keyFile
}
