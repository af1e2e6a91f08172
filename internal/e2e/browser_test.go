package e2e_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// answer is every field that the shoppers' side of the door uses.
type answer struct {
	code int

	State       string  `json:"state"`
	Status      string  `json:"status"`
	Reservation string  `json:"reservation"`
	AdmittedAt  int64   `json:"admitted_at"`
	StockLeft   int     `json:"stock_left"`
	Opens       int64   `json:"opens"`
	PollMS      int64   `json:"poll_after_ms"`
	Number      *uint64 `json:"number"`
	PayBefore   int64   `json:"pay_before"`

	Place *uint64 `json:"place"`
	Odds  string  `json:"odds"`
	Held  int     `json:"stock_held"`
}

// browser keeps cookies and speaks to whichever edge it is told to: cookies are
// good at all of them. One goroutine at a time uses it.
type browser struct {
	client  *http.Client
	cookies map[string]string
}

// newBrowser logs an account in. Half of all browsers speak HTTP/2.
func newBrowser(roots *x509.CertPool, account string, http2 bool) *browser {
	return &browser{
		client: &http.Client{
			Timeout:       10 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport: &http.Transport{
				TLSClientConfig:   &tls.Config{RootCAs: roots},
				ForceAttemptHTTP2: http2,
			},
		},
		cookies: map[string]string{"session": account},
	}
}

// ask sends one request as a page's script does and keeps the cookies that come
// back. The same key means the same press.
func (b *browser) ask(ctx context.Context, edge, method, path, key string, body any) (answer, error) {
	a, cookies, err := b.send(ctx, edge, method, path, key, body)
	b.keep(cookies)
	return a, err
}

// send is ask without the cookies: several may be under way at once.
func (b *browser) send(ctx context.Context, edge, method, path, key string, body any) (answer, []*http.Cookie, error) {
	var text []byte
	if method == http.MethodPost {
		text, _ = json.Marshal(body) // plain maps always marshal
	}
	req, err := http.NewRequestWithContext(ctx, method, "https://"+edge+path, bytes.NewReader(text))
	if err != nil {
		return answer{}, nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	for name, value := range b.cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	res, err := b.client.Do(req)
	if err != nil {
		return answer{}, nil, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return answer{}, nil, err
	}
	a := answer{code: res.StatusCode}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
		err = json.Unmarshal(raw, &a)
	}
	return a, res.Cookies(), err
}

func (b *browser) keep(cookies []*http.Cookie) {
	for _, c := range cookies {
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		} else {
			b.cookies[c.Name] = c.Value
		}
	}
}

func (b *browser) close() { b.client.CloseIdleConnections() }

// own is an address of the sale under the reserved prefix.
func own(name string) string { return "/.waitroom/" + saleID + "/" + name }
