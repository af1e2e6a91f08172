package certs_test

import (
	"crypto/tls"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/proxy/certs"
)

// TestInternal_MadeAnew: an edge that runs for months never shows a certificate
// that is over.
func TestInternal_MadeAnew(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	synctest.Test(t, func(t *testing.T) {
		cfg := &configs.Config{
			DataDir: dir, Secrets: []configs.Secret{configs.NewSecret(secret)},
			TLS: configs.TLS{Mode: configs.TLSInternal, Domains: []string{shop}},
		}
		k, err := certs.New(cfg, nil, prometheus.NewRegistry(), zap.NewNop())
		must(t, err)
		go func() { _ = k.Run(t.Context()) }()
		hello := &tls.ClientHelloInfo{ServerName: shop}
		for month := range 12 {
			c, err := k.TLS().GetCertificate(hello)
			must(t, err)
			if time.Now().After(c.Leaf.NotAfter) {
				t.Errorf("after %d months the certificate is over", month)
			}
			time.Sleep(30 * 24 * time.Hour)
		}
	})
}
