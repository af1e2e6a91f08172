package cache_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// TestMemory: what is kept takes as much memory as it is counted for, and what went
// from it takes none, though it was read a moment ago.
func TestMemory(t *testing.T) { // alone, for it measures the process
	const size, megabyte = 32 << 20, 1 << 20
	body := strings.Repeat("what a shop shows ", 512<<10/18)
	for _, test := range []struct {
		name   string
		length bool     // the shop says it
		fields []string // of the requests
	}{
		{"of a length that is not known", false, nil},
		{"of a length that is known", true, nil},
		{"packed besides", true, []string{"Accept-Encoding", "gzip"}},
	} {
		f := newFront(t, size, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "max-age=3600")
			w.Header().Set("Content-Type", "text/plain")
			if test.length {
				w.Header().Set("Content-Length", strconv.Itoa(len(body)))
			}
			_, _ = io.WriteString(w, body)
		})
		was := heap()
		for i := range 400 {
			path := fmt.Sprint("/", i)
			f.get(path, test.fields...).is(t, path, 200, body)
			f.get(path, test.fields...).is(t, path, 200, body) // and somebody wants it packed
		}
		held, grown := f.cache.Held(), heap()-was
		t.Logf("%s: %d MiB are counted, %d are taken", test.name, held/megabyte, grown/megabyte)
		if held > size || held < size-2*megabyte {
			t.Errorf("%s: %d MiB are held, want nearly %d", test.name, held/megabyte, size/megabyte)
		}
		if grown > held+4*megabyte {
			t.Errorf("%s: %d MiB are taken for the %d that are counted", test.name, grown/megabyte, held/megabyte)
		}
		runtime.KeepAlive(f)
	}
}

// heap is what is in use. Pools are empty after the second collection.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
