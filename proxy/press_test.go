package proxy_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/proxy/kept"
)

const formCookie = "__Host-wrf-golden-toy"

// buyForm is the form of a page by which its turn is taken.
type buyForm struct {
	action string
	fields []kept.Field
	auto   bool // goes on by itself
	page   string
}

// body is what a browser posts for it.
func (f buyForm) body() string { return kept.Form{Fields: f.fields}.Encoded() }

// turn is the buy form of the line's page, which says that it is this shopper's turn.
func (b *browser) turn() buyForm {
	b.s.t.Helper()
	b.html = false
	b.until("called")
	b.html = true
	page := b.own(http.MethodGet, "line").code(b.s.t, "turn", http.StatusOK).body
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		b.s.t.Fatal(err)
	}
	f := buyForm{page: page}
	for n := range root.Descendants() {
		switch {
		case n.Type != html.ElementNode:
		case n.Data == "form" && attr(n, "id") == "buy":
			f.action = attr(n, "action")
		case attr(n, "id") == "auto":
			f.auto = true
		case n.Data == "input" && n.Parent.Data == "form" && attr(n.Parent, "id") == "buy":
			// What is written over several lines is posted with a CR before each LF.
			f.fields = append(f.fields, kept.Field{Name: attr(n, "name"), Value: strings.ReplaceAll(attr(n, "value"), "\n", "\r\n")})
		}
	}
	if f.action == "" {
		b.s.t.Fatalf("there is no buy form on the page %q", titleOf(page))
	}
	return f
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// queued is a plot in which a press comes before its turn, and the turn soon.
func queued(sale, config string) plot {
	return plot{doors: -time.Minute, opens: 2 * time.Second, sale: sale, config: config}
}

// TestKeptForm: a form that was posted too soon is at hand when the turn comes, field
// by field and byte by byte, and buys then.
func TestKeptForm(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, query, body string }{
		{"a quantity", "", "qty=1"},
		{"order, doubles and empty ones", "", "b=2&a=1&b=2&empty=&a=3&qty=1&flag"},
		{"any characters", "", url.Values{"street": {"Straße 5, 中文 🧸"}, `q"<'&>`: {`"'<>&=+ %41`}, "lines": {"one\r\ntwo"}}.Encode()},
		{"in the address, too", "size=42%2B&ref=a=b&%C3%A9='\"", "colour=gold"},
		{"nothing", "", ""},
		{"as much as fits", "", "text=" + strings.Repeat("x", kept.Most-100)},
		{"as much in any characters", "", "text=" + strings.Repeat("%E4%B8%AD", 600)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := play(t, queued("", ""))
			b := s.person()
			path := "/toys/golden/buy"
			if test.query != "" {
				path += "?" + test.query
			}
			r := b.do(http.MethodPost, path, test.body, "Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin").
				code(t, "too soon", http.StatusSeeOther).head(t, "too soon", "Location", "/.waitroom/golden-toy/line")
			if set := setCookie(r, formCookie); len(set) >= 3<<10 || !strings.HasSuffix(set, "; HttpOnly; Secure; SameSite=Lax") || strings.Contains(set, "xxx") {
				t.Errorf("sets %d bytes: %q", len(set), set)
			}
			form := b.turn()
			if got, want := form.body(), normal(test.body); got != want {
				t.Errorf("the form holds %s, want %s", got, want)
			}
			address, err := url.Parse(form.action)
			if err != nil || address.Path != "/toys/golden/buy" || normal(address.RawQuery) != normal(test.query) {
				t.Errorf("the form goes to %s, want the query %s", form.action, test.query)
			}
			if !form.auto {
				t.Error("the form does not go on by itself")
			}
			yes := b.do(http.MethodPost, form.action, form.body(), "Content-Type", "application/x-www-form-urlencoded").code(t, "turn", http.StatusCreated)
			if b.cookie(formCookie) != "" || setCookie(yes, formCookie) == "" {
				t.Error("the form is kept after it has bought")
			}
			if s.left() != 9 {
				t.Errorf("%d units are left, want 9", s.left())
			}
		})
	}
}

// normal is an encoded form as kept.Form writes it.
func normal(encoded string) string {
	var f kept.Form
	for pair := range strings.SplitSeq(encoded, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, _ = url.QueryUnescape(name)
		value, _ = url.QueryUnescape(value)
		if pair != "" {
			f.Fields = append(f.Fields, kept.Field{Name: name, Value: value})
		}
	}
	return f.Encoded()
}

func setCookie(r reply, name string) string {
	for _, set := range r.Header.Values("Set-Cookie") {
		if strings.HasPrefix(set, name+"=") {
			return set
		}
	}
	return ""
}

// parts is a form in parts, with a file if there is one.
func parts(fields []kept.Field, file string) (body, kind string) {
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	for _, f := range fields {
		part, _ := w.CreateFormField(f.Name) // memory takes all
		_, _ = part.Write([]byte(f.Value))
	}
	part, _ := w.CreateFormFile("picture", file)
	_, _ = part.Write([]byte(strings.Repeat("x", len(file))))
	_ = w.Close()
	return out.String(), w.FormDataContentType()
}

