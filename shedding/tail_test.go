package shedding_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/shedding"
)

var opens = time.Date(2027, 11, 26, 9, 0, 0, 0, time.UTC)

func terms() shedding.Terms {
	return shedding.Terms{Certainty: 0.999, Conversion: 0.12, PerAccount: 1}
}

// sight is of an open sale, so many seconds after its opening.
func sight(second float64, head uint64, left, held, paid int, won, lapsed uint64) shedding.Sight {
	return shedding.Sight{Now: opens.Add(time.Duration(second * float64(time.Second))), Open: true,
		Head: head, Left: left, Held: held, Paid: paid, Won: won, Lapsed: lapsed}
}

// from is the place from which on all are hopeless; none: -1.
func from(t shedding.Tail) int64 {
	if place, ok := t.HopelessAhead(0); ok {
		return int64(place)
	}
	return -1
}

func TestFirstVerdict(t *testing.T) {
	t.Parallel()
	with := func(change func(*shedding.Terms)) shedding.Terms {
		t := terms()
		change(&t)
		return t
	}
	for _, test := range []struct {
		name  string
		terms shedding.Terms
		sight shedding.Sight
		want  int64
	}{
		{"a hundred units, and twelve times as many places as are expected for each", terms(), sight(0, 0, 100, 0, 0, 0, 0), 13678},
		{"behind those who are called", terms(), sight(0, 500, 100, 0, 0, 0, 0), 14178},
		{"one unit", terms(), sight(0, 0, 1, 0, 0, 0, 0), 757},
		{"held units may come back", terms(), sight(0, 0, 60, 40, 0, 0, 0), 13678},
		{"four in five buy", with(func(t *shedding.Terms) { t.Conversion = 0.8 }), sight(0, 0, 100, 0, 0, 0, 0), 2036},
		{"everybody buys", with(func(t *shedding.Terms) { t.Conversion = 1 }), sight(0, 0, 100, 0, 0, 0, 0), 1625},
		{"less certain", with(func(t *shedding.Terms) { t.Certainty = 0.9 }), sight(0, 0, 100, 0, 0, 0, 0), 11862},
		{"off", with(func(t *shedding.Terms) { t.Off = true }), sight(0, 0, 100, 0, 0, 0, 0), -1},
		{"fifty for each unit", with(func(t *shedding.Terms) { t.LinePerUnit = 50 }), sight(0, 20, 60, 40, 0, 0, 0), 5020},
		{"all are paid", terms(), sight(0, 700, 0, 0, 100, 100, 0), 700},
		{"not open", terms(), shedding.Sight{Now: opens, Left: 1}, -1},
		{"no conversion", with(func(t *shedding.Terms) { t.Conversion = 0 }), sight(0, 0, 1, 0, 0, 0, 0), -1},
		{"no number", with(func(t *shedding.Terms) { t.Conversion = math.NaN() }), sight(0, 0, 1, 0, 0, 0, 0), -1},
		{"no certainty", with(func(t *shedding.Terms) { t.Certainty = 0 }), sight(0, 0, 1, 0, 0, 0, 0), -1},
		{"full certainty", with(func(t *shedding.Terms) { t.Certainty = 1 }), sight(0, 0, 1, 0, 0, 0, 0), -1},
		{"a count below nothing", terms(), sight(0, 0, 1, -1, 0, 0, 0), -1},
		{"more lapsed than won", terms(), sight(0, 0, 1, 0, 0, 0, 1), -1},
	} {
		if got := from(shedding.Tail{}.Next(test.terms, test.sight)); got != test.want {
			t.Errorf("%s: hopeless from %d, want %d", test.name, got, test.want)
		}
	}
}

// Those who are called in the time that somebody takes to buy do not count as ahead.
func TestWhoIsCalledTogetherRaces(t *testing.T) {
	t.Parallel()
	s := sight(0, 0, 1, 0, 0, 0, 0)
	s.Rate = 10
	if got := from(shedding.Tail{}.Next(terms(), s)); got != 757+400 {
		t.Errorf("hopeless from %d, want %d", got, 757+400)
	}
}

