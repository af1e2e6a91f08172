package configs

import (
	"crypto/x509"
	"errors"
	"fmt"
)

var errNoRoot = errors.New("no certificate in it")

const aPEM = "name a PEM file that begins with -----BEGIN CERTIFICATE-----"

// ReadRoots reads the PEM file of who vouches for somebody, which key names; nil,
// where no file is named, stands for those whom the system trusts. A fault names
// the key and the file.
func ReadRoots(key, file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := readWhole(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s: %s: %w, %s", key, file, errNoRoot, aPEM)
	}
	return roots, nil
}
