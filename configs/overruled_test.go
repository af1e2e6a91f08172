package configs_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/waitroom/waitroom/configs"
)

// doorsOpen is an instant at which the sale of the small files is open.
var doorsOpen = time.Date(2026, 11, 27, 8, 30, 0, 0, time.UTC)

// TestUnder: what a file says otherwise is overruled key by key, but for what may
// change while a sale is open.
func TestUnder(t *testing.T) {
	t.Parallel()
	swap := func(pairs ...string) func(string) string { return strings.NewReplacer(pairs...).Replace }
	add := func(line string) func(string) string { return func(s string) string { return s + line } }
	for _, test := range []struct {
		name       string
		kept, file func(string) string
		want       string // each key, what is wrong and what is right
	}{
		{"nothing", swap(), swap(), ""},
		{"buckets", add("buckets: 3\n"), add("buckets: 4\n"),
			"buckets: 4, but the sale goes on with 3 until it closes at 2026-11-27 12:00:00, change it back to 3"},
		{"price", add("price: 19.90 EUR\n"), add("price: 29.90 EUR\n"),
			"price: 29.90 EUR, but the sale goes on with 19.90 EUR until it closes at 2026-11-27 12:00:00, change it back to 19.90 EUR"},
		{"no price in the file", add("price: 19.90 EUR\n"), swap(),
			"price: not there, but the sale goes on with 19.90 EUR until it closes at 2026-11-27 12:00:00, change it back to 19.90 EUR"},
		{"a price in the file alone", swap(), add("price: 19.90 EUR\n"),
			"price: 19.90 EUR, but the sale goes on with not there until it closes at 2026-11-27 12:00:00, leave it out"},
		{"more invitations", add("invitations: 3\n"), add("invitations: 4\n"),
			"invitations: 4, but the sale goes on with 3 until it closes at 2026-11-27 12:00:00, write 3 or fewer"},
		{"fewer invitations", add("invitations: 3\n"), add("invitations: 2\n"), ""},
		{"closing, stock", swap(), swap("12:00", "13:00", "100", "50"), ""},
		{"all times: the closing goes with them", swap(), swap("11-27", "12-04"),
			"doors: 2026-12-04 09:30:00, but the sale goes on with 2026-11-27 09:30:00 until it closes at 2026-11-27 12:00:00, change it back to 2026-11-27 09:30:00\n" +
				"opens: 2026-12-04 10:00:00, but the sale goes on with 2026-11-27 10:00:00 until it closes at 2026-11-27 12:00:00, change it back to 2026-11-27 10:00:00"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			kept := load(t, folder(t, smallOperator, map[string]string{"a.yaml": test.kept(smallSale)}), now)
			file := load(t, folder(t, smallOperator, map[string]string{"a.yaml": test.file(smallSale)}), now)
			held := file.Under([]configs.Terms{kept.Sales[0].InForce()})
			var got []string
			for _, o := range held.Overruled() {
				got = append(got, o.Key+": "+o.Wrong+", "+o.Right)
				if o.Sale != "golden-toy" || o.File == "" || o.Line == 0 {
					t.Errorf("it has no place: %+v", o)
				}
			}
			if got := strings.Join(got, "\n"); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			if held.Sales[0].Written() != file.Sales[0].InForce() {
				t.Errorf("what the file says was lost: %+v", held.Sales[0].Written())
			}
			if test.want != "" && held.Sales[0].InForce() != kept.Sales[0].InForce() {
				t.Errorf("in force: %+v, want %+v", held.Sales[0].InForce(), kept.Sales[0].InForce())
			}
			back := held.Under([]configs.Terms{file.Sales[0].InForce()})
			if len(back.Overruled()) != 0 || !back.Sales[0].Same(&file.Sales[0]) {
				t.Errorf("under its own terms: %+v", back.Overruled())
			}
		})
	}
}

// TestUnder_Gone: a sale in force that no file has is said.
func TestUnder_Gone(t *testing.T) {
	t.Parallel()
	c := load(t, folder(t, smallOperator, map[string]string{"a.yaml": smallSale}), now)
	gone := c.Sales[0].InForce()
	gone.Key = "silver"
	got := c.Under([]configs.Terms{gone}).Overruled()
	if len(got) != 1 || got[0].Sale != "silver" || got[0].Key != "sales" || !strings.Contains(got[0].String(), `sale "silver" is open until 2026-11-27 12:00:00 Europe/Berlin, and no file has it, put its file back`) {
		t.Errorf("got %+v", got)
	}
}

