package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/configs"
)

// planning is a folder with an operator's file whose secrets nobody here has, and a sale
// that repeats; it gives the operator's file.
func planning(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"waitroom.yaml":     "secret: ${NOBODY_HAS_THIS}\nsales: ['sales/*.yaml']\n",
		"sales/weekly.yaml": "sale: weekly\ntitle: Shoes\ntimezone: Asia/Tokyo\nrepeat: every Thursday 18:00\nproduct_page: /shoes\nbuy: POST /shoes/buy\ncheckout: /pay?r={reservation}\nstock: 50\nadmit: 20/s\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "waitroom.yaml")
}

// answering runs a command with lines for its questions.
func answering(in io.Reader, args ...string) (code int, out, errs string) {
	var o, e heard
	root := newRoot()
	root.SetIn(in)
	code = wiring.Execute(context.Background(), root, args, &o, &e)
	return code, o.String(), e.String()
}

// TestNewSale: a whole conversation, as somebody has it who has never seen a file.
func TestNewSale(t *testing.T) {
	t.Parallel()
	config := planning(t)
	talk := []string{
		"Golden toy, half price",
		"weekly", "golden-toy", // a name that is taken
		"Berlin", "", // no zone, and what is offered
		"03/04/2098 10:00", "26.11.2020 10:00", "27.11.2098 10am", "no", "26.11.2098 10:00", "yes",
		"11:00 tomorrow", "30 minutes before", "yes",
		"",
		"https://shop.example.com/toys/golden?utm=1",
		"", "/pay", "",
		"one hundred", "1,000",
		"",
		"2000", "1",
		"20 a second",
		"",
		"stock", "100",
		"yes",
	}
	code, out, errs := answering(strings.NewReader(strings.Join(talk, "\n")), "new", "sale", "--config", config)
	if code != 0 || errs != "" {
		t.Fatalf("exit %d, said %q, out %s", code, errs, out)
	}
	said := out
	for _, want := range []string{
		"[golden-toy-half-price] ",
		"weekly.yaml is there already",
		"[Asia/Tokyo] ", // as the other sale's
		`"Berlin" is not a time zone, write Europe/Berlin`, "[Europe/Berlin] ",
		"03/04/2098 can be read in two ways, write 2098-04-03 or 2098-03-04",
		"Thursday 26 November 2020, 10:00 (Berlin, UTC+1) is past",
		"It opens on Thursday 27 November 2098, 10:00 (Berlin, UTC+1), in ",
		"It opens on Wednesday 26 November 2098, 10:00 (Berlin, UTC+1), in ",
		"[2098-11-26 09:30] ",
		"[2098-11-26 12:00] ",
		"The page's path counts: /toys/golden",
		"What stands behind the question mark (utm=1) is left out",
		"[POST /toys/golden/buy] ",
		`"/pay" lacks {reservation}`,
		`"one hundred" `,
		"2000 is more than the stock of 1000",
		"[50/s] ",
		"1,000 units, opens Wednesday 26 November 2098, 10:00 (Berlin, UTC+1)",
		"Write it to ", "How many units are there?", "[1000] ",
		"100 units, opens Wednesday 26 November 2098, 10:00 (Berlin, UTC+1)",
		"A running waitroom takes the file by itself",
	} {
		_, rest, ok := strings.Cut(said, want)
		if !ok {
			t.Fatalf("%q was not said, or too early, in\n%s", want, out)
		}
		said = rest
	}
	sales, _, err := configs.LoadSales(config, atNoon)
	if err != nil || len(sales) != 2 {
		t.Fatalf("got %d sales, %v; want two", len(sales), err)
	}
	s := sales[len(sales)-1]
	if s.ID != "golden-toy" || s.Stock != 100 || s.Admit.String() != "20/s" || s.Opens.Sub(s.Doors).Minutes() != 30 || s.Product != "/toys/golden" {
		t.Errorf("got %+v", s)
	}
}

// given are flags that leave nothing to ask.
func given(more ...string) []string {
	return append([]string{"--yes", "--title", "Golden toy", "--timezone", "Europe/Berlin", "--opens", "2098-11-26 10:00",
		"--product-page", "https://shop.example.com/toys/golden", "--stock", "100"}, more...)
}

