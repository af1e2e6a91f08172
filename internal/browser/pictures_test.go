package browser_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

var update = flag.Bool("update", false, "write docs/pages.md and its pictures anew")

const (
	pagesDoc = "../../docs/pages.md"
	pictures = "../../docs/pages"
	// roomFor is what all pictures may have, in bytes.
	roomFor = 2_500_000
)

// picture takes one of the whole page, as WebP: in a window that is high enough, for what
// lies outside of a window is not drawn as it is inside.
func (w *window) picture(width, quality int64) (image []byte) {
	w.t.Helper()
	height, err := strconv.ParseInt(w.Says("document.documentElement.scrollHeight"), 10, 64)
	if err != nil {
		w.t.Fatal(err)
	}
	w.size(width, height)
	w.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		res, err := cdp.Call(ctx, target, cdppage.CaptureScreenshot, cdppage.CaptureScreenshotParams{Format: "webp", Quality: &quality})
		image = res.Data
		return err
	}))
	return image
}

// sheet is many pages in one picture, to compare them at a glance.
type sheet struct {
	name, says    string
	subject, lang string
	device        []string
	width         int64
	of            func(moment string) bool
}

func every(string) bool { return true }

func some(names ...string) func(string) bool {
	return func(moment string) bool { return slices.Contains(names, moment) }
}

var sheets = []sheet{
	{"dark", "Where the device is dark", ownLook, "en", []string{dark}, 390, every},
	{"right-to-left", "In Arabic, from the right", ownLook, "ar", []string{light}, 390, every},
	{"narrow", "At 320 pixels, which is also a desk's 1280 at 400 %, in German", ownLook, "de", []string{light}, 320, every},
	{"shop", "In a shop's own look", shopLook, "en", []string{light}, 390, every},
	{"shop-dark", "In a shop's own look, where the device is dark", shopLook, "en", []string{dark}, 390, some("lottery", "waiting", "turn", "held", "sold-out", "hopeless")},
	{"desk", "On a desk", ownLook, "en", []string{light}, 1280, some("lottery", "waiting", "turn", "held")},
	{"forced-colours", "With colours of the reader's own", ownLook, "en", []string{"forced-colors: active", dark}, 390, some("lottery", "waiting", "turn", "held", "sold-out", "hopeless")},
}

// TestPictures: docs/pages has a picture of every page at every moment. With -update they
// are taken anew.
func TestPictures(t *testing.T) {
	g := look(t)
	moments := g.moments(t, ownLook)
	for _, moment := range g.moments(t, room) {
		if strings.HasPrefix(moment, "room") {
			moments = append(moments, moment)
		}
	}
	if *update {
		takePictures(t, g, moments)
	}
	doc := section(t, "pictures", showPictures(g.says(t), moments))
	names := slices.Clone(moments)
	for _, s := range append(slices.Clone(sheets), sheet{name: "languages"}) {
		names = append(names, s.name)
	}
	size := int64(0)
	for _, name := range names {
		info, err := os.Stat(filepath.Join(pictures, name+".webp"))
		if err != nil {
			t.Errorf("%v; make pages takes it", err)
			continue
		}
		size += info.Size()
		if !strings.Contains(doc, "(pages/"+name+".webp)") {
			t.Errorf("docs/pages.md does not show %s", name)
		}
	}
	if size > roomFor {
		t.Errorf("the pictures have %d bytes, want %d at most", size, roomFor)
	}
	there, err := os.ReadDir(pictures)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range there {
		if !slices.Contains(names, strings.TrimSuffix(file.Name(), ".webp")) {
			t.Errorf("docs/pages has a picture of nothing, %s", file.Name())
		}
	}
}

func takePictures(t *testing.T, g *gallery, moments []string) {
	t.Helper()
	if err := os.MkdirAll(pictures, 0o750); err != nil {
		t.Fatal(err)
	}
	w := open(t, "about:blank")
	take := func(s scene, quality int64, width int64, device ...string) []byte {
		w.prefers(device...)
		w.size(width, 844)
		w.Goes(g.at(s))
		return w.picture(width, quality)
	}
	put := func(name string, image []byte) {
		if err := os.WriteFile(filepath.Join(pictures, name+".webp"), image, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, moment := range moments {
		put(moment, take(scene{subjectOf(moment), moment, "en"}, 55, 390, light))
	}
	for _, s := range sheets {
		var cells []cell
		for _, moment := range moments {
			if s.of(moment) && (s.subject == ownLook || subjectOf(moment) != room) {
				subject := s.subject
				if subjectOf(moment) == room {
					subject = room
				}
				cells = append(cells, cell{moment, take(scene{subject, moment, s.lang}, 90, s.width, s.device...)})
			}
		}
		put(s.name, w.sheet(t, cells))
	}
	var cells []cell
	for _, lang := range allLanguages {
		cells = append(cells, cell{lang, take(scene{ownLook, "waiting", lang}, 90, 390, light)})
	}
	put("languages", w.sheet(t, cells))
}

// showPictures is how docs/pages.md has them: three beside each other, then the sheets.
func showPictures(says map[string]string, moments []string) string {
	text := "\n| | | |\n|---|---|---|\n"
	for row := range slices.Chunk(moments, 3) {
		for _, moment := range row {
			text += fmt.Sprintf("| **%s** (`%s`)<br>![%s](pages/%s.webp) ", says[moment], moment, says[moment], moment)
		}
		text += strings.Repeat("| ", 3-len(row)) + "|\n"
	}
	text += "\n## All of them at a glance\n"
	for _, s := range append(slices.Clone(sheets), sheet{name: "languages", says: "In line, in every language"}) {
		text += fmt.Sprintf("\n%s:\n\n![%s](pages/%s.webp)\n", s.says, s.says, s.name)
	}
	return text + "\n"
}

// subjectOf is whose a moment is.
func subjectOf(moment string) string {
	if strings.HasPrefix(moment, "room") {
		return room
	}
	return ownLook
}

type cell struct {
	name  string
	image []byte
}

// sheet puts pictures beside each other.
func (w *window) sheet(t *testing.T, cells []cell) []byte {
	t.Helper()
	wide, columns := 200, 8
	if len(cells) < columns {
		wide, columns = 300, len(cells)
	}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		for _, c := range cells {
			if r.URL.Path == "/"+c.name {
				_, _ = rw.Write(c.image)
				return
			}
		}
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprintf(rw, `<!doctype html><link rel=icon href=data:,><style>body { margin: 12px; background: #888; columns: %d; column-gap: 12px }
figure { margin: 0 0 12px; break-inside: avoid; font: 12px sans-serif; color: #fff } img { display: block; width: %dpx }</style>`, columns, wide)
		for _, c := range cells {
			_, _ = fmt.Fprintf(rw, "<figure>%s<img src=%q></figure>", c.name, "/"+c.name)
		}
	}))
	defer server.Close()
	w.prefers(light)
	width := int64(columns*(wide+12) + 12)
	w.size(width, 100)
	w.Goes(server.URL)
	w.Says("Promise.all([...document.images].map(image => image.decode()))")
	return w.picture(width, 50)
}
