package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/static"
)

// TestNever: a preview shows no page that its sale cannot come to, and no more units than it
// has.
func TestNever(t *testing.T) {
	t.Parallel()
	shown := func(text string) string {
		file := filepath.Join(t.TempDir(), "toy.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, frame := look(t, newGallery(file), "/")
		return frame
	}
	bare := shown(rehearsed)
	for key, says := range map[string]string{
		"mix: lottery numbers of 1 May": "The draw waits for its public value", "match_stock: true": "Your turn, within a minute",
		"one_ticket_per_account: true": "Only with an account", "invitations: 5": "Invited",
	} {
		if with := shown(rehearsed + key + "\n"); strings.Contains(bare, ">"+says+"<") || !strings.Contains(with, ">"+says+"<") {
			t.Errorf("%s: want %q with it alone", key, says)
		}
	}
	if off := shown(rehearsed + "shed: off\n"); !strings.Contains(bare, ">Too far back<") || strings.Contains(off, ">Too far back<") {
		t.Error("want who is too far back where somebody is told so, and there alone")
	}
	if !strings.Contains(bare, ">At the door: a proof is asked for<") {
		t.Error("want what may be asked at the door where the operator's file is not known")
	}
	dir := t.TempDir()
	for asks, want := range map[string]bool{"off": false, "{suspicious: behind}": false, "{proof: true}": true, `{check: {kind: turnstile, site_key: x, secret: "${NOT_THERE}"}}`: true} {
		plan := filepath.Join(dir, "waitroom.yaml")
		for name, text := range map[string]string{plan: "bots: " + asks + "\nsales: [toy.yaml]\n", filepath.Join(dir, "toy.yaml"): rehearsed} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, frame := look(t, newGallery(plan), "/")
		if got := strings.Contains(frame, ">At the door: a proof is asked for<"); got != want {
			t.Errorf("bots: %s: a proof is shown: %t", asks, got)
		}
	}
	sale := configs.Sale{Stock: 3}
	if got := never(&sale, &configs.Config{}); !slices.Contains(got, "prove") || slices.Contains(got, "behind") {
		t.Errorf("without bots in the operator's file: got %v", got)
	}
	v := static.View{StockLeft: 37, StockHeld: 63}
	if ofSale(&v, &sale); v.StockLeft != 1 || v.StockHeld != 2 {
		t.Errorf("got %d left and %d held of 3", v.StockLeft, v.StockHeld)
	}
	all := static.View{StockHeld: 100}
	if ofSale(&all, &sale); all.StockLeft != 0 || all.StockHeld != 3 {
		t.Errorf("all held: got %d left and %d held of 3", all.StockLeft, all.StockHeld)
	}
}

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
