package browser_test

import (
	"bufio"
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	_ "github.com/waitroom/waitroom/proxy" // what is shown: a result is kept only as long as it has not changed
	"github.com/waitroom/waitroom/static"
)

// everything has the widest sweeps made: every page in every language, light and size.
var everything = os.Getenv("WAITROOM_PAGES") == "all"

// gallery is `waitroom preview` of three files: a sale in waitroom's own look, one in a
// shop's, and a room. Its pages have the policy that an edge gives them.
type gallery struct {
	address string
}

// scene is one page, as somebody sees it.
type scene struct{ subject, moment, lang string }

func (s scene) String() string { return s.subject + " " + s.moment + " " + s.lang }

// The three, by their names.
const (
	ownLook  = "own-look"
	shopLook = "shop-look"
	room     = "room"
)

// preview is the gallery of this test binary, begun with the first test that looks at it.
var (
	preview    = sync.OnceValues(newGallery)
	endGallery = func() {}
)

func look(t *testing.T) *gallery {
	t.Helper()
	g, err := preview()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// at is where a scene begins. Its light is the reader's own, as at an edge.
func (g *gallery) at(s scene) string {
	return g.address + "/.waitroom/" + url.PathEscape(strings.Join([]string{s.subject, s.moment, s.lang, "own"}, "~")) + "/line?anew"
}

// soldFile is of a sale that comes to every moment there is.
const soldFile = `title: Golden toy, half price
timezone: Europe/Berlin
doors: 2096-11-27 09:30
opens: 2096-11-27 10:00
closes: 2096-11-27 12:00
product_page: /toys/golden
buy: POST /toys/golden/buy
checkout: /checkout?reservation={reservation}
stock: 100
admit: 20/s
mix: drand round 5,418,320
match_stock: true
one_ticket_per_account: true
invitations: 500
`

var galleryFiles = map[string]string{
	"waitroom.yaml": "tls: {mode: internal, domains: [localhost]}\norigin: {url: \"http://127.0.0.1:1\"}\n" +
		"secret: \"the secret of these tests, which is long\"\nidentity: {header: X-Shop-Account}\nbots: {suspicious: behind, proof: true}\nsales: [own.yaml, shop.yaml, room.yaml]\n",
	"own.yaml": "sale: " + ownLook + "\n" + soldFile,
	"shop.yaml": "sale: " + shopLook + "\n" + strings.ReplaceAll(strings.ReplaceAll(soldFile, "golden", "silver"), "Golden", "Silver") + `brand:
  colour: "#8a6508"
  logo: shop.svg
  logo_text: Toy House
  links: [{text: Help, to: /help}, {text: Rules of this sale, to: /rules}]
`,
	"shop.svg": `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 150 40" width="150" height="40">` +
		`<rect width="40" height="40" rx="9" fill="#8a6508"/><path d="M8 32V18l12-9 12 9v14z" fill="#fff"/>` +
		`<path d="M52 12h16m-8 0v18M84 21a9 9 0 1 1 0-.1M92 12l7 9 7-9m-7 9v9" fill="none" stroke="#3b2c05" stroke-width="4"/></svg>`,
	"room.yaml": "sale: " + room + "\ntitle: Toy House\nroom: /toys/\nadmit: 20/s\n",
}

// newGallery builds the program and starts it.
func newGallery() (*gallery, error) {
	dir, err := os.MkdirTemp("", "gallery")
	if err != nil {
		return nil, err
	}
	for name, text := range galleryFiles {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	program := filepath.Join(dir, "waitroom")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/waitroom/waitroom/cmd/waitroom").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build waitroom: %w\n%s", err, out)
	}
	ctx, stop := context.WithCancel(context.Background())
	run := exec.CommandContext(ctx, program, "preview", "--listen", "127.0.0.1:0", filepath.Join(dir, "waitroom.yaml"))
	said, err := run.StdoutPipe()
	if err == nil {
		err = run.Start()
	}
	if err != nil {
		stop()
		return nil, err
	}
	endGallery = func() {
		stop()
		_ = run.Wait() // it was told to end
		_ = os.RemoveAll(dir)
	}
	line, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("preview says %q: %w", line, err)
	}
	return &gallery{address: strings.Fields(line)[1]}, nil
}

var momentLink = regexp.MustCompile(`[?&;]moment=([a-z-]+)[^"]*"[^>]*>([^<]*)<`)

// says is what each moment is called.
func (g *gallery) says(t *testing.T) map[string]string {
	t.Helper()
	names := map[string]string{}
	for _, subject := range []string{ownLook, room} {
		_, list, _ := strings.Cut(g.get(t, "/?of="+subject), `id="moments"`)
		for _, found := range momentLink.FindAllStringSubmatch(list, -1) {
			names[found[1]] = html.UnescapeString(found[2])
		}
	}
	return names
}

// moments are those of a subject, in the order in which a shopper meets them.
func (g *gallery) moments(t *testing.T, subject string) (names []string) {
	t.Helper()
	frame := g.get(t, "/?of="+subject)
	for _, found := range momentLink.FindAllStringSubmatch(frame, -1) {
		if !slices.Contains(names, found[1]) {
			names = append(names, found[1])
		}
	}
	if len(names) < 8 {
		t.Fatalf("%s has the moments %q only:\n%s", subject, names, frame[strings.Index(frame, "<body>"):])
	}
	return names
}

// get is what is there.
func (g *gallery) get(t *testing.T, path string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v: %.2000s", path, res.StatusCode, err, body)
	}
	return string(body)
}

// everyPage is each moment once in waitroom's own look, in the language that is its turn,
// and then what rooms show; in a shop's look each of them, too, where all is wanted.
func (g *gallery) everyPage(t *testing.T, langs ...string) (scenes []scene) {
	t.Helper()
	for _, subject := range []string{ownLook, shopLook, room} {
		for i, moment := range g.moments(t, subject) {
			switch {
			case everything:
				for _, lang := range langs {
					scenes = append(scenes, scene{subject, moment, lang})
				}
			case subject == ownLook,
				subject == shopLook && (moment == "waiting" || moment == "turn" || moment == "held"),
				subject == room && strings.HasPrefix(moment, "room"):
				scenes = append(scenes, scene{subject, moment, langs[i%len(langs)]})
			}
		}
	}
	return scenes
}

var allLanguages = static.Languages()
