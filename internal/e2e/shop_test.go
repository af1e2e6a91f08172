package e2e_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/internal/shop"
)

// TestShopGoesOn: what a shop does all day goes on when an edge is put in front
// of it, over both protocols, and nobody gets a ticket by it.
func TestShopGoesOn(t *testing.T) {
	t.Parallel()
	f := openFront(t)
	bothProtocols(t, func(t *testing.T, http2 bool) {
		for _, part := range []struct {
			name string
			test func(*testing.T, visitor)
		}{
			{"login", logsIn}, {"basic login", basicLogin}, {"redirects", isRedirected}, {"cookies", getsCookies},
			{"API", callsAPI}, {"notices", sendsNotices}, {"conditions", asksAgain}, {"packed", getsPacked}, {"large heads", sendsLargeHeads},
		} {
			t.Run(part.name, func(t *testing.T) {
				t.Parallel()
				part.test(t, visitor{f, f.client(http2)})
			})
		}
	})
}

// visitor is one client at a front.
type visitor struct {
	*front
	client *http.Client
}

// ask fails the test unless the answer has the status.
func (v visitor) ask(t *testing.T, status int, method, target, body string, fields ...string) reply {
	t.Helper()
	r := v.send(v.client, method, target, body, fields...)
	if r.StatusCode != status {
		t.Fatalf("%s %s: got %d %.200q, want %d", method, target, r.StatusCode, r.body, status)
	}
	r.noTicket(t)
	return r
}

// csrf is the field that the shop's form has for this visitor.
func (v visitor) csrf(t *testing.T) string {
	t.Helper()
	_, after, _ := strings.Cut(v.ask(t, 200, "GET", "/login", "").body, `name="csrf" value="`)
	field, _, _ := strings.Cut(after, `"`)
	return field
}

// logIn sends the form as the browser of a page of the shop does.
func (v visitor) logIn(t *testing.T, user string) reply {
	t.Helper()
	fields := url.Values{"csrf": {v.csrf(t)}, "user": {user}}.Encode()
	return v.ask(t, 303, "POST", "/login", fields, "Content-Type", form, "Origin", strings.TrimSuffix(v.url("/"), "/"))
}

const form = "application/x-www-form-urlencoded"

func logsIn(t *testing.T, v visitor) {
	fields := url.Values{"csrf": {v.csrf(t)}, "user": {"Änne O'Neil"}}.Encode()
	v.ask(t, 403, "POST", "/login", "csrf=wrong", "Content-Type", form)
	v.ask(t, 403, "POST", "/login", fields, "Content-Type", form, "Origin", "https://evil.test")
	if got := v.logIn(t, "Änne O'Neil").Header.Get("Location"); got != "/account" {
		t.Errorf("the login leads to %q", got)
	}
	if body := v.ask(t, 200, "GET", "/account", "").body; !strings.Contains(body, "Account of Änne O&#39;Neil") {
		t.Errorf("logged in, the account says %q", body)
	}
	stranger := visitor{v.front, v.front.client(false)}
	if got := stranger.ask(t, 302, "GET", "/account?a=b%2F", "").Header.Get("Location"); got != "/login?next=%2Faccount%3Fa%3Db%252F" {
		t.Errorf("a stranger is led to %q", got)
	}
}

func basicLogin(t *testing.T, v visitor) {
	if got := v.ask(t, 401, "GET", "/staff", "").Header.Get("WWW-Authenticate"); got != `Basic realm="staff", charset="UTF-8"` {
		t.Errorf("asked for %q", got)
	}
	v.ask(t, 200, "GET", "/staff", "", "Authorization", "Basic c3RhZmY6cMOkc3M6d29yZA==")
	v.ask(t, 401, "GET", "/staff", "")
}

func isRedirected(t *testing.T, v visitor) {
	for target, want := range map[string]string{
		"/old/relative": "account?from=old",
		"/old/absolute": v.url("/account"),
	} {
		if got := v.send(v.client, "GET", target, "").Header.Get("Location"); got != want {
			t.Errorf("%s leads to %q, want %q", target, got, want)
		}
	}
	v.ask(t, 303, "POST", "/old/form", "a=b", "Content-Type", "application/x-www-form-urlencoded")
}

func getsCookies(t *testing.T, v visitor) {
	if got := v.ask(t, 200, "GET", "/cookies", "").Header["Set-Cookie"]; !slices.Equal(got, shop.ManyCookies) {
		t.Errorf("the cookies are\n%q, want\n%q", got, shop.ManyCookies)
	}
	// And a hundred the other way, in the form that browsers and libraries send.
	sent := make([]string, 100)
	for i := range sent {
		sent[i] = fmt.Sprintf(`c%d="v %d%%"`, i%90, i) // some names twice
	}
	line := strings.Join(sent, "; ")
	v.client.Jar = nil
	target := "/echo/cookies?" + v.protocol()
	v.ask(t, 200, "GET", target, "", "Cookie", line)
	if got := v.shop.Seen(target)[0].Header["Cookie"]; strings.Join(got, "; ") != line {
		t.Errorf("the shop sees the cookies\n%q, want\n%q", got, line)
	}
}

