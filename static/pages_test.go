package static_test

import (
	"bytes"
	"compress/gzip"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/waitroom/waitroom/static"
)

// TestEveryPageInEveryLanguage: each is whole, says which language it is in, and comes with
// the first packets.
func TestEveryPageInEveryLanguage(t *testing.T) {
	t.Parallel()
	for _, lang := range static.Languages() {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			v := full
			v.Lang, v.Posted = lang, true
			for _, p := range static.Known() {
				page := render(t, p, v)
				if want := `<html lang="` + lang + `" dir="`; !strings.Contains(page, want) {
					t.Errorf("%s: got no %s", p, want)
				}
				for line := range strings.Lines(said(t, page)) {
					if unfilled.MatchString(line) {
						t.Errorf("%s: is not filled: %s", p, line)
					}
				}
				if n := packed(t, page); n > 14<<10 {
					t.Errorf("%s: %d bytes compressed, want at most %d", p, n, 14<<10)
				}
			}
		})
	}
}

var unfilled = regexp.MustCompile(`\{\w*\}?|<no value>|ZgotmplZ`)

// said are the words of a page, and those in attributes that are read out.
func said(t *testing.T, page string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(ready.ReplaceAllString(page, `<template id="live"`)))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for n := range root.Descendants() {
		inside := n.Parent != nil && (n.Parent.Data == "style" || n.Parent.Data == "script")
		if n.Type == html.TextNode && !inside {
			out.WriteString(strings.TrimSpace(n.Data) + "\n")
		}
		for _, a := range n.Attr {
			switch a.Key {
			case "aria-label", "alt", "data-from", "data-busy", "data-name", "data-opening":
				out.WriteString(a.Val + "\n")
			}
		}
	}
	return out.String()
}

func packed(t *testing.T, page string) int {
	t.Helper()
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = z.Write([]byte(page))
	_ = z.Close()
	return out.Len()
}

// The instants of a sale are told by its own clocks, as the language writes them, and the
// day only if it is not the one on which it is read.
func TestInstants(t *testing.T) {
	t.Parallel()
	zones := map[string]*time.Location{}
	for _, name := range []string{"Europe/Berlin", "America/Argentina/Buenos_Aires", "Asia/Kolkata", "UTC", "Etc/GMT+5", "America/St_Johns"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		zones[name] = zone
	}
	at := func(zone string, month time.Month, day, hour, minute int) time.Time {
		return time.Date(2026, month, day, hour, minute, 0, 0, zones[zone])
	}
	for _, test := range []struct {
		lang, zone string
		at, now    time.Time
		want       string
	}{
		{"en", "Europe/Berlin", at("UTC", 11, 27, 9, 0), at("UTC", 11, 27, 1, 0), "10:00 (Berlin, UTC+1)"},
		{"en", "Europe/Berlin", at("UTC", 7, 3, 8, 0), at("UTC", 7, 2, 20, 0), "Friday 3 July, 10:00 (Berlin, UTC+2)"},
		{"en", "Europe/Berlin", at("UTC", 7, 3, 8, 0), at("UTC", 7, 2, 22, 30), "10:00 (Berlin, UTC+2)"}, // their night was ours
		{"de", "Asia/Kolkata", at("Asia/Kolkata", 1, 1, 0, 5), at("UTC", 1, 1, 0, 0), "00:05 Uhr (Kolkata, UTC+5:30)"},
		{"fr", "America/Argentina/Buenos_Aires", at("UTC", 2, 28, 3, 0), at("UTC", 2, 1, 0, 0), "samedi 28 février"},
		{"pl", "UTC", at("UTC", 5, 4, 7, 30), at("UTC", 5, 3, 0, 0), "poniedziałek, 4 maja"},
		{"ko", "UTC", at("UTC", 5, 4, 12, 5), at("UTC", 5, 4, 0, 0), "오후 12:05"},
		{"zh-Hant", "Etc/GMT+5", at("Etc/GMT+5", 5, 4, 0, 5), at("Etc/GMT+5", 5, 4, 0, 0), "上午12:05"},
		{"ja", "UTC", at("UTC", 12, 31, 9, 5), at("UTC", 12, 30, 0, 0), "12月31日木曜日"},
		{"en", "America/St_Johns", at("UTC", 12, 31, 9, 30), at("UTC", 12, 31, 9, 0), "06:00 (St Johns, UTC−3:30)"},
	} {
		v := static.View{Lang: test.lang, OpensAt: static.NewMoment(test.at, test.now, zones[test.zone])}
		if got := said(t, render(t, static.Lottery, v)); !strings.Contains(got, test.want) {
			t.Errorf("%s, %v at %v: got\n%s\nwant %q in it", test.lang, test.at, test.now, got, test.want)
		}
	}
	page := render(t, static.Lottery, full)
	if want := `<time datetime="2026-11-27T10:00+01:00">`; !strings.Contains(page, want) {
		t.Errorf("the script does not find the instant:\n%s", page)
	}
}

// What is written in another direction does not take the words beside it along.
func TestDirections(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ lang, title, want string }{
		{"ar", "Golden toy 2", "\u2068Golden toy 2\u2069"},
		{"en", "لعبة ذهبية", "\u2068لعبة ذهبية\u2069"},
		{"en", "Golden toy 2", "· Golden toy 2</title>"},
	} {
		page := render(t, static.Lottery, static.View{Lang: test.lang, Title: test.title})
		if !strings.Contains(page, test.want) {
			t.Errorf("%s: got no %q in\n%s", test.lang, test.want, page)
		}
	}
}

// The other languages are offered by their own names, but no others than a sale has, and
// none where there is no choice. The answer to a form leads back to the line.
func TestChoiceOfLanguage(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`<a lang="([^"]*)" href="([^"]*)">([^<]*)</a>`)
	for _, test := range []struct {
		name string
		page static.Page
		view static.View
		want []string
	}{
		{"some", static.Lottery, static.View{Lang: "de", Offered: "en de zh-Hant"}, []string{
			`en /.waitroom/language?to=en English`, `zh-Hant /.waitroom/language?to=zh-Hant 繁體中文`}},
		{"posted", static.SoldOut, static.View{Sale: "toy", Offered: "en ja", Posted: true}, []string{
			`ja /.waitroom/language?to=ja&amp;back=%2f.waitroom%2ftoy%2fline 日本語`}},
		{"one", static.Lottery, static.View{Offered: "en"}, nil},
		{"in a frame", static.Framed, static.View{Offered: "en ja"}, nil},
	} {
		page := render(t, test.page, test.view)
		var got []string
		for _, found := range link.FindAllStringSubmatch(page, -1) {
			got = append(got, strings.Join(found[1:], " "))
		}
		if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, strings.Join(got, "\n"), strings.Join(test.want, "\n"))
		}
		if strings.Contains(page, "<details class=\"languages\"") != (test.want != nil) {
			t.Errorf("%s: a menu without a choice", test.name)
		}
	}
	if got, want := strings.Count(render(t, static.Lottery, static.View{}), `?to=`), len(static.Languages())-1; got != want {
		t.Errorf("%d languages besides, want %d", got, want)
	}
}
