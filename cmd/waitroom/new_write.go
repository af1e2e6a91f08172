package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// writeNew writes a file that is not there yet, whole or not at all: under another name
// first, which then becomes its own unless somebody else has made one meanwhile.
func writeNew(file string, text []byte) (err error) {
	whole, err := os.CreateTemp(filepath.Dir(file), ".new-sale-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	defer func() { _ = os.Remove(whole.Name()) }()
	_, err = whole.Write(text)
	for _, step := range []func() error{func() error { return whole.Chmod(0o644) }, whole.Sync} {
		if err == nil {
			err = step()
		}
	}
	if err = errors.Join(err, whole.Close()); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	if err = os.Link(whole.Name(), file); err == nil || errors.Is(err, fs.ErrExist) {
		return inWords(file, err)
	}
	return inWords(file, moveNew(whole.Name(), file)) // no links on this disk
}

// moveNew is a link for disks that have none: the name is taken first, so that what is
// moved over is our own.
func moveNew(from, to string) error {
	taken, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(taken.Close(), os.Rename(from, to))
}

func inWords(file string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s is there by now, and no file is overwritten: %w", file, errNothing)
	}
	return fmt.Errorf("write %s: %w", file, err)
}
