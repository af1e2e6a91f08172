package cache

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"weak"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// What is packed: texts that are worth it, and small enough to be done soon.
const (
	packFrom = 1 << 10
	packTo   = 2 << 20
)

// packable reports whether an answer would be packed for who accepts that.
func packable(status int, h http.Header, body []byte) bool {
	if status != http.StatusOK || len(body) < packFrom || len(body) > packTo || len(h["Content-Encoding"]) > 0 || len(h["Content-Range"]) > 0 || noTransform(h["Cache-Control"]) {
		return false
	}
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && isText(kind)
}

func isText(kind string) bool {
	if strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") {
		return true
	}
	switch kind {
	case "application/json", "application/javascript", "application/xml", "application/wasm", "application/x-javascript",
		"font/ttf", "font/otf", "image/bmp", "image/vnd.microsoft.icon":
		return true
	}
	return false
}

// pack makes one packed form, nil when nothing is gained.
func pack(body []byte, coding string) []byte {
	var out bytes.Buffer
	var z io.WriteCloser
	switch coding {
	case "br":
		z = brotli.NewWriterLevel(&out, 6)
	case "zstd":
		z, _ = zstd.NewWriter(&out, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(8<<20)) // only bad options fail
	default:
		z, _ = gzip.NewWriterLevel(&out, 6) // only unknown levels fail
	}
	_, _ = z.Write(body) // into memory
	_ = z.Close()
	if out.Len() >= len(body) {
		return nil
	}
	return bytes.Clone(out.Bytes())
}

// packed are forms with more of them, for codings.
func packed(forms []form, codings []string) []form {
	forms = slices.Clip(forms)
	for _, coding := range codings {
		if body := pack(forms[0].body, coding); body != nil {
			forms = append(forms, newForm(forms[0].header, coding, body))
		}
	}
	return forms
}

// want has the packed forms of an answer made, once, when the first request comes
// that would take one. When there is too much to do it is not the time.
func (c *Cache) want(key string, a *answer, r *http.Request) {
	if !a.packable || a.wanted.Load() || len(r.Header["Accept-Encoding"]) == 0 || !a.wanted.CompareAndSwap(false, true) {
		return
	}
	c.send(key, a, nil)
}

func (c *Cache) send(key string, a *answer, page *Page) {
	select {
	case c.packs <- packing{key, weak.Make(a), page}:
	default:
		a.wanted.Store(false)
	}
}

// pack makes the packed forms that an answer does not have yet.
func (c *Cache) pack(p packing) {
	a := p.answer.Value()
	if a == nil {
		return
	}
	had := *a.forms.Load()
	var missing []string
	for _, coding := range codings {
		if !slices.ContainsFunc(had, func(f form) bool { return f.coding == coding }) {
			missing = append(missing, coding)
		}
	}
	forms := packed(had, missing)
	if p.page != nil {
		a.forms.Store(&forms)
		p.page.packed(a)
		return
	}
	more := int64(0)
	for _, f := range forms[len(had):] {
		more += f.size()
	}
	c.store.grow(p.key, a, more, func() { a.forms.Store(&forms) })
}
