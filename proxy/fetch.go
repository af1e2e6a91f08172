package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	posterBytes = 8 << 20 // a larger page is passed through
	posterWait  = 20 * time.Second
	posterRetry = time.Second // between fetches that fail
)

// errNotForAll is a page that must not be shown to everybody.
var errNotForAll = errors.New("product page is not for everybody")

// fetch gets the page anew and notes what came of it.
func (p *poster) fetch(ctx context.Context) (*sheet, error) {
	ctx, cancel := context.WithTimeout(ctx, posterWait)
	defer cancel()
	s, err := p.get(ctx)
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
}

func (p *poster) get(ctx context.Context) (*sheet, error) {
	address := "https://" + p.origin.host + p.path
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("fetch product page: %w", err)
	}
	req.Host = p.host
	for name, value := range map[string]string{
		"Accept": "text/html,*/*;q=0.8", "User-Agent": "waitroom",
		"X-Forwarded-Proto": "https", "X-Forwarded-Host": p.host,
	} {
		req.Header.Set(name, value)
	}
	resp, err := p.origin.next.RoundTrip(req)
	if err != nil {
		return nil, fmt.Errorf("fetch product page: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if overloaded(resp.StatusCode) {
		return nil, fmt.Errorf("fetch product page: origin answered %d", resp.StatusCode)
	}
	fresh, ok := lifetime(resp.Header)
	if resp.StatusCode != http.StatusOK || !ok {
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

// overloaded reports whether an answer is about the origin and not about the
// page: then what is there serves on, for a crowd that is passed through would
// make it worse.
func overloaded(status int) bool {
	return status >= http.StatusInternalServerError || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
}
