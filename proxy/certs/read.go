package certs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

const mostFile = 1 << 20 // bytes of a file of certificates or a key

var (
	errNoFile   = errors.New("is not a regular file")
	errTooLarge = fmt.Errorf("is larger than %d bytes", mostFile)
)

// readFile reads a file that somebody else puts there: nothing that could keep us
// waiting, and no more than makes sense.
func readFile(name string) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe waits for who writes
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNoFile
	}
	text, err := io.ReadAll(io.LimitReader(f, mostFile+1))
	if err == nil && len(text) > mostFile {
		err = errTooLarge
	}
	return text, err
}
