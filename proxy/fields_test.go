package proxy_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// TestAccountIsNobodyElses: what the shop answers to an account that a trusted proxy
// names is kept for nobody else.
func TestAccountIsNobodyElses(t *testing.T) {
	t.Parallel()
	s := play(t, plot{config: "identity: {header: x-account}\ntrusted_proxies: [127.0.0.0/8]", shop: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=60")
		_, _ = fmt.Fprintf(w, "of %s %s", r.Header.Get("X-Account"), r.Header["X_account"])
	}})
	for _, who := range []string{"alice", "bob", "alice"} {
		if got := s.browser().get("/acc", "X-Account", who, "X_Account", "eve").body; got != "of "+who+" []" {
			t.Errorf("%s got what is %q", who, got)
		}
	}
	if got := s.browser().get("/acc").body; got != "of  []" {
		t.Errorf("nobody got what is %q", got)
	}
}

// TestAccountOfStrangers: an account that nobody vouches for does not reach the shop,
// however it is written.
func TestAccountOfStrangers(t *testing.T) {
	t.Parallel()
	s := play(t, plot{config: "identity: {header: X-Account}\ntrusted_proxies: [192.0.2.0/24]"})
	s.raw("GET /cart HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\nX-Account: eve\r\nX_Account: eve\r\nX.ACCOUNT: eve\r\nX-Accounts: kept\r\n\r\n")
	for name, values := range s.shop.last(t).Header {
		if strings.Contains(strings.Join(values, ","), "eve") {
			t.Errorf("the shop sees %s: %q", name, values)
		}
	}
	if got := s.shop.last(t).Header.Get("X-Accounts"); got != "kept" {
		t.Errorf("the shop sees another field as %q", got)
	}
}

// TestFieldsByOtherNames: what an origin may read as a field that is not a client's to
// send does not reach it, whatever punctuation there is in its name.
func TestFieldsByOtherNames(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	request := "GET /toys/golden/buy HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n"
	for _, name := range []string{
		"Waitroom.Token", "waitroom~token", "X.Forwarded.For", "X!Forwarded-For", "X.HTTP.Method.Override", "X+HTTP_Method-Override", "X.Original.URL",
		"X-Script-Name", "X_Script_Name", "X-Envoy-Original-Path", "Front-End-Https", "X-Host", "X-Original-Host", "X-Url-Scheme", "X-Scheme", "X-Remote-Addr",
	} {
		request += name + ": evil\r\n"
	}
	s.raw(request + "\r\n")
	for name, values := range s.shop.last(t).Header {
		if strings.Contains(strings.Join(values, ","), "evil") {
			t.Errorf("the shop sees %s: %q", name, values)
		}
	}
}

// TestTrailersOfAnswers: behind an answer neither commands nor cookies reach the
// shopper, announced or not; what else is there does.
func TestTrailersOfAnswers(t *testing.T) {
	t.Parallel()
	s := play(t, plot{shop: func(w http.ResponseWriter, r *http.Request) {
		names := []string{"Waitroom-Command", "Set-Cookie", "X-Sum"}
		if r.URL.Path == "/announced" {
			w.Header().Set("Trailer", strings.Join(names, ", "))
		}
		_, _ = io.WriteString(w, "ok")
		_ = http.NewResponseController(w).Flush()
		for _, name := range names {
			if r.URL.Path != "/announced" {
				name = http.TrailerPrefix + name
			}
			w.Header().Set(name, "a=b")
		}
	}})
	for _, path := range []string{"/announced", "/unannounced"} {
		resp, err := s.browser().Get("https://" + host + path)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if len(resp.Trailer) != 1 || resp.Trailer.Get("X-Sum") != "a=b" {
			t.Errorf("%s: the trailer is %v, want X-Sum alone", path, resp.Trailer)
		}
	}
}

// TestNoStatus: an answer whose status is none is a 502 and costs the origin no place
// for good: there are 512.
func TestNoStatus(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); serving.Wait() })
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer func() { _ = conn.Close() }()
				if r, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					_, _ = io.WriteString(conn, "HTTP/1.1 "+r.URL.Path[1:]+" X\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
				}
			})
		}
	})
	s := play(t, plot{config: "origin: {url: \"http://" + l.Addr().String() + "\"}"})
	b := s.browser()
	for i := range 600 {
		b.do(http.MethodPost, []string{"/000", "/099"}[i%2], "").code(t, "no status", http.StatusBadGateway)
	}
	b.do(http.MethodPost, "/200", "").code(t, "afterwards", http.StatusOK)
}
