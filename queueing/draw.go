package queueing

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
)

// Seed is the secret of a draw: made before the doors open, published after
// the draw.
type Seed [32]byte

// NewSeed makes a seed from the system's randomness.
func NewSeed() (Seed, error) {
	var s Seed
	if _, err := rand.Read(s[:]); err != nil {
		return Seed{}, fmt.Errorf("make seed: %w", err)
	}
	return s, nil
}

// ParseSeed reads the 64 hexadecimal digits of a published seed.
func ParseSeed(text string) (Seed, error) {
	var s Seed
	if len(text) != hex.EncodedLen(len(s)) {
		return Seed{}, fmt.Errorf("parse seed: %d characters, a seed has %d", len(text), hex.EncodedLen(len(s)))
	}
	if _, err := hex.Decode(s[:], []byte(text)); err != nil {
		return Seed{}, fmt.Errorf("parse seed: %w", err)
	}
	return s, nil
}

// String gives the seed in hexadecimal, as it is published.
func (s Seed) String() string { return hex.EncodeToString(s[:]) }

// Commitment is the SHA-256 of the seed's 32 bytes in hexadecimal. Published
// before the doors open, it proves afterwards that the seed was not chosen
// with the entries in view.
func (s Seed) Commitment() string {
	sum := sha256.Sum256(s[:])
	return hex.EncodeToString(sum[:])
}

const (
	drawLabel  = "waitroom draw 1"
	drawRounds = 8
)

// Draw maps the numbers [0, n) one to one onto the places [0, n): a Feistel
// network over a grid of rows × columns just large enough for n, with SHA-256
// as its round function, walked until it lands below n (Black and Rogaway,
// Ciphers with Arbitrary Finite Domains, 2002). docs/draw.md tells it for
// readers who want to compute it themselves.
//
// The key depends on n, so that somebody who learns the seed early still
// cannot aim for a number: every further entry reshuffles all of them.
type Draw struct {
	key           [sha256.Size]byte
	n             uint64
	rows, columns uint64 // rows × columns ≥ n, less than n + rows
}

// NewDraw fixes the draw of one sale (its key in stores) among n entries, up to
// 2^48. mixed is its public value, empty where the sale names none.
func NewDraw(seed Seed, sale string, n uint64, mixed string) Draw {
	var buf [256]byte
	msg := buf[:0]
	part := func(p ...byte) {
		msg = binary.BigEndian.AppendUint32(msg, uint32(len(p)))
		msg = append(msg, p...)
	}
	part([]byte(drawLabel)...)
	part(seed[:]...)
	part([]byte(sale)...)
	part(binary.BigEndian.AppendUint64(nil, n)...)
	if mixed != "" {
		part([]byte(mixed)...)
	}

	d := Draw{key: sha256.Sum256(msg), n: n}
	if n > 0 {
		d.rows = uint64(math.Ceil(math.Sqrt(float64(n))))
		d.columns = (n + d.rows - 1) / d.rows
	}
	return d
}

// Place is where a number stands after the draw. A number that entered after
// it, number ≥ n, keeps its own value: behind everyone drawn, in order of
// arrival.
func (d Draw) Place(number uint64) uint64 {
	if number >= d.n {
		return number
	}
	// Fewer than rows cells of the grid lie beyond n, so a second step is rare,
	// and a walk returns to its start, below n, at the latest.
	place := d.permute(number)
	for place >= d.n {
		place = d.permute(place)
	}
	return place
}

// permute shuffles the cells of the grid. Each round moves a cell along one
// direction, by a distance that only depends on the other.
func (d *Draw) permute(x uint64) uint64 {
	var block [sha256.Size + 1 + 8]byte // key, round, the coordinate that stays
	copy(block[:], d.key[:])
	distance := func(round byte, stays uint64) uint64 {
		block[sha256.Size] = round
		binary.BigEndian.PutUint64(block[sha256.Size+1:], stays)
		sum := sha256.Sum256(block[:])
		return binary.BigEndian.Uint64(sum[:]) >> 16 // 48 bits: a script's numbers hold 53
	}
	row, column := x/d.columns, x%d.columns
	for round := byte(0); round < drawRounds; round += 2 {
		row = (row + distance(round, column)) % d.rows
		column = (column + distance(round+1, row)) % d.columns
	}
	return row*d.columns + column
}
