package static

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/png"
	"strings"
	"testing"
)

const golden = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40"><rect width="120" height="40" rx="8" fill="#8a6508"/><circle cx="20" cy="20" r="9" fill="#fff"/></svg>`

func drawn(t *testing.T, width, height int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// webp is the head of one of each kind, 300 by 60.
func webp(kind string, flags byte) []byte {
	body := make([]byte, 20)
	switch kind {
	case "VP8 ":
		copy(body, "\x00\x00\x00\x9d\x01\x2a")
		binary.LittleEndian.PutUint16(body[6:], 300)
		binary.LittleEndian.PutUint16(body[8:], 60)
	case "VP8L":
		body[0] = 0x2f
		binary.LittleEndian.PutUint32(body[1:], 299|59<<14)
	case "VP8X":
		body[0] = flags
		body[4], body[5], body[7] = 299&255, 299>>8, 59
	}
	return append([]byte("RIFF\x00\x00\x00\x00WEBP"+kind+"\x00\x00\x00\x00"), body...)
}

func TestLogo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		data          []byte
		width, height int
		begins        string
	}{
		"svg":             {[]byte(golden), 168, 56, "src=\"data:image/svg+xml,%3Csvg xmlns=%22http"},
		"svg by its size": {[]byte(`<?xml version="1.0"?><!-- made by hand --><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"><svg xmlns="http://www.w3.org/2000/svg" width="10mm" height="20mm"/>`), 28, 56, "src=\"data:image/svg"},
		"svg of no size":  {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), 112, 56, "src=\"data:image/svg"},
		"parts of itself": {[]byte(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 10 10"><defs><g id="a"/></defs><use xlink:href="#a" fill="url(#b)"/><style>.a{fill:url( '#b' )}</style></svg>`), 56, 56, "src=\"data:image/svg"},
		"png":             {drawn(t, 480, 96), 240, 48, "src=\"data:image/png;base64,iVBOR"},
		"webp lossy":      {webp("VP8 ", 0), 240, 48, "src=\"data:image/webp;base64,"},
		"webp lossless":   {webp("VP8L", 0), 240, 48, "src=\"data:image/webp;base64,"},
		"webp extended":   {webp("VP8X", 0), 240, 48, "src=\"data:image/webp;base64,"},
	} {
		got, faults := Look{Logo: test.data, LogoText: "Toy House"}.logo()
		if faults != nil {
			t.Errorf("%s: %v", name, faults)
			continue
		}
		if got.Width != test.width || got.Height != test.height || !strings.HasPrefix(string(got.Source), test.begins) {
			t.Errorf("%s: got %d by %d, %.60s, want %d by %d, %s", name, got.Width, got.Height, got.Source, test.width, test.height, test.begins)
		}
		if end := got.Source[5 : len(got.Source)-1]; strings.ContainsAny(string(end), "\"<>&\n#") {
			t.Errorf("%s: the attribute ends too soon: %s", name, end)
		}
	}
}

