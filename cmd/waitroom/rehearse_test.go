package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/cmd/internal/rehearsal"
	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/configs"
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
		"no shoppers": {[]string{"--config", file}, "golden-toy cannot be rehearsed: shoppers 0, say how many come"},
		"a fraction":  {[]string{"--config", file, "--shoppers", "5", "--buy", "0.07"}, "write 7%, or with the sign what it says: 0.07%"},
		"no share":    {[]string{"--config", file, "--shoppers", "5", "--no-shows", "140%"}, "a share from 0% to 100%"},
		"other sale":  {[]string{"--config", file, "--shoppers", "5", "--sale", "shoes"}, `--sale "shoes": there is none of that name in `},
		"a fault":     {[]string{"--config", saleFile(t, strings.Replace(rehearsed, "50/s", "50", 1)), "--shoppers", "5"}, "admit"},
		"a room":      {[]string{"--config", saleFile(t, "sale: shop\ntitle: The shop\nroom: /\nadmit: 5/s\n"), "--shoppers", "5"}, "nothing to rehearse"},
	} {
		if code, out, errs := command(append([]string{"rehearse"}, test.args...)...); code != 2 || !strings.Contains(errs, test.want) {
			t.Errorf("%s: exit %d, out %q, said %q; want 2 and %q", name, code, out, errs, test.want)
		}
	}
}

// played runs the command with a report made beforehand.
func played(r *rehearsal.Report, args ...string) (code int, out, errs string) {
	var o, e strings.Builder
	cmd := rehearseBy(func(context.Context, *configs.Sale, rehearsal.Options) (*rehearsal.Report, error) { return r, nil })
	root := wiring.NewRoot("waitroom", "", "")
	root.AddCommand(cmd)
	code = wiring.Execute(context.Background(), root, append([]string{"rehearse"}, args...), &o, &e)
	return code, o.String(), e.String()
}

// A broken promise is told, and fails the command.
func TestRehearse_BrokenPromise(t *testing.T) {
	t.Parallel()
	file := saleFile(t, rehearsed)
	for _, test := range []struct {
		kept bool
		code int
		said string
	}{{true, 0, ""}, {false, 1, "a promise was broken"}} {
		r := &rehearsal.Report{Checks: []rehearsal.Check{{Name: "first", Kept: true}, {Name: "second", Kept: test.kept}}}
		for _, form := range []string{"--json=true", "--json=false"} {
			code, out, errs := played(r, "--config", file, "--shoppers", "5", form)
			if code != test.code || !strings.Contains(errs, test.said) || test.kept && errs != "" || !strings.Contains(out, "second") {
				t.Errorf("kept %t, %s: exit %d, out %q, said %q; want %d and %q", test.kept, form, code, out, errs, test.code, test.said)
			}
		}
	}
}

// Who asks for much is told before how long it takes; nobody else is.
func TestRehearse_SaysHowLongItTakes(t *testing.T) {
	t.Parallel()
	large := strings.NewReplacer("stock: 5\n", "stock: 20000\n", "50/s", "200/s").Replace(rehearsed)
	for name, test := range map[string]struct {
		text, shoppers string
		told           bool
	}{
		"small":            {rehearsed, "1000", false},
		"a large stock":    {large, "100000", true},
		"but few who come": {large, "100", false},
		"a large crowd":    {rehearsed, "1000000", true},
	} {
		if _, _, errs := played(&rehearsal.Report{}, "--config", saleFile(t, test.text), "--shoppers", test.shoppers); strings.Contains(errs, "this takes about ") != test.told {
			t.Errorf("%s: said %q, want how long it takes: %t", name, errs, test.told)
		}
	}
}