// Those who were called a moment ago have not stayed away: while they may still buy,
// nobody who was told is called back for want of them.
func TestWhoIsCalledMayStillBuy(t *testing.T) {
	t.Parallel()
	var tail shedding.Tail
	terms := terms()
	terms.Conversion = 1
	for second, head := range []uint64{0, 1000, 3000, 40_000} {
		s := sight(float64(second), head, 1, 0, 0, 0, 0)
		s.Rate = 2000
		if tail = tail.Next(terms, s); from(tail) != 80_088 {
			t.Errorf("head %d: hopeless from %d, want 80088 all the time", head, from(tail))
		}
	}
}

// While files are changed on one edge after the other, the terms that came last hold
// for the line, whoever looks; and an edge that begins anew with them changes nothing.
func TestOneSetOfTerms(t *testing.T) {
	t.Parallel()
	old, young, off := terms(), terms(), terms()
	young.LinePerUnit, young.Since = 50, opens.Add(time.Minute)
	off.Off, off.Since = true, opens.Add(2*time.Minute)
	again := young
	again.Since = opens.Add(3 * time.Minute)
	var tail shedding.Tail
	for i, step := range []struct {
		terms shedding.Terms
		want  int64
	}{
		{old, 757}, {young, 50}, {old, 50}, {young, 50}, {off, -1}, {young, -1}, {old, -1}, {again, 50}, {off, 50},
	} {
		tail = shedding.ParseTail(tail.Next(step.terms, sight(float64(i), 0, 1, 0, 0, 0, 0)).String())
		if got := from(tail); got != step.want {
			t.Errorf("look %d: hopeless from %d, want %d", i, got, step.want)
		}
	}
	before := shedding.Tail{}.Next(young, sight(0, 0, 1, 0, 0, 0, 0))
	if got, want := before.Next(again, sight(0, 0, 1, 0, 0, 0, 0)).String(), before.Next(young, sight(0, 0, 1, 0, 0, 0, 0)).String(); got != want {
		t.Errorf("an edge that begins anew with the same file: %q, want %q", got, want)
	}
}

// A clock that was put forward and back again is followed: places still get their time.
func TestClockGoesBack(t *testing.T) {
	t.Parallel()
	tail := shedding.Tail{}.Next(terms(), sight(0, 0, 10, 0, 0, 0, 0))
	tail = tail.Next(terms(), sight(3600, 6000, 10, 0, 0, 0, 0))
	for second := 1; second < 300; second++ {
		tail = tail.Next(terms(), sight(float64(second), 6000, 10, 0, 0, 0, 0))
	}
	steady := shedding.Tail{}.Next(terms(), sight(0, 0, 10, 0, 0, 0, 0))
	for second := 1; second < 300; second++ {
		steady = steady.Next(terms(), sight(float64(second), 6000, 10, 0, 0, 0, 0))
	}
	if got, want := from(tail), from(steady); got != want || got < 15_000 {
		t.Errorf("hopeless from %d, want %d, as by a clock that goes on evenly", got, want)
	}
}

// HopelessAhead goes by the picture that it is published with.
func TestHopelessAheadFollowsTheHead(t *testing.T) {
	t.Parallel()
	tail := shedding.Tail{}.Next(terms(), sight(0, 100, 1, 0, 0, 0, 0))
	for head, want := range map[uint64]uint64{100: 757, 157: 700, 857: 0, 5000: 0} {
		if got, ok := tail.HopelessAhead(head); !ok || got != want {
			t.Errorf("head %d: %d, %t, want %d", head, got, ok, want)
		}
	}
}

// plays a line that goes on evenly: of all called, so many in a hundred buy at once
// and pay two minutes later.
func plays(t *testing.T, seconds int, perSecond, buys, stock int, look func(second int, tail shedding.Tail)) shedding.Tail {
	t.Helper()
	var tail shedding.Tail
	won := func(second int) int { return min(stock, max(second, 0)*perSecond*buys/100) }
	for second := range seconds {
		all, paid := won(second), won(second-120)
		head := uint64(second * perSecond)
		if all == stock && buys > 0 {
			head = uint64(stock * 100 / buys)
		}
		tail = tail.Next(terms(), sight(float64(second), head, stock-all, all-paid, paid, uint64(all), 0))
		look(second, shedding.ParseTail(tail.String()))
	}
	return tail
}

