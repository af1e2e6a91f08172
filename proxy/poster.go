package proxy

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pquerna/cachecontrol/cacheobject"
	"golang.org/x/sync/singleflight"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/static"
)

const (
	posterBytes   = 8 << 20          // a larger page is passed through
	posterFresh   = 5 * time.Second  // for a page that states no lifetime
	posterStale   = time.Hour        // a page may be shown so long after its lifetime while the origin is away (RFC 5861, 4)
	posterWanted  = time.Minute      // a page nobody asked for in so long is not refreshed
	posterWarm    = 10 * time.Minute // before the doors, a page is fetched unasked
	posterWait    = 20 * time.Second
	posterRetry   = time.Second // between fetches that fail
	gzipFromBytes = 1024
)

// errNotForAll is a page that must not be shown to everybody.
var errNotForAll = errors.New("product page is not for everybody")

// poster is a sale's product page, the same for everybody, whatever the query.
// It is fetched without cookies, one fetch at a time, and refreshed in the
// background; nobody waits for the origin but whoever comes first.
type poster struct {
	origin *origin
	path   string
	host   string

	sheet   atomic.Pointer[sheet]
	flight  singleflight.Group
	asked   atomic.Int64 // Unix nanoseconds
	private atomic.Int64 // Unix nanoseconds until which it is passed through
	retry   atomic.Int64 // Unix nanoseconds before which it is not fetched
	warm    time.Time    // from then on it is kept without being asked for
	until   time.Time
}

func newPoster(o *origin, sale *configs.Sale) *poster {
	p := &poster{origin: o, path: sale.Product, warm: sale.Doors.Add(-posterWarm), until: sale.Closes}
	if domains := o.house.cfg.TLS.Domains; len(domains) > 0 {
		p.host = domains[0]
	}
	return p
}

// is reports whether the poster shows this sale's page.
func (p *poster) is(sale *configs.Sale) bool {
	return p != nil && p.path == sale.Product && p.until.Equal(sale.Closes) && p.warm.Equal(sale.Doors.Add(-posterWarm))
}

// sheet is one fetched page, with what was made of it once.
type sheet struct {
	header  http.Header // without what is set anew for each answer
	plain   variant
	gzip    *variant
	fetched time.Time
	fresh   time.Duration
}

type variant struct {
	body []byte
	etag string
}

func (s *sheet) stale(now time.Time) bool   { return now.Sub(s.fetched) >= s.fresh }
func (s *sheet) useless(now time.Time) bool { return now.Sub(s.fetched) >= s.fresh+posterStale }

// serve gives the page from memory; without one it is fetched first, and a page
// that is not for everybody is passed through.
func (p *poster) serve(w http.ResponseWriter, r *http.Request, rec *record) {
	now := time.Now()
	p.asked.Store(now.UnixNano())
	if now.UnixNano() < p.private.Load() {
		rec.decision = "page_private"
		p.origin.serve(w, r, rec)
		return
	}
	s := p.sheet.Load()
	if s == nil || s.useless(now) {
		var err error
		if s, err = p.fetch(r.Context(), r.Host); errors.Is(err, errNotForAll) {
			rec.decision = "page_private"
			p.origin.serve(w, r, rec)
			return
		} else if err != nil {
			rec.err = err
			rec.end(w, r, problem(http.StatusBadGateway, "origin_away", static.OriginAway))
			return
		}
	}
	s.serve(w, r, now)
}

// due reports whether the ticker should refresh the page.
func (p *poster) due(now time.Time) bool {
	if now.UnixNano() < max(p.retry.Load(), p.private.Load()) {
		return false
	}
	wanted := now.Sub(time.Unix(0, p.asked.Load())) < posterWanted ||
		p.host != "" && now.After(p.warm) && now.Before(p.until)
	s := p.sheet.Load()
	return wanted && (s == nil && p.host != "" || s != nil && s.stale(now))
}

// fetch gets the page anew, one fetch at a time; it goes on when its first
// caller leaves.
func (p *poster) fetch(ctx context.Context, host string) (*sheet, error) {
	if p.host != "" {
		host = p.host
	}
	done := p.flight.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), posterWait)
		defer cancel()
		s, err := p.get(ctx, host)
		switch {
		case errors.Is(err, errNotForAll):
			p.private.Store(time.Now().Add(posterFresh).UnixNano())
			p.sheet.Store(nil)
		case err != nil:
			p.retry.Store(time.Now().Add(posterRetry).UnixNano())
		default:
			p.sheet.Store(s)
		}
		return s, err
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case got := <-done:
		s, _ := got.Val.(*sheet)
		return s, got.Err
	}
}

func (p *poster) get(ctx context.Context, host string) (*sheet, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.origin.url.Scheme+"://"+p.origin.url.Host+p.path, nil)
	if err != nil {
		return nil, fmt.Errorf("fetch product page: %w", err)
	}
	req.Host = host
	req.Header.Set("Accept", "text/html,*/*;q=0.8")
	req.Header.Set("X-Forwarded-Proto", "https")
	req.Header.Set("X-Forwarded-Host", host)
	resp, err := p.origin.next.RoundTrip(req)
	if err != nil {
		return nil, fmt.Errorf("fetch product page: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		if resp.StatusCode < 500 {
			return nil, errNotForAll
		}
		return nil, fmt.Errorf("fetch product page: origin answered %d", resp.StatusCode)
	}
	fresh, ok := lifetime(resp.Header)
	if !ok {
		return nil, errNotForAll
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, posterBytes+1))
	if err != nil {
		return nil, fmt.Errorf("fetch product page: %w", err)
	}
	if len(body) > posterBytes {
		return nil, errNotForAll
	}
	return newSheet(resp.Header, body, fresh), nil
}

// lifetime is how long a page may be shown to everybody; false when never.
func lifetime(h http.Header) (time.Duration, bool) {
	cc, err := cacheobject.ParseResponseCacheControl(strings.Join(h.Values("Cache-Control"), ","))
	vary := strings.TrimSpace(strings.Join(h.Values("Vary"), ","))
	switch {
	case err != nil,
		len(h.Values("Set-Cookie")) > 0,
		cc.NoStore, cc.PrivatePresent, cc.NoCachePresent,
		vary != "" && !strings.EqualFold(vary, "Accept-Encoding"),
		h.Get("Content-Encoding") != "":
		return 0, false
	case cc.SMaxAge >= 0:
		return time.Duration(cc.SMaxAge) * time.Second, cc.SMaxAge > 0
	case cc.MaxAge >= 0:
		return time.Duration(cc.MaxAge) * time.Second, cc.MaxAge > 0
	default:
		return posterFresh, true
	}
}

// notKept are the fields of an answer that belong to that answer alone.
var notKept = []string{
	"Connection", "Keep-Alive", "Proxy-Connection", "Transfer-Encoding", "Te", "Trailer", "Upgrade",
	"Content-Length", "Date", "Age", "Etag", "Accept-Ranges", "Waitroom-Command",
}

func newSheet(h http.Header, body []byte, fresh time.Duration) *sheet {
	s := &sheet{header: h.Clone(), fetched: time.Now(), fresh: fresh}
	for _, name := range strings.Split(h.Get("Connection"), ",") {
		s.header.Del(strings.TrimSpace(name))
	}
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
