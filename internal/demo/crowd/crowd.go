package crowd

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"sync"
	"time"
)

// Options says who comes, how many, and how they behave. Shares are between 0
// and 1.
type Options struct {
	Edge    string         // base URL, https or http
	Host    string         // name asked for in TLS and HTTP; default Edge's own
	RootCAs *x509.CertPool `json:"-"` // who may vouch for Edge; nil: the system's

	Sale        string // default golden-toy
	ProductPage string // default /toys/golden
	BuyPath     string // default /toys/golden/buy
	PayPath     string // default /checkout/pay

	Shoppers int
	Pay      float64       // of the buyers, who pay at once
	Walk     float64       // of the buyers, who never pay; the rest dither
	Double   float64       // of the buyers, who press twice; all three zero: 0.85, 0.1, 0.1
	Proof    bool          // a proof is asked for a ticket, as pages that take one know
	Arrive   time.Duration // over which all arrive, from the start of Run

	// Straight is a crowd for a shop without a waitroom: everybody presses
	// once and waits up to Patience, default 10 s, for the answer.
	Straight bool
	Patience time.Duration

	Connections int         // most open at once; default: as many as the open files allow
	Seed        uint64      // of everything that is left to chance
	Progress    func(Tally) `json:"-"`
}

const (
	progressEvery  = 500 * time.Millisecond
	requestTimeout = 15 * time.Second // a patient browser's; Patience can be longer
)

// Run sends the crowd and returns when the last shopper is done or ctx ends:
// those who know nothing by then are unanswered. Only options that make no
// sense are an error; whatever goes wrong at the door is part of the report.
func Run(ctx context.Context, o Options) (Report, error) {
	c, err := newCrowd(o)
	if err != nil {
		return Report{}, fmt.Errorf("send crowd: %w", err)
	}
	began := time.Now()
	live := (*shopper).live
	if c.Straight {
		live = (*shopper).straight
	}
	var shoppers sync.WaitGroup
	for i := range c.Shoppers {
		shoppers.Go(func() {
			arrival := rand.New(rand.NewPCG(c.Seed, uint64(i)))
			if !sleep(ctx, time.Duration(arrival.Float64()*float64(c.Arrive))) {
				c.visits.close(i, visit{})
				return
			}
			s := c.newShopper(i, arrival)
			defer s.browser.close()
			live(s, ctx)
			c.visits.close(i, s.visit)
		})
	}
	done := make(chan struct{})
	go func() { shoppers.Wait(); close(done) }()
	c.watch(done)
	return c.visits.report(time.Since(began)), nil
}

// watch tells Progress how it goes until done.
func (c *crowd) watch(done <-chan struct{}) {
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			if c.Progress != nil {
				c.Progress(c.visits.tally())
			}
		}
	}
}

// crowd is what all shoppers share.
type crowd struct {
	Options
	secure  bool   // TLS
	address string // host:port to dial
	tls     *tls.Config
	own     bool          // shoppers can dial from addresses of their own
	timeout time.Duration // of dialing, and of one exchange
	slots   *slots
	visits  *visits
}

func newCrowd(o Options) (*crowd, error) {
	setDefault(&o.Sale, "golden-toy")
	setDefault(&o.ProductPage, "/toys/golden")
	setDefault(&o.BuyPath, "/toys/golden/buy")
	setDefault(&o.PayPath, "/checkout/pay")
	setDefault(&o.Patience, 10*time.Second)
	setDefault(&o.Connections, mostConnections())
	if o.Pay == 0 && o.Walk == 0 && o.Double == 0 {
		o.Pay, o.Walk, o.Double = 0.85, 0.1, 0.1
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	edge, err := url.Parse(o.Edge)
	if err != nil || edge.Host == "" || edge.Scheme != "https" && edge.Scheme != "http" {
		return nil, fmt.Errorf("edge %q: want https://host:port or http://host:port", o.Edge)
	}
	setDefault(&o.Host, edge.Host)
	name, _, err := net.SplitHostPort(o.Host)
	if err != nil {
		name = o.Host // without a port
	}
	c := &crowd{
		Options: o,
		secure:  edge.Scheme == "https",
		address: edge.Host,
		tls: &tls.Config{
			ServerName: name,
			RootCAs:    o.RootCAs,
			MinVersion: tls.VersionTLS12,
			// The one key exchange that every edge has, and the cheapest: the
			// crowd shares its cores with the edge that it measures.
			CurvePreferences: []tls.CurveID{tls.X25519},
			NextProtos:       []string{"http/1.1"},
		},
		timeout: max(requestTimeout, o.Patience),
		slots:   newSlots(o.Connections, edge.Hostname()),
		visits:  newVisits(o.Shoppers),
	}
	if edge.Port() == "" {
		c.address = net.JoinHostPort(edge.Hostname(), edge.Scheme)
	}
	c.own = ownAddresses(edge.Hostname())
	return c, nil
}

func (o Options) check() error {
	for _, share := range []float64{o.Pay, o.Walk, o.Double, o.Pay + o.Walk} {
		if !(share >= 0 && share <= 1) {
			return fmt.Errorf("shares pay %v, walk %v, double %v: want 0 to 1, and pay and walk together too", o.Pay, o.Walk, o.Double)
		}
	}
	switch {
	case o.Shoppers < 1:
		return fmt.Errorf("shoppers %d: want 1 or more", o.Shoppers)
	case o.Connections < 1:
		return fmt.Errorf("connections %d: want 1 or more", o.Connections)
	case o.Arrive < 0 || o.Patience < 0:
		return errors.New("arrive and patience: want no less than 0")
	}
	return nil
}

func setDefault[T comparable](v *T, value T) {
	var zero T
	if *v == zero {
		*v = value
	}
}

// sleep waits for d and reports whether ctx let it.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
