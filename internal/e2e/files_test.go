package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	saleID      = "golden-toy"
	productPath = "/toys/golden"
	buyPath     = productPath + "/buy"
	workerToken = "the-workers-token-of-these-tests"
)

// operator is what differs between the operator's files of these tests.
type operator struct {
	https, admin, worker string // addresses
	name                 string // of the worker
	origin               string
	redis, postgres      string // both empty: embedded
	sales                string // folder of the sale files
	domains              []string
	limits               string // of an address; empty: off
	bots                 string // what is asked for a ticket; empty: nothing
	everybody            bool   // let in all at once, however slow a busy machine makes the shop
}

// write puts waitroom.yaml into a folder and returns its path.
func (o operator) write(t *testing.T, dir string) string {
	t.Helper()
	stores := ""
	if o.redis != "" {
		stores = fmt.Sprintf("redis: {url: '%s'}\npostgres: {url: '%s'}\n", o.redis, o.postgres)
	}
	domains := ""
	if len(o.domains) > 0 {
		domains = ", domains: [" + strings.Join(o.domains, ", ") + "]"
	}
	if o.bots != "" {
		stores += "bots: " + o.bots + "\n"
	}
	origin := fmt.Sprintf("{url: '%s'}", o.origin)
	if o.everybody {
		origin = fmt.Sprintf("{url: '%s', at_once: off}", o.origin)
	}
	limits := "off" // all shoppers of these tests come from one address
	if o.limits != "" {
		limits = o.limits
	}
	return writeFile(t, filepath.Join(dir, "waitroom.yaml"), fmt.Sprintf(`listen: {https: '%s', http: off, admin: '%s'}
tls: {mode: internal%s}
origin: %s
%sdata_dir: data
secret: 'the-secret-that-all-edges-of-these-tests-share'
identity: {cookie: session}
sales: ['%s/*.yaml']
worker: {listen: '%s', token: '%s', name: %s}
limits: {address: %s}
`, o.https, o.admin, domains, origin, stores, o.sales, o.worker, workerToken, o.name, limits))
}

// saleFile is what differs between the sale files of these tests.
type saleFile struct {
	opens time.Time // a whole second; the doors are open for a minute before
	open  time.Duration
	stock int
	rate  int // passes a second
	burst int
	hold  time.Duration
}

func (s saleFile) closes() time.Time { return s.opens.Add(s.open) }

func (s saleFile) text() string {
	const instant = "2006-01-02 15:04:05"
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
admit: %d/s
burst: %d
hold: %s
`, saleID, s.opens.Add(-time.Minute).UTC().Format(instant), s.opens.UTC().Format(instant), s.closes().UTC().Format(instant),
		productPath, buyPath, s.stock, s.rate, s.burst, s.hold)
}

// write puts the sale into a folder, in one step as a good editor does.
func (s saleFile) write(t *testing.T, dir string) string {
	t.Helper()
	return writeFile(t, filepath.Join(dir, "sale.yaml"), s.text())
}

// writeFile replaces a file at once, so that nobody reads half of it.
func writeFile(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	half := filepath.Join(filepath.Dir(path), ".half-written")
	if err := os.WriteFile(half, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(half, path); err != nil {
		t.Fatal(err)
	}
	return path
}
