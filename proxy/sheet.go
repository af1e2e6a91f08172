package proxy

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const gzipFromBytes = 1024

// sheet is one fetched page, with what was made of it once. It never changes.
type sheet struct {
	header  http.Header // without what is set anew for each answer
	plain   variant
	gzip    *variant // nil: nothing gained
	fetched time.Time
	fresh   time.Duration
}

type variant struct {
	body []byte
	etag string
}

func (s *sheet) stale(now time.Time) bool   { return now.Sub(s.fetched) >= s.fresh }
func (s *sheet) useless(now time.Time) bool { return now.Sub(s.fetched) >= s.fresh+posterStale }

// notKept are the fields of an answer that belong to that answer alone.
var notKept = []string{"Content-Length", "Date", "Age", "Etag", "Accept-Ranges"}

func newSheet(h http.Header, body []byte, fresh time.Duration) *sheet {
	s := &sheet{header: h.Clone(), fetched: time.Now(), fresh: fresh}
	removeHopFields(s.header)
	removeOwnFields(s.header)
	for _, name := range notKept {
		s.header.Del(name)
	}
	etag := h.Get("Etag")
	if !strings.HasPrefix(etag, `"`) { // none, or one that does not vouch for bytes
		sum := sha256.Sum256(body)
		etag = `"` + hex.EncodeToString(sum[:12]) + `"`
	}
	s.plain = variant{body, etag}
	if packed := pack(h.Get("Content-Type"), body); packed != nil {
		s.gzip = &variant{packed, strings.TrimSuffix(etag, `"`) + `-gzip"`}
		s.header.Set("Vary", "Accept-Encoding")
	}
	return s
}

// pack compresses a text that gains by it.
func pack(contentType string, body []byte) []byte {
	kind, _, _ := mime.ParseMediaType(contentType)
	if len(body) < gzipFromBytes || !strings.HasPrefix(kind, "text/") {
		return nil
	}
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	_, _ = z.Write(body) // into memory
	_ = z.Close()
	if out.Len() >= len(body) {
		return nil
	}
	return out.Bytes()
}

func (s *sheet) serve(w http.ResponseWriter, r *http.Request, now time.Time) {
	h := w.Header()
	for name, values := range s.header {
		h[name] = values
	}
	v := &s.plain
	if s.gzip != nil && acceptsGzip(r) {
		v = s.gzip
		h.Set("Content-Encoding", "gzip")
		h.Set("Content-Length", strconv.Itoa(len(v.body))) // ServeContent leaves it out of coded answers
	}
	h.Set("Etag", v.etag)
	h.Set("Age", strconv.Itoa(max(0, int(now.Sub(s.fetched).Seconds()))))
	modified, _ := http.ParseTime(s.header.Get("Last-Modified"))
	// ServeContent knows HEAD, ranges and conditions (RFC 9110, 13 and 14).
	http.ServeContent(w, r, "", modified, bytes.NewReader(v.body))
}

// acceptsGzip reads Accept-Encoding (RFC 9110, 12.5.3).
func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			q, found := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
			weight, err := strconv.ParseFloat(q, 64)
			return !found || err == nil && weight > 0
		}
	}
	return false
}