// TestUnder_OtherRun: another run of a repeating sale is in force until it is over;
// then the file is right.
func TestUnder_OtherRun(t *testing.T) {
	t.Parallel()
	repeats := func(line string) string {
		return strings.NewReplacer("doors: 2026-11-27 09:30\n", "doors: 30m\n", "opens: 2026-11-27 10:00\n", "repeat: "+line+"\n", "closes: 2026-11-27 12:00\n", "closes: 2h\n").Replace(smallSale)
	}
	was := load(t, folder(t, smallOperator, map[string]string{"a.yaml": repeats("every Friday 10:00")}), doorsOpen)
	file := load(t, folder(t, smallOperator, map[string]string{"a.yaml": repeats("every Saturday 10:00")}), doorsOpen)
	held := file.Under([]configs.Terms{was.Sales[0].InForce()})
	if s := held.Sales[0]; s.Key != "golden-toy@2026-11-27T09:00Z" || !s.Opens.Equal(was.Sales[0].Opens) || len(held.Overruled()) != 1 || held.Overruled()[0].Key != "repeat" {
		t.Errorf("in force: %s, overruled %v", s.Key, held.Overruled())
	}
	over := was.Sales[0].Over()
	if got := configs.Turned(held, over.Add(-time.Second)).Sales[0].Key; got != "golden-toy@2026-11-27T09:00Z" {
		t.Errorf("before it is over: %s", got)
	}
	if got := configs.Turned(held, over); got.Sales[0].Key != "golden-toy@2026-11-28T09:00Z" || len(got.Overruled()) != 0 {
		t.Errorf("when it is over: %s, overruled %v", got.Sales[0].Key, got.Overruled())
	}
}

// TestWatcher_Hold: what is in force is applied once and said once, other keys may
// change beside it, and the file put back is taken.
func TestWatcher_Hold(t *testing.T) {
	t.Parallel()
	open := strings.NewReplacer("2026-11-27 09:30", "2020-11-27 09:30", "2026-11-27 10:00", "2020-11-27 10:00", "2026-11-27 12:00", "2021-01-27 12:00").Replace(smallSale) // over: what is frozen does not stand in the way
	right, wrong := open+"price: 19.90 EUR\n", open+"price: 29.90 EUR\n"
	kept := load(t, folder(t, smallOperator, map[string]string{"a.yaml": right}), now).Sales[0].InForce()
	file := folder(t, smallOperator, map[string]string{"a.yaml": wrong})
	core, logs := observer.New(zap.WarnLevel)
	w, applied := run(t, configs.NewWatcher(file, load(t, file, time.Now()), environment, zap.New(core)), nil)
	for range 3 {
		w.Hold([]configs.Terms{kept})
	}
	next := func(what string) configs.Sale {
		t.Helper()
		select {
		case c := <-applied:
			return c.Sales[0]
		case <-time.After(20 * time.Second):
			t.Fatalf("not applied: %s", what)
		}
		return configs.Sale{}
	}
	if s := next("what is in force"); s.Price.String() != "19.90 EUR" {
		t.Errorf("in force is %s", s.Price)
	}
	write(t, filepath.Join(filepath.Dir(file), "sales", "a.yaml"), strings.Replace(wrong, "stock: 100", "stock: 101", 1))
	if s := next("another key"); s.Price.String() != "19.90 EUR" || s.Stock != 101 {
		t.Errorf("beside another stock: %s, %d", s.Price, s.Stock)
	}
	write(t, filepath.Join(filepath.Dir(file), "sales", "a.yaml"), right)
	if s := next("the file put back"); s.Price.String() != "19.90 EUR" || s.Stock != 100 || len(s.Overruled()) != 0 {
		t.Errorf("put back: %s, %d, overruled %v", s.Price, s.Stock, s.Overruled())
	}
	if all := logs.All(); len(all) != 1 || !strings.HasPrefix(all[0].Message, "file overruled") {
		t.Errorf("said: %v", all)
	}
}
