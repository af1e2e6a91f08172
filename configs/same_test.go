package configs_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/configs"
)

// TestSame: a sale is the same when its file is read again, and not when any
// of its keys says something else.
func TestSame(t *testing.T) {
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
buckets: 3
per_account: 1
admit: 2000/s
burst: 200
hold: 10m
late_payment: rehold
mix: drand round 5213377
one_ticket_per_account: true
price: 19.90 EUR
invitations: 50
languages: [de, en]
brand: {colour: "#8a6508", texts: {waiting.lead: Hold on}}
`
	dir := t.TempDir()
	read := func(text string) *configs.Sale {
		t.Helper()
		name := filepath.Join(dir, "sale.yaml")
		write(t, name, text)
		s, _, err := configs.LoadSaleFile(name, now)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := read(text)
	if again := read("# a remark\n" + text); !first.Same(again) {
		t.Error("read again: not the same")
	}
	for _, change := range [][2]string{
		{"Golden toy", "Silver toy"}, {"Europe/Berlin", "Europe/Paris"}, {"09:30", "09:31"}, {"10:00", "10:01"},
		{"12:00", "12:01"}, {"page: /toys/golden", "page: /toys/silver"}, {"POST", "PUT"}, {"/checkout", "/pay"},
		{"stock: 100", "stock: 101"}, {"buckets: 3", "buckets: 4"}, {"per_account: 1", "per_account: 2"}, {"2000/s", "2000/min"},
		{"burst: 200", "burst: 201"}, {"10m", "11m"}, {"rehold", "refund"}, {"5213377", "5213378"}, {"account: true", "account: false"},
		{"19.90", "19.91"}, {"EUR", "USD"},
		{"invitations: 50", "invitations: 51"}, {"de, en", "en, de"}, {"#8a6508", "#8a6509"}, {"Hold on", "Hold off"}, {"golden-toy", "golden-toy-2"},
	} {
		if other := read(strings.Replace(text, change[0], change[1], 1)); first.Same(other) {
			t.Errorf("with %q for %q: still the same", change[1], change[0])
		}
	}
}

// TestRoomSame is TestSame for rooms.
func TestRoomSame(t *testing.T) {
	t.Parallel()
	const text = `sale: whole-shop
title: The shop
timezone: Europe/Berlin
room: /shop
except: [/shop/static, /shop/assets]
admit: 100/s
burst: 100
max_active: 5000
pass_life: 20m sliding
waiting_status: 200
languages: [de, en]
brand: {colour: "#8a6508"}
`
	dir := t.TempDir()
	read := func(text string) *configs.Room {
		t.Helper()
		name := filepath.Join(dir, "room.yaml")
		write(t, name, text)
		_, r, err := configs.LoadSaleFile(name, now)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := read(text)
	for _, same := range []string{"# a remark\n" + text, strings.Replace(text, "Berlin", "Paris", 1),
		strings.Replace(text, "20m sliding", "20m", 1), strings.Replace(text, "20m sliding", "20m   sliding", 1), strings.Replace(text, "burst: 100\n", "", 1)} {
		if !first.Same(read(same)) {
			t.Errorf("not the same as\n%s", same)
		}
	}
	for _, change := range [][2]string{
		{"whole-shop", "shop"}, {"The shop", "The hall"}, {"room: /shop", "room: /"}, {"/static", "/statics"}, {", /shop/assets", ""}, {"100/s", "100/min"}, {"burst: 100", "burst: 99"},
		{"5000", "5001"}, {"20m", "21m"}, {"sliding", "fixed"}, {"200", "503"}, {"de, en", "de"}, {"#8a6508", "#8a6509"},
	} {
		if other := read(strings.Replace(text, change[0], change[1], 1)); first.Same(other) {
			t.Errorf("with %q for %q: still the same", change[1], change[0])
		}
	}
}
