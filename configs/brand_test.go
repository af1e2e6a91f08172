package configs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/waitroom/waitroom/configs"
	"go.uber.org/zap"
)

const (
	houseBrand = `languages: [en, de]
brand:
  colour: "#8A6508"
  dark_colour: "#e2b13c"
  logo: shop.svg
  logo_text: Toy House
  texts:
    waiting.lead: Nobody is forgotten.
    de: {waiting.lead: Niemand wird vergessen., doors.title: Laden}
  links: [{text: Help, to: /help, texts: {de: Hilfe}}]
cors: {origins: ["https://App.example.com:443", "https://b.example.com:8443"]}
`
	saleBrand = `languages: [pl]
brand:
  colour: "#112233"
  logo: toy.png
  logo_text: The toy
  texts: {waiting.lead: Hold on., pl: {title: Zabawka}}
  links: []
  templates: toy/
`
)

// branded is a folder with two sales, of which one has a brand, and a room.
func branded(t *testing.T) string {
	t.Helper()
	file := folder(t, smallOperator+houseBrand, map[string]string{
		"a.yaml": smallSale + saleBrand,
		"b.yaml": strings.NewReplacer("golden", "silver").Replace(smallSale),
		"r.yaml": "sale: shop\ntitle: Shop\nroom: /\nadmit: 10/s\nbrand: {dark_colour: \"#000000\"}\n",
	})
	dir := filepath.Dir(file)
	write(t, filepath.Join(dir, "shop.svg"), "<svg/>")
	write(t, filepath.Join(dir, "sales", "toy.png"), "PNG")
	write(t, filepath.Join(dir, "sales", "toy", "page.css"), "body{}")
	write(t, filepath.Join(dir, "sales", "toy", "README"), "of no interest")
	return file
}

func TestBrand(t *testing.T) {
	t.Parallel()
	c := load(t, branded(t), now)
	house := configs.Brand{
		Colour: "#8a6508", DarkColour: "#e2b13c", Logo: &configs.BrandFile{Name: "shop.svg", Data: []byte("<svg/>")}, LogoText: "Toy House",
		Texts: map[string]map[string]string{"": {"waiting.lead": "Nobody is forgotten."}, "de": {"waiting.lead": "Niemand wird vergessen.", "doors.title": "Laden"}},
		Links: []configs.Link{{Text: "Help", To: "/help", Texts: map[string]string{"de": "Hilfe"}}},
	}
	room := house
	room.DarkColour = "#000000"
	for _, test := range []struct {
		name      string
		got, want any
	}{
		{"operator's", *c.Brand, house},
		{"sale without one", *c.Sales[1].Brand, house},
		{"room's, one key", *c.Rooms[0].Brand, house},
		{"sale's own", *c.Sales[0].Brand, configs.Brand{
			Colour: "#112233", Logo: &configs.BrandFile{Name: "toy.png", Data: []byte("PNG")}, LogoText: "The toy",
			Texts: map[string]map[string]string{"": {"waiting.lead": "Hold on."}, "de": {"doors.title": "Laden"}, "pl": {"title": "Zabawka"}},
			Links: []configs.Link{}, Templates: map[string]string{"page.css": "body{}"},
		}},
		{"languages", c.Languages, []string{"en", "de"}},
		{"languages of a sale without", c.Sales[1].Languages, []string{"en", "de"}},
		{"languages of a sale", c.Sales[0].Languages, []string{"pl"}},
		{"origins", c.CORS.Origins, []string{"https://app.example.com", "https://b.example.com:8443"}},
	} {
		if test.name == "room's, one key" {
			test.want = room
		}
		if !reflect.DeepEqual(test.got, test.want) {
			t.Errorf("%s: got %+v, want %+v", test.name, test.got, test.want)
		}
	}
}

