package queueing_test

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/queueing"
)

var update = flag.Bool("update", false, "write the files in testdata anew")

func TestDrawIsBijection(t *testing.T) {
	t.Parallel()
	counts := []uint64{0, 1, 2, 3, 5, 100, 1000, 10_007}
	for bits := 2; bits <= 16; bits++ {
		counts = append(counts, 1<<bits-1, 1<<bits, 1<<bits+1)
	}
	for _, n := range counts {
		d := queueing.NewDraw(queueing.Seed{1, 2, 3}, "golden-toy", n, "")
		taken := make([]bool, n)
		for number := range n {
			place := d.Place(number)
			if place >= n {
				t.Fatalf("n=%d: Place(%d) = %d, beyond the draw", n, number, place)
			}
			if taken[place] {
				t.Fatalf("n=%d: Place(%d) = %d, given before", n, number, place)
			}
			taken[place] = true
		}
		for _, late := range []uint64{n, n + 1, n + 1000, 1<<63 + n} {
			if got := d.Place(late); got != late {
				t.Errorf("n=%d: Place(%d) = %d, want its own number", n, late, got)
			}
		}
	}
}

// Every input of the draw's key must change it, and parts must not run into
// each other.
func TestDrawDependsOnAll(t *testing.T) {
	t.Parallel()
	const n = 1 << 20
	base := queueing.NewDraw(queueing.Seed{}, "a", n, "")
	for name, d := range map[string]queueing.Draw{
		"seed":  queueing.NewDraw(queueing.Seed{31: 1}, "a", n, ""),
		"sale":  queueing.NewDraw(queueing.Seed{}, "b", n, ""),
		"count": queueing.NewDraw(queueing.Seed{}, "a", n+1, ""),
		"value": queueing.NewDraw(queueing.Seed{}, "a", n, "1"),
	} {
		same := 0
		for number := range uint64(100) {
			if d.Place(number) == base.Place(number) {
				same++
			}
		}
		if same > 2 {
			t.Errorf("another %s leaves %d of 100 places", name, same)
		}
	}
}

// vector is one line of testdata/draw.json, which the page's script is held to
// as well. Numbers are decimal text: JSON readers round large ones.
type vector struct {
	Seed       string            `json:"seed"`
	Commitment string            `json:"commitment"`
	Sale       string            `json:"sale"`
	Count      string            `json:"count"`
	Mixed      string            `json:"mixed,omitempty"`
	Places     map[string]string `json:"places"`
}

