package certs

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/certmagic"
	"github.com/mholt/acmez/v3"
	acmeapi "github.com/mholt/acmez/v3/acme"
	"go.uber.org/zap"
)

// proofPace is the time between two looks at what issuers wait for.
const proofPace = 250 * time.Millisecond

// proofs are what issuers wait for, of whichever edge's orders, as it lies in the
// storage. Anybody may ask for a proof, so the storage is looked at a few times a
// second, however many ask; but nobody is refused before a look that began after
// they came, for it may be the issuer.
type proofs struct {
	storage certmagic.Storage
	folder  string
	log     *zap.Logger
	turn    chan struct{} // held by who looks

	mu     sync.Mutex
	all    map[string]*pending // by domain
	seen   time.Time           // when the last look began
	failed bool                // what it was to read could not be read
}

// pending is one proof that an issuer waits for.
type pending struct {
	acmeapi.Challenge
	certificate func() (*tls.Certificate, error) // for TLS-ALPN-01
}

// newProofs are those of one issuer, under the names that certmagic gives them.
func newProofs(storage certmagic.Storage, issuer string, log *zap.Logger) *proofs {
	folder := path.Join("acme", certmagic.StorageKeys.Safe(issuer), "challenge_tokens")
	return &proofs{storage: storage, folder: folder, log: log, turn: make(chan struct{}, 1)}
}

// find is the proof of a domain; nil: no issuer waits for it, or that is not known in
// time.
func (p *proofs) find(ctx context.Context, domain string) *pending {
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	for came := time.Now(); ; {
		if is, known := p.since(came, domain); known {
			return is
		}
		select {
		case p.turn <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		if _, known := p.since(came, domain); !known && pause(ctx, time.Until(p.last().Add(proofPace))) {
			p.look(context.WithoutCancel(ctx)) // others wait for it, too
		}
		<-p.turn
	}
}

// since is what is known of a domain by a look that began after an instant: what was
// found before may be the proof of the last order.
func (p *proofs) since(came time.Time, domain string) (is *pending, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all[domain], p.seen.After(came)
}

func (p *proofs) last() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen
}

// look reads what lies in the storage. What is known already is kept where the
// storage does not answer.
func (p *proofs) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	began := time.Now()
	all, err := p.read(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil && !p.failed { // strangers make us look, too
		p.log.Warn("proofs for the issuer not read", zap.Error(err))
	}
	p.seen, p.failed = began, err != nil
	if err == nil {
		p.all = all
	}
}

func (p *proofs) read(ctx context.Context) (map[string]*pending, error) {
	names, err := p.storage.List(ctx, p.folder, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := map[string]*pending{}
	for _, name := range names {
		text, err := p.storage.Load(ctx, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it is over
		}
		if err != nil {
			return nil, err
		}
		next := &pending{}
		if err := json.Unmarshal(text, &next.Challenge); err != nil {
			p.log.Warn("proof does not read", zap.String("name", name), zap.Error(err))
			continue
		}
		domain := strings.ToLower(next.Identifier.Value)
		all[domain] = p.same(domain, next)
	}
	return all, nil
}

// same keeps a proof that is known, with its certificate: it is made once, when it is
// asked for.
func (p *proofs) same(domain string, next *pending) *pending {
	p.mu.Lock()
	defer p.mu.Unlock()
	if is := p.all[domain]; is != nil && is.Token == next.Token && is.KeyAuthorization == next.KeyAuthorization && is.Type == next.Type {
		return is
	}
	next.certificate = sync.OnceValues(func() (*tls.Certificate, error) {
		c, err := acmez.TLSALPN01ChallengeCert(next.Challenge)
		if err != nil {
			return nil, fmt.Errorf("make certificate of proof: %w", err)
		}
		return c, nil
	})
	return next
}
