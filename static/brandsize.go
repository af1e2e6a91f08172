package static

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
)

// mostPacked is how large a page may be when it is packed with gzip, in bytes: it then
// arrives with the first packets of a connection.
const mostPacked = 14 << 10

// leastRoom is what a brand has at least, in bytes: a plain logo, links and colours have
// room also in the languages in which our own pages all but fill what there is.
const leastRoom = 1 << 10

func packedSize(page []byte) int {
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // there is this level
	_, _ = z.Write(page)                                    // memory takes all
	_ = z.Close()
	return out.Len()
}

// heavy is the page of which there is most to send, as far as it matters.
const heavy = Chance

// weigh finds out whether pages stay small with all that the look brings, in each of
// their languages.
func (b *Brand) weigh() (faults Faults) {
	if b.light() {
		return nil
	}
	worst, worstLang := 0, ""
	for _, lang := range b.look.spoken() {
		own := (&Brand{look: Look{Languages: b.look.Languages}, layout: layout, style: style}).size(lang)
		got, most := b.size(lang), max(mostPacked, own+leastRoom)
		if got-most > worst {
			worst, worstLang = got-most, lang
		}
	}
	if worst == 0 {
		return nil
	}
	what := fmt.Sprintf("pages are %s too large with it when packed, in %s (14 KB is the most)", kilobytes(worst), worstLang)
	if b.logo == nil {
		key := "brand.texts"
		if len(b.look.Templates) > 0 {
			key = "brand.templates"
		}
		faults.add(key, what, "make it shorter")
		return faults
	}
	bare := *b
	bare.logo = nil
	logo := b.size(worstLang) - bare.size(worstLang)
	right := fmt.Sprintf("the logo is %s of it, and may be %s", kilobytes(logo), kilobytes(max(0, logo-worst)))
	if len(b.look.spoken()) > 1 {
		right += ": simplify it, or name under languages only those that you need, as some take more room than others"
	} else {
		right += ": simplify it"
	}
	faults.add("brand.logo", what, right)
	return faults
}

// size is that of the heaviest page in a language. Nothing made for it is kept: not every
// language of a shop is asked for.
func (b *Brand) size(lang string) int {
	v := tried
	v.Brand, v.Offered = b, strings.Join(b.look.Languages, " ")
	page, err := execute(b.layout, newDocument(b.speaking(lang, b.layout).catalog, heavy, v))
	if err != nil {
		panic("static: " + err.Error()) // was tried
	}
	return packedSize(page)
}

// light reports whether a look brings nothing that counts.
func (b *Brand) light() bool {
	return b.logo == nil && len(b.look.Texts) == 0 && len(b.look.Templates) == 0
}

// kilobytes is a size as people read it, never less than it is.
func kilobytes(n int) string { return fmt.Sprintf("%.1f KB", float64((n*10+1023)/1024)/10) }
