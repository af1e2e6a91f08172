package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the frame around a page
	"encoding/base64"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/waitroom/waitroom/static"
)

// gallery serves pages with made-up values, each under an address like its real one, so
// that they live: counts run, the line moves, and who presses gets on.
type gallery struct {
	sights sights
	mux    *http.ServeMux

	mu    sync.Mutex
	begun map[string]time.Time // of what is looked at, by its address
}

func newGallery(file string) *gallery {
	g := &gallery{sights: sights{file: file}, mux: http.NewServeMux(), begun: map[string]time.Time{}}
	g.mux.HandleFunc("GET /{$}", g.frame)
	g.mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, g.sights.look().version)
	})
	g.mux.HandleFunc("GET /.waitroom/language", g.language)
	g.mux.HandleFunc("GET /.waitroom/{scene}/{part}", func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.PathValue("scene") == "assets":
			asset(w, r)
		case r.PathValue("part") == "line":
			g.page(w, r)
		default:
			g.answer(w, r)
		}
	})
	g.mux.HandleFunc("/", g.shop)
	return g
}

// ServeHTTP refuses names that are not this machine's: a page elsewhere is not to look
// at what is only for who sits here.
func (g *gallery) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		name = r.Host
	}
	if ip := net.ParseIP(strings.Trim(name, "[]")); ip == nil && name != "localhost" {
		http.Error(w, "open it by its number, as http://127.0.0.1:8900", http.StatusMisdirectedRequest)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	g.mux.ServeHTTP(w, r)
}

// scene is what is looked at, as it stands in the place of a sale's name in addresses.
type scene struct {
	subject, moment, lang, light string
}

func (s scene) String() string {
	return strings.Join([]string{s.subject, s.moment, s.lang, s.light}, "~")
}

func (s scene) address() string { return "/.waitroom/" + url.PathEscape(s.String()) + "/line" }

func readScene(text string) (s scene, ok bool) {
	parts := strings.Split(text, "~")
	if len(parts) != 4 {
		return s, false
	}
	return scene{parts[0], parts[1], parts[2], parts[3]}, true
}

// wanted finds what a request is about.
func (g *gallery) wanted(r *http.Request) (sc scene, s subject, m moment, now shown, ok bool) {
	now = g.sights.look()
	sc, ok = readScene(r.PathValue("scene"))
	if !ok || now.err != nil {
		return sc, s, m, now, false
	}
	i := slices.IndexFunc(now.subjects, func(s subject) bool { return s.id == sc.subject })
	m, ok = momentNamed(sc.moment)
	if i < 0 || !ok {
		return sc, s, m, now, false
	}
	return sc, now.subjects[i], m, now, true
}

// since is how long a scene has been looked at; anew begins it again.
func (g *gallery) since(sc scene, anew bool) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	begun, known := g.begun[sc.String()]
	if !known || anew || time.Since(begun) > time.Hour {
		if len(g.begun) > 1000 {
			clear(g.begun)
		}
		begun = time.Now()
		g.begun[sc.String()] = begun
	}
	return time.Since(begun)
}

