package origin_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/proxy/origin"
)

const places = 448 // at one server, for anybody

var letters = strings.Repeat("a", 32<<10)

// answering is a server whose answers under a path are as long as it says, with or
// without their length; any other answer is "ok".
func answering(t *testing.T, protocols ...func(*http.Protocols)) string {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var size int
		switch _, err := fmt.Sscanf(r.URL.Path, "/known/%d", &size); {
		case err == nil:
			w.Header().Set("Content-Length", fmt.Sprint(size))
		default:
			if _, err := fmt.Sscanf(r.URL.Path, "/unknown/%d", &size); err != nil {
				_, _ = io.WriteString(w, "ok")
				return
			}
			w.(http.Flusher).Flush()
		}
		for piece := min(size, len(letters)); size > 0; size -= piece {
			piece = min(size, piece)
			if _, err := io.WriteString(w, letters[:piece]); err != nil {
				return
			}
		}
	}))
	for _, set := range protocols {
		s.Config.Protocols = new(http.Protocols)
		set(s.Config.Protocols)
	}
	s.Start()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// held sends as many requests as a server has places, and reads a piece of each
// answer, as the proxy does for a client that takes nothing.
func held(t *testing.T, p *origin.Pool, path string) []*http.Response {
	t.Helper()
	var all []*http.Response
	for range places {
		resp, err := p.RoundTrip(request(t, http.MethodGet, path, ""))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = resp.Body.Close() })
		if _, err := io.ReadFull(resp.Body, make([]byte, 4)); err != nil {
			t.Fatal(err)
		}
		all = append(all, resp)
	}
	return all
}

// TestNotTaken: clients that take nothing of short answers keep no places, and those
// who take nothing of long ones lose theirs when others wait; nobody waits long.
func TestNotTaken(t *testing.T) {
	t.Parallel()
	plain := func(p *http.Protocols) { p.SetHTTP1(true) }
	shared := func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) }
	for name, test := range map[string]struct {
		scheme   string
		protocol func(*http.Protocols)
		path     string
		size     int
		within   time.Duration
		whole    bool // who comes back gets the rest
	}{
		"a few bytes":                  {"http", plain, "/known/4", 4, 2 * time.Second, true},
		"a few bytes, HTTP/2":          {"h2c", shared, "/known/4", 4, 2 * time.Second, true},
		"a page":                       {"http", plain, "/known/50000", 50_000, 3 * time.Second, true},
		"a page of unknown length":     {"http", plain, "/unknown/50000", 50_000, 3 * time.Second, true},
		"a page over HTTP/2":           {"h2c", shared, "/unknown/50000", 50_000, 3 * time.Second, true},
		"more than a server is spared": {"http", plain, "/known/200000", 200_000, 9 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := poolOf(t, configs.Origin{Timeout: 10 * time.Second}, test.scheme+"://"+answering(t, test.protocol))
			all := held(t, p, test.path)
			begun := time.Now()
			if got := get(t, p, "/"); got != "ok" {
				t.Errorf("got %q", got)
			}
			if took := time.Since(begun); took > test.within {
				t.Errorf("answered after %v, want %v at most", took, test.within)
			}
			cut := 0
			for _, resp := range all {
				rest, err := io.Copy(io.Discard, resp.Body)
				if err != nil {
					cut++
				} else if rest != int64(test.size-4) {
					t.Fatalf("the rest is %d bytes, want %d", rest, test.size-4)
				}
				_ = resp.Body.Close()
			}
			if want := 0; test.whole && cut != want || !test.whole && cut != 1 {
				t.Errorf("%d answers were cut; whole: %t", cut, test.whole)
			}
		})
	}
}
