package configs

import (
	"reflect"
	"time"
)

// Sale is one run of a sale: a dated sale's only one, or the current one of a
// sale that repeats.
type Sale struct {
	ID   string // its name in addresses and cookies: [a-z0-9-], at most 48 bytes
	Key  string // its name in every store: ID, or ID@opening for a repeated sale
	File string

	Title    string
	Zone     *time.Location
	Doors    time.Time // the lottery can be entered
	Opens    time.Time // the draw
	Closes   time.Time // no more passes, no more buys
	Repeat   string    // as written, empty for a dated sale
	Mix      string    // names the public value mixed into the draw, at most 200 bytes; empty: none
	Product  string    // product_page: a path
	Buy      Buy
	Checkout string // a path or URL with {reservation}, see CheckoutFor

	Stock       int
	Buckets     int // over how many slots of a Cluster the stock is split; 1: over none
	PerAccount  int
	Admit       Rate
	Burst       int // tokens the bucket holds; default a tenth of a second's, at least 3
	Hold        time.Duration
	LatePayment LatePayment
	Price       Money // of one unit; what is paid for an order is held to it. Zero: not known
	Invitations int   // numbers from 0 whose links are accepted; 0: none

	OneTicketPerAccount bool // only who has an account can join, and each has one number

	Shed       Shed
	Conversion float64 // in (0, 1]: the share of those called who are expected to buy and pay
	MatchStock bool    // never more passes are unused than there are units left

	Brand     *Brand   // what its pages look like, the operator's brand included; nil: waitroom's own
	Languages []string // that its pages are offered in, the first if none fits; none: all there are

	rep     repetition // of the file's repeat
	src     *document  // where its keys stand
	house   *document  // where those of the operator's brand stand; nil: unknown
	written *Terms     // what the file says, where that is not in force; nil: it is
}

// Buy is the request that buys: one method on one path.
type Buy struct {
	Method, Path string
}

// String is the request as the files write it.
func (b Buy) String() string { return b.Method + " " + b.Path }

// Shed says when who waits is told that the turn will come too late.
type Shed struct {
	Off         bool
	Certainty   float64 // in (0, 1): how sure that no must be
	LinePerUnit int     // instead of it: with so many ahead for each unit; 0: by Certainty
}

// LatePayment says what becomes of money for an order that has expired.
type LatePayment string

// What becomes of late money.
const (
	Rehold LatePayment = "rehold" // a new hold if a unit is left, else a refund
	Refund LatePayment = "refund" // always a refund
)

// Same reports whether nothing about two readings of a sale differs but where
// they were read.
func (s *Sale) Same(other *Sale) bool { return reflect.DeepEqual(s.plain(), other.plain()) }

// plain is the sale in a form that can be compared: instants and zones by what they
// are, not by where they lie.
func (s *Sale) plain() (p struct {
	Sale
	zone string
}) {
	p.Sale, p.zone = *s, s.Zone.String()
	p.src, p.house, p.Zone, p.written = nil, nil, nil, nil
	for _, t := range []*time.Time{&p.Doors, &p.Opens, &p.Closes} {
		*t = t.Round(0).UTC()
	}
	return p
}
