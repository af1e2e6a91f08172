package main

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

const (
	inviteOperator = `tls: {mode: acme, domains: [shop.example.com, www.example.com], email: ops@example.com}
origin: {url: "http://127.0.0.1:8080"}
secret: ["the newest secret of this test, long", "an older secret of this test, as long"]
sales: ["*.sale.yaml"]
`
	inviteSale = `sale: golden-toy
title: Golden toy
timezone: Europe/Berlin
doors: 2090-11-27 09:30
opens: 2090-11-27 10:00
closes: 2090-11-27 12:00
product_page: /toys/golden
buy: POST /toys/golden/buy
checkout: /checkout?reservation={reservation}
stock: 10
admit: 30/s
`
)

// inviting is a folder with the operator's file and two sales, of which one
// invites twenty.
func inviting(t *testing.T, operator string) (file string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"waitroom.yaml":  operator,
		"a.sale.yaml":    inviteSale + "invitations: 20\n",
		"b.sale.yaml":    strings.NewReplacer("golden", "silver").Replace(inviteSale),
		"shop.sale.yaml": "sale: shop\ntitle: The shop\nroom: /\nadmit: 5/s\n",
		"over.sale.yaml": strings.NewReplacer("golden", "copper", "2090", "2025").Replace(inviteSale) + "invitations: 20\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "waitroom.yaml")
}

func TestInvitePrintsLinks(t *testing.T) {
	t.Parallel()
	file := inviting(t, inviteOperator)
	code, out, errs := command("invite", "--config", file, "--sale", "golden-toy", "--count", "3", "--first", "17", "--expires", "2090-11-27 11:00")
	links := strings.Fields(out)
	if code != 0 || errs != "" || len(links) != 3 {
		t.Fatalf("exit %d, %q, %q; want three links", code, out, errs)
	}
	newest, err := queueing.NewKeyring([]configs.Secret{configs.NewSecret("the newest secret of this test, long")})
	if err != nil {
		t.Fatal(err)
	}
	ends := time.Date(2090, 11, 27, 10, 0, 0, 0, time.UTC)
	for n, link := range links {
		u, err := url.Parse(link)
		if err != nil || u.Scheme != "https" || u.Host != "shop.example.com" || u.Path != "/.waitroom/golden-toy/invite" {
			t.Fatalf("link %s, %v", link, err)
		}
		i, err := newest.Invitation("golden-toy", u.Query().Get("i"), ends.Add(-time.Millisecond))
		if err != nil || i.Number != uint64(17+n) || !i.Expires.Equal(ends) {
			t.Errorf("link %d: %+v, %v", n, i, err)
		}
		if _, err := newest.Invitation("golden-toy", u.Query().Get("i"), ends); !errors.Is(err, queueing.ErrExpired) {
			t.Errorf("link %d at its end: %v", n, err)
		}
	}
	if _, again, _ := command("invite", "--config", file, "--sale", "golden-toy", "--count", "3", "--first", "17", "--expires", "2090-11-27 11:00"); again != out {
		t.Error("the same numbers give other links")
	}
}

func TestInviteNamesAPortWhereItTriesThingsOut(t *testing.T) {
	t.Parallel()
	file := inviting(t, strings.Replace(inviteOperator, "mode: acme, domains: [shop.example.com, www.example.com], email: ops@example.com", "mode: internal", 1)+"listen: {https: \":8443\"}\n")
	if code, out, errs := command("invite", "--config", file, "--sale", "golden-toy", "--count", "1"); code != 0 || !strings.HasPrefix(out, "https://localhost:8443/.waitroom/") {
		t.Errorf("exit %d, %q %q", code, out, errs)
	}
}

func TestInviteRefuses(t *testing.T) {
	t.Parallel()
	file := inviting(t, inviteOperator)
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no sale":        {[]string{"--count", "1"}, "--sale: name one of those in "},
		"another sale":   {[]string{"--sale", "bronze-toy", "--count", "1"}, `--sale "bronze-toy": there is none of that name in `},
		"none of three":  {[]string{"--count", "1"}, "copper-toy, golden-toy, silver-toy"},
		"a room":         {[]string{"--sale", "shop", "--count", "1"}, "--sale shop: that is a room"},
		"no whole count": {[]string{"--sale", "golden-toy", "--count", "x"}, `--count "x": write a whole number`},
		"does not":       {[]string{"--sale", "silver-toy", "--count", "1"}, "invites nobody; write invitations"},
		"closed":         {[]string{"--sale", "copper-toy", "--count", "1"}, "has closed"},
		"no count":       {[]string{"--sale", "golden-toy"}, "--count"},
		"no such number": {[]string{"--sale", "golden-toy", "--count", "1", "--first", "-1"}, "--first"},
		"too many":       {[]string{"--sale", "golden-toy", "--count", "21"}, "the 20 invitations 0 to 19"},
		"beyond":         {[]string{"--sale", "golden-toy", "--count", "2", "--first", "19"}, "the 20 invitations 0 to 19"},
		"far beyond":     {[]string{"--sale", "golden-toy", "--count", "9223372036854775807", "--first", "9223372036854775807"}, "the 20 invitations"},
		"no time":        {[]string{"--sale", "golden-toy", "--count", "1", "--expires", "noon"}, "--expires"},
		"over":           {[]string{"--sale", "golden-toy", "--count", "1", "--expires", "2024-01-01 10:00"}, "2024-01-01 10:00 is over"},
		"after closing":  {[]string{"--sale", "golden-toy", "--count", "1", "--expires", "2090-11-27 12:01"}, "closes before"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := command(append([]string{"invite", "--config", file}, test.args...)...)
			if code != 2 || out != "" || !strings.Contains(errs, test.want) {
				t.Errorf("exit %d, said %q and %q; want 2 and %q", code, out, errs, test.want)
			}
		})
	}
}
