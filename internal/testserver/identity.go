package testserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// SelfSigned is a certificate for names and for 127.0.0.1 that vouches for itself, for
// a day. It is cheap to sign with; the one that httptest brings makes a crowd wait.
func SelfSigned(t Owner, names ...string) tls.Certificate {
	t.Helper()
	c, err := selfSigned(names)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func selfSigned(names []string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		NotBefore:    time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		DNSNames: names, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// WritePair writes a certificate and its key into a folder, as cert.pem and key.pem.
func WritePair(t Owner, dir string, c tls.Certificate) (chain, key string) {
	t.Helper()
	own, err := writePair(dir, c)
	if err != nil {
		t.Fatal(err)
	}
	return own.chain, own.key
}

// identity is the files of a certificate.
type identity struct {
	chain, key string
}

func writePair(dir string, c tls.Certificate) (identity, error) {
	own := identity{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
	secret, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		return own, err
	}
	if err := os.WriteFile(own.key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600); err != nil {
		return own, err
	}
	return own, os.WriteFile(own.chain, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]}), 0o600)
}