// While units sell as they did nobody who was told is called back, and more are told
// as more is known.
func TestWhoWasToldStaysTold(t *testing.T) {
	t.Parallel()
	last, changes := int64(math.MaxInt64), 0
	plays(t, 900, 10, 40, 2000, func(second int, tail shedding.Tail) {
		now := from(tail)
		if now < 0 || now > last {
			t.Fatalf("after %d s: hopeless from %d, before that from %d", second, now, last)
		}
		if now < last {
			changes++
		}
		last = now
	})
	if last > 30_000 || changes < 100 {
		t.Errorf("in the end hopeless from %d, after %d changes", last, changes)
	}
}

// Where nobody buys, the file's word is refuted once those who were called had their
// time, and who was told is called back.
func TestNobodyBuys(t *testing.T) {
	t.Parallel()
	tail := plays(t, 60, 100, 0, 10, func(int, shedding.Tail) {})
	if got := from(tail); got < 0 {
		t.Fatalf("nobody is hopeless at first")
	}
	if tail = plays(t, 600, 100, 0, 10, func(int, shedding.Tail) {}); from(tail) < 100_000 {
		t.Errorf("hopeless from %d after ten minutes in which nobody bought", from(tail))
	}
}

// Whoever holds a unit may give it back, however many kept theirs so far: held units
// give as much hope as those that are left.
func TestHoldersPromiseNothing(t *testing.T) {
	t.Parallel()
	var held, left shedding.Tail
	for second := range 1700 {
		won, paid := 4*second, 4*max(second-120, 0)
		s := sight(float64(second), uint64(second*10), 10_000-won, won-paid, paid, uint64(won), 0)
		held = held.Next(terms(), s)
		s.Left, s.Held = s.Left+s.Held, 0
		left = left.Next(terms(), s)
	}
	if got, want := from(held), from(left); got != want {
		t.Errorf("480 held: hopeless from %d, with as many left from %d", got, want)
	}
}

// A line that runs ahead while all is sold in a second neither ruins nor flatters
// what is known: thirty thousand called, a hundred sold.
func TestHeadRunsAhead(t *testing.T) {
	t.Parallel()
	tail := shedding.Tail{}.Next(terms(), sight(0, 30_000, 100, 0, 0, 0, 0))
	first := from(tail)
	for second := 1; second < 300; second++ {
		tail = tail.Next(terms(), sight(float64(second), 36_000, 0, 100, 0, 100, 0))
	}
	if got := from(tail); first != 43_678 || got != first {
		t.Errorf("hopeless from %d, then from %d; want 43678 all the time", first, got)
	}
}

// Stock that is added calls back, in drawn order, as far as it reaches.
func TestStockIsAdded(t *testing.T) {
	t.Parallel()
	tail := shedding.Tail{}.Next(terms(), sight(0, 0, 1, 0, 0, 0, 0))
	if tail = tail.Next(terms(), sight(1, 0, 2, 0, 0, 0, 0)); from(tail) != 757 {
		t.Errorf("one more: hopeless from %d, want 757 as before: the chance there is 1 in 200", from(tail))
	}
	tail = tail.Next(terms(), sight(2, 0, 30, 0, 0, 0, 0))
	if got := from(tail); got <= 757 || got > 1200 {
		t.Errorf("thirty: hopeless from %d", got)
	}
	if tail = tail.Next(terms(), sight(3, 0, 101, 0, 0, 0, 0)); from(tail) < 3000 {
		t.Errorf("a hundred more: hopeless from %d", from(tail))
	}
}

// A look that is older than the last one changes nothing; counts that stay back
// begin anew.
func TestCountsThatGoBack(t *testing.T) {
	t.Parallel()
	terms := func() shedding.Terms { return shedding.Terms{Certainty: 0.999, Conversion: 0.01, PerAccount: 1} }
	seen := sight(10, 5000, 100, 50, 350, 400, 0)
	tail := shedding.Tail{}.Next(terms(), sight(0, 0, 500, 0, 0, 0, 0)).Next(terms(), seen)
	learned := from(tail)
	older := sight(10.2, 5000, 110, 50, 340, 390, 0)
	if got := tail.Next(terms(), older); from(got) != learned {
		t.Errorf("an older look: hopeless from %d, before from %d", from(got), learned)
	}
	if got := tail.Next(terms(), older).Next(terms(), seen); from(got) != learned {
		t.Errorf("after an older look: hopeless from %d, before from %d", from(got), learned)
	}
	for second := 11.; second < 20; second++ {
		older.Now = opens.Add(time.Duration(second) * time.Second)
		tail = tail.Next(terms(), older)
	}
	if got := from(tail); got <= learned {
		t.Errorf("begun anew: hopeless from %d, before from %d", got, learned)
	}
	if got := from(tail.Next(terms(), sight(21, 0, 100, 0, 400, 400, 0))); got != from(tail) {
		t.Errorf("a line that was forgotten, at once: hopeless from %d, before from %d", got, from(tail))
	}
}