// protocol tells one visitor's requests from the other's.
func (v visitor) protocol() string {
	if v.client.Transport.(*http.Transport).ForceAttemptHTTP2 {
		return "over=2"
	}
	return "over=1"
}

func callsAPI(t *testing.T, v visitor) {
	const kind, body = "application/merge-patch+json", `{"a": 1,  "b":"é\u0000"}`
	for _, method := range []string{"PUT", "PATCH", "POST", "DELETE", "PROPFIND"} {
		var got struct{ Method, ID, Body, Type string }
		r := v.ask(t, 200, method, "/api/things/7", body, "Content-Type", kind)
		if err := json.Unmarshal([]byte(r.body), &got); err != nil {
			t.Fatal(err)
		}
		if got.Method != method || got.ID != "7" || got.Body != body || got.Type != kind {
			t.Errorf("%s: the shop sees %+v", method, got)
		}
	}
	v.ask(t, 204, "DELETE", "/api/things/7", "")
	pre := v.ask(t, 204, "OPTIONS", "/api/things/7", "", "Origin", "https://app.test",
		"Access-Control-Request-Method", "PATCH", "Access-Control-Request-Headers", "content-type,x-a")
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": "https://app.test", "Access-Control-Allow-Headers": "content-type,x-a", "Vary": "Origin",
	} {
		if got := pre.Header.Get(name); got != want {
			t.Errorf("preflight: %s is %q, want %q", name, got, want)
		}
	}
	head := v.ask(t, 200, "HEAD", "/files/300000", "")
	if head.ContentLength != 300000 || head.body != "" || head.Header.Get("ETag") != `"toy-300000"` {
		t.Errorf("HEAD: %d bytes told, %d given, tag %q", head.ContentLength, len(head.body), head.Header.Get("ETag"))
	}
	if none := v.ask(t, 204, "GET", "/none", ""); none.body != "" || none.Header.Get("Content-Length") != "" {
		t.Errorf("204 has the length %q and %q", none.Header.Get("Content-Length"), none.body)
	}
}

// sendsNotices: the bytes of a signed notice must arrive as they were sent.
func sendsNotices(t *testing.T, v visitor) {
	for _, body := range []string{"", "{\"a\":1}\r\n", " \xff\xfe\x00+%2B%zz&&;=\n\n", strings.Repeat("x\x00", 200_000)} {
		v.ask(t, 200, "POST", "/hooks/payment", body, "Content-Type", "application/json", "X-Signature", shop.Sign(hookKey, []byte(body)))
	}
	v.ask(t, 401, "POST", "/hooks/payment", "{}", "X-Signature", shop.Sign(hookKey, []byte("{} ")))
}

func asksAgain(t *testing.T, v visitor) {
	v.ask(t, 200, "GET", "/tagged", "")
	if again := v.ask(t, 304, "GET", "/tagged", "", "If-None-Match", `"v1"`); again.body != "" || again.Header.Get("ETag") != `"v1"` {
		t.Errorf("304 with the tag %q and %q", again.Header.Get("ETag"), again.body)
	}
	whole, err := io.ReadAll(shop.File(300_000))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		status            int
		span, since, want string
	}{
		{206, "bytes=0-0", "", string(whole[:1])}, {206, "bytes=-5", "", string(whole[299_995:])}, {206, "bytes=100000-", `"toy-300000"`, string(whole[100_000:])},
		{200, "bytes=5-9", `"old"`, string(whole)}, {416, "bytes=300000-", "", ""},
	} {
		fields := []string{"Range", test.span}
		if test.since != "" {
			fields = append(fields, "If-Range", test.since)
		}
		if got := v.ask(t, test.status, "GET", "/files/300000", "", fields...).body; test.want != "" && got != test.want {
			t.Errorf("%s if %q: %d bytes, want %d that are right", test.span, test.since, len(got), len(test.want))
		}
	}
}

func getsPacked(t *testing.T, v visitor) {
	r := v.ask(t, 200, "GET", "/packed", "", "Accept-Encoding", "gzip, br")
	z, err := gzip.NewReader(strings.NewReader(r.body))
	if err != nil || r.Header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("packed as %q: %v", r.Header.Get("Content-Encoding"), err)
	}
	if text, err := io.ReadAll(z); err != nil || string(text) != shop.PackedText {
		t.Errorf("unpacked: %d bytes, %v, want %d", len(text), err, len(shop.PackedText))
	}
	if plain := v.ask(t, 200, "GET", "/packed", ""); plain.body != shop.PackedText || plain.Header.Get("Content-Encoding") != "" {
		t.Errorf("plain: %q, %d bytes", plain.Header.Get("Content-Encoding"), len(plain.body))
	}
}

func sendsLargeHeads(t *testing.T, v visitor) {
	if got := len(v.ask(t, 200, "GET", "/wide", "").Header.Get("X-Wide")); got != shop.WideBytes {
		t.Errorf("a field of %d bytes came, want %d", got, shop.WideBytes)
	}
	target := "/echo/wide?" + v.protocol() + strings.Repeat("&q=%2F", 1000)
	v.ask(t, 200, "GET", target, "", "Referer", v.url("/"+strings.Repeat("r", 16<<10)))
	if n := len(v.shop.Seen(target)); n != 1 {
		t.Errorf("the shop saw it %d times, want once", n)
	}
}