// TestFault: who knows more about a key points at the place where it is written,
// which for what a sale inherits is the operator's file.
func TestFault(t *testing.T) {
	t.Parallel()
	file := branded(t)
	c := load(t, file, now)
	sale := filepath.Join(filepath.Dir(file), "sales", "a.yaml")
	for _, test := range []struct {
		fault configs.Fault
		want  string
	}{
		{c.Sales[0].Fault("brand.colour", "too pale", "try #000000"), sale + ":14:11: brand.colour: too pale, try #000000\n      colour: \"#112233\"\n              ^"},
		{c.Sales[0].Fault("brand.texts.pl.title", "w", "r"), sale + ":17:47: brand.texts.pl.title: w, r\n"},
		{c.Sales[0].Fault("brand.texts.de.doors.title", "w", "r"), file + ":13:62: brand.texts.de.doors.title: w, r\n"},
		{c.Sales[1].Fault("brand.logo", "w", "r"), file + ":9:9: brand.logo: w, r\n"},
		{c.Sales[1].Fault("languages[1]", "w", "r"), file + ":5:17: languages[1]: w, r\n"},
		{c.Rooms[0].Fault("brand.dark_colour", "w", "r"), filepath.Join(filepath.Dir(sale), "r.yaml") + ":5:22: brand.dark_colour: w, r\n"},
		{c.Fault("brand.links", "w", "r"), file + ":14:10: brand.links: w, r\n"},
	} {
		if got := test.fault.String(); !strings.HasPrefix(got, test.want) {
			t.Errorf("got %s\nwant %s", got, test.want)
		}
	}
}

// TestWatcherFollowsBrands: a logo and a template are files like the others.
func TestWatcherFollowsBrands(t *testing.T) {
	t.Parallel()
	file := branded(t)
	for _, name := range []string{"a.yaml", "b.yaml"} {
		name = filepath.Join(filepath.Dir(file), "sales", name)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, name, strings.ReplaceAll(string(text), "2026-11-27", "2098-11-27"))
	}
	dir := filepath.Dir(file)
	synctest.Test(t, func(t *testing.T) {
		_, applied, logs := watchedQuietly(t, file, nil)
		for i, test := range []struct{ name, want string }{
			{"shop.svg", "[brand.logo]"}, {"sales/toy.png", "[golden-toy: brand.logo]"}, {"sales/toy/page.css", "[golden-toy: brand.templates]"},
		} {
			write(t, filepath.Join(dir, test.name), "another")
			time.Sleep(minute)
			got := logs.FilterMessage("configuration changed").All()
			if len(applied) != 1 || len(got) != i+1 || fmt.Sprint(got[i].ContextMap()["keys"]) != test.want {
				t.Fatalf("%s: got %d configurations and %v, want that %s changed", test.name, len(applied), got, test.want)
			}
			<-applied
		}
		if err := os.Remove(filepath.Join(dir, "sales", "toy.png")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(minute)
		refused := logs.FilterMessage("configuration refused, the running one stays in force").All()
		if len(refused) != 1 || len(applied) != 0 {
			t.Fatalf("got %d logs and %d configurations without the logo, want 1 and 0", len(refused), len(applied))
		}
		if said := fmt.Sprint(refused[0].ContextMap()["faults"]); !strings.Contains(said, `a.yaml:15:9: brand.logo: there is no file "toy.png"`) {
			t.Errorf("got %s, want that the logo is gone", said)
		}
	})
}

// TestWatcherWatchesBrands: the folders of what a brand names are watched, too.
func TestWatcherWatchesBrands(t *testing.T) {
	t.Parallel()
	file := branded(t)
	dirs := configs.NewWatcher(file, load(t, file, now), environment, zap.NewNop()).Folders()
	for _, want := range []string{".", "sales", "sales/toy"} {
		if !slices.Contains(dirs, filepath.Join(filepath.Dir(file), want)) {
			t.Errorf("got %q, want %s among them", dirs, want)
		}
	}
}

// TestLogoTooLarge: a kilobyte is 1,024 bytes, as the documentation counts them.
func TestLogoTooLarge(t *testing.T) {
	t.Parallel()
	file := branded(t)
	logo := filepath.Join(filepath.Dir(file), "sales", "toy.png")
	write(t, logo, strings.Repeat("x", 64<<10))
	load(t, file, now)
	write(t, logo, strings.Repeat("x", 64<<10+1))
	_, err := configs.Load(file, environment, now)
	if want := `brand.logo: "toy.png" is 65 KB large, make it smaller than 64 KB`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
