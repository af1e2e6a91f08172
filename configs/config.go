package configs

import (
	"net/netip"
	"net/url"
	"time"
)

// Config is a whole, valid, immutable picture of the operator's file and of the
// sale files that it names.
type Config struct {
	File           string // the operator's file, as it was named
	Listen         Listen
	TLS            TLS
	Origin         Origin
	Redis          *Store // nil: embedded; set if and only if Postgres is
	Postgres       *Store
	DataDir        string
	Secrets        []Secret // at least one; the first signs, all are accepted
	TrustedProxies []netip.Prefix
	Identity       Identity
	Sales          []Sale // in order of Opens
	Rooms          []Room // in order of ID, which no sale has
	Admin          Admin
	Worker         Worker
	Cache          Cache
	Limits         Limits
	Bots           Bots
	Brand          *Brand   // of the pages of no sale, and of what a sale's or room's leaves open; nil: none
	Languages      []string // as a sale's, where it names none
	CORS           CORS

	src       *document // where its keys stand
	gone      []Terms   // of sales that are in force, and no file has them
	saleDirs  []string  // folders where new sale files may appear
	saleFiles []string  // that were read
	same      [32]byte  // digest of all that was read, the environment included
}

// Embedded reports whether the stores live inside the program.
func (c *Config) Embedded() bool { return c.Redis == nil }

// Listen holds the addresses of the edge, each host:port with the host
// optional. HTTP and Admin may be empty: that listener is not opened.
type Listen struct {
	HTTPS, HTTP, Admin string
	// ProxyProtocol: connections to HTTPS and HTTP from TrustedProxies begin with a
	// PROXY header of version 1 or 2, which says who the client is.
	ProxyProtocol bool
	// Express: what lies ready is answered on the connection itself, and the ordinary
	// server gets the rest. What is answered is the same without.
	Express bool
}

// TLS says where certificates come from.
type TLS struct {
	Mode    TLSMode
	Domains []string      // lower case, no port; required but for internal
	Email   string        // the ACME account's contact; acme only
	CA      *url.URL      // directory of the ACME server; acme only; nil: Let's Encrypt
	CARoot  string        // PEM file of who vouches for it; acme only; empty: the system's
	Files   []Certificate // files only
}

// TLSMode is one of the three sources of certificates.
type TLSMode string

// The sources of certificates.
const (
	TLSACME     TLSMode = "acme"     // issued and renewed by an ACME server
	TLSFiles    TLSMode = "files"    // read from disk
	TLSInternal TLSMode = "internal" // signed by a CA of our own, for trying
)

// Certificate names a PEM chain and its PEM key on disk.
type Certificate struct {
	Cert, Key string
}

// Origin is the storefront behind the door.
type Origin struct {
	// URLs are its servers, at least one. The scheme is http, https, h2c (HTTP/2
	// without TLS), all without path and query, or unix with an absolute path alone.
	URLs    []*url.URL
	Timeout time.Duration // for the first byte of an answer
	CARoot  string        // PEM file of who vouches for https; empty: the system's
	AtOnce  AtOnce
}

// AtOnce says how many requests may be at the origin at once, over all its servers.
// The zero value is a number that follows from how fast it answers.
type AtOnce struct {
	Off  bool // any number
	Most int  // a fixed number; 0: it adapts
}

// Cache bounds what the edge keeps of the origin's answers.
type Cache struct {
	Size int64 // bytes; 0: nothing but product pages is kept
}

// Store is the address of Redis or Postgres. It may hold a password.
type Store struct {
	URL Secret
}

// Identity says how the storefront's account of a shopper is read from a
// request. At most one of Cookie, Header and JWT is set; none means anonymous.
type Identity struct {
	Cookie string
	Header string
	JWT    *JWT
}

// JWT reads the account from a claim of a signed token in a cookie.
type JWT struct {
	Cookie string
	Claim  string
	Key    Secret // HMAC secret, or a PEM public key
}

// Admin guards the operators' actions.
type Admin struct {
	Token Secret // empty: no actions, only metrics and health
}

// Worker is what orderworker and the embedded worker's loops need.
type Worker struct {
	Listen          string
	Token           Secret
	Name            string // of this worker's consumer; default the host's name
	OrdersPerSecond int
	MaxBacklog      int    // winners not yet in the ledger at which the gate closes
	RefundURL       Secret // where refunds due are announced; empty: they wait in the table
}

// MostHeader bounds Limits.Header, in bytes.
const MostHeader = 1 << 20

// Limits are the edge's token buckets, one per key of each kind, and the bounds
// of one request.
type Limits struct {
	Body   int64 // bytes of a request that is passed on; 0: any number
	Header int64 // bytes of a request's line and fields together, MostHeader at most

	Address Rates // for each address: a whole IPv4 one, an IPv6 /64
	Device  Rates // for each ticket or pass; without Join, for there is neither
	Account Rates // for each account of the storefront
	Block   Block // for each IPv4 /24 and IPv6 /48
}

// Rates are what one kind of key may do.
type Rates struct {
	Join    Limit // tickets taken
	Claim   Limit // tries to take a pass
	Buy     Limit // tries to buy
	Request Limit // everything else
}

// Block caps the tickets that go to one block of addresses.
type Block struct {
	Join  Limit // how many more with time
	Burst int   // how many at once, from none taken
}

// Limit is a rate per key, or Off.
type Limit struct {
	Off  bool
	Rate Rate
}

// CORS says whose pages may ask from a browser.
type CORS struct {
	Origins []string // each https://host or https://host:port, as a browser sends it; none: nobody
}

// String is the limit as the files write it.
func (l Limit) String() string {
	if l.Off {
		return "off"
	}
	return l.Rate.String()
}

// Rate is a whole number of things in a span of time, both above zero.
type Rate struct {
	Count int
	Per   time.Duration
}

// PerSecond is the rate as a number a second.
func (r Rate) PerSecond() float64 { return float64(r.Count) / r.Per.Seconds() }
