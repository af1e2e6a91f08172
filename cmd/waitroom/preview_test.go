package main

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/internal/contract"
	"github.com/waitroom/waitroom/static"
)

var inlineElement = regexp.MustCompile(`(?s)<(style|script)>(.*?)</(?:style|script)>`)

// look asks a gallery, and gives the body with the answer.
func look(t *testing.T, g *gallery, path string, fields ...string) (*http.Response, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8900"+path, nil)
	for i := 0; i < len(fields); i += 2 {
		r.Header.Set(fields[i], fields[i+1])
	}
	w := httptest.NewRecorder()
	g.ServeHTTP(w, r)
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Result(), string(body)
}

// Every page is shown at one moment at least, in whatever language and light, with a
// policy under which it works, and a status that is its own.
func TestPreview(t *testing.T) {
	t.Parallel()
	g, api := newGallery(""), contract.Read(t, "openapi.yaml")
	seen := map[static.Page]bool{}
	for _, m := range moments {
		seen[m.page] = true
		if m.in == "room" {
			continue
		}
		for _, light := range []string{"light", "dark"} {
			sc := scene{"golden-toy", m.name, "de", light}
			res, page := look(t, g, sc.address())
			if res.StatusCode != http.StatusOK || !strings.Contains(page, `<html lang="de" dir="ltr">`) || !strings.Contains(page, `data-page="`+string(m.page)+`"`) {
				t.Fatalf("%s: %d, not the page %q in German: %.300s", m.name, res.StatusCode, m.page, page)
			}
			policy := res.Header.Get("Content-Security-Policy")
			for _, element := range inlineElement.FindAllStringSubmatch(page, -1) {
				sum := sha256.Sum256([]byte(element[2]))
				if !strings.Contains(policy, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
					t.Errorf("%s, %s: the policy keeps its %s from working", m.name, light, element[1])
				}
			}
			if !strings.Contains(policy, "frame-ancestors 'self'") && m.page != static.Framed {
				t.Errorf("%s: cannot be shown in the preview's frame: %s", m.name, policy)
			}
			if strings.Contains(page, "prefers-color-scheme") {
				t.Errorf("%s, %s: goes by the reader's device", m.name, light)
			}
		}
		if m.in == "sale" {
			answersAsWaitroom(t, g, api, scene{"golden-toy", m.name, "de", "light"})
		}
	}
	for _, p := range static.Known() {
		if !seen[p] {
			t.Errorf("there is no moment for %s", p)
		}
	}
}

// answersAsWaitroom holds what a page's script is answered against the contract. That
// its status may be kept is left out: in a preview nothing is.
func answersAsWaitroom(t *testing.T, g *gallery, api *contract.Document, sc scene) {
	t.Helper()
	m, _ := momentNamed(sc.moment)
	for _, part := range []string{"status", "me", "order"} {
		path := strings.Replace(sc.address(), "/line", "/"+part, 1)
		res, doc := look(t, g, path)
		if part == "status" {
			res.Header.Set("Cache-Control", "public, max-age=1")
			res.Header.Set("ETag", `"1"`)
		}
		for _, fault := range api.Faults(httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8900"+path, nil), res.StatusCode, res.Header, []byte(doc)) {
			t.Errorf("%s: %s: %s", sc.moment, part, fault)
		}
		want := http.StatusOK
		if part == "order" && order[m.page] == "" {
			want = http.StatusNotFound
		}
		if res.StatusCode != want {
			t.Errorf("%s: %s: got %d, want %d: %s", sc.moment, part, res.StatusCode, want, doc)
		}
	}
}

