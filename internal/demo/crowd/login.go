package crowd

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Login logs in at a fixed rate for d, each time over a connection of its own,
// and says how that felt: from the instant when it was due to the answer, so
// that a door which stalls is charged for all who came meanwhile. Of o it uses
// where the door is, and Patience.
func Login(ctx context.Context, o Options, perSecond float64, d time.Duration) (Latencies, error) {
	o.Shoppers = 1
	c, err := newCrowd(o)
	if err == nil && !(perSecond > 0) {
		err = fmt.Errorf("rate %v: want more than 0 a second", perSecond)
	}
	if err != nil {
		return Latencies{}, fmt.Errorf("probe login: %w", err)
	}
	var (
		began = time.Now()
		every = time.Duration(float64(time.Second) / perSecond)
		mu    sync.Mutex
		took  []time.Duration
		lost  int64
		open  sync.WaitGroup
	)
	for i := 0; time.Duration(i)*every < d; i++ {
		due := began.Add(time.Duration(i) * every)
		if !sleep(ctx, time.Until(due)) {
			break
		}
		open.Go(func() {
			err := c.logIn(ctx, i)
			mu.Lock()
			defer mu.Unlock()
			took = append(took, time.Since(due))
			if err != nil {
				lost++
			}
		})
	}
	open.Wait()
	l := summarize(took)
	l.Errors = lost
	return l, nil
}

// logIn is one login from an address that no shopper has.
func (c *crowd) logIn(ctx context.Context, i int) error {
	const beyondShoppers = 10_000_000
	ctx, cancel := context.WithTimeout(ctx, c.Patience)
	defer cancel()
	b := c.newBrowser(beyondShoppers + i)
	defer b.close()
	form := fmt.Sprintf("name=shopper-%d&password=x", i%1000)
	r, err := b.exchange(ctx, request{method: http.MethodPost, path: "/login", kind: formType, body: form})
	if err == nil && r.status != http.StatusSeeOther {
		err = fmt.Errorf("log in: answer %d", r.status)
	}
	return err
}
