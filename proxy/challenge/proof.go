package challenge

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
)

// Puzzles is how many small puzzles make one proof. Each takes a number of hashes
// that is geometrically distributed around 2^bits, so that the hashes of a proof
// have a mean of 16 × 2^bits and a standard deviation of a quarter of that: of a
// hundred shoppers one takes 1.7 times as long as the average. One puzzle of the
// same mean would keep that one waiting for 4.6 times as long.
const Puzzles = 16

const solutionSize = 4 * Puzzles // a nonce of four bytes each

// puzzle is what is hashed: the SHA-256 of the challenge's text, the puzzle's
// index and a nonce. It fits into one block of SHA-256.
type puzzle [sha256.Size + 4 + 4]byte

func newPuzzle(text string) *puzzle {
	var p puzzle
	sum := sha256.Sum256([]byte(text))
	copy(p[:], sum[:])
	return &p
}

// zeros is how many bits are zero at the beginning of the hash.
func (p *puzzle) zeros(index int, nonce uint32) int {
	binary.BigEndian.PutUint32(p[sha256.Size:], uint32(index))
	binary.BigEndian.PutUint32(p[sha256.Size+4:], nonce)
	sum := sha256.Sum256(p[:])
	return bits.LeadingZeros64(binary.BigEndian.Uint64(sum[:]))
}

// Solved reports whether a solution is one of the challenge with this text: for
// each puzzle i from 0 on a nonce, so that
//
//	SHA-256(SHA-256(text) || i || nonce)
//
// begins with so many bits of zero. i and nonce are four bytes, big-endian; the
// solution is all nonces, in order, in unpadded base64url: 86 characters. The
// first puzzle that is not solved ends the judging.
func Solved(text string, bits int, solution string) bool {
	var nonces [solutionSize]byte
	if len(solution) != wireEncoding.EncodedLen(solutionSize) {
		return false
	}
	if n, err := wireEncoding.Decode(nonces[:], []byte(solution)); err != nil || n != solutionSize {
		return false
	}
	p := newPuzzle(text)
	for i := range Puzzles {
		if p.zeros(i, binary.BigEndian.Uint32(nonces[4*i:])) < bits {
			return false
		}
	}
	return true
}

// Solve finds a solution, with about 16 × 2^bits hashes.
func Solve(text string, bits int) string {
	nonces := make([]byte, 0, solutionSize)
	p := newPuzzle(text)
	for i := range Puzzles {
		nonce := uint32(0)
		for p.zeros(i, nonce) < bits {
			nonce++
		}
		nonces = binary.BigEndian.AppendUint32(nonces, nonce)
	}
	return wireEncoding.EncodeToString(nonces)
}
