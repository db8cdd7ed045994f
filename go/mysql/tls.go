package mysql

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"os"
)

// tlsSettings is immutable, and shared between a configuration and its duplicates.
type tlsSettings struct {
	config *tls.Config // has no ServerName: each server gets its own
	name   string      // by which the SQL driver knows config; equal settings, equal names
}

func loadTLS(caCertificatePath, clientCertificate, clientKey string, allowInsecure bool) (*tlsSettings, error) {
	config := &tls.Config{InsecureSkipVerify: allowInsecure} //nolint:gosec // the operator asks for it by a flag of that name
	fingerprint := sha256.New()
	fmt.Fprintf(fingerprint, "insecure=%t\n", allowInsecure)

	if caCertificatePath != "" {
		pem, err := os.ReadFile(caCertificatePath)
		if err != nil {
			return nil, fmt.Errorf("reading the certificate authorities (flag ssl-ca): %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("no PEM certificate found in %s (flag ssl-ca)", caCertificatePath)
		}
		fmt.Fprintf(fingerprint, "ca=%x\n", sha256.Sum256(pem))
	}

	if (clientCertificate == "") != (clientKey == "") {
		return nil, fmt.Errorf("a client certificate needs its key: give both flags ssl-cert and ssl-key, or none")
	}
	if clientCertificate != "" {
		certificate, err := tls.LoadX509KeyPair(clientCertificate, clientKey)
		if err != nil {
			return nil, fmt.Errorf("reading client certificate and key (flags ssl-cert, ssl-key): %w", err)
		}
		config.Certificates = []tls.Certificate{certificate}
		for _, der := range certificate.Certificate {
			fmt.Fprintf(fingerprint, "certificate=%x\n", sha256.Sum256(der))
		}
	}

	return &tlsSettings{config: config, name: programName + "-" + hex.EncodeToString(fingerprint.Sum(nil))[:16]}, nil
}
