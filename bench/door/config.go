package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// token and secret are those of programs that live for a minute on loopback.
const (
	token  = "the-token-of-the-benchmark"
	secret = "the-secret-of-the-benchmark, of 32 bytes or more"
)

// config is what differs between the files of two measurements.
type config struct {
	edge, admin, worker, shop string // addresses
	redis, postgres           string // URLs
	stock                     int
	hold                      time.Duration
	opens                     time.Time
}

// write writes the operator's file and the sale's, and returns the operator's.
func (c config) write(dir string) (string, error) {
	const instant = "2006-01-02 15:04:05"
	opens := c.opens.UTC()
	file := filepath.Join(dir, "waitroom.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, `listen: {https: '%s', http: off, admin: '%s'}
tls: {mode: internal}
origin: {url: 'http://%s'}
redis: {url: '%s'}
postgres: {url: '%s'}
data_dir: data
secret: '%s'
worker: {listen: '%s', token: '%s'}
identity: {cookie: session}
sales: [sale.yaml]
`, c.edge, c.admin, c.shop, c.redis, c.postgres, secret, c.worker, token), 0o600); err != nil {
		return "", err
	}
	return file, os.WriteFile(filepath.Join(dir, "sale.yaml"), fmt.Appendf(nil, `sale: golden-toy
title: Golden toy, half price
timezone: UTC
doors: %s
opens: %s
closes: %s
product_page: /toys/golden
buy: POST /toys/golden/buy
checkout: /checkout?reservation={reservation}
stock: %d
admit: 2000/s
hold: %s
`, opens.Add(-time.Hour).Format(instant), opens.Format(instant), opens.Add(time.Hour).Format(instant), c.stock, c.hold), 0o600)
}
