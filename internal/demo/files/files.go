package files

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// The paths of the demo's shop that its sale names.
const (
	ProductPage = "/toys/golden"
	BuyPath     = ProductPage + "/buy"
)

// Files is what differs between the files of two stages.
type Files struct {
	HTTPS, Admin, Worker string // addresses to listen at
	Shop                 string // address of the origin
	Redis, Postgres      string // URLs; both empty: embedded
	Secret               string
	AdminToken           string // empty: no actions
	Proof                bool   // of work, for a ticket
	WorkerToken          string

	Sale                 string // default golden-toy
	Doors, Opens, Closes time.Time
	Stock                int
	Rate                 string
	Hold                 time.Duration
}

// Write puts both into a folder, only for the owner to read, and returns the
// operator's.
func (f Files) Write(dir string) (operator string, err error) {
	operator = filepath.Join(dir, "waitroom.yaml")
	if err := os.WriteFile(operator, []byte(f.operator()), 0o600); err != nil {
		return "", err
	}
	return operator, os.WriteFile(filepath.Join(dir, "sale.yaml"), []byte(f.sale()), 0o600)
}

func (f Files) operator() string {
	more := ""
	if f.Redis != "" {
		more = fmt.Sprintf("redis: {url: '%s'}\npostgres: {url: '%s'}\n", f.Redis, f.Postgres)
	}
	if f.AdminToken != "" {
		more += fmt.Sprintf("admin: {token: '%s'}\n", f.AdminToken)
	}
	if f.Proof {
		more += "bots: {proof: true}\n"
	}
	return fmt.Sprintf(`listen: {https: '%s', http: off, admin: '%s'}
tls: {mode: internal}
origin: {url: 'http://%s'}
%sdata_dir: data
secret: '%s'
worker: {listen: '%s', token: '%s'}
identity: {cookie: session}
sales: [sale.yaml]
`, f.HTTPS, f.Admin, f.Shop, more, f.Secret, f.Worker, f.WorkerToken)
}

func (f Files) sale() string {
	if f.Sale == "" {
		f.Sale = "golden-toy"
	}
	instant := func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }
	return fmt.Sprintf(`sale: %s
title: Golden toy, half price
timezone: UTC
doors: %s
opens: %s
closes: %s
product_page: %s
buy: POST %s
checkout: /checkout?reservation={reservation}
stock: %d
admit: %s
hold: %s
`, f.Sale, instant(f.Doors), instant(f.Opens), instant(f.Closes), ProductPage, BuyPath, f.Stock, f.Rate, f.Hold)
}
