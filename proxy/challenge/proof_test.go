package challenge_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/proxy/challenge"
)

func TestSolved(t *testing.T) {
	t.Parallel()
	const text, bits = "AQsAAAGf", 8
	solution := challenge.Solve(text, bits)
	raw, err := base64.RawURLEncoding.DecodeString(solution)
	if err != nil {
		t.Fatal(err)
	}
	swapped := append(append(append([]byte{}, raw[4:8]...), raw[:4]...), raw[8:]...)
	for _, test := range []struct {
		name, text, solution string
		bits                 int
		want                 bool
	}{
		{"as it was asked", text, solution, bits, true},
		{"for less", text, solution, bits - 1, true},
		{"for more", text, solution, bits + 8, false},
		{"for another challenge", "AQsAAAGg", solution, bits, false},
		{"nothing", text, "", bits, false},
		{"zeros", text, strings.Repeat("A", len(solution)), bits, false},
		{"too short", text, solution[:len(solution)-4], bits, false},
		{"too long", text, solution + "AAAA", bits, false},
		{"not base64", text, solution[:len(solution)-1] + "!", bits, false},
		{"two puzzles swapped", text, base64.RawURLEncoding.EncodeToString(swapped), bits, false},
		{"huge", text, strings.Repeat("A", 1<<20), bits, false},
	} {
		if got := challenge.Solved(test.text, test.bits, test.solution); got != test.want {
			t.Errorf("%s: got %t, want %t", test.name, got, test.want)
		}
	}
}

// TestSolvedAsDocumented solves as the documentation says, with nothing of ours.
func TestSolvedAsDocumented(t *testing.T) {
	t.Parallel()
	const text, difficulty = "any text", 6
	seed := sha256.Sum256([]byte(text))
	var nonces []byte
	for i := range uint32(16) {
		for nonce := uint32(1000); ; nonce++ { // from wherever one likes
			block := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(seed[:], i), nonce)
			sum := sha256.Sum256(block)
			if bits.LeadingZeros32(binary.BigEndian.Uint32(sum[:])) >= difficulty {
				nonces = binary.BigEndian.AppendUint32(nonces, nonce)
				break
			}
		}
	}
	if !challenge.Solved(text, difficulty, base64.RawURLEncoding.EncodeToString(nonces)) {
		t.Error("what is solved as documented is not taken for solved")
	}
}

// TestSpread: a proof takes 16 × 2^bits hashes on average, and a quarter of that
// more or less.
func TestSpread(t *testing.T) {
	t.Parallel()
	const bits, proofs = 6, 2000
	var sum, squares float64
	for i := range proofs {
		raw, err := base64.RawURLEncoding.DecodeString(challenge.Solve(fmt.Sprint("challenge ", i), bits))
		if err != nil {
			t.Fatal(err)
		}
		hashes := 0.
		for ; len(raw) > 0; raw = raw[4:] {
			hashes += float64(binary.BigEndian.Uint32(raw)) + 1
		}
		sum, squares = sum+hashes, squares+hashes*hashes
	}
	mean := sum / proofs
	deviation := math.Sqrt(squares/proofs - mean*mean)
	if want := 16 * math.Exp2(bits); math.Abs(mean/want-1) > 0.05 || math.Abs(deviation/want*4-1) > 0.15 {
		t.Errorf("a proof takes %.0f ± %.0f hashes, want %.0f ± %.0f", mean, deviation, want, want/4)
	}
}

func BenchmarkSolved(b *testing.B) {
	const text = "AQ4AAAGfY0T0gEqJx4bq8mH3pG5u1bq8mH3pG5u1bq8mH3pG5u1bq8m"
	for name, solution := range map[string]string{
		"right": challenge.Solve(text, challenge.LeastBits), "wrong": strings.Repeat("A", 86),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				challenge.Solved(text, challenge.LeastBits, solution)
			}
		})
	}
}

// BenchmarkSolve is what a proof costs somebody who does not use a browser.
func BenchmarkSolve(b *testing.B) {
	for i := 0; b.Loop(); i++ {
		challenge.Solve(fmt.Sprint(i), challenge.MostBits)
	}
}
