package certs_test

import (
	"crypto/tls"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/proxy/certs"
)

var versions = map[string]uint16{"TLS 1.2": tls.VersionTLS12, "TLS 1.3": tls.VersionTLS13}

// a shopper keeps the session tickets that it got.
type shopper struct{ tls.Config }

func newShopper(version uint16) *shopper {
	return &shopper{tls.Config{ServerName: shop, MaxVersion: version, ClientSessionCache: tls.NewLRUClientSessionCache(8)}}
}

// resumes visits and reports whether a session was resumed.
func (p *shopper) resumes(t *testing.T, s *stand) bool {
	t.Helper()
	state, err := s.dial(p.Clone())
	if err != nil {
		t.Fatal(err)
	}
	return state.DidResume
}

func trying(t *testing.T) configs.Config {
	t.Helper()
	return configs.Config{DataDir: filepath.Join(t.TempDir(), "data"), TLS: configs.TLS{Mode: configs.TLSInternal, Domains: []string{shop}}}
}

// shared waits until two edges share their keys: a new shopper resumes at one what
// the other began, either way.
func shared(t *testing.T, rdb redis.UniversalClient, one, two *stand) {
	t.Helper()
	between := func(a, b *stand) bool {
		p := newShopper(tls.VersionTLS13)
		p.resumes(t, a)
		return p.resumes(t, b)
	}
	until(t, "keys that are shared", 10*time.Second, func() bool {
		return rdb.HLen(t.Context(), certs.TicketsKey).Val() >= 2 && between(one, two) && between(two, one)
	})
}

// TestTickets: a shopper resumes at another edge, also after that was started
// anew, and after keys have changed; not by a key that nobody has any more.
func TestTickets(t *testing.T) {
	t.Parallel()
	for name, version := range versions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rdb := testserver.EdgeClient(t, testserver.Redis(t))
			one := play(t, plot{cfg: trying(t), rdb: rdb})
			two := play(t, plot{cfg: trying(t), rdb: rdb})
			shared(t, rdb, one, two)
			p := newShopper(version)
			if p.resumes(t, one) {
				t.Error("the first visit resumes")
			}
			if !p.resumes(t, two) {
				t.Error("no session is resumed at another edge")
			}
			two.stop()
			third := play(t, plot{cfg: trying(t), rdb: rdb})
			shared(t, rdb, one, third)
			if !p.resumes(t, third) {
				t.Error("no session is resumed at an edge that was started since")
			}
			rotated := trying(t)
			rotated.Secrets = []configs.Secret{configs.NewSecret("a newer secret of these tests, longer"), configs.NewSecret(secret)}
			fourth := play(t, plot{cfg: rotated, rdb: rdb})
			shared(t, rdb, one, fourth)
			if !p.resumes(t, fourth) {
				t.Error("no session is resumed under a newer secret")
			}
			if own := play(t, plot{cfg: trying(t)}); p.resumes(t, own) {
				t.Error("an edge that shares nothing resumes")
			}
		})
	}
}

// TestTickets_Turn: what was sealed in an epoch opens in the next ones, at another
// edge, and not when it is long over.
func TestTickets_Turn(t *testing.T) {
	t.Parallel()
	rdb := testserver.EdgeClient(t, testserver.Redis(t))
	const epoch = 2 * time.Second
	rhythm := certs.Fast().With(func(e, _, _, _ *time.Duration) { *e = epoch })
	one := play(t, plot{cfg: trying(t), rdb: rdb, rhythm: &rhythm})
	two := play(t, plot{cfg: trying(t), rdb: rdb, rhythm: &rhythm})
	shared(t, rdb, one, two)
	late, soon := newShopper(tls.VersionTLS12), newShopper(tls.VersionTLS12)
	soon.resumes(t, one)
	late.resumes(t, one)
	began := certs.EpochAt(time.Now(), epoch)
	time.Sleep(time.Until(certs.EpochEnd(began, epoch).Add(epoch / 2)))
	if !soon.resumes(t, two) {
		t.Error("no session is resumed in the epoch after its own")
	}
	time.Sleep(time.Until(certs.EpochEnd(began+3, epoch).Add(epoch / 2)))
	if late.resumes(t, two) {
		t.Error("a session is resumed four epochs later")
	}
	if got := rdb.HLen(t.Context(), certs.TicketsKey).Val(); got > 5 {
		t.Errorf("%d keys in Redis, want five at most", got)
	}
}

