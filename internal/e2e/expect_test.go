package e2e_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/waitroom/waitroom/internal/shop"
)

// TestManyWaitToBeAsked: each of many who send no body before they are asked to is
// asked, and those whom the shop refuses are not; none waits for ever.
func TestManyWaitToBeAsked(t *testing.T) {
	t.Parallel()
	f := openFront(t)
	body := strings.Repeat("x", 4<<10)
	signature := shop.Sign(hookKey, []byte(body))
	var senders sync.WaitGroup
	for range 8 {
		c := f.client(false)
		c.Transport.(*http.Transport).ExpectContinueTimeout = patience // never unasked
		senders.Go(func() {
			for range 30 {
				f.waitToBeAsked(t, c, "/hooks/payment", body, signature, http.StatusOK)
				f.waitToBeAsked(t, c, "/none", body, "", http.StatusMethodNotAllowed)
			}
		})
	}
	senders.Wait()
}

func (f *front) waitToBeAsked(t *testing.T, c *http.Client, target, body, signature string, want int) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url(target), strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return
	}
	req.Header.Set("Expect", "100-continue")
	req.Header.Set("X-Signature", signature)
	res, err := c.Do(req)
	if err != nil {
		t.Error(err)
		return
	}
	_ = res.Body.Close()
	if res.StatusCode != want {
		t.Errorf("%s: got %d, want %d", target, res.StatusCode, want)
	}
}
