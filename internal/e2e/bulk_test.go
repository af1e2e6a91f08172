package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/shop"
)

// mostGrowth is by how many bytes the edge's memory may grow while a file of any
// size goes through it.
const mostGrowth = 64 << 20

// TestBulk: files of any size go through an edge, both ways and over both
// protocols, and are in its memory nowhere.
func TestBulk(t *testing.T) {
	t.Parallel()
	size := int64(64 << 20)
	if whole() {
		size = 1 << 30
	}
	want, _, err := shop.Sum(shop.File(size))
	if err != nil {
		t.Fatal(err)
	}
	bothProtocols(t, func(t *testing.T, http2 bool) {
		f := openFront(t) // an edge of its own, for it is measured
		c := f.client(http2)
		f.send(c, http.MethodGet, "/files/5000000", "")
		for _, way := range []struct {
			name string
			move func(*testing.T, *http.Client, int64) string
		}{{"up", f.upload}, {"up, of no told length", f.uploadUntold}, {"down", f.download}} {
			before := f.memory(t)
			most := f.watchMemory(t)
			begun := time.Now()
			got := way.move(t, c, size)
			took, grown := time.Since(begun), most()-before
			if got != want {
				t.Errorf("%s: what arrived has the hash %s, want %s", way.name, got, want)
			}
			if grown > mostGrowth {
				t.Errorf("%s: the edge grew by %d MiB, want %d at most", way.name, grown>>20, mostGrowth>>20)
			}
			t.Logf("%s: %d MiB in %v, %.0f MB/s; the edge had %d MiB and grew by %d KiB", way.name, size>>20, took.Round(time.Millisecond),
				float64(size)/1e6/took.Seconds(), before>>20, grown>>10)
		}
	})
}

func (f *front) upload(t *testing.T, c *http.Client, size int64) string {
	return f.put(t, c, shop.File(size), size)
}

func (f *front) uploadUntold(t *testing.T, c *http.Client, size int64) string {
	return f.put(t, c, shop.File(size), -1)
}

// put gives the hash that the shop found.
func (f *front) put(t *testing.T, c *http.Client, body io.Reader, length int64) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, f.url("/files/bulk"), io.MultiReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = length
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var receipt shop.Receipt
	if err := json.NewDecoder(res.Body).Decode(&receipt); err != nil {
		t.Fatalf("upload: %d, %v", res.StatusCode, err)
	}
	return receipt.Sum
}

// download gives the hash of what came.
func (f *front) download(t *testing.T, c *http.Client, size int64) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.url(fmt.Sprintf("/files/%d", size)), nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	sum, n, err := shop.Sum(res.Body)
	if err != nil || n != size {
		t.Errorf("download: %d bytes, %v, want %d", n, err, size)
	}
	return sum
}

// watchMemory looks at the edge's memory until the function that it gives is
// called, which gives the most that it saw.
func (f *front) watchMemory(t *testing.T) (most func() int64) {
	t.Helper()
	var seen int64
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		ticker := time.NewTicker(20 * time.Millisecond)
		defer ticker.Stop()
		for {
			seen = max(seen, f.memory(t))
			select {
			case <-ticker.C:
			case <-done:
				return
			}
		}
	})
	return func() int64 {
		close(done)
		watching.Wait()
		return seen
	}
}

// memory is [testserver.Program.Memory], or a fault of the test.
func (f *front) memory(t *testing.T) int64 {
	t.Helper()
	n, err := f.Memory()
	if err != nil {
		t.Error(err)
	}
	return n
}
