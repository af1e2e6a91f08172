package browser_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/static"
)

// broken puts each of the headings on the page, and gives the words that then stand on two
// lines, as the browser divides the language of the page into words.
const broken = `(headings => {
	const h1 = document.querySelector('h1'), range = document.createRange(), wrong = [];
	const words = new Intl.Segmenter(document.documentElement.lang, { granularity: 'word' });
	for (const heading of headings) {
		h1.textContent = heading;
		for (const { segment, index, isWordLike } of words.segment(heading)) {
			range.setStart(h1.firstChild, index), range.setEnd(h1.firstChild, index + segment.length);
			const lines = new Set([...range.getClientRects()].map(r => Math.round(r.top)));
			if (isWordLike && lines.size > 1) wrong.push(segment + ' of ' + heading);
		}
	}
	return wrong.join('\n') || 'whole';
})`

var headed = regexp.MustCompile(`<h1>(.*?)</h1>`)

// TestHeadingsKeepTheirWords: on the narrowest screen no heading breaks within a word, also
// where no space is between them. In Chinese and Korean a line may end behind any sign.
func TestHeadingsKeepTheirWords(t *testing.T) {
	t.Parallel()
	of := func(lang string, p static.Page) string {
		page, err := static.Render(p, static.View{Lang: lang, Title: "Golden toy"})
		if err != nil {
			t.Error(err)
		}
		return string(page)
	}
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(of(strings.TrimPrefix(r.URL.Path, "/"), static.NotFound)))
	}))
	t.Cleanup(shop.Close)
	w := open(t, "about:blank")
	w.size(320, 568)
	for _, lang := range static.Languages() {
		if strings.HasPrefix(lang, "zh") || lang == "ko" {
			continue
		}
		var headings []string
		for _, p := range static.Known() {
			headings = append(headings, html.UnescapeString(headed.FindStringSubmatch(of(lang, p))[1]))
		}
		w.Goes(shop.URL + "/" + lang)
		if got := w.Says(fmt.Sprintf("%s(%s)", broken, encode(t, headings))); got != "whole" {
			t.Errorf("%s breaks %s", lang, got)
		}
	}
}