// Whatever is seen, and whoever carries the verdict on: no panic, the same text, and
// nobody is told and called back by one and the same look.
func TestWhateverIsSeen(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var tail shedding.Tail
		for range rapid.IntRange(1, 20).Draw(t, "looks") {
			s := shedding.Sight{
				Now:  opens.Add(time.Duration(rapid.Int64Range(-1e12, 1e12).Draw(t, "now"))),
				Open: rapid.Bool().Draw(t, "open"), Head: rapid.Uint64().Draw(t, "head") >> rapid.IntRange(0, 63).Draw(t, "short"),
				Rate: rapid.Float64().Draw(t, "rate"), Left: rapid.IntRange(-1, 100).Draw(t, "left"), Held: rapid.Int().Draw(t, "held") >> 50,
				Paid: rapid.IntRange(-1, 1000).Draw(t, "paid"), Won: rapid.Uint64Range(0, 2000).Draw(t, "won"), Lapsed: rapid.Uint64Range(0, 1000).Draw(t, "lapsed"),
			}
			terms := shedding.Terms{
				Off: rapid.Bool().Draw(t, "off"), Certainty: rapid.Float64().Draw(t, "certainty"), Conversion: rapid.Float64().Draw(t, "conversion"),
				LinePerUnit: rapid.IntRange(0, 2).Draw(t, "line") * 1e6, PerAccount: rapid.IntRange(-1, 5).Draw(t, "per"),
			}
			next := tail.Next(terms, s)
			again := shedding.ParseTail(tail.String()).Next(terms, s)
			if next.String() != again.String() {
				t.Fatalf("%+v, %+v after %q: %q, and carried on as text %q", terms, s, tail, next, again)
			}
			if text := next.String(); shedding.ParseTail(text).String() != text || len(text) > 400 {
				t.Fatalf("%q is not read back, or too long", text)
			}
			tail = next
		}
	})
}

func TestParseTail(t *testing.T) {
	t.Parallel()
	good := shedding.Tail{}.Next(terms(), sight(3, 10, 1, 0, 0, 0, 0)).String()
	if len(good) > 120 || from(shedding.ParseTail(good)) != 767 {
		t.Fatalf("%q: hopeless from %d, want 767", good, from(shedding.ParseTail(good)))
	}
	for name, text := range map[string]string{
		"empty": "", "another form": "t1" + good[2:], "cut": good[:len(good)-2], "longer": good + ".0", "capitals": strings.ToUpper(good),
		"a sign": strings.Replace(good, ".0", ".-0", 1), "a leading zero": strings.Replace(good, ".0", ".00", 1),
		"too large": strings.Replace(good, ".0", ".zzzzzzzzzzzz", 1), "space": good + " ", "bytes": good[:3] + "\x00" + good[4:],
		"ripe beyond the head": "t2" + strings.Repeat(".0", 7) + ".1" + strings.Repeat(".0", 12) + ".5" + strings.Repeat(".0", 5),
	} {
		if got := shedding.ParseTail(text); got != (shedding.Tail{}) {
			t.Errorf("%s: %q is read as %q", name, text, got)
		}
	}
}