func TestDrawVectors(t *testing.T) {
	t.Parallel()
	const file = "testdata/draw.json"
	if *update {
		writeVectors(t, file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var vectors []vector
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	mixed := 0
	for _, v := range vectors {
		if v.Mixed != "" {
			mixed++
		}
	}
	if len(vectors) < 60 || mixed < 10 {
		t.Errorf("%d vectors, %d of them mixed; want 60 and 10, or more", len(vectors), mixed)
	}
	for _, v := range vectors {
		seed, err := queueing.ParseSeed(v.Seed)
		if err != nil {
			t.Fatal(err)
		}
		if got := seed.Commitment(); got != v.Commitment {
			t.Errorf("seed %s: commitment %s, want %s", v.Seed, got, v.Commitment)
		}
		d := queueing.NewDraw(seed, v.Sale, atoi(t, v.Count), v.Mixed)
		for number, want := range v.Places {
			if got := d.Place(atoi(t, number)); got != atoi(t, want) {
				t.Errorf("sale %s, n=%s: Place(%s) = %d, want %s", v.Sale, v.Count, number, got, want)
			}
		}
	}
}

func atoi(t *testing.T, s string) (n uint64) {
	t.Helper()
	if _, err := fmt.Sscanf(s, "%d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func writeVectors(t *testing.T, file string) {
	t.Helper()
	counted := queueing.Seed{}
	for i := range counted {
		counted[i] = byte(i)
	}
	var vectors []vector
	mix := func(seed queueing.Seed, sale string, n uint64, mixed string) {
		v := vector{Seed: seed.String(), Commitment: seed.Commitment(), Sale: sale, Count: fmt.Sprint(n), Mixed: mixed, Places: map[string]string{}}
		d := queueing.NewDraw(seed, sale, n, mixed)
		for _, number := range []uint64{0, 1, 2, 3, n / 2, max(n, 1) - 1, n, n + 7} {
			v.Places[fmt.Sprint(number)] = fmt.Sprint(d.Place(number))
		}
		vectors = append(vectors, v)
	}
	add := func(seed queueing.Seed, sale string, n uint64) { mix(seed, sale, n, "") }
	for _, n := range []uint64{0, 1, 2, 3, 4, 5, 15, 16, 17, 255, 256, 257, 1000, 65535, 65536, 65537, 1_000_000, 10_000_000, 1 << 32, 1<<48 - 1, 1 << 48} {
		add(counted, "golden-toy", n)
	}
	add(queueing.Seed{}, "golden-toy", 20_000)
	add(counted, "socks@2026-12-03T17:00Z", 20_000)
	add(counted, "ü", 20_000)
	for i := range byte(17) { // powers of two and both neighbours, each with a seed of its own
		n := uint64(1) << i
		for _, count := range []uint64{n - 1, n, n + 1} {
			add(seedOf(i), "golden-toy", count)
		}
	}
	add(seedOf(100), "golden-toy", 999_999)
	add(seedOf(101), "golden-toy", 10_000_000)
	for i, n := range []uint64{0, 1, 2, 3, 4, 1000, 4095, 4096, 4097, 65_536, 999_999, 10_000_000} {
		mix(seedOf(byte(200+i)), "golden-toy", n, fmt.Sprintf("%064x", seedOf(byte(i)))) // as a beacon's round
	}
	mix(counted, "golden-toy", 1000, "7 12 13 28 41 49, 3")
	mix(counted, "golden-toy", 1000, "x")
	mix(counted, "socks@2026-12-03T17:00Z", 1000, "Lotto am Samstag: 7, 12 ☘ \"€\"\n")
	mix(counted, "ü", 1000, strings.Repeat("ü", queueing.MaxMix/2))
	text, err := json.MarshalIndent(vectors, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// seedOf is a seed without a pattern, the same in each run.
func seedOf(i byte) queueing.Seed { return sha256.Sum256([]byte{'s', 'e', 'e', 'd', i}) }

// The three statistics below are deterministic: seeds 0 to draws-1. Bounds are
// at p = 1e-6 under a uniformly random permutation, so a sound draw misses one
// of them with less than that chance, once, when the algorithm is chosen.
const (
	statDraws   = 2000
	statEntries = 100
	zBound      = 4.9 // two-sided normal quantile for p = 1e-6
)

func statDraw(i int) queueing.Draw {
	return queueing.NewDraw(queueing.Seed{byte(i), byte(i >> 8)}, "statistics", statEntries, "")
}

// Each number must come out at each place equally often. The sum of the
// squares over all cells has (n-1)² degrees of freedom.
func TestDrawUniform(t *testing.T) {
	t.Parallel()
	var cells [statEntries][statEntries]int
	for i := range statDraws {
		d := statDraw(i)
		for number := range uint64(statEntries) {
			cells[number][d.Place(number)]++
		}
	}
	want := float64(statDraws) / statEntries
	chi := 0.0
	for _, row := range cells {
		for _, n := range row {
			chi += (float64(n) - want) * (float64(n) - want) / want
		}
	}
	freedom := float64((statEntries - 1) * (statEntries - 1))
	if z := (chi - freedom) / math.Sqrt(2*freedom); math.Abs(z) > zBound {
		t.Errorf("chi-square %.0f at %.0f degrees of freedom, z = %.2f, bound %.1f", chi, freedom, z, zBound)
	}
}

// Coming early must not help: the correlation of number and place in one draw
// has mean 0 and variance 1/(n-1). Nor may neighbours stay together: the same
// for the places of number and number+1, in a circle, whose mean is -1/(n-1).
func TestDrawIndependent(t *testing.T) {
	t.Parallel()
	const n = statEntries
	mean, variance := float64(n-1)/2, float64(n*n-1)/12
	var arrival, neighbour float64
	for i := range statDraws {
		d := statDraw(i)
		for number := range uint64(n) {
			p := float64(d.Place(number)) - mean
			q := float64(d.Place((number+1)%n)) - mean
			arrival += (float64(number) - mean) * p / (n * variance)
			neighbour += p*q/(n*variance) + 1.0/(n-1)/n
		}
	}
	spread := math.Sqrt(statDraws / float64(n-1))
	for name, sum := range map[string]float64{"arrival": arrival, "neighbour": neighbour} {
		if z := sum / spread; math.Abs(z) > zBound {
			t.Errorf("correlation with %s: z = %.2f over %d draws, bound %.1f", name, z, statDraws, zBound)
		}
	}
}

func TestParseSeedRefuses(t *testing.T) {
	t.Parallel()
	good := queueing.Seed{7}.String()
	if s, err := queueing.ParseSeed(good); err != nil || s != (queueing.Seed{7}) {
		t.Errorf("ParseSeed(%s) = %v, %v", good, s, err)
	}
	for _, text := range []string{"", good[1:], good + "0", "g" + good[1:]} {
		if _, err := queueing.ParseSeed(text); err == nil {
			t.Errorf("ParseSeed(%q) accepted", text)
		}
	}
}

func BenchmarkPlace(b *testing.B) {
	for _, n := range []uint64{1_000_000, 1<<20 + 1, 10_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := queueing.NewDraw(queueing.Seed{1}, "golden-toy", n, "")
			b.ReportAllocs()
			number := uint64(0)
			for b.Loop() {
				d.Place(number % n)
				number += 7919
			}
		})
	}
}
