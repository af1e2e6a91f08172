package kept_test

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/proxy/kept"
)

var (
	one   = configs.NewSecret("the first secret of these tests, long")
	two   = configs.NewSecret("another secret of these tests, longer")
	begin = time.UnixMilli(1_800_000_000_123)
)

func sealer(t testing.TB, secrets ...configs.Secret) *kept.Sealer {
	t.Helper()
	s, err := kept.NewSealer(secrets)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func field(name, value string) kept.Field { return kept.Field{Name: name, Value: value} }

// TestSealed: what is sealed is opened as it was, and by nobody else.
func TestSealed(t *testing.T) {
	t.Parallel()
	s := sealer(t, one)
	for _, f := range []kept.Form{
		{At: begin},
		{At: begin, Lost: true},
		{At: begin, Owner: kept.Owner("account", "alice"), Fields: []kept.Field{field("size", "42")}},
		{At: begin, Query: "a=%2B&b", Fields: []kept.Field{field("b", "2"), field("a", ""), field("b", "ü\r\n")}},
		{At: begin, Reservation: "r", Fields: []kept.Field{field("size", "42")}},
	} {
		text := s.Seal("toy@1", f)
		if got, ok := s.Open("toy@1", text); !ok || !reflect.DeepEqual(got, f) {
			t.Errorf("got %+v, %t, want %+v", got, ok, f)
		}
		if again := s.Seal("toy@1", f); again == text {
			t.Error("the same text twice: who sees it knows that nothing has changed")
		}
	}
	text := s.Seal("toy@1", kept.Form{At: begin, Fields: []kept.Field{field("street", "Long Lane 5")}})
	for name, test := range map[string]struct {
		s    *kept.Sealer
		run  string
		text string
		ok   bool
	}{
		"as it is":             {s, "toy@1", text, true},
		"a newer secret":       {sealer(t, two, one), "toy@1", text, true},
		"another secret":       {sealer(t, two), "toy@1", text, false},
		"another run":          {s, "toy@2", text, false},
		"nothing":              {s, "toy@1", "", false},
		"one character less":   {s, "toy@1", text[1:], false},
		"a line break in it":   {s, "toy@1", text[:9] + "\n" + text[9:], false},
		"far more than it can": {s, "toy@1", strings.Repeat("A", 1<<20), false},
	} {
		if _, ok := test.s.Open(test.run, test.text); ok != test.ok {
			t.Errorf("%s: opened: %t, want %t", name, ok, test.ok)
		}
	}
	for i := range text {
		other := byte('A')
		if text[i] == other {
			other = 'B'
		}
		if _, ok := s.Open("toy@1", text[:i]+string(other)+text[i+1:]); ok {
			t.Errorf("character %d altered: it is opened", i)
		}
	}
	if strings.Contains(text, "Lane") {
		t.Error("what is kept can be read")
	}
}

// TestFits: what is too much is lost whole, and what fits makes a cookie below 3 KiB
// for the longest name of a sale.
func TestFits(t *testing.T) {
	t.Parallel()
	s := sealer(t, one)
	var many []kept.Field
	for i := range 100 {
		many = append(many, field(fmt.Sprintf("field %d", i), "0123456"))
	}
	for name, test := range map[string]struct {
		f    kept.Form
		lost bool
	}{
		"nothing":               {kept.Form{}, false},
		"as much as goes":       {kept.Form{Fields: []kept.Field{field("a", strings.Repeat("x", kept.Most-3))}}, false},
		"one byte more":         {kept.Form{Fields: []kept.Field{field("a", strings.Repeat("x", kept.Most-2))}}, true},
		"with a query":          {kept.Form{Query: strings.Repeat("q", 50), Fields: []kept.Field{field("a", strings.Repeat("x", kept.Most-53))}}, false},
		"with a longer query":   {kept.Form{Query: strings.Repeat("q", 51), Fields: []kept.Field{field("a", strings.Repeat("x", kept.Most-53))}}, true},
		"many fields":           {kept.Form{Fields: many}, false},
		"no UTF-8 in a value":   {kept.Form{Fields: []kept.Field{field("a", "\xff")}}, true},
		"no UTF-8 in a name":    {kept.Form{Fields: []kept.Field{field("\xff", "a")}}, true},
		"a NUL":                 {kept.Form{Fields: []kept.Field{field("a", "b\x00")}}, true},
		"lost already":          {kept.Form{Lost: true, Fields: []kept.Field{field("a", "b")}}, true},
		"characters of 4 bytes": {kept.Form{Fields: []kept.Field{field("a", strings.Repeat("🧸", 500))}}, false},
	} {
		test.f.At, test.f.Owner, test.f.Reservation = begin, kept.Owner("account", "alice"), strings.Repeat("r", 36)
		got := test.f.Fits()
		if got.Lost != test.lost || got.Lost && len(got.Fields)+len(got.Query) > 0 {
			t.Errorf("%s: lost: %t with %d fields, want %t", name, got.Lost, len(got.Fields), test.lost)
		}
		set := "__Host-wrf-" + strings.Repeat("s", 48) + "=" + s.Seal(strings.Repeat("k", 80), got) + "; Path=/; Max-Age=31536000; HttpOnly; Secure; SameSite=Lax"
		if len(set) >= 3<<10 {
			t.Errorf("%s: a cookie of %d bytes, want fewer than %d", name, len(set), 3<<10)
		}
		if back, ok := s.Open(strings.Repeat("k", 80), s.Seal(strings.Repeat("k", 80), got)); !ok || !reflect.DeepEqual(back, got) {
			t.Errorf("%s: does not come back", name)
		}
	}
}

func TestEncoded(t *testing.T) {
	t.Parallel()
	f := kept.Form{Fields: []kept.Field{field("b", "2&3"), field("a b", "ü=+"), field("b", "")}}
	const want = "b=2%263&a+b=%C3%BC%3D%2B&b="
	if got := f.Encoded(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if values, err := url.ParseQuery(want); err != nil || values.Get("a b") != "ü=+" {
		t.Errorf("%v, %v", values, err)
	}
}

func TestSealerNeedsASecret(t *testing.T) {
	t.Parallel()
	if _, err := kept.NewSealer(nil); err == nil {
		t.Error("got a sealer without a secret")
	}
}

func FuzzOpen(f *testing.F) {
	s := sealer(f, one)
	f.Add(s.Seal("toy", kept.Form{At: begin, Fields: []kept.Field{field("a", "b")}}))
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		if got, ok := s.Open("toy", text); ok && !reflect.DeepEqual(got, got.Fits()) {
			t.Errorf("%q is opened to %+v", text, got)
		}
	})
}

func BenchmarkSeal(b *testing.B) {
	s, f := sealer(b, one), kept.Form{At: begin, Fields: []kept.Field{field("qty", "1"), field("size", "42")}}
	b.ReportAllocs()
	for b.Loop() {
		s.Seal("toy", f)
	}
}

func BenchmarkOpen(b *testing.B) {
	s := sealer(b, one)
	text := s.Seal("toy", kept.Form{At: begin, Fields: []kept.Field{field("qty", "1"), field("size", "42")}})
	b.ReportAllocs()
	for b.Loop() {
		s.Open("toy", text)
	}
}
