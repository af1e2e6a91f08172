package stitch_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/waitroom/waitroom/proxy/stitch"
)

// letters are n bytes that pack as texts do.
func letters(seed uint64, n int) string {
	r := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "<p class=\"%c\">%d people</p>\n", 'a'+rune(r.IntN(26)), r.IntN(1000))
	}
	return b.String()[:n]
}

func unpack(t testing.TB, packed []byte) string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(z)
	if err != nil { // also that of a wrong checksum or length
		t.Fatal(err)
	}
	return string(got)
}

var (
	style = letters(1, 9000)
	views = letters(2, 70000) // more than a block, and than what a block may refer to
)

func TestPack(t *testing.T) {
	t.Parallel()
	p := stitch.NewPacker()
	for _, test := range []struct {
		name, page string
		same       []string
	}{
		{"nothing", "", nil},
		{"nothing the same", letters(3, 3000), nil},
		{"nothing but the same", style, []string{style}},
		{"between", "<a>" + style + "<b>" + views + "<c>", []string{style, views}},
		{"twice", style + style, []string{style, style}},
		{"one that is not there", "<a>" + style + "<c>", []string{views, style}},
		{"in another order", "<a>" + views + style, []string{style, views}},
		{"a large part of its own", letters(5, 200000) + style, []string{style}},
		{"a small one", "abc", []string{"b", ""}},
		{"any bytes", "\x00\xff\r\n" + style + "\x80", []string{style}},
	} {
		for _, secret := range []bool{false, true} {
			for range 2 { // from nothing ready, and from all
				if got := unpack(t, p.Pack([]byte(test.page), test.same, secret)); got != test.page {
					t.Errorf("%s, secret %t: %d bytes come out, want %d", test.name, secret, len(got), len(test.page))
				}
			}
		}
	}
}

// TestPackedApart: what is secret is not packed at all, so that the length tells nothing
// of what it has in common with anything; what is not is packed with what stands before.
func TestPackedApart(t *testing.T) {
	t.Parallel()
	p := stitch.NewPacker()
	size := func(own string, secret bool) int {
		return len(p.Pack([]byte(style+"<form>"+own+"</form>"), []string{style}, secret))
	}
	like, unlike := style[2000:4000], letters(77, 2000)
	if a, b := size(like, false), size(unlike, false); a > b-200 {
		t.Errorf("what is like the rest packs to %d bytes, other text to %d", a, b)
	}
	if a, b := size(like, true), size(unlike, true); a != b {
		t.Errorf("as a secret, what is like the rest has %d bytes, other text %d", a, b)
	}
	for _, guess := range []string{"token=4711", "token=9999", "xxxxxxxxxx"} {
		if got, want := size("token=4711"+guess, true), size("token=4711token=0000", true); got != want {
			t.Errorf("a guess of %q makes %d bytes, another %d", guess, got, want)
		}
	}
}

// TestPackByMany at once.
func TestPackByMany(t *testing.T) {
	t.Parallel()
	p := stitch.NewPacker()
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			page := fmt.Sprint(i) + style + letters(uint64(i), 500) + views
			if got := unpack(t, p.Pack([]byte(page), []string{style, views}, i%2 == 0)); got != page {
				t.Errorf("page %d is another", i)
			}
		})
	}
	wg.Wait()
}

// TestOtherReaders: gzip itself takes it for one whole file.
func TestOtherReaders(t *testing.T) {
	t.Parallel()
	page := "<a>" + style + "<b>" + views + "<c>"
	for _, secret := range []bool{false, true} {
		cmd := exec.Command("gzip", "-dc")
		cmd.Stdin = bytes.NewReader(stitch.NewPacker().Pack([]byte(page), []string{style, views}, secret))
		got, err := cmd.Output()
		if err != nil || string(got) != page {
			t.Errorf("secret %t: gzip gives %d bytes and %v, want %d", secret, len(got), err, len(page))
		}
	}
}