// TestTickets_Rotated: once edges have a newer secret the older one can go, and
// whoever starts then shares the keys. Keys that nobody can open are made anew.
func TestTickets_Rotated(t *testing.T) {
	t.Parallel()
	const newer = "a newer secret of these tests, longer"
	under := func(secrets ...string) configs.Config {
		cfg := trying(t)
		for _, text := range secrets {
			cfg.Secrets = append(cfg.Secrets, configs.NewSecret(text))
		}
		return cfg
	}
	unshared := func(s *stand) int { return s.said.FilterMessageSnippet("not shared").Len() }
	t.Run("one after the other", func(t *testing.T) {
		t.Parallel()
		rdb := testserver.EdgeClient(t, testserver.Redis(t))
		one := play(t, plot{cfg: under(secret), rdb: rdb})
		two := play(t, plot{cfg: under(secret), rdb: rdb})
		shared(t, rdb, one, two)
		p := newShopper(tls.VersionTLS13)
		p.resumes(t, one)
		both := under(newer, secret)
		was := rdb.HGetAll(t.Context(), certs.TicketsKey).Val()
		must(t, one.Apply(&both))
		until(t, "keys that are sealed anew", 5*time.Second, func() bool {
			is := rdb.HGetAll(t.Context(), certs.TicketsKey).Val()
			for name, sealed := range was {
				if is[name] == sealed {
					return false
				}
			}
			return true
		})
		late := play(t, plot{cfg: under(newer), rdb: rdb})
		shared(t, rdb, one, late)
		if !p.resumes(t, late) || unshared(late) != 0 {
			t.Errorf("no session is resumed where the older secret is gone; %d warnings", unshared(late))
		}
	})
	t.Run("at once", func(t *testing.T) {
		t.Parallel()
		rdb := testserver.EdgeClient(t, testserver.Redis(t))
		before := play(t, plot{cfg: under(secret), rdb: rdb})
		until(t, "keys", 5*time.Second, func() bool { return rdb.HLen(t.Context(), certs.TicketsKey).Val() >= 2 })
		before.stop()
		one := play(t, plot{cfg: under(newer), rdb: rdb})
		two := play(t, plot{cfg: under(newer), rdb: rdb})
		shared(t, rdb, one, two)
		if n := unshared(one) + unshared(two); n != 0 {
			t.Errorf("%d warnings", n)
		}
	})
	t.Run("damaged", func(t *testing.T) {
		t.Parallel()
		rdb := testserver.EdgeClient(t, testserver.Redis(t))
		now := certs.EpochAt(time.Now(), 6*time.Hour)
		must(t, rdb.HSet(t.Context(), certs.TicketsKey, now-1, "x", now, "", now+1, "damaged").Err())
		one := play(t, plot{cfg: under(newer), rdb: rdb})
		two := play(t, plot{cfg: under(newer), rdb: rdb})
		shared(t, rdb, one, two)
	})
}

// TestTickets_RedisAway: no handshake fails or waits, an edge resumes its own, and
// all is shared again afterwards.
func TestTickets_RedisAway(t *testing.T) {
	t.Parallel()
	server := testserver.StartRedis(t)
	relay := testserver.NewRelay(t, server.Addr)
	rdb := testserver.EdgeClient(t, "redis://"+relay.Addr)
	relay.Shut()
	one := play(t, plot{cfg: trying(t), rdb: rdb})
	two := play(t, plot{cfg: trying(t), rdb: rdb})
	p := newShopper(tls.VersionTLS13)
	began := time.Now()
	p.resumes(t, one)
	if !p.resumes(t, one) {
		t.Error("an edge does not resume its own")
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("two visits took %v", took)
	}
	until(t, "a warning", 10*time.Second, func() bool { return one.said.FilterMessageSnippet("not shared").Len() == 1 })
	relay.Open()
	direct := testserver.EdgeClient(t, server.URL)
	shared(t, direct, one, two)
	if !p.resumes(t, one) {
		t.Error("what was sealed while Redis was away is not resumed")
	}
	if !p.resumes(t, two) { // the ticket of the visit before
		t.Error("nothing is shared again")
	}
	must(t, direct.FlushAll(t.Context()).Err())
	shared(t, direct, one, two)
	if !p.resumes(t, one) || !p.resumes(t, two) {
		t.Error("no session is resumed after Redis forgot the keys")
	}
}

// TestRing: the order of keys, with what is not known left out.
func TestRing(t *testing.T) {
	t.Parallel()
	k := func(n byte) [32]byte { return [32]byte{n} }
	some := func(numbers ...byte) map[int64][32]byte {
		m := map[int64][32]byte{}
		for _, n := range numbers {
			m[int64(n%10)] = k(n)
		}
		return m
	}
	for name, test := range map[string]struct {
		shared, own map[int64][32]byte
		want        []byte
	}{
		"all shared":        {some(1, 2, 3, 4, 5, 6), nil, []byte{5, 6, 4, 3, 2}},
		"ours alone":        {nil, some(15), []byte{15}},
		"shared since":      {some(5, 6), some(14, 15), []byte{5, 15, 6, 14}},
		"over and far away": {some(1, 9), some(11), nil},
	} {
		var got []byte
		for _, key := range certs.Ring(5, test.shared, test.own) {
			got = append(got, key[0])
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
	now := time.Unix(1_800_000_000, 5)
	for _, length := range []time.Duration{time.Second, 6 * time.Hour} {
		e := certs.EpochAt(now, length)
		if end := certs.EpochEnd(e, length); !end.After(now) || end.Sub(now) > length || certs.EpochAt(end, length) != e+1 {
			t.Errorf("epoch %d of %v ends at %v", e, length, end)
		}
	}
}