// A room's pages are answered as a room answers.
func TestPreviewRoom(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "store.yaml")
	if err := os.WriteFile(file, []byte("sale: store\ntitle: The store\nroom: /\nadmit: 20/s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	g, api := newGallery(file), contract.Read(t, "openapi.yaml")
	for _, m := range moments {
		if m.in == "room" {
			answersAsWaitroom(t, g, api, scene{"store", m.name, "de", "light"})
		}
	}
}

func TestPreviewFrame(t *testing.T) {
	t.Parallel()
	g := newGallery("")
	_, frame := look(t, g, "/?moment=waiting&lang=ar&light=dark&width=320")
	for _, want := range []string{`src="/.waitroom/golden-toy~waiting~ar~dark/line?anew" width="320"`, `aria-current="true">In line</a>`, `aria-current="true">ar</a>`, ">zh-Hant</a>"} {
		if !strings.Contains(frame, want) {
			t.Errorf("the frame lacks %s:\n%s", want, frame)
		}
	}
	const here = "http://127.0.0.1:8900/.waitroom/golden-toy~waiting~ar~dark/line"
	res, _ := look(t, g, "/.waitroom/language?to=de", "Referer", here)
	if got := res.Header.Get("Location"); got != "/.waitroom/golden-toy~waiting~de~dark/line" {
		t.Errorf("another language leads to %q", got)
	}
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8900/toys/golden/buy", nil)
	r.Header.Set("Referer", here)
	w := httptest.NewRecorder()
	g.ServeHTTP(w, r)
	if got := w.Result().Header.Get("Location"); got != "/.waitroom/golden-toy~held~ar~dark/line?anew" {
		t.Errorf("to buy leads to %q", got)
	}
	for path, code := range map[string]int{"/.waitroom/silver~waiting~de~dark/line": 404, "/.waitroom/golden-toy~none~de~dark/line": 404, "/.waitroom/x/line": 404, "/.waitroom/assets/none.js": 404, "/toys/golden": 200} {
		if res, _ := look(t, g, path); res.StatusCode != code {
			t.Errorf("%s: %d, want %d", path, res.StatusCode, code)
		}
	}
	w = httptest.NewRecorder()
	g.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://evil.example.com/", nil))
	if w.Code != http.StatusMisdirectedRequest {
		t.Errorf("under another name: %d, want it refused", w.Code)
	}
}

// A file is shown as it is now: its brand, what is wrong with it, and the brand again.
func TestPreviewFile(t *testing.T) {
	t.Parallel()
	file := saleFile(t, rehearsed+"\nlanguages: [de]\nbrand: {colour: \"#7a1f5c\"}\n")
	g := newGallery(file)
	version := func() string {
		t.Helper()
		g.sights.looked = g.sights.looked.Add(-lookEvery)
		_, v := look(t, g, "/version")
		return v
	}
	first := version()
	_, frame := look(t, g, "/")
	source := regexp.MustCompile(`src="(/\.waitroom/[^"]*)"`).FindStringSubmatch(frame)
	if source == nil || !strings.Contains(source[1], "~lottery~de~light/") {
		t.Fatalf("got no page in\n%s", frame)
	}
	if _, page := look(t, g, source[1]); !strings.Contains(page, "--hue:#7a1f5c") {
		t.Error("the page is not in the file's colour")
	}
	if again := version(); again != first {
		t.Errorf("nothing has changed, and it is version %s after %s", again, first)
	}
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(rehearsed + "\nbrand: {colour: \"#ffe100\"}\n")
	second := version()
	if _, frame := look(t, g, "/"); second == first || !strings.Contains(frame, filepath.Base(file)) || !strings.Contains(frame, "the nearest that would do is") {
		t.Errorf("version %s after %s, and no fault in\n%s", second, first, frame)
	}
	put(rehearsed + "\nbrand: {colour: \"#00695c\"}\n")
	if third := version(); third == second {
		t.Error("it was mended, and nothing has changed")
	}
	if _, page := look(t, g, source[1]); !strings.Contains(page, "--hue:#00695c") {
		t.Errorf("the page is not in the new colour: %.300s", page)
	}
}

func TestTextsAndTemplates(t *testing.T) {
	t.Parallel()
	code, out, _ := command("texts", "--language", "de")
	if code != 0 || !strings.Contains(out, "\nwaiting.lead: \"") || strings.Contains(out, "\nclock") || strings.Contains(out, "You are in line") {
		t.Errorf("exit %d, %.300s", code, out)
	}
	if code, _, errs := command("texts", "--language", "eo"); code != 2 || !strings.Contains(errs, "pages are not in it, but in en, de,") {
		t.Errorf("exit %d, said %q", code, errs)
	}
	dir := filepath.Join(t.TempDir(), "own")
	if code, out, errs := command("templates", dir); code != 0 || !strings.Contains(out, dir) {
		t.Fatalf("exit %d, said %q", code, errs)
	}
	file := filepath.Join(filepath.Dir(dir), "sale.yaml")
	if err := os.WriteFile(file, []byte(rehearsed+"\nlanguages: [en]\nbrand: {templates: own}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := command("check", file); code != 0 {
		t.Errorf("what was written is refused: exit %d, %s", code, errs)
	}
	if code, _, errs := command("templates", dir); code != 1 || !strings.Contains(errs, "is there already, and stays as it is") {
		t.Errorf("a second time: exit %d, said %q", code, errs)
	}
	view := filepath.Join(dir, "view.html")
	text, err := os.ReadFile(view)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(view, []byte(strings.Replace(string(text), "{{.Heading}}", "{{.Headline}}", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := command("check", file); code != 2 || !strings.Contains(errs, ": brand.templates: view.html:5: there is nothing called .Headline here, ") {
		t.Errorf("a broken one: exit %d, said %q", code, errs)
	}
}
