package cache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	pageFresh = 5 * time.Second // for a page that states no lifetime
	pageStale = time.Hour       // shown for so long beyond its lifetime while the storefront is away (RFC 5861, 4)
	pageWait  = 20 * time.Second
	pageRetry = time.Second // between fetches
)

// ErrNotForAll is a page that must not be shown to everybody.
var ErrNotForAll = errors.New("page is not for everybody")

// Page is one page that is the same for everybody, whatever the query and whoever
// asks, and is always in memory. It is answered without a word to the storefront,
// from one pointer; it is fetched anew by whoever owns it, one fetch at a time.
type Page struct {
	cache *Cache

	shown  atomic.Pointer[answer]
	closed atomic.Int64 // Unix nanoseconds until which it is known not to be for all
	retry  atomic.Int64 // Unix nanoseconds before which it is not fetched

	mu     sync.Mutex
	now    *fetching // nil: none under way
	pinned int64
}

// Fetch asks the storefront for a page. It lets prepare add to the request what
// asks only for news.
type Fetch func(ctx context.Context, prepare func(http.Header)) (*http.Response, error)

// Page makes a page of which nothing is known yet.
func (c *Cache) Page() *Page { return &Page{cache: c} }

// Serve answers with the page. Without one it is fetched first, also for whoever
// asks meanwhile. ErrNotForAll, and errors of the fetch, leave the request
// unanswered.
func (p *Page) Serve(w http.ResponseWriter, r *http.Request, fetch Fetch) error {
	now := time.Now()
	if now.UnixNano() < p.closed.Load() {
		return ErrNotForAll
	}
	a := p.shown.Load()
	if a == nil || a.over(now) >= pageStale {
		// What is under way goes on when this shopper leaves: the next one wants it.
		ctx := context.WithoutCancel(r.Context())
		var err error
		if a, err = p.do(r.Context(), func() (*answer, error) { return p.fetch(ctx, fetch) }); err != nil {
			return err
		}
		p.cache.count(Miss)
	} else if a.fresh(now) {
		p.cache.count(Hit)
	} else {
		p.cache.count(Stale)
	}
	a.send(w, r, now)
	return nil
}

// Due reports whether the page should be fetched at an instant: it is stale, or
// not there, and not known to be for nobody.
func (p *Page) Due(now time.Time) bool {
	if now.UnixNano() < max(p.retry.Load(), p.closed.Load()) {
		return false
	}
	a := p.shown.Load()
	return a == nil || !a.fresh(now)
}

// Refresh fetches the page anew, unless somebody does already.
func (p *Page) Refresh(ctx context.Context, fetch Fetch) error {
	_, err := p.do(ctx, func() (*answer, error) { return p.fetch(ctx, fetch) })
	return err
}

// Forget drops the page: it is fetched again when it is next asked for.
func (p *Page) Forget() {
	p.show(nil)
	p.closed.Store(0)
	p.retry.Store(0)
}

// Body is the page as it is shown, nil if it is not.
func (p *Page) Body() []byte {
	if a := p.shown.Load(); a != nil {
		return a.plain().body
	}
	return nil
}

// fetch gets the page and notes what came of it.
func (p *Page) fetch(ctx context.Context, fetch Fetch) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, pageWait)
	defer cancel()
	had := p.shown.Load()
	a, err := p.get(ctx, fetch, had)
	now := time.Now()
	p.retry.Store(now.Add(pageRetry).UnixNano())
	switch {
	case errors.Is(err, ErrNotForAll):
		p.closed.Store(now.Add(pageFresh).UnixNano())
		p.show(nil)
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("fetch page: %w", err)
	}
	p.show(a)
	return a, nil
}