// TestKeptParts: a form in parts is kept as one of texts, if that is all that it is, and
// a press at one's turn takes it, too.
func TestKeptParts(t *testing.T) {
	t.Parallel()
	fields := []kept.Field{{Name: "size", Value: "42+"}, {Name: "note", Value: "für dich\r\n中"}, {Name: "size", Value: ""}, {Name: "qty", Value: "1"}}
	s := play(t, queued("", ""))
	b, with := s.person(), s.person()
	body, kind := parts(fields, "")
	b.buy(body, "Content-Type", kind).code(t, "in parts", http.StatusSeeOther)
	files, fileKind := parts(fields, "me.png")
	with.buy(files, "Content-Type", fileKind).code(t, "with a file", http.StatusSeeOther)
	if got := b.turn(); !slices.Equal(got.fields, fields) || !got.auto {
		t.Errorf("the form holds %q, goes on: %t; want %q", got.fields, got.auto, fields)
	}
	if got := with.turn(); len(got.fields) != 0 || got.auto || !strings.Contains(got.page, "could not be kept") {
		t.Errorf("with a file the form holds %q, goes on: %t", got.fields, got.auto)
	}
	b.buy(body, "Content-Type", kind).code(t, "in parts, called", http.StatusCreated)
	for name, bad := range map[string]string{
		"a broken one":      strings.ReplaceAll(body, "form-data", "form"),
		"an end that lacks": body[:len(body)-10],
		"qty twice":         strings.Replace(body, `name="note"`, `name="qty"`, 1),
		"items[0][qty]":     strings.Replace(body, `name="note"`, `name="items[0][qty]"`, 1),
		"qty as a file":     strings.Replace(body, `name="picture"`, `name="qty"`, 1),
		"another method":    strings.Replace(body, `name="note"`, `name="_method"`, 1),
	} {
		s.browser().buy(bad, "Content-Type", kind).want(t, name, http.StatusBadRequest, "bad_request")
	}
}

// TestLostForm: what cannot be kept is not forgotten in silence.
func TestLostForm(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"too large":            "qty=1&text=" + strings.Repeat("x", kept.Most),
		"far too large":        "qty=1&text=" + strings.Repeat("x", 70<<10),
		"no text":              "qty=1&text=%FF",
		"with a character NUL": "qty=1&text=a%00b",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, queued("", ""))
			b := s.person()
			b.buy(body).code(t, "too soon", http.StatusSeeOther)
			form := b.turn()
			if len(form.fields) > 0 || form.auto || !strings.Contains(form.page, "could not be kept") {
				t.Errorf("the form holds %.100q, goes on: %t", form.fields, form.auto)
			}
			b.buy("").code(t, "at the turn", http.StatusCreated)
		})
	}
}

// TestPressed: only who pressed goes on by itself, from a page that could speak for
// them, and until something came of it.
func TestPressed(t *testing.T) {
	t.Parallel()
	s := play(t, plot{doors: -time.Minute, opens: 3 * time.Second, config: "tls: {mode: internal, domains: [" + host + ", www.shop.example.com]}"})
	opened, scripted, elsewhere, sister, again := s.person(), s.browser(), s.person(), s.person(), s.person()
	opened.own(http.MethodGet, "line").code(t, "opened", http.StatusSeeOther)
	if r := scripted.buy("size=1", "Accept", "application/json"); setCookie(r, formCookie) != "" {
		t.Error("a script is given a form to keep")
	}
	elsewhere.buy("size=evil", "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example").code(t, "from elsewhere", http.StatusSeeOther).noCookie(t, "from elsewhere")
	elsewhere.own(http.MethodPost, "ticket", "Origin", "https://evil.example").code(t, "joined from elsewhere", http.StatusSeeOther).noCookie(t, "joined from elsewhere")
	elsewhere.own(http.MethodGet, "line", "Sec-Fetch-Site", "cross-site").code(t, "led to the line", http.StatusSeeOther)
	sister.buy("size=2", "Sec-Fetch-Site", "same-site", "Origin", "https://www.shop.example.com").code(t, "from another domain of ours", http.StatusSeeOther)
	again.buy("size=3").code(t, "first press", http.StatusSeeOther)
	again.buy("size=4").code(t, "second press", http.StatusSeeOther)
	for name, test := range map[string]struct {
		b    *browser
		auto bool
		want string
	}{
		"opened":      {opened, false, ""},
		"by a script": {scripted, false, ""},
		"elsewhere":   {elsewhere, false, ""},
		"sister":      {sister, true, "size=2"},
		"again":       {again, true, "size=4"},
	} {
		if form := test.b.turn(); form.auto != test.auto || form.body() != test.want {
			t.Errorf("%s: goes on by itself: %t with %q, want %t with %q", name, form.auto, form.body(), test.auto, test.want)
		}
	}
	again.buy("size=4").code(t, "bought", http.StatusCreated)
	if again.cookie(formCookie) != "" {
		t.Error("a press is kept after the yes")
	}
}

