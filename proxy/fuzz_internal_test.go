package proxy

import (
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// origins are ways in which servers and frameworks make a path of a target. Each is
// written for itself, without the folding that it is to be compared with.
var origins = map[string]func(target string) string{
	"as it is": func(target string) string { return beforeQuery(target) },
	"decodes once, then cleans": func(target string) string { // nginx, Go's ServeMux
		return path.Clean("/" + lenient(beforeQuery(target)))
	},
	"cleans, then decodes": func(target string) string {
		return lenient(path.Clean("/" + beforeQuery(target)))
	},
	"keeps empty segments": func(target string) string { // RFC 3986, 5.2.4; browsers' URL
		return noDots(lenient(beforeQuery(target)))
	},
	"takes parameters away": func(target string) string { // Tomcat, Jetty
		segments := strings.Split(beforeQuery(target), "/")
		for i, s := range segments {
			segments[i], _, _ = strings.Cut(s, ";")
		}
		return path.Clean("/" + lenient(strings.Join(segments, "/")))
	},
	"backslashes, no case, no dots and blanks at the end": func(target string) string { // IIS
		p := path.Clean("/" + strings.ReplaceAll(lenient(beforeQuery(target)), `\`, "/"))
		segments := strings.Split(p, "/")
		for i, s := range segments {
			segments[i] = strings.TrimRight(s, ". ")
		}
		return strings.ToLower(strings.Join(segments, "/"))
	},
	"decodes twice": func(target string) string { return path.Clean("/" + lenient(lenient(beforeQuery(target)))) },
	"ends at a NUL": func(target string) string {
		p, _, _ := strings.Cut(lenient(beforeQuery(target)), "\x00")
		return path.Clean("/" + p)
	},
	"decodes, then takes a query": func(target string) string { return path.Clean("/" + beforeQuery(lenient(target))) },
	"has a script in front, takes a form behind": func(target string) string { // Symfony, Rails
		p := path.Clean("/" + lenient(beforeQuery(target)))
		p = strings.TrimPrefix(p, "/index.php")
		return strings.TrimSuffix(p, ".json")
	},
	"drops what is no character": func(target string) string {
		p := strings.ToValidUTF8(lenient(beforeQuery(target)), "")
		return path.Clean("/" + strings.NewReplacer("\u200b", "", "\u00ad", "").Replace(p))
	},
	"takes plus for a blank, no blanks at the end": func(target string) string {
		segments := strings.Split(path.Clean("/"+lenient(strings.ReplaceAll(beforeQuery(target), "+", " "))), "/")
		for i, s := range segments {
			segments[i] = strings.TrimRight(s, " ")
		}
		return strings.Join(segments, "/")
	},
	"splits what is encoded as well, decodes each": func(target string) string {
		segments := strings.Split(beforeQuery(target), "/")
		for i, s := range segments {
			segments[i] = strings.Trim(lenient(s), " \t\r\n")
		}
		return noDots(strings.Join(segments, "/"))
	},
}

// beforeQuery is a target up to its query or fragment.
func beforeQuery(target string) string {
	if end := strings.IndexAny(target, "?#"); end >= 0 {
		return target[:end]
	}
	return target
}

// lenient decodes what is an escape and leaves the rest.
func lenient(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if d, err := url.PathUnescape(s[i : i+3]); err == nil {
				out.WriteString(d)
				i += 2
				continue
			}
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

// noDots takes dot segments away and leaves empty ones.
func noDots(p string) string {
	var out []string
	for _, s := range strings.Split(strings.TrimPrefix(p, "/"), "/") {
		switch {
		case s == "..":
			out = out[:max(0, len(out)-1)]
		case s != ".":
			out = append(out, s)
		}
	}
	return "/" + strings.Join(out, "/")
}

// FuzzFold: a path of which any origin makes that of the buy is the buy's, and one
// under a room's is of that room or refused; and folding what is folded changes
// nothing.
func FuzzFold(f *testing.F) {
	const buy, hall = "/toys/golden/buy", "/hall"
	rt := newRoutes([]configs.Sale{{ID: "toy", Product: "/toys/golden", Buy: configs.Buy{Method: "POST", Path: buy}}}, []configs.Room{{ID: "hall", Path: hall}, {ID: "yard", Path: "/yard"}})
	for _, target := range []string{
		buy, "/a%2Fb/../toys/golden/buy", "/toys//../golden/%62uy;x", `/a\b/../toys\golden\BUY%20`, "/%2525%32%65%2e/toys/golden/buy%3fx", "/hall/x", "/yard%2Fx/../../hall", "/toys/golden/buy%00/..", "/..;/hall",
		"/\uff42uy", "/%c0%afhall", "/hall/../yard/x?y", "/x%3F/../hall", "/%zz/../hall", "*", "//", "/toys/golden/.../buy", "/%0a/../toys/golden/buy",
		"/index.php/toys/golden/buy.json", "/toys/golden/buy%ff", "/hall+/x", "/index.php/hall", "/toys/golden/bu%e0%81%b9y",
	} {
		f.Add(target)
	}
	f.Fuzz(func(t *testing.T, target string) {
		r, err := http.NewRequest(http.MethodPost, "https://a", nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.URL, err = url.ParseRequestURI(target); err != nil || !strings.HasPrefix(target, "/") {
			return
		}
		escaped := r.URL.EscapedPath()
		want := rt.route(http.MethodPost, escaped, time.Time{})
		for name, origin := range origins {
			p := origin(target)
			if p == buy && want.kind != wantBuy {
				t.Errorf("an origin that %s takes %q for the buy, here it is %d", name, target, want.kind)
			}
			if inside := p == hall || strings.HasPrefix(p, hall+"/"); inside && want.kind != wantBuy && want.kind != wantUnclear && want.kind != wantOwn && want.kind != wantNothing &&
				(want.room == nil || want.room.ID != "hall") {
				t.Errorf("an origin that %s takes %q for %s in the hall, here it is %d", name, target, p, want.kind)
			}
		}
		if once := foldPath(escaped); isASCII(decoded(escaped)) && foldPath(once) != once {
			t.Errorf("%q is folded to %q, and that to %q", target, once, foldPath(once))
		}
	})
}

// FuzzCookies: of a Cookie field our own are gone, and the others stay as they are.
func FuzzCookies(f *testing.F) {
	for _, line := range []string{
		"a=b", ticketPrefix + "toy=x; a=b", "a=b;" + passPrefix + "toy=y;c=d", `a="x; ` + ticketPrefix + `toy=z"; b`, " ;; ;=", "a=b; \t" + ticketPrefix + "x", ticketPrefix, "__HOST-WR-x=y",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		h := http.Header{"Cookie": {line}}
		stripOwnCookies(h)
		var kept []string
		for _, pair := range strings.Split(line, ";") {
			if name := strings.TrimSpace(pair); !strings.HasPrefix(name, ticketPrefix) && !strings.HasPrefix(name, passPrefix) {
				kept = append(kept, pair)
			}
		}
		want := strings.TrimPrefix(strings.Join(kept, ";"), " ")
		if got := h.Get("Cookie"); got != want && strings.TrimSpace(want) != "" {
			t.Errorf("%q: kept is %q, want %q", line, got, want)
		}
		for _, c := range (&http.Request{Header: h}).Cookies() {
			if strings.HasPrefix(c.Name, ticketPrefix) || strings.HasPrefix(c.Name, passPrefix) {
				t.Errorf("%q: %s is still there", line, c.Name)
			}
		}
	})
}