// What is no plain picture is refused with what it is, not passed on in the hope that
// the browser knows.
func TestLogoRefused(t *testing.T) {
	t.Parallel()
	in := func(inner string) []byte {
		return []byte("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\">\n" + inner + "</svg>")
	}
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"script":              {in(`<script>alert(1)</script>`), "a script in line 2"},
		"script by prefix":    {[]byte(`<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:script href="#x"/></s:svg>`), "a script in line 1"},
		"handler":             {in(`<rect onload="alert(1)"/>`), "a script (onload)"},
		"handler, large":      {in(`<rect OnClick="alert(1)"/>`), "a script (OnClick)"},
		"another file":        {in(`<image href="https://example.com/x.png"/>`), "a link to something else"},
		"another file, old":   {in(`<image xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="//example.com/x.png"/>`), "a link to something else"},
		"picture in picture":  {in(`<image href="data:image/svg+xml,%3Csvg/%3E"/>`), "a link to something else"},
		"script address":      {in(`<a href="javascript:alert(1)"><rect/></a>`), "a link to something else"},
		"part of another":     {in(`<use href="x.svg#a"/>`), "a link to something else"},
		"style":               {in(`<style>@import "https://example.com/x.css";</style>`), "a style that loads something else"},
		"style, hidden":       {in(`<style><![CDATA[a{fill:url( "https://example.com/x" )}]]></style>`), "a style that loads something else"},
		"style of a part":     {in(`<rect style="fill:url(https://example.com/x#y)"/>`), "a style that loads something else"},
		"part of a web page":  {in(`<foreignObject><p xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>`), "a piece of a web page"},
		"words of its own":    {[]byte(`<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><svg xmlns="http://www.w3.org/2000/svg"/>`), "entities"},
		"other style sheet":   {[]byte(`<?xml-stylesheet href="x.css"?><svg xmlns="http://www.w3.org/2000/svg"/>`), "a note to programs"},
		"movement":            {in(`<rect><animate attributeName="x" dur="1s"/></rect>`), "moves"},
		"movement by style":   {in(`<style>@keyframes a{}</style>`), "moves"},
		"movement, old":       {in(`<style>@-webkit-keyframes a{}</style>`), "moves"},
		"movement, large":     {in(`<style>@KEYFRAMES a{}</style>`), "moves"},
		"script, large":       {in(`<SCRIPT>alert(1)</SCRIPT>`), "a script in line 2"},
		"script of an event":  {in(`<rect xmlns:e="http://www.w3.org/2001/xml-events" e:handler="#x"/>`), "a script (handler)"},
		"style in numbers":    {in(`<style>@\69mport "https://example.com/x.css";</style>`), "a style that loads something else"},
		"part in numbers":     {in(`<rect style="fill:u\72l(https://example.com/x)"/>`), "a style that loads something else"},
		"style, next line":    {in("<style>a{fill:url(\n'https://example.com/x')}</style>"), "a style that loads something else"},
		"kind of a file":      {[]byte(`<!DOCTYPE svg SYSTEM "file:///etc/passwd"><svg xmlns="http://www.w3.org/2000/svg"/>`), "a link to something else"},
		"size of no number":   {[]byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 NaN Inf"/>`), "pixels large"},
		"too deep":            {in(strings.Repeat("<g>", 300) + strings.Repeat("</g>", 300)), "without an end"},
		"broken off":          {[]byte(golden[:120]), "breaks off in line 1"},
		"no namespace":        {[]byte(`<svg viewBox="0 0 1 1"/>`), "has no namespace"},
		"web page":            {[]byte(`<!doctype html><svg></svg>`), "is no picture that we know"},
		"nothing of the kind": {[]byte("Toy House"), "is no picture that we know"},
		"jpeg":                {[]byte("\xff\xd8\xff\xe0 JFIF"), "is a JPEG picture"},
		"png, moving":         {bytes.Replace(drawn(t, 9, 9), []byte("IDAT"), []byte("acTL"), 1), "moves"},
		"png, broken":         {drawn(t, 9, 9)[:20], "cannot be read"},
		"png, vast":           {drawn(t, 3000, 3000), "3000 by 3000"},
		"webp, moving":        {webp("VP8X", 2), "moves"},
		"webp, short":         {webp("VP8 ", 0)[:25], "cannot be read"},
		"webp, empty":         {webp("VP8?", 0), "cannot be read"},
		"long and thin":       {[]byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 9"/>`), "too long and thin"},
	} {
		if _, faults := (Look{Logo: test.data, LogoText: "x"}).logo(); len(faults) != 1 || !strings.Contains(faults.Error(), test.want) || faults[0].Right == "" {
			t.Errorf("%s: got %v, want %q and what would be right", name, faults, test.want)
		}
	}
}

func FuzzReadPicture(f *testing.F) {
	f.Add([]byte(golden))
	f.Add(webp("VP8X", 0))
	f.Add([]byte("\x89PNG\r\n\x1a\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, wrong := readPicture(data)
		if wrong == nil && (p.width <= 0 || p.height <= 0 || p.kind == "") {
			t.Errorf("accepted %+v", p)
		}
		_, _ = base64.StdEncoding.DecodeString(string(source("image/png", data)))
	})
}
