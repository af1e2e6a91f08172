package rehearsal_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/cmd/internal/rehearsal"
	"github.com/waitroom/waitroom/configs"
)

var update = flag.Bool("update", false, "write the golden files")

var opens = time.Date(2027, 11, 26, 9, 0, 0, 0, time.UTC)

func saleOf(t testing.TB, stock int, rate string) *configs.Sale {
	t.Helper()
	admit, err := configs.ParseRate(rate)
	if err != nil {
		t.Fatal(err)
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return &configs.Sale{
		ID: "golden-toy", Key: "golden-toy", Zone: berlin, Title: "Golden toy, half price",
		Doors: opens.Add(-5 * time.Minute), Opens: opens, Closes: opens.Add(15 * time.Minute),
		Stock: stock, PerAccount: 1, Admit: admit, Burst: admit.Burst(), Hold: 2 * time.Minute,
		Shed: configs.Shed{Certainty: 0.999}, Conversion: 0.1,
	}
}

// crowd is the expected one, of so many.
func crowd(shoppers int) rehearsal.Options {
	o := rehearsal.Default()
	o.Shoppers = shoppers
	return o
}

func run(t testing.TB, sale *configs.Sale, o rehearsal.Options) *rehearsal.Report {
	t.Helper()
	r, err := rehearsal.Run(t.Context(), sale, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Checks {
		if !c.Kept {
			t.Errorf("seed %d: %s: %s, %d times", o.Seed, c.Name, c.Detail, c.Broken)
		}
	}
	if r.Reserved != r.Bought+r.Lapsed || r.Bought > r.Stock {
		t.Errorf("seed %d: %d reserved, %d bought and %d lapsed, of %d", o.Seed, r.Reserved, r.Bought, r.Lapsed, r.Stock)
	}
	return r
}

// asked is a number from the environment.
func asked(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// Whatever the sale and the chance, the promises are kept and the accounts agree:
// with one seed, or as many as WAITROOM_SEEDS says.
func TestPromisesAreKept(t *testing.T) {
	t.Parallel()
	seeds := asked(t, "WAITROOM_SEEDS", 1)
	for _, test := range []struct {
		name     string
		shoppers int
		stock    int
		rate     string
		change   func(*configs.Sale, *rehearsal.Options)
		want     func(*rehearsal.Report) bool // what this sale comes to
	}{
		{"far too many come", 2000, 10, "10/s", func(s *configs.Sale, _ *rehearsal.Options) { s.Conversion = 0.5 },
			func(r *rehearsal.Report) bool {
				return r.Bought == 10 && r.HopelessAtOnce > 200 && r.SoldOut > 0 && r.Lapsed > 0
			}},
		{"nobody is to be told", 2000, 10, "10/s", func(s *configs.Sale, _ *rehearsal.Options) { s.Conversion, s.Shed.Off = 0.5, true },
			func(r *rehearsal.Report) bool { return r.Bought == 10 && r.HopelessAtOnce+r.HopelessLater == 0 }},
		{"told by the length of the line", 2000, 10, "10/s", func(s *configs.Sale, _ *rehearsal.Options) { s.Shed.LinePerUnit = 50 },
			func(r *rehearsal.Report) bool { return r.Bought == 10 && r.HopelessAtOnce > 1000 }},
		{"enough for all", 120, 1000, "20/s", nil,
			func(r *rehearsal.Report) bool {
				return r.Bought > 30 && r.AllHeld == 0 && r.HopelessAtOnce+r.ToldSoldOut+r.ToldEnded == 0
			}},
		{"slower than the window", 300, 100, "2/min", nil,
			func(r *rehearsal.Report) bool {
				return r.Admitted > 25 && r.Admitted <= 31 && r.ToldEnded > 100
			}},
		{"nobody comes when called", 500, 5, "50/s", func(_ *configs.Sale, o *rehearsal.Options) { o.NoShows, o.Return = 1, 0 },
			func(r *rehearsal.Report) bool { return r.NoShows > 300 && r.Admitted == 0 }},
		{"nobody pays", 200, 5, "50/s", func(_ *configs.Sale, o *rehearsal.Options) { o.Pay = 0 },
			func(r *rehearsal.Report) bool { return r.Bought == 0 && r.Lapsed > 5 && r.SoldOut == 0 }},
		{"one comes", 1, 1, "1/min", func(_ *configs.Sale, o *rehearsal.Options) { o.NoShows = 0 },
			func(r *rehearsal.Report) bool { return r.Admitted == 1 }},
		{"a public value is mixed in", 500, 50, "50/s", func(s *configs.Sale, _ *rehearsal.Options) { s.Mix = "drand round 1" },
			func(r *rehearsal.Report) bool { return r.Bought == 50 && r.FirstAdmitted > r.Draw }},
		{"no more come in than there are units", 2000, 50, "50/s", func(s *configs.Sale, _ *rehearsal.Options) { s.MatchStock = true },
			func(r *rehearsal.Report) bool { return r.Bought == 50 && r.Denied < 2000 }},
		{"one ticket an account", 500, 50, "50/s", func(s *configs.Sale, _ *rehearsal.Options) { s.OneTicketPerAccount = true },
			func(r *rehearsal.Report) bool { return r.Bought == 50 && r.Entered > 480 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(seeds) {
				sale, o := saleOf(t, test.stock, test.rate), crowd(test.shoppers)
				o.Seed = seed
				if test.change != nil {
					test.change(sale, &o)
				}
				if r := run(t, sale, o); !test.want(r) {
					t.Errorf("seed %d: not what was expected:\n%s", seed, r.Text())
				}
			}
		})
	}
}

// A large crowd, of whom one in five hundred is let through each second: 20,000,
// or as many as WAITROOM_SHOPPERS says.
func TestLargeCrowd(t *testing.T) {
	t.Parallel()
	shoppers := asked(t, "WAITROOM_SHOPPERS", 20_000)
	began := time.Now()
	r := run(t, saleOf(t, 100, fmt.Sprintf("%d/s", max(shoppers/500, 1))), crowd(shoppers))
	t.Logf("%v\n%s", time.Since(began).Round(time.Second), r.Text())
	if r.Entered < shoppers*9/10 || r.Bought != 100 || r.Unanswered != 0 || r.HopelessAtOnce < r.Entered/20 {
		t.Error("not what was expected")
	}
}

// The same seed plays the same sale, another one another.
func TestDeterminism(t *testing.T) {
	t.Parallel()
	play := func(seed uint64) string {
		o := crowd(500)
		o.Seed = seed
		text, err := json.Marshal(run(t, saleOf(t, 10, "100/s"), o))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	first, again, other := play(1), play(1), play(2)
	if first != again {
		t.Errorf("one seed, two sales:\n%s\n%s", first, again)
	}
	if strings.Replace(other, `"seed":2`, `"seed":1`, 1) == first {
		t.Error("two seeds, one sale")
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	got := run(t, saleOf(t, 50, "500/s"), crowd(4000)).Text()
	const file = "testdata/report.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestAdvice: who lets too many through is told what lets in fewer, and who calls many
// back what they were told too early for.
func TestAdvice(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*configs.Sale)
		want   []string // parts of what is advised
		not    string
		many   bool // are called back
		got    bool // and some of them get a unit
	}{
		"a line that runs ahead": {func(s *configs.Sale) { s.Conversion, s.Shed.Certainty = 1, 0.5 },
			[]string{"with match_stock: true hardly anybody would", "were called back, and ", "reckons with conversion: 100%; match_stock: true or a lower admit", "Fewer are told no with conversion: 0."}, "line_per_unit", true, false},
		"a length of the line": {func(s *configs.Sale) { s.Shed.LinePerUnit = 3 }, []string{"A larger line_per_unit than 3 tells fewer."}, "conversion:", true, true},
		"a unit for each pass": {func(s *configs.Sale) { s.Conversion, s.MatchStock = 0.01, true }, nil, "match_stock", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sale := saleOf(t, 20, "50/s")
			test.change(sale)
			r := run(t, sale, crowd(3000))
			advice := strings.Join(r.Advice, "\n")
			for _, part := range test.want {
				if !strings.Contains(advice, part) {
					t.Errorf("nothing says %q:\n%s", part, r.Text())
				}
			}
			if strings.Contains(advice, test.not) {
				t.Errorf("something says %q:\n%s", test.not, advice)
			}
			if test.many != (r.CalledBack > 20) || test.got != (r.CalledBackGot > 0) || r.CalledBackGot > r.CalledBack || r.PlacesCalled < r.Admitted {
				t.Errorf("called back: %d, of whom %d got a unit; %d places called", r.CalledBack, r.CalledBackGot, r.PlacesCalled)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*configs.Sale, *rehearsal.Options)
		want   string
	}{
		"nobody":     {func(_ *configs.Sale, o *rehearsal.Options) { o.Shoppers = 0 }, "shoppers 0, say how many come, from 1 to"},
		"too many":   {func(_ *configs.Sale, o *rehearsal.Options) { o.Shoppers = rehearsal.MaxShoppers + 1 }, "from 1 to"},
		"no share":   {func(_ *configs.Sale, o *rehearsal.Options) { o.Pay = math.NaN() }, "pay NaN, a share"},
		"over one":   {func(_ *configs.Sale, o *rehearsal.Options) { o.NoShows = 1.1 }, "no-shows 1.1, a share"},
		"over years": {func(s *configs.Sale, _ *rehearsal.Options) { s.Closes = s.Closes.AddDate(2, 0, 0) }, "at most"},
	} {
		sale, o := saleOf(t, 10, "10/s"), crowd(10)
		test.change(sale, &o)
		if r, err := rehearsal.Run(t.Context(), sale, o); r != nil || !errors.Is(err, rehearsal.ErrRefused) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := rehearsal.Run(ctx, saleOf(t, 10, "10/s"), crowd(10)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A sale whose report is not empty in any field that a machine may read.
func TestReportNamesEveryField(t *testing.T) {
	t.Parallel()
	for field := range reflect.TypeFor[rehearsal.Report]().Fields() {
		if field.IsExported() && field.Tag.Get("json") == "" {
			t.Errorf("%s has no name in JSON", field.Name)
		}
	}
}

// Longer with more people and more units, but only as many units as can be sold.
func TestTakes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		shoppers, stock int
		rate            string
		least, most     time.Duration
	}{
		{1000, 10, "10/s", 0, 0},
		{1_000_000, 10, "10/s", 10 * time.Second, 15 * time.Second},
		{100_000, 20_000, "200/s", 25 * time.Second, 60 * time.Second},
		{100, 20_000, "200/s", 0, 0},
		{100_000, 20_000, "1/min", time.Second, 2 * time.Second},
	} {
		if takes := crowd(test.shoppers).Takes(saleOf(t, test.stock, test.rate)); takes < test.least || takes > test.most {
			t.Errorf("%d for %d at %s: %v, want %v to %v", test.shoppers, test.stock, test.rate, takes, test.least, test.most)
		}
	}
}