func TestOdds(t *testing.T) {
	t.Parallel()
	if text, err := json.Marshal(shedding.Tail{}.Odds(0)); err != nil || string(text) != `{"good":null,"better_than_even":null,"less_than_even":null,"small":null}` {
		t.Errorf("nothing known: %s, %v", text, err)
	}
	tail := shedding.Tail{}.Next(terms(), sight(0, 100, 500, 0, 0, 0, 0))
	odds := tail.Odds(100)
	for ahead, want := range map[uint64]shedding.Word{
		0: shedding.Good, 399: shedding.Good, 400: shedding.Uncertain, 40_000: shedding.Uncertain,
		52_800: shedding.LessThanEven, 56_000: shedding.Small, 1 << 40: shedding.Small,
	} {
		if got := odds.Word(ahead); got != want {
			t.Errorf("%d ahead: %q, want %q", ahead, got, want)
		}
	}
	// The head goes on, and the same places keep their words.
	if got, want := *tail.Odds(150).Good, *odds.Good-50; got != want {
		t.Errorf("good with %d ahead, want %d", got, want)
	}
	if got := tail.Odds(5000).Good; got != nil {
		t.Errorf("good with %d ahead behind the last good place", *got)
	}
	if got := (shedding.Tail{}).Next(terms(), sight(0, 7, 0, 0, 5, 5, 0)).Odds(7).Word(0); got != shedding.Small {
		t.Errorf("all are paid: %q", got)
	}
}

// Whoever is called in the time that people take to buy may be faster, and those who
// are yet to be called may buy four times as often as those before: nothing good is
// said of a chance without reckoning with both.
func TestGoodReckonsWithTheOthers(t *testing.T) {
	t.Parallel()
	s := sight(2, 33, 100, 0, 0, 0, 0)
	s.Rate = 10
	if got := (shedding.Tail{}).Next(terms(), s).Odds(33).Good; got != nil {
		t.Errorf("two seconds after the opening, 100 left, 10/s: good with %d ahead", *got)
	}
	s.Left = 1000
	if got := (shedding.Tail{}).Next(terms(), s).Odds(33).Good; got == nil || *got != 1000-1-33-400 {
		t.Errorf("1000 left: good with %v ahead", got)
	}
	tail := plays(t, 600, 10, 2, 1000, func(int, shedding.Tail) {})
	if got := tail.Odds(5990).Good; got == nil || *got > 880/(4*2)*100 || *got < 1000 {
		t.Errorf("880 left where 2 %% bought: good with %v ahead", got)
	}
}

// Each word is told of places that are in one piece, from the best to the worst, and
// nobody hopeless is told better than small.
func TestWordsAreInOrder(t *testing.T) {
	t.Parallel()
	worse := map[shedding.Word]int{shedding.Good: 0, shedding.BetterThanEven: 1, shedding.Uncertain: 2, shedding.LessThanEven: 3, shedding.Small: 4}
	plays(t, 600, 10, 30, 1000, func(second int, tail shedding.Tail) {
		if second%20 > 0 {
			return
		}
		last, head := shedding.Good, uint64(second*10)
		for ahead := uint64(0); ahead < 1<<20; ahead += 1 + ahead/50 {
			word := tail.Odds(head).Word(ahead)
			if worse[word] < worse[last] {
				t.Fatalf("after %d s: %q with %d ahead, %q with fewer", second, word, ahead, last)
			}
			if from, ok := tail.HopelessAhead(head); ok && ahead >= from && word != shedding.Small {
				t.Fatalf("after %d s: %d ahead are hopeless, and %q", second, ahead, word)
			}
			last = word
		}
	})
}

func TestTermsOf(t *testing.T) {
	t.Parallel()
	sale := &configs.Sale{Shed: configs.Shed{Off: true, Certainty: 0.99, LinePerUnit: 7}, Conversion: 0.3, PerAccount: 2, Invitations: 5}
	want := shedding.Terms{Off: true, Certainty: 0.99, LinePerUnit: 7, Conversion: 0.3, PerAccount: 2, Invitations: 5}
	if got := shedding.TermsOf(sale); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// What a tick costs: read, look, write.
func BenchmarkTail(b *testing.B) {
	var tail shedding.Tail
	for second := range 300 {
		won := second * 4
		tail = tail.Next(terms(), sight(float64(second), uint64(second*10), 5000-won, won/2, won-won/2, uint64(won), 0))
	}
	text := tail.String()
	b.ReportAllocs()
	for b.Loop() {
		text = shedding.ParseTail(text).Next(terms(), sight(300, 3000, 3800, 600, 600, 1200, 0)).String()
	}
}