// TestNewSale_Flags: with --yes nothing is asked, and what is missing or wrong is a fault
// of usage.
func TestNewSale_Flags(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		args []string
		code int
		want string // of what is said, and in the file if it is written
	}{
		{"all that is needed", given(), 0, "product_page: /toys/golden "},
		{"what is proposed", given(), 0, "admit: 5/s "},
		{"again and again", given("--opens", "thursdays 6pm", "--doors", "17:15"), 0, "doors: 45m "},
		{"closing the next day", given("--opens", "2098-11-26 22:00", "--closes", "1:00"), 0, "closes: 2098-11-27 01:00 "},
		{"doors the day before", given("--opens", "2098-11-26 00:30", "--doors", "23:30"), 0, "doors: 2098-11-25 23:30 "},
		{"an hour that is there twice", given("--opens", "2098-10-26 02:30 +02:00"), 0, "doors: 2098-10-26 02:00 +02:00 "},
		{"doors at an hour after the opening", given("--doors", "12 Uhr"), 2, "--doors \"12 Uhr\": "},
		{"a thousand or one", given("--stock", "1.000"), 2, "write 1000 if it is thousands, or 1"},
		{"another language", given("--opens", "jeden Donnerstag 18 Uhr"), 0, `repeat: "every Thursday 18:00" `},
		{"no title", given("--title", ""), 2, `--title "": empty`},
		{"no stock", given()[:9], 2, "--stock: missing, and --yes asks nothing"},
		{"nothing but the zone of the others", given()[:1:1], 2, "--title, --opens, --product-page, --stock: missing, and --yes asks nothing"},
		{"letters of another encoding", given("--title", "Gl\xfcck"), 2, "holds a letter that is not sent as UTF-8"},
		{"an umlaut", given("--title", "Goldener Löffel"), 0, "sale: goldener-loeffel "},
		{"closing in an hour that is there twice", given("--opens", "2098-10-26 01:30", "--closes", "02:45"), 2, "Europe/Berlin has this hour twice, write +02:00 or +01:00 behind it"},
		{"closing in the first of the two", given("--opens", "2098-10-26 02:30 +02:00", "--closes", "02:45 +02:00"), 0, "closes: 2098-10-26 02:45 +02:00 "},
		{"closing in the second of the two", given("--opens", "2098-10-26 02:30 +02:00", "--closes", "02:45 +01:00"), 0, "closes: 2098-10-26 02:45 +01:00 "},
		{"closing in an hour that is skipped", given("--opens", "2098-03-30 01:30", "--closes", "02:45"), 2, "Europe/Berlin skips this hour"},
		{"a wrong stock", given("--stock", "many"), 2, `--stock "many": "many" is not a whole number`},
		{"doors after the opening", given("--doors", "2098-11-26 10:01"), 2, "--doors \"2098-11-26 10:01\": after opens"},
		{"a run that reaches into the next", given("--opens", "daily 18:00", "--closes", "20h", "--hold", "5h"), 2, `--hold "5h": repeat: one run of `},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "new.yaml")
			code, out, errs := answering(strings.NewReader(""), append([]string{"new", "sale", file, "--config", planning(t)}, test.args...)...)
			text, err := os.ReadFile(file)
			if code != test.code || !strings.Contains(string(text)+errs, test.want) || (err == nil) != (test.code == 0) {
				t.Errorf("exit %d, said %q, out %q, file %s; want %d and %q", code, errs, out, text, test.code, test.want)
			}
		})
	}
}

// TestNewSale_WritesNothing: where the answers end, or somebody says no, or there is a file.
func TestNewSale_WritesNothing(t *testing.T) {
	t.Parallel()
	config := planning(t)
	folder := filepath.Join(filepath.Dir(config), "sales")
	all := []string{"new", "sale", "--config", config, "--title", "Golden toy", "--sale", "golden-toy", "--timezone", "UTC", "--opens", "2098-11-26 10:00", "--doors", "30m", "--closes", "2h",
		"--product-page", "/toys/golden", "--buy", "/buy", "--checkout", "/pay?r={reservation}", "--stock", "100", "--price", "", "--per-account", "1", "--admit", "20/s", "--hold", "10m"}
	for name, test := range map[string]struct {
		in   string
		args []string
		code int
		want string
	}{
		"the end at once":      {"", []string{"new", "sale", "--config", config}, 1, "the answers ended: nothing was written"},
		"the end at the last":  {"", all, 1, "the answers ended: nothing was written"},
		"no":                   {"maybe\nno\n", all, 1, "nothing was written"},
		"a file that is there": {"", append(all, filepath.Join(folder, "weekly.yaml")), 2, "is there already, and no file is overwritten"},
		"no folder":            {"", append(all, filepath.Join(folder, "no", "new.yaml")), 2, "no/new.yaml: there is no folder "},
		"a folder":             {"", append(all, folder), 2, "is a folder: name a file in it, as "},
		"a text file":          {"", append(all, filepath.Join(folder, "new.txt")), 2, "new.txt: files of sales end in .yaml, write "},
		"no such config":       {"", []string{"new", "sale", "--config", filepath.Join(folder, "none.yaml")}, 2, "there is no such file"},
	} {
		code, out, errs := answering(strings.NewReader(test.in), test.args...)
		if code != test.code || !strings.Contains(errs, test.want) {
			t.Errorf("%s: exit %d, said %q, out %s; want %d and %q", name, code, errs, out, test.code, test.want)
		}
	}
	if left, _ := os.ReadDir(folder); len(left) != 1 {
		t.Errorf("left in the folder: %v, want only what was there", left)
	}
}

