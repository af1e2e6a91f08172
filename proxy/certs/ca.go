package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// InternalCA is the file in the data directory that holds the certificate of the
// CA of mode internal, for those who want to trust it.
const InternalCA = "internal-ca.pem"

const (
	caLife   = 10 * 365 * 24 * time.Hour
	leafLife = 90 * 24 * time.Hour
	caKey    = "internal-ca.key"
)

// internalSet signs a certificate for the domains, and for this machine, with a
// CA of our own that is made once and kept in the data directory. Nobody but who
// trusts that CA by hand believes it: it is for trying, and whoever asks gets it.
func internalSet(dir string, domains []string) (*set, error) {
	c, err := internalCertificate(dir, domains)
	if err != nil {
		return nil, fmt.Errorf("make internal certificate: %w", err)
	}
	s := &set{domains: domains, names: map[string][]*tls.Certificate{}, fallback: c, anybody: true}
	for _, d := range domains {
		s.names[d] = []*tls.Certificate{c}
	}
	return s, nil
}

func internalCertificate(dir string, domains []string) (*tls.Certificate, error) {
	ca, key, err := internalCA(dir)
	if err != nil {
		return nil, err
	}
	leafKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	leaf := template("waitroom", leafLife)
	leaf.KeyUsage = x509.KeyUsageDigitalSignature
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	leaf.DNSNames = append([]string{"localhost"}, domains...)
	leaf.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	der, err := x509.CreateCertificate(rand.Reader, leaf, ca, &leafKey.PublicKey, key)
	if err != nil {
		return nil, err
	}
	leaf, err = x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der, ca.Raw}, PrivateKey: leafKey, Leaf: leaf}, nil
}

// internalCA reads the CA from dir, or makes it. Two edges that share dir and
// start together may each make one; the last one written is read by both at the
// next start.
func internalCA(dir string) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, InternalCA), filepath.Join(dir, caKey))
	if err == nil {
		if key, ok := pair.PrivateKey.(*ecdsa.PrivateKey); ok && time.Now().Add(leafLife).Before(pair.Leaf.NotAfter) {
			return pair.Leaf, key, nil
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, nil, err
	}
	return makeCA(dir)
}

func makeCA(dir string) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	ca := template("waitroom internal CA", caLife)
	ca.IsCA, ca.BasicConstraintsValid = true, true
	ca.KeyUsage = x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, ca, ca, &key.PublicKey, key)
	if err != nil {
		return nil, nil, err
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, nil, err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, err
	}
	return parsed, key, errors.Join(
		writePEM(filepath.Join(dir, caKey), "PRIVATE KEY", keyDER, 0o600),
		writePEM(filepath.Join(dir, InternalCA), "CERTIFICATE", der, 0o644))
}

func template(name string, life time.Duration) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)) // never fails
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(life),
	}
}

// writePEM writes beside and renames, so that a reader never sees half a file.
func writePEM(name, kind string, der []byte, mode os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".pem-*")
	if err != nil {
		return err
	}
	err = errors.Join(pem.Encode(f, &pem.Block{Type: kind, Bytes: der}), f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), name)
}
