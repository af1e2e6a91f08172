package configs_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// TestIrregular: a pipe in the folder of the sales, or where a file is named, is refused
// and never waited for: nobody writes into it.
func TestIrregular(t *testing.T) {
	t.Parallel()
	file := folder(t, smallOperator, map[string]string{"a.yaml": smallSale})
	pipe := filepath.Join(filepath.Dir(file), "sales", "b.yaml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func() error{
		"sale":     func() error { _, _, err := configs.LoadSaleFile(pipe, now); return err },
		"operator": func() error { _, err := configs.Load(file, environment, now); return err },
		"roots":    func() error { _, err := configs.ReadRoots("origin.ca_root", pipe); return err },
	} {
		said := make(chan error, 1)
		go func() { said <- read() }()
		select {
		case err := <-said:
			if err == nil || !strings.Contains(err.Error(), "not a regular file") {
				t.Errorf("%s: got %v, want that it is no regular file", name, err)
			}
		case <-time.After(time.Minute):
			t.Errorf("%s: waits for the other end of a pipe", name)
		}
	}
}

// TestIrregular_Logo: nor is it proposed in its own place.
func TestIrregular_Logo(t *testing.T) {
	t.Parallel()
	file := folder(t, "", nil)
	if err := syscall.Mkfifo(filepath.Join(filepath.Dir(file), "logo.svg"), 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, file, smallSale+"brand: {logo: logo.svg, logo_text: Toy House}\n")
	if _, _, err := configs.LoadSaleFile(file, now); err == nil || !strings.Contains(err.Error(), `"logo.svg" is not a file, name a file`) {
		t.Errorf("got %v, want that it is no file", err)
	}
}
