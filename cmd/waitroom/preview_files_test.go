package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSights: a page that is open is shown anew when anything changes that it shows.
func TestSights(t *testing.T) {
	t.Parallel()
	const text = `sale: golden-toy
title: Golden toy
timezone: Europe/Berlin
doors: 2026-11-27 09:30
opens: 2026-11-27 10:00
closes: 2026-11-27 12:00
product_page: /toys/golden
buy: POST /toys/golden/buy
checkout: /checkout?reservation={reservation}
stock: 100
admit: 20/s
`
	s := sights{file: filepath.Join(t.TempDir(), "golden-toy.yaml")}
	seen := func(text string) int {
		t.Helper()
		if err := os.WriteFile(s.file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s.looked = time.Time{}
		got := s.look()
		if got.err != nil {
			t.Fatal(got.err)
		}
		return got.version
	}
	first := seen(text)
	if again := seen(text + "# a remark\n"); again != first {
		t.Errorf("made anew for a remark")
	}
	for _, change := range [][2]string{{"/checkout?", "/pay?"}, {"stock: 100", "stock: 3"}, {"12:00", "13:00"}} {
		last := s.last.version
		if seen(strings.Replace(text, change[0], change[1], 1)) == last {
			t.Errorf("%s: nothing changes when it becomes %s", change[0], change[1])
		}
	}
}
