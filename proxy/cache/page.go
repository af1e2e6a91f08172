package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	pageFresh = 5 * time.Second // for a page that states no lifetime
	pageStale = time.Hour       // shown for so long beyond its lifetime while the origin is away (RFC 5861, 4)
	pageWait  = 20 * time.Second
	pageRetry = time.Second // between fetches
)

// Page is one page that is the same for everybody, whatever the query and whoever
// asks, and is always in memory. It is answered without a word to the origin,
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

// Fetch asks the origin for a page. It lets prepare add to the request what
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
	x := exchange{asked: time.Now()}
	resp, err := fetch(ctx, func(h http.Header) {
		if had != nil {
			had.validate(h)
		}
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	x.came = time.Now()
	switch {
	case isAway(resp.StatusCode):
		return nil, fmt.Errorf("origin answered %d", resp.StatusCode)
	case resp.StatusCode == http.StatusNotModified && had != nil:
		merged := had.merged(resp.Header)
		v, err := judgePage(merged, x.came)
		if err != nil {
			return nil, err
		}
		return p.made(had.refreshed(nil, v, merged, had.ownTag, x)), nil
	case resp.StatusCode != http.StatusOK:
		return nil, notForAll(fmt.Sprintf("its status is %d", resp.StatusCode))
	}
	return p.whole(resp, had, x)
}

// whole is the page of an answer that brings it. If its bytes are those that were
// shown before, their packed forms serve on.
func (p *Page) whole(resp *http.Response, had *answer, x exchange) (*answer, error) {
	v, err := judgePage(resp.Header, x.came)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostObject+1))
	if err != nil {
		return nil, err
	}
	if len(body) > mostObject {
		return nil, notForAll("it is larger than 8 MiB")
	}
	header, tag := tagged(resp.Header, body), resp.Header.Get("Etag")
	if had != nil && bytes.Equal(had.plain().body, body) {
		return p.made(had.refreshed(nil, v, header, tag, x)), nil
	}
	a := newAnswer(nil, v, resp.StatusCode, header, body, tag, x)
	if a.packable {
		forms := packed(*a.forms.Load(), []string{"gzip"}) // for the first who ask; the others come later
		a.forms.Store(&forms)
	}
	return p.made(a), nil
}

// made is a page whose age is what it says itself: an origin's clock that runs
// slow must not make it useless.
func (p *Page) made(a *answer) *answer {
	a.age, _ = ageOf(a.plain().header)
	return a
}

// show puts up a page, or takes it down.
func (p *Page) show(a *answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown.Store(a)
	p.account(a)
	if a != nil && len(*a.forms.Load()) < 1+len(codings) && a.packable && a.wanted.CompareAndSwap(false, true) {
		p.cache.send("", a, p)
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
