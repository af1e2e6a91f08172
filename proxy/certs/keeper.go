package certs

import (
	"context"
	"crypto/x509"
	"net/http"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
)

// A source is where certificates come from: an ACME server, files, or ourselves.
type source interface {
	// run shows each new set until ctx is done.
	run(ctx context.Context, show func(*set))
	// ready says what is missing that may soon be there.
	ready() error
}

// Keeper keeps what the public listener proves itself with. Its methods may be
// called from any goroutine.
type Keeper struct {
	rdb     redis.UniversalClient // nil: nothing is shared
	log     *zap.Logger
	metrics *metrics
	rhythm  rhythm
	faces   faces
	tickets *tickets
	set     atomic.Pointer[set]
	acme    atomic.Pointer[acme] // nil: certificates do not come from an ACME server

	mu      sync.Mutex
	terms   terms // under which source was made
	source  source
	changed chan struct{} // source is another
	shown   chan struct{} // set is another
}

// terms are what a source of mode acme hangs on.
type terms struct {
	tls     configs.TLS
	secrets []configs.Secret
	roots   *x509.CertPool // what ca_root held
}

func (t terms) same(last terms) bool {
	return reflect.DeepEqual(t.tls, last.tls) && reflect.DeepEqual(t.secrets, last.secrets) && t.roots.Equal(last.roots)
}

// New makes a keeper of what a configuration says. Files are read and a missing
// internal CA is made; nothing is asked and nothing runs until Run. With a nil rdb
// certificates lie in files of data_dir and nothing is shared.
func New(cfg *configs.Config, rdb redis.UniversalClient, reg prometheus.Registerer, log *zap.Logger) (*Keeper, error) {
	return newKeeper(cfg, rdb, reg, log, usual())
}

func newKeeper(cfg *configs.Config, rdb redis.UniversalClient, reg prometheus.Registerer, log *zap.Logger, r rhythm) (*Keeper, error) {
	k := &Keeper{rdb: rdb, log: log.Named("certs"), metrics: newMetrics(reg), rhythm: r, changed: make(chan struct{}, 1), shown: make(chan struct{}, 1)}
	k.faces = k.newFaces()
	seal, err := newSealer(cfg.Secrets)
	if err != nil {
		return nil, err
	}
	k.tickets = newTickets(rdb, seal, k.faces.shop.SetSessionTicketKeys, r, k.log)
	serve, err := k.Prepare(cfg)
	if err != nil {
		return nil, err
	}
	serve()
	return k, nil
}

// Prepare reads and makes what another configuration says: mode, domains, files,
// issuer and secrets may all change. Nothing is served of it until serve is called,
// before the next Prepare or never. Connections keep what they have.
func (k *Keeper) Prepare(cfg *configs.Config) (serve func(), err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	seal, err := newSealer(cfg.Secrets)
	if err != nil {
		return nil, err
	}
	roots, err := configs.ReadRoots("tls.ca_root", cfg.TLS.CARoot)
	if err != nil {
		return nil, err
	}
	next := terms{cfg.TLS, cfg.Secrets, roots}
	if cfg.TLS.Mode == configs.TLSACME && k.source != nil && next.same(k.terms) {
		return func() {}, nil // its orders go on
	}
	from, first, err := k.newSource(cfg, roots, seal)
	if err != nil {
		return nil, err
	}
	return func() { k.turn(next, from, first, seal) }, nil
}

// turn serves from another source.
func (k *Keeper) turn(next terms, from source, first *set, seal *sealer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.terms, k.source = next, from
	k.tickets.seal.Store(seal)
	issued, _ := from.(*acme)
	k.acme.Store(issued)
	k.serve(first)
	tell(k.changed)
}

// tell says something to whoever listens, once until it is heard.
func tell(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// newSource makes the source of a configuration, and what it serves to begin with.
func (k *Keeper) newSource(cfg *configs.Config, roots *x509.CertPool, seal *sealer) (source, *set, error) {
	switch cfg.TLS.Mode {
	case configs.TLSACME:
		a := newACME(cfg, roots, k.rdb, seal, k.set.Load(), k.metrics, k.rhythm, k.log)
		return a, a.first(), nil
	case configs.TLSFiles:
		f, first, err := newFiles(cfg, k.rhythm, k.log)
		return f, first, err
	default:
		i, first, err := newInternal(cfg, k.rhythm, k.log)
		return i, first, err
	}
}

// serve shows a set from now on.
func (k *Keeper) serve(s *set) {
	k.metrics.served(s, k.set.Swap(s))
	tell(k.shown)
}

// Challenges answers the HTTP-01 challenges of an ACME server before next. It is
// for the plain listener.
func (k *Keeper) Challenges(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a := k.acme.Load(); a != nil && a.challenge(w, r) {
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Ready fails while it is not known which certificates are stored, as long as
// Redis does not answer at the start. A certificate that is still to be ordered is
// no reason: the issuer has to be let in to see the proof.
func (k *Keeper) Ready() error {
	return k.current().ready()
}
