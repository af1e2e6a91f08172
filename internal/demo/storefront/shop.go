package storefront

import (
	"crypto/rand"
	"database/sql"
	"net/http"
	"sync/atomic"
	"time"
)

// ProductPath, BuyPath and PayPath are where the shop's parts answer.
const (
	ProductPath = "/toys/golden"
	BuyPath     = "/toys/golden/buy"
	PayPath     = "/checkout/pay"
)

// DefaultSale is what a guarded shop sells unless it is told otherwise.
const DefaultSale = "golden-toy"

// Options says which of the two kinds of shop to open.
type Options struct {
	Worker string // base URL of the worker's API; empty: nobody can pay
	Token  string // the worker's bearer token

	// Guarded makes a shop without waitroom that keeps its own stock, see
	// [Prepare]. Its pool is set to 20 connections, and the login shares it.
	Guarded *sql.DB
	Sale    string // the sale that Guarded sells; default [DefaultSale]
}

// Shop is the storefront. It is an [http.Handler] and safe for use by many.
type Shop struct {
	mux      *http.ServeMux
	requests atomic.Int64
	accounts accounts
	till     till
	shelf    *shelf // nil: the toy is sold by waitroom
}

// New opens the shop. It makes no connection and starts nothing.
func New(o Options) *Shop {
	s := &Shop{
		mux:      http.NewServeMux(),
		accounts: accounts{key: make([]byte, 32)},
		till: till{
			worker: o.Worker,
			token:  o.Token,
			client: &http.Client{Timeout: 10 * time.Second},
		},
	}
	rand.Read(s.accounts.key) // never fails: it ends the program instead
	if o.Guarded != nil {
		s.shelf = newShelf(o.Guarded, o.Sale)
	}
	s.mux.Handle("GET "+ProductPath, static("golden.html"))
	s.mux.Handle("GET /socks", static("socks.html"))
	s.mux.Handle("GET /shop.css", static("shop.css"))
	s.mux.Handle("GET /{$}", http.RedirectHandler(ProductPath, http.StatusFound))
	s.mux.HandleFunc("POST "+BuyPath, s.buy)
	s.mux.Handle("GET /login", static("login.html"))
	s.mux.HandleFunc("POST /login", s.login)
	s.mux.HandleFunc("GET /checkout", s.checkout)
	s.mux.HandleFunc("POST "+PayPath, s.pay)
	return s
}

// ServeHTTP answers one request of a shopper and counts it.
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	s.mux.ServeHTTP(w, r)
}

// Requests is how many requests have reached the shop since it opened.
func (s *Shop) Requests() int64 { return s.requests.Load() }