// TestNewSale_Again: what was right before stands in brackets when it is changed, and the
// doors and the closing keep their distance from another opening.
func TestNewSale_Again(t *testing.T) {
	t.Parallel()
	talk := []string{"opens", "2098-11-27 10:00", "yes", "", "", "price", "none", "repeat", "opens", "every friday 18:00", "yes", "", "", "opens", "", "", "", "yes"}
	file := filepath.Join(t.TempDir(), "new.yaml")
	code, out, errs := answering(strings.NewReader(strings.Join(talk, "\n")+"\n"), append([]string{"new", "sale", file, "--config", planning(t)},
		given("--doors", "45m", "--closes", "3h", "--buy", "/buy", "--sale", "toy", "--checkout", "/pay?r={reservation}", "--per-account", "1", "--admit", "20/s", "--hold", "5m", "--price", "19.90 EUR")[1:]...)...)
	for _, want := range []string{
		"When does it open?", "[2098-11-26 10:00] ", "[2098-11-27 09:15] ", "[2098-11-27 13:00] ",
		"What does one unit cost?", "none takes it out", "[19.90 EUR] ",
		"[2098-11-27 10:00] ", "[45m] ", "[3h] ", "[every Friday 18:00] ", "[45m] ", "[3h] ", "Written: ",
	} {
		_, after, ok := strings.Cut(out, want)
		if code != 0 || !ok {
			t.Fatalf("exit %d, said %q, lacks %q in\n%s", code, errs, want, out)
		}
		out = after
	}
	text, _ := os.ReadFile(file)
	for _, want := range []string{"\nrepeat: \"every Friday 18:00\" ", "\ndoors: 45m ", "\ncloses: 3h ", "\n# price: "} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// TestNewSale_Interrupted: Ctrl-C while a question waits writes nothing.
func TestNewSale_Interrupted(t *testing.T) {
	t.Parallel()
	config := planning(t)
	in, typed := io.Pipe()
	defer func() { _ = typed.Close() }()
	ctx, interrupt := context.WithCancelCause(context.Background())
	go func() {
		_, _ = io.WriteString(typed, "Golden toy\n")
		interrupt(io.ErrUnexpectedEOF)
	}()
	root, out, errs := newRoot(), strings.Builder{}, strings.Builder{}
	root.SetIn(in)
	if code := wiring.Execute(ctx, root, []string{"new", "sale", "--config", config}, &out, &errs); code != 1 || !strings.Contains(errs.String(), "nothing was written") {
		t.Errorf("exit %d, said %q", code, errs.String())
	}
}

// A file that appears meanwhile is never written over, on disks without links neither.
func TestWriteNew(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "new.yaml")
	if err := writeNew(file, []byte("first")); err != nil {
		t.Fatal(err)
	}
	if err := writeNew(file, []byte("second")); err == nil || !strings.Contains(err.Error(), "no file is overwritten") {
		t.Errorf("got %v", err)
	}
	other := file + ".other"
	if err := os.WriteFile(other, []byte("third"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := moveNew(other, file); err == nil {
		t.Error("moved over a file")
	}
	if text, _ := os.ReadFile(file); string(text) != "first" {
		t.Errorf("got %q, want what was written first", text)
	}
	if err := moveNew(other, file+".free"); err != nil {
		t.Error(err)
	}
}

// TestNewSale_Clash: a page that another sale has at the same hour is told where the page
// is asked for, and who wants it can change the hours instead.
func TestNewSale_Clash(t *testing.T) {
	t.Parallel()
	talk := func(lines ...string) string {
		return strings.Join(append([]string{"Golden toy", "golden-toy", "Asia/Tokyo", "every thursday 18:00", "yes", "", ""}, lines...), "\n") + "\n"
	}
	rest := []string{"", "/pay?r={reservation}", "100", "", "", "", ""}
	for name, test := range map[string]struct {
		in   string
		want []string
	}{
		"another page": {talk(append(append([]string{"/shoes", "no", "/toys/golden"}, rest...), "yes")...),
			[]string{`/shoes is the page of sale "weekly"`, "Keep it, and change the hours at the end?", "[POST /toys/golden/buy]", "Written:"}},
		"another hour": {talk(append(append([]string{"/shoes", "yes"}, rest...), "opens", "every friday 18:00", "yes", "", "", "yes")...),
			[]string{`/shoes is the page of sale "weekly"`, "Keep it", `POST /shoes/buy buys in sale "weekly"`, "What shall change?", "Written:"}},
		"the same hour again": {talk(append(append([]string{"/shoes", "yes"}, rest...), "opens", "every thursday 18:00", "yes", "", "", "product_page", "/toys", "buy", "", "yes")...),
			[]string{"What shall change?", "When does it close?", "What shall change?", "Written:"}},
	} {
		code, out, errs := answering(strings.NewReader(test.in), "new", "sale", "--config", planning(t))
		said := out
		for _, want := range test.want {
			_, after, ok := strings.Cut(said, want)
			if code != 0 || !ok {
				t.Fatalf("%s: exit %d, said %q, lacks %q in\n%s", name, code, errs, want, out)
			}
			said = after
		}
	}
	code, _, errs := answering(strings.NewReader(""), append([]string{"new", "sale", "--config", planning(t)},
		given("--timezone", "Asia/Tokyo", "--opens", "every thursday 18:00", "--product-page", "/shoes")...)...)
	if code != 2 || !strings.Contains(errs, `--product-page "/shoes": /shoes is the page of sale "weekly"`) {
		t.Errorf("exit %d, said %q; want that the page is blamed", code, errs)
	}
}
