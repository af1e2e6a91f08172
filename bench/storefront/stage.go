package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/proxy/certs"
)

// stage is one shop and the edges in front of it.
type stage struct {
	shop  string          // its address
	edges map[string]edge // by the bound that they keep
}

// edge is one waitroom, and who holds a reservation there.
type edge struct {
	url     string
	roots   *x509.CertPool
	holders []string // what they show: a Cookie field
}

const (
	manyHolders = 20
	settles     = 20 * time.Second // a moment that may pass until a reservation was made
)

func open(ctx context.Context, t testserver.Owner, o options) (*stage, error) {
	st := &stage{shop: testserver.FreeAddress(t), edges: map[string]edge{}}
	shop := testserver.NewProgram(t, testserver.Listens(st.shop), filepath.Join(o.programs, "shop"),
		"-listen", st.shop, "-workers", fmt.Sprint(o.workers), "-service", o.service.String())
	if err := shop.Start(); err != nil {
		return nil, err
	}
	for _, bound := range []string{auto, off} {
		e, err := st.edge(ctx, t, o, bound)
		if err != nil {
			return nil, err
		}
		st.edges[bound] = e
	}
	return st, nil
}

// edge starts a waitroom with its own sale, which is open, and reserves.
func (st *stage) edge(ctx context.Context, t testserver.Owner, o options, bound string) (e edge, err error) {
	dir, err := os.MkdirTemp("", "waitroom-bench-")
	if err != nil {
		return e, err
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	https, admin := testserver.FreeAddress(t), testserver.FreeAddress(t)
	now := time.Now().UTC()
	file := filepath.Join(dir, "waitroom.yaml")
	for path, text := range map[string]string{
		file: fmt.Sprintf(`listen: {https: '%s', http: off, admin: '%s'}
tls: {mode: internal}
origin: {url: 'http://%s', at_once: %s}
data_dir: data
secret: the-secret-of-the-benchmark, of 32 bytes or more
worker: {listen: '%s', token: the-token-of-the-benchmark}
limits: off
sales: [sale.yaml]
`, https, admin, st.shop, bound, testserver.FreeAddress(t)),
		filepath.Join(dir, "sale.yaml"): fmt.Sprintf(`sale: golden-toy
title: Golden toy
timezone: UTC
doors: %s
opens: %s
closes: %s
product_page: /toys/golden
buy: POST /toys/golden/buy
checkout: /checkout?reservation={reservation}
stock: 1000
admit: 2000/s
hold: 1h
`, at(now.Add(-time.Hour)), at(now.Add(-time.Minute)), at(now.Add(time.Hour))),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return e, err
		}
	}
	program := testserver.NewProgram(t, testserver.Healthy(admin), filepath.Join(o.programs, "waitroom"), "run", "--config", file, "--linger", "0s")
	if err := program.Start(); err != nil {
		return e, err
	}
	pem, err := os.ReadFile(filepath.Join(dir, "data", certs.InternalCA))
	if err != nil {
		return e, err
	}
	e = edge{url: "https://" + https, roots: x509.NewCertPool()}
	e.roots.AppendCertsFromPEM(pem)
	for range manyHolders {
		cookies, err := e.reserve(ctx)
		if err != nil {
			return e, fmt.Errorf("reserve: %w", err)
		}
		e.holders = append(e.holders, cookies)
	}
	return e, nil
}

func at(t time.Time) string { return t.Format("2006-01-02 15:04:05") }

// client has connections of its own, over HTTP/2.
func (e edge) client() *http.Client {
	return &http.Client{
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: e.roots}, ForceAttemptHTTP2: true},
		Timeout:   patience,
	}
}

// reserve joins, is called and buys; it returns what shows that.
func (e edge) reserve(ctx context.Context) (cookies string, err error) {
	ctx, cancel := context.WithTimeout(ctx, settles)
	defer cancel()
	client, jar := e.client(), map[string]string{}
	for {
		for _, path := range []string{"/.waitroom/golden-toy/ticket", "/.waitroom/golden-toy/pass", "/toys/golden/buy"} {
			status, err := e.post(ctx, client, path, jar)
			if err != nil {
				return "", err
			}
			if status == http.StatusCreated && path == "/toys/golden/buy" {
				return field(jar), nil
			}
		}
		select {
		case <-ctx.Done():
			return "", errors.New("the turn does not come")
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func (e edge) post(ctx context.Context, client *http.Client, path string, jar map[string]string) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url+path, nil)
	if err != nil {
		return 0, err
	}
	r.Header.Set("Cookie", field(jar))
	resp, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	for _, c := range resp.Cookies() {
		jar[c.Name] = c.Value
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, errors.Join(err, resp.Body.Close())
}

func field(jar map[string]string) string {
	var pairs []string
	for name, value := range jar {
		pairs = append(pairs, name+"="+value)
	}
	return strings.Join(pairs, "; ")
}
