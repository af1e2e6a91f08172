package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const rehearsed = `
sale: golden-toy
title: Golden toy, half price
timezone: Europe/Berlin
doors:  2099-11-26 09:55
opens:  2099-11-26 10:00
closes: 2099-11-26 10:10
product_page: /toys/golden
buy: POST /toys/golden/buy
checkout: /checkout?reservation={reservation}
stock: 5
admit: 50/s
hold: 1m
`

// saleFile writes a sale's file.
func saleFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sale.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestRehearse(t *testing.T) {
	t.Parallel()
	file := saleFile(t, rehearsed)
	code, out, errs := command("rehearse", "--config", file, "--sale", "golden-toy", "--shoppers", "200", "--no-shows", "10%", "--seed", "7")
	if code != 0 || !strings.Contains(out, "200 shoppers for 5 units at 50/s, seed 7") || !strings.Contains(out, "5 of 5 units") {
		t.Errorf("exit %d, out %q, said %q", code, out, errs)
	}
	code, out, errs = command("rehearse", "--config", file, "--shoppers", "200", "--json")
	var r struct {
		Shoppers, Bought int
		Draw             int64
		Checks           []struct{ Kept bool }
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 {
		t.Fatalf("exit %d, %v, said %q", code, err, errs)
	}
	if r.Shoppers != 200 || r.Bought != 5 || r.Draw != 4099366800000 || len(r.Checks) < 5 || !r.Checks[0].Kept {
		t.Errorf("got %+v", r)
	}
}

func TestRehearse_Refuses(t *testing.T) {
	t.Parallel()
	file := saleFile(t, rehearsed)
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no shoppers": {[]string{"--config", file}, "--shoppers 0: say how many come"},
		"no share":    {[]string{"--config", file, "--shoppers", "5", "--no-shows", "140%"}, "a share from 0% to 100%"},
		"other sale":  {[]string{"--config", file, "--shoppers", "5", "--sale", "shoes"}, `--sale "shoes": there is none of that name, but golden-toy`},
		"a fault":     {[]string{"--config", saleFile(t, strings.Replace(rehearsed, "50/s", "50", 1)), "--shoppers", "5"}, "admit"},
		"a room":      {[]string{"--config", saleFile(t, "sale: shop\ntitle: The shop\nroom: /\nadmit: 5/s\n"), "--shoppers", "5"}, "nothing to rehearse"},
	} {
		if code, out, errs := command(append([]string{"rehearse"}, test.args...)...); code != 2 || !strings.Contains(errs, test.want) {
			t.Errorf("%s: exit %d, out %q, said %q; want 2 and %q", name, code, out, errs, test.want)
		}
	}
}