// TestPressedWhilePaused: a form is not lost to a moment in which nobody is let in, nor
// to one in which all is held; when all is gone it is.
func TestPressedWhilePaused(t *testing.T) {
	t.Parallel()
	s := play(t, plot{stock: 1})
	b, first := s.person(), s.browser()
	b.own(http.MethodGet, "line")
	s.admin(http.MethodPost, "/v1/sales/golden-toy/pause", "", token).want(t, "pause", http.StatusOK, "ok")
	s.state("paused")
	b.buy("size=paused").code(t, "paused", http.StatusServiceUnavailable)
	s.admin(http.MethodPost, "/v1/sales/golden-toy/resume", "", token).want(t, "resume", http.StatusOK, "ok")
	s.state("open")
	if got := b.turn().body(); got != "size=paused" {
		t.Errorf("after a pause the form holds %q", got)
	}
	hold := first.called().buy("").want(t, "the last one", http.StatusCreated, "reserved")
	s.state("all_held")
	r := b.buy("size=held").code(t, "all held", http.StatusConflict)
	if setCookie(r, formCookie) == "" {
		t.Error("what was pressed while all were held is not kept")
	}
	report(t, s.gate.Tell(t.Context(), gate.Note{Reservation: hold.field("reservation"), Status: gate.Paid, Version: 2, Qty: 1}))
	s.state("sold_out")
	if b.buy("").code(t, "sold out", http.StatusConflict); b.cookie(formCookie) != "" {
		t.Error("a form is kept when nothing is left for ever")
	}
}

// TestOldPress: who joins long after a press has not pressed.
func TestOldPress(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	sealer, err := kept.NewSealer([]configs.Secret{configs.NewSecret(secretOne)})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		ago  time.Duration
		run  string
		auto bool
	}{
		"just now":       {5 * time.Minute, "golden-toy", true},
		"long ago":       {11 * time.Minute, "golden-toy", false},
		"in another run": {time.Minute, "golden-toy@2026", false},
	} {
		b := s.person()
		b.plant(formCookie, sealer.Seal(test.run, kept.Form{At: time.Now().Add(-test.ago), Fields: []kept.Field{{Name: "a", Value: "b"}}}))
		b.own(http.MethodGet, "line").code(t, "joins", http.StatusSeeOther)
		if form := b.turn(); form.auto != test.auto || (b.cookie(formCookie) != "") != test.auto {
			t.Errorf("pressed %s: goes on by itself: %t, want %t", name, form.auto, test.auto)
		}
	}
}

// TestToCheckout: what the checkout's address asks of a buy goes along, whoever bought,
// and stays in it.
func TestToCheckout(t *testing.T) {
	t.Parallel()
	s := play(t, queued(`checkout: "/pay?r={reservation}&size={buy.size}&c={buy.attributes[colour]}"`, ""))
	form, script, plain := s.person(), s.browser(), s.browser()
	form.buy("size=4%262&attributes%5Bcolour%5D=gr%C3%BCn&csrf=secret").code(t, "too soon", http.StatusSeeOther)
	turn := form.turn()
	page := form.buy(turn.body()).code(t, "form", http.StatusCreated).body
	address := func(id string) string {
		return fmt.Sprintf("/pay?r=%s&size=4%%262&c=gr%%C3%%BCn", id)
	}
	id := form.own(http.MethodGet, "order", "Accept", "application/json", "Sec-Fetch-Mode", "cors").field("reservation")
	for what, got := range map[string]string{
		"the page": html.UnescapeString(page),
		"order":    form.own(http.MethodGet, "order", "Accept", "application/json", "Sec-Fetch-Mode", "cors").field("checkout"),
		"the line": html.UnescapeString(form.own(http.MethodGet, "line").body),
	} {
		if what != "the line" && !strings.Contains(got, address(id)) || strings.Contains(got, "csrf=secret") {
			t.Errorf("%s has no %s", what, address(id))
		}
	}
	yes := script.called().buy(`{"size":"4&2","attributes[colour]":"grün","more":{"size":1}}`, "Content-Type", "application/json").want(t, "JSON", http.StatusCreated, "reserved")
	if got, want := yes.field("checkout"), address(yes.field("reservation")); got != want {
		t.Errorf("JSON: the checkout is %s, want %s", got, want)
	}
	if got := script.own(http.MethodGet, "order").field("checkout"); got != yes.field("checkout") {
		t.Errorf("JSON: the order's checkout is %s, want %s", got, yes.field("checkout"))
	}
	none := plain.called().buy("").want(t, "nothing chosen", http.StatusCreated, "reserved")
	if got, want := none.field("checkout"), fmt.Sprintf("/pay?r=%s&size=&c=", none.field("reservation")); got != want {
		t.Errorf("nothing chosen: the checkout is %s, want %s", got, want)
	}
	s.browser().called().buy("size="+strings.Repeat("4", 2000)).want(t, "too long", http.StatusBadRequest, "bad_request")
}
