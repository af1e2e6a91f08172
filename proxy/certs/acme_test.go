package certs_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
)

const (
	long    = 90 * 24 * time.Hour
	patient = 40 * time.Second // an order takes one or two, with other work beside it
)

// TestFirstIssue: a certificate is ordered and served, by either challenge, with
// both kinds of storage, and is there at once when a program starts again while
// the issuer is away.
func TestFirstIssue(t *testing.T) {
	t.Parallel()
	for name, plain := range map[string]bool{"TLS-ALPN-01": false, "HTTP-01": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			issuer := testserver.Pebble(t, long)
			p := plot{cfg: ordering(t, issuer, shop)}
			p.cfg.DataDir = dataDir(t)
			if plain {
				p.cfg.Listen = configs.Listen{HTTP: issuer.HTTP} // nobody answers where TLS is proved
				p.rdb = testserver.EdgeClient(t, testserver.Redis(t))
			}
			s := play(t, p)
			until(t, "a certificate", patient, func() bool { return s.peer(shop) != nil })
			if err := s.peer(shop).VerifyHostname(shop); err != nil {
				t.Error(err)
			}
			if got := s.peer("other.example.com"); got != nil {
				t.Errorf("a stranger's name got %v", got.DNSNames)
			}
			most := 1
			if plain {
				most = 2 // the challenge that nobody answers may come first
			}
			if got := issuer.Orders(); got > most {
				t.Errorf("%d orders, want %d at most", got, most)
			}
			if at := s.metric("waitroom_certificate_expires_timestamp_seconds", shop); at < float64(time.Now().Add(long-time.Hour).Unix()) {
				t.Errorf("it expires at %v, by the metric", at)
			}
			if err := s.Ready(); err != nil {
				t.Error(err)
			}

			s.stop()
			issuer.Judge(func(*http.Request) testserver.Mood { return testserver.Mood{Hang: true} })
			began := time.Now()
			again := play(t, p)
			until(t, "the stored certificate", 5*time.Second, func() bool { return again.peer(shop) != nil })
			t.Logf("served %v after the start", time.Since(began))
		})
	}
}
