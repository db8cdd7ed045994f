package base

import "fmt"

// TLSSettings says whether and how connections to the servers are encrypted.
type TLSSettings struct {
	// UseTLS asks for TLS on every SQL and replication connection.
	UseTLS bool
	// TLSAllowInsecure keeps the encryption but checks neither the certificate chain nor the host name.
	TLSAllowInsecure bool
	// TLSCACertificate is a PEM file of the authorities to trust. Empty: those of the system.
	TLSCACertificate string
	// TLSCertificate and TLSKey are PEM files with the client's certificate and its key; both or neither.
	TLSCertificate string
	TLSKey         string
}

// SetupTLS loads the TLS files into the inspector's connection settings, from which all others are derived. It does
// nothing unless UseTLS is set. The error names the file that could not be used.
func (c *MigrationContext) SetupTLS() error {
	if !c.UseTLS {
		return nil
	}
	if err := c.InspectorConnectionConfig.UseTLS(c.TLSCACertificate, c.TLSCertificate, c.TLSKey, c.TLSAllowInsecure); err != nil {
		return fmt.Errorf("setting up TLS: %w", err)
	}
	return nil
}
