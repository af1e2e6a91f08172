package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// sample is an answer of waitroom's, which the peers give as well.
type sample struct {
	ask
	kind, encoding string // as the fields say
	body           []byte
}

// sample asks for each answer, twice, for what may be kept or packed is so after the
// first.
func (st *stage) sample(ctx context.Context) (all []sample, err error) {
	for _, a := range asks {
		if a.name == "pass" {
			continue
		}
		var s sample
		for range 2 {
			if s, err = st.edge.give(ctx, a); err != nil {
				return nil, err
			}
		}
		all = append(all, s)
		st.bodies = append(st.bodies, fmt.Sprintf("%s %d", a.what, len(s.body)))
	}
	return all, nil
}

func (e *edge) give(ctx context.Context, a ask) (s sample, err error) {
	req, err := http.NewRequestWithContext(ctx, a.method, "https://"+shop+a.path, nil)
	if err != nil {
		return s, err
	}
	for _, f := range a.fields(e.tickets[waitingSale]) {
		req.Header.Add(f[0], f[1])
	}
	res, err := e.client().Do(req)
	if err != nil {
		return s, err
	}
	defer res.Body.Close()
	s = sample{ask: a, kind: res.Header.Get("Content-Type"), encoding: res.Header.Get("Content-Encoding")}
	if s.body, err = io.ReadAll(res.Body); err == nil && res.StatusCode != a.status {
		err = fmt.Errorf("%s: got %s, want %d: %.200s", a.what, res.Status, a.status, bytes.TrimSpace(s.body))
	}
	return s, err
}

// client has connections of its own to the edge, which is asked by the shop's name.
func (e *edge) client() *http.Client {
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableCompression: true, DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, network, e.at)
		},
	}
	return &http.Client{Transport: transport, Timeout: 10 * time.Second}
}