func (p *Page) get(ctx context.Context, fetch Fetch, had *answer) (*answer, error) {
	asked := time.Now()
	resp, err := fetch(ctx, func(h http.Header) {
		if had != nil {
			had.validate(h)
		}
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	came := time.Now()
	if isAway(resp.StatusCode) {
		return nil, fmt.Errorf("storefront answered %d", resp.StatusCode)
	}
	header := resp.Header
	if resp.StatusCode == http.StatusNotModified && had != nil {
		header = had.merged(resp.Header)
	} else if resp.StatusCode != http.StatusOK {
		return nil, notForAll(fmt.Sprintf("its status is %d", resp.StatusCode))
	}
	v, err := judgePage(header, came)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusNotModified {
		return p.made(had.refreshed(question{}, nil, v, header, asked, came)), nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostObject+1))
	if err != nil {
		return nil, err
	}
	if len(body) > mostObject {
		return nil, notForAll("it is larger than 8 MiB")
	}
	if had != nil && bytes.Equal(had.plain().body, body) {
		a := had.refreshed(question{}, nil, v, tagged(header, body), asked, came)
		a.ownTag = resp.Header.Get("Etag")
		return p.made(a), nil
	}
	a := newAnswer(question{}, nil, v, resp.StatusCode, tagged(header, body), body, asked, came)
	a.ownTag = resp.Header.Get("Etag")
	if a.packable {
		forms := packed(*a.forms.Load(), []string{"gzip"}) // for the first who ask; the others come later
		a.forms.Store(&forms)
	}
	return p.made(a), nil
}

// made is a page whose age is what it says itself: a storefront's clock that runs
// slow must not make it useless.
func (p *Page) made(a *answer) *answer {
	a.age, _ = ageOf(a.plain().header)
	return a
}

// tagged gives a page a tag if it has none that vouches for its bytes.
func tagged(h http.Header, body []byte) http.Header {
	if isStrong(h.Get("Etag")) {
		return h
	}
	h = h.Clone()
	sum := sha256.Sum256(body)
	h.Set("Etag", `"`+hex.EncodeToString(sum[:12])+`"`)
	return h
}

// notForAll is ErrNotForAll for a reason.
func notForAll(why string) error { return fmt.Errorf("%w: %s", ErrNotForAll, why) }

// judgePage says how long a page may be shown to everybody, or why it may not be.
// It need not say so itself, but must not say otherwise.
func judgePage(h http.Header, came time.Time) (verdict, error) {
	d := parseDirectives(h["Cache-Control"])
	v := verdict{life: newLifetime(http.StatusOK, h, d, came), reach: reach{true, true}}
	if !v.life.explicit {
		v.life.fresh = pageFresh
	}
	v.life.ifError = pageStale
	names, all := varyNames(h)
	names = slices.DeleteFunc(names, func(name string) bool { return name == "Accept-Encoding" })
	said, _ := ageOf(h)
	switch {
	case d.noStore, d.private, d.noCache, len(d.fields) > 0, surrogateForbids(h):
		return v, notForAll("its Cache-Control says so")
	case len(h["Set-Cookie"]) > 0:
		return v, notForAll("it sets a cookie")
	case all, len(names) > 0:
		return v, notForAll("it varies by more than Accept-Encoding")
	case len(h["Content-Encoding"]) > 0:
		return v, notForAll("it is packed though nobody asked for that")
	case isEndless(h):
		return v, notForAll("it is a stream")
	case v.life.fresh <= said:
		return v, notForAll("it has no lifetime left")
	}
	return v, nil
}

// show puts up a page, or takes it down.
func (p *Page) show(a *answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown.Store(a)
	p.account(a)
	if a != nil && len(*a.forms.Load()) < 1+len(codings) && a.packable && a.wanted.CompareAndSwap(false, true) {
		p.cache.send(order{answer: a, page: p})
	}
}

// account counts what the page holds.
func (p *Page) account(a *answer) {
	size := int64(0)
	if a != nil {
		size = a.size()
	}
	p.cache.store.pin(size - p.pinned)
	p.pinned = size
}

// packed notes that forms of a page were added, if it is still shown.
func (p *Page) packed(a *answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown.Load() == a {
		p.account(a)
	}
}

// errBrokenOff is the end of a fetch that panicked, for those who waited for it.
var errBrokenOff = errors.New("fetch broke off")

// fetching is one fetch of a page; its result may be read once done is closed.
type fetching struct {
	done   chan struct{}
	answer *answer
	err    error
}

// do is get's result, or that of the fetch under way. Whoever comes first does it,
// in the goroutine that it already is. Only the waiting ends with ctx.
func (p *Page) do(ctx context.Context, get func() (*answer, error)) (*answer, error) {
	p.mu.Lock()
	one := p.now
	if one == nil {
		one = &fetching{done: make(chan struct{}), err: errBrokenOff}
		p.now = one
		p.mu.Unlock()
		defer func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.now = nil
			close(one.done)
		}()
		one.answer, one.err = get()
		return one.answer, one.err
	}
	p.mu.Unlock()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-one.done:
		return one.answer, one.err
	}
}