// page is one, as a shopper would get it.
func (g *gallery) page(w http.ResponseWriter, r *http.Request) {
	sc, s, m, now, ok := g.wanted(r)
	switch {
	case now.err != nil:
		tellFaults(w, now.err)
		return
	case !ok:
		http.NotFound(w, r)
		return
	}
	m, v := g.at(sc, s, m, now, g.since(sc, r.URL.Query().Has("anew")))
	body, err := static.Render(m.page, v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	body, policy := inLight(body, static.ContentSecurityPolicy(m.page, v), sc.light)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Language", v.Lang)
	w.Header().Set("Content-Security-Policy", strings.Replace(policy, "frame-ancestors 'none'", "frame-ancestors 'self'", 1))
	_, _ = w.Write(body)
}

// at is what a shopper sees after so long: who waits is called at some time, and who got
// one can pay for it.
func (g *gallery) at(sc scene, s subject, m moment, now shown, since time.Duration) (moment, static.View) {
	if next := after(m, since); next != m.name {
		m, _ = momentNamed(next)
	}
	v := static.View{Lang: sc.lang, Offered: strings.Join(s.languages, " "), Brand: s.brand, Host: "shop.example.com"}
	if m.in == "none" {
		v.Brand = now.house
		m.put(&v)
		return m, v
	}
	v.Sale, v.Title, v.Room = sc.String(), s.title, s.room
	v.ProductPage = s.path
	m.put(&v)
	if s.sale != nil {
		ofSale(&v, s.sale)
		v.ProductPage, v.BuyMethod, v.BuyPath = s.sale.Product, s.sale.Buy.Method, s.sale.Buy.Path
		if !s.sale.Opens.IsZero() {
			v.DoorsAt = static.NewMoment(s.sale.Doors, s.sale.Doors, s.sale.Zone)
			v.OpensAt = static.NewMoment(s.sale.Opens, s.sale.Opens, s.sale.Zone)
		}
		if v.Reservation != "" {
			v.Checkout = s.sale.CheckoutFor(v.Reservation, func(string) string { return "1" })
		}
	}
	move(&v, m, since)
	return m, v
}

var media = regexp.MustCompile(`\(prefers-color-scheme:\s*dark\)`)
var styles = regexp.MustCompile(`(?s)<style>(.*?)</style>`)

// inLight has a page take the reader's device for a light or a dark one, whatever it is.
func inLight(page []byte, policy, light string) ([]byte, string) {
	found := styles.FindSubmatch(page)
	if found == nil || light != "light" && light != "dark" {
		return page, policy
	}
	always, scheme := "(max-width:0px)", "light"
	if light == "dark" {
		always, scheme = "(min-width:0px)", "dark"
	}
	style := media.ReplaceAll(found[1], []byte(always))
	style = append(style, []byte("\n:root{color-scheme:"+scheme+"}")...)
	policy = strings.Replace(policy, digest(found[1]), digest(style), 1)
	return bytes.Replace(page, found[1], style, 1), policy
}

func digest(source []byte) string {
	sum := sha256.Sum256(source)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func asset(w http.ResponseWriter, r *http.Request) {
	script, ok := static.Asset(r.PathValue("part"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	_, _ = w.Write(script)
}

// language shows what was looked at in another language.
func (g *gallery) language(w http.ResponseWriter, r *http.Request) {
	sc, ok := from(r)
	if to := r.URL.Query().Get("to"); ok && slices.Contains(static.Languages(), to) {
		sc.lang = to
		http.Redirect(w, r, sc.address(), http.StatusSeeOther)
		return
	}
	http.NotFound(w, r)
}

// from is the scene that a request comes from.
func from(r *http.Request) (scene, bool) {
	u, err := url.Parse(r.Referer())
	if err != nil {
		return scene{}, false
	}
	name, _, ok := strings.Cut(strings.TrimPrefix(u.Path, "/.waitroom/"), "/")
	if !ok {
		return scene{}, false
	}
	return readScene(name)
}

// shop stands for the shop behind. Who presses buy there gets one, who joins is in line.
func (g *gallery) shop(w http.ResponseWriter, r *http.Request) {
	sc, ok := from(r)
	if ok && r.Method == http.MethodPost {
		sc.moment = "held"
		if strings.HasSuffix(r.URL.Path, "/ticket") {
			sc.moment = "lottery"
		}
		http.Redirect(w, r, sc.address()+"?anew", http.StatusSeeOther)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = around.ExecuteTemplate(w, "shop", r.URL.RequestURI())
}

func tellFaults(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = around.ExecuteTemplate(w, "faults", err.Error())
}

//go:embed preview.html
var aroundSource string

var around = template.Must(template.New("frame").Parse(aroundSource))

// choice is one of several, as the frame shows them.
type choice struct {
	Name, Says, Address string
	Chosen              bool
}

// frame is what stands around a page: what to look at, and how.
func (g *gallery) frame(w http.ResponseWriter, r *http.Request) {
	now := g.sights.look()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if now.err != nil {
		_ = around.ExecuteTemplate(w, "frame", map[string]any{"Version": now.version, "Faults": now.err.Error()})
		return
	}
	sc, s, width := choose(now, r.URL.Query())
	link := func(name, value string) string {
		q := url.Values{"of": {sc.subject}, "moment": {sc.moment}, "lang": {sc.lang}, "light": {sc.light}, "width": {width}}
		q.Set(name, value)
		return "/?" + q.Encode()
	}
	of := func(name, chosen string, all ...string) (choices []choice) {
		for i := 0; i < len(all); i += 2 {
			choices = append(choices, choice{all[i], all[i+1], link(name, all[i]), all[i] == chosen})
		}
		return choices
	}
	var subjects, langs, shows []string
	for _, one := range now.subjects {
		subjects = append(subjects, one.id, one.title)
	}
	for _, tag := range languagesOf(s) {
		langs = append(langs, tag, tag)
	}
	for _, m := range moments {
		if m.fits(s) {
			shows = append(shows, m.name, m.says)
		}
	}
	_ = around.ExecuteTemplate(w, "frame", map[string]any{
		"Version": now.version, "Page": sc.address() + "?anew", "Width": width, "Subjects": of("of", sc.subject, subjects...),
		"Moments": of("moment", sc.moment, shows...), "Languages": of("lang", sc.lang, langs...),
		"Lights": of("light", sc.light, "light", "light", "dark", "dark"), "Widths": of("width", width, "320", "320", "390", "390", "768", "768", "0", "wide"),
	})
}

// choose takes what was asked for, as far as there is such a thing.
func choose(now shown, q url.Values) (sc scene, s subject, width string) {
	i := max(0, slices.IndexFunc(now.subjects, func(s subject) bool { return s.id == q.Get("of") }))
	s = now.subjects[i]
	sc = scene{s.id, q.Get("moment"), q.Get("lang"), q.Get("light")}
	if m, ok := momentNamed(sc.moment); !ok || !m.fits(s) {
		sc.moment = "lottery"
		if s.room {
			sc.moment = "room"
		}
	}
	if all := languagesOf(s); !slices.Contains(all, sc.lang) {
		sc.lang = all[0]
	}
	if sc.light != "dark" {
		sc.light = "light"
	}
	if width = q.Get("width"); !slices.Contains([]string{"320", "390", "768", "0"}, width) {
		width = "390"
	}
	return sc, s, width
}

func languagesOf(s subject) []string {
	if len(s.languages) > 0 {
		return s.languages
	}
	return static.Languages()
}
