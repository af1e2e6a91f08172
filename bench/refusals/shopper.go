package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// shopper is somebody who enters a sale.
type shopper struct {
	client  *http.Client
	base    string
	sale    string
	cookies map[string]string
	told    struct {
		State, Status string
		Ahead         int
	}
}

// trusting believes any certificate: what a handshake costs the edge is the same.
func trusting(protocols ...string) *tls.Config {
	return &tls.Config{ServerName: shop, InsecureSkipVerify: true, NextProtos: protocols} //nolint:gosec // on loopback
}

func (st *stage) shopper(sale, account string) *shopper {
	return &shopper{
		client: &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: trusting()}},
		base:   "https://" + st.at, sale: sale, cookies: map[string]string{"session": account},
	}
}

// cookie is the field that a shopper's tickets make.
func (s *shopper) cookie() string {
	var all []string
	for name, value := range s.cookies {
		if name != "session" { // the account's limit is for one kind alone
			all = append(all, name+"="+value)
		}
	}
	return strings.Join(all, "; ")
}

func (s *shopper) ask(ctx context.Context, method, path string) error {
	req, err := http.NewRequestWithContext(ctx, method, s.base+path, nil)
	if err != nil {
		return err
	}
	req.Host = shop
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Cookie", s.cookie())
	if method == http.MethodPost {
		req.AddCookie(&http.Cookie{Name: "session", Value: s.cookies["session"]})
	}
	res, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	for _, c := range res.Cookies() {
		s.cookies[c.Name] = c.Value
	}
	if res.StatusCode >= 500 {
		return fmt.Errorf("%s %s: %s", method, path, res.Status)
	}
	return json.NewDecoder(res.Body).Decode(&s.told)
}

// until asks where the shopper stands until it is one of some states.
func (s *shopper) until(ctx context.Context, states ...string) error {
	late := time.Now().Add(time.Minute)
	for {
		if err := s.ask(ctx, "GET", "/.waitroom/"+s.sale+"/me"); err != nil {
			return err
		}
		switch {
		case slices.Contains(states, s.told.State):
			return nil
		case time.Now().After(late):
			return fmt.Errorf("after a minute still %q", s.told.State)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}
