package shop

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
)

const blockSize = 64 << 10

// block is what all files are made of: blocks of it, each of which begins with
// its own number, so that no part of a file can stand for another.
var block = func() (b [blockSize]byte) {
	_, _ = rand.NewChaCha8([32]byte{}).Read(b[:]) // never fails
	return b
}()

// File is the content of the shop's file of so many bytes.
func File(size int64) *io.SectionReader { return io.NewSectionReader(content{}, 0, size) }

// content is all files: the longest of which the others are beginnings.
type content struct{}

func (content) ReadAt(b []byte, off int64) (int, error) {
	for n := 0; n < len(b); {
		number, within := (off+int64(n))/blockSize, int((off+int64(n))%blockSize)
		part := block
		binary.BigEndian.PutUint64(part[:], uint64(number))
		n += copy(b[n:], part[within:])
	}
	return len(b), nil
}

// Sum is the hash of all that a reader gives, as [Receipt] tells it.
func Sum(r io.Reader) (string, int64, error) {
	h := sha256.New()
	n, err := io.Copy(h, r)
	if err != nil {
		return "", n, fmt.Errorf("read content: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), n, nil
}
