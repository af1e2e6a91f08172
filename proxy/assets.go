package proxy

import (
	"bytes"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// mostAssets is how many of a page's parts are warmed with it; the first ones are
// what a browser needs first.
const mostAssets = 64

// assets are the targets of a page that a browser fetches along with it from the
// same host: style sheets, scripts, icons, images and what is to be preloaded, each
// once, in order.
func assets(page []byte, host, path string) []string {
	base := &url.URL{Scheme: "https", Host: host, Path: path}
	var targets []string
	seen := map[string]bool{}
	add := func(ref string) {
		u, err := base.Parse(strings.TrimSpace(ref))
		if err != nil || u.Scheme != "https" || foldHost(u.Host) != foldHost(host) || ref == "" || len(targets) == mostAssets {
			return
		}
		folded := foldPath(u.EscapedPath())
		if folded == foldPath(path) || strings.HasPrefix(folded, prefix) { // itself, and what is not the origin's
			return
		}
		if t := u.RequestURI(); !seen[t] {
			seen[t] = true
			targets = append(targets, t)
		}
	}
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return targets
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			if t.DataAtom == atom.Base {
				if u, err := base.Parse(attribute(t, "href")); err == nil {
					base = u
				}
			}
			for _, ref := range references(t) {
				add(ref)
			}
		}
	}
}

// references are the addresses in an element that a browser fetches by itself.
func references(t html.Token) []string {
	switch t.DataAtom {
	case atom.Script:
		return []string{attribute(t, "src")}
	case atom.Img, atom.Source:
		return append(candidates(attribute(t, "srcset")), attribute(t, "src"))
	case atom.Link:
		for rel := range strings.FieldsSeq(strings.ToLower(attribute(t, "rel"))) {
			switch rel {
			case "stylesheet", "preload", "modulepreload", "icon", "apple-touch-icon", "manifest":
				return append(candidates(attribute(t, "imagesrcset")), attribute(t, "href"))
			}
		}
	}
	return nil
}

func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// candidates are the addresses of a srcset.
func candidates(srcset string) (refs []string) {
	for candidate := range strings.SplitSeq(srcset, ", ") {
		if f := strings.Fields(candidate); len(f) > 0 {
			refs = append(refs, strings.TrimSuffix(f[0], ","))
		}
	}
	return refs
}
