package proxy_test

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/proxy"
	"github.com/waitroom/waitroom/static"
)

const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40"><rect width="120" height="40" fill="#8a6508"/></svg>`

var styleElement = regexp.MustCompile(`(?s)<style>(.*?)</style>`)

// wears checks that a page is in a colour, and that its policy lets its style be.
func (r reply) wears(t *testing.T, what, colour string) reply {
	t.Helper()
	found := styleElement.FindStringSubmatch(r.body)
	if found == nil {
		t.Fatalf("%s: %d, no style in %.200s", what, r.StatusCode, r.body)
	}
	sum := sha256.Sum256([]byte(found[1]))
	if want := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(r.Header.Get("Content-Security-Policy"), want) {
		t.Errorf("%s: the policy has no %s: %s", what, want, r.Header.Get("Content-Security-Policy"))
	}
	if got := strings.Contains(found[1], "--hue:"+colour); !got {
		t.Errorf("%s: not in %s", what, colour)
	}
	return r
}

// The sale's pages are in its brand, a room's in its own, and all others in the house's;
// what a sale does not say, the house does.
func TestBrand(t *testing.T) {
	t.Parallel()
	s := play(t, plot{
		sale:   "brand: {colour: \"#7a1f5c\", texts: {de: {title: Goldenes Spielzeug}}}",
		room:   "sale: shop\ntitle: The shop\nroom: /\nadmit: 1/min\nburst: 1\nbrand: {colour: \"#00695c\"}\n",
		config: "brand: {colour: \"#0057b8\", links: [{text: Help, to: /help}]}",
	})
	help := func(r reply, what string) {
		t.Helper()
		if !strings.Contains(r.body, `<a href="/help" target="_blank" rel="noopener"`) {
			t.Errorf("%s: the house's link is not there", what)
		}
	}
	b := s.person()
	b.join()
	help(b.get("/.waitroom/golden-toy/line", "Accept-Language", "de").wears(t, "line", "#7a1f5c"), "line")
	if page := b.get("/.waitroom/golden-toy/line", "Accept-Language", "de").body; !strings.Contains(page, `<p class="sale">Goldenes Spielzeug</p>`) {
		t.Error("the line in German does not have the title in German")
	}
	help(b.get("/.waitroom/nothing/line").wears(t, "no such sale", "#0057b8"), "no such sale")
	help(b.get("/.waitroom/golden-toy/nothing").wears(t, "no such part", "#7a1f5c"), "no such part")
	s.person().get("/") // who comes first is in
	help(s.person().get("/a").wears(t, "the room", "#00695c"), "the room")
	s.shop.Close()
	help(b.get("/.waitroom/nothing").wears(t, "still no such sale", "#0057b8"), "still no such sale")
}

// A changed brand is shown at once, on pages that lay ready too; one that pages cannot
// do with is refused with its place, and the one before stays.
func TestBrandReload(t *testing.T) {
	t.Parallel()
	s := play(t, plot{sale: "brand: {colour: \"#7a1f5c\"}"})
	b := s.person()
	b.join()
	for range 2 {
		b.get("/.waitroom/golden-toy/nothing").wears(t, "before", "#7a1f5c")
	}
	sale, err := os.ReadFile(filepath.Join(s.dir, "sale.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	put := func(brand string) {
		s.write("sale.yaml", strings.Replace(string(sale), "brand: {colour: \"#7a1f5c\"}", brand, 1))
	}
	s.write("logo.svg", logo)
	put("brand: {colour: \"#00695c\", logo: logo.svg, logo_text: Toy House}")
	s.reload(func(*configs.Config) {})
	for _, part := range []string{"nothing", "line"} {
		page := b.get("/.waitroom/golden-toy/"+part).wears(t, part, "#00695c").body
		if !strings.Contains(page, `alt="Toy House" width="168" height="56"`) || !strings.Contains(page, "%238a6508") {
			t.Errorf("%s: the logo is not there", part)
		}
	}
	s.write("logo.svg", strings.Replace(logo, "#8a6508", "#123456", 1))
	s.reload(func(*configs.Config) {})
	if page := b.get("/.waitroom/golden-toy/line").body; !strings.Contains(page, "%23123456") {
		t.Error("the logo that changed is not there")
	}

	put("brand:\n  colour: \"#00695c\"\n  texts:\n    de: {waiting.leed: Gleich}\n  templates: own\n")
	if err := os.Mkdir(filepath.Join(s.dir, "own"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.write("own/view.html", "{{define \"view\"}}<h1>{{.Headline}}</h1>{{end}}")
	cfg, err := configs.Load(filepath.Join(s.dir, "waitroom.yaml"), os.LookupEnv, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	err = s.edge.Apply(cfg)
	faults, ok := errors.AsType[configs.Faults](err)
	if !ok || len(faults) != 1 {
		t.Fatalf("got %v, want the fault of the text, and the template's once that is mended", err)
	}
	if f := faults[0]; filepath.Base(f.File) != "sale.yaml" || f.Line == 0 || f.Key != "brand.texts.de.waiting.leed" || f.Right != "did you mean waiting.lead?" {
		t.Errorf("got %+v, want the place of the text", f)
	}
	if _, got := proxy.NewBrands(cfg, nil); got == nil || got.Error() != err.Error() {
		t.Errorf("checked: %v, want the same faults: %v", got, err)
	}
	b.get("/.waitroom/golden-toy/line").wears(t, "after a refusal", "#00695c").code(t, "after a refusal", http.StatusOK)

	put("brand:\n  colour: \"#00695c\"\n  templates: own\n")
	cfg, err = configs.Load(filepath.Join(s.dir, "waitroom.yaml"), os.LookupEnv, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.edge.Apply(cfg); err == nil || !strings.Contains(err.Error(), "brand.templates: view.html:1: there is nothing called .Headline here") {
		t.Errorf("got %v, want the fault of the template", err)
	}
}

// What is wrong in the operator's brand is told once, there, however many sales have it.
func TestBrandFaultOfTheHouse(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	operator, err := os.ReadFile(filepath.Join(s.dir, "waitroom.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	s.write("waitroom.yaml", string(operator)+"brand: {colour: \"#ffe100\"}\nlanguages: [en, eo]\n")
	cfg, err := configs.Load(filepath.Join(s.dir, "waitroom.yaml"), os.LookupEnv, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	_, err = proxy.NewBrands(cfg, nil)
	faults, _ := errors.AsType[configs.Faults](err)
	said := faults.Error()
	if len(faults) != 2 {
		t.Errorf("got %d faults, want 2:\n%s", len(faults), said)
	}
	for _, want := range []string{"brand.colour: #ffe100 has 1.2:1", "languages[1]: pages are not in eo"} {
		if strings.Count(said, want) != 1 {
			t.Errorf("got no %q, or more than once, in\n%s", want, said)
		}
	}
	for _, f := range faults {
		if filepath.Base(f.File) != "waitroom.yaml" || f.Line == 0 {
			t.Errorf("it is said of %s:%d", f.File, f.Line)
		}
	}
}

// TestTemplateNames: a file can bring the templates that there are, each.
func TestTemplateNames(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	operator, err := os.ReadFile(filepath.Join(s.dir, "waitroom.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(s.dir, "own"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range static.Templates() {
		s.write("own/"+name, text)
	}
	s.write("waitroom.yaml", string(operator)+"brand: {templates: own}\n")
	cfg, err := configs.Load(filepath.Join(s.dir, "waitroom.yaml"), os.LookupEnv, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(cfg.Brand.Templates, static.Templates()) {
		t.Errorf("got %v, want each of those that there are", cfg.Brand.Templates)
	}
}
