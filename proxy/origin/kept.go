package origin

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	mostKept = mostSlots / 2   // connections of HTTP/1.1 that wait for a request: a crowd goes, and its servers' memory comes back
	idleKeep = 4 * time.Second // they do so for so long: below the 5 s at which common servers hang up
)

// take is a connection that is there, reserved, or nil. The newest goes first, so
// that those that are not needed grow old, and of those the newest that the request
// needs no change of.
func (s *server) take(http1, plain, fresh bool) *conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.shared) > 0 {
		s.shared = slices.DeleteFunc(s.shared, func(k *conn) bool { return k.Err() != nil })
	}
	if !http1 {
		for _, k := range s.shared {
			if k.Reserve() == nil {
				return k
			}
		}
	}
	for !fresh && len(s.kept) > 0 {
		i := s.fitting(http1, plain)
		if i < 0 {
			break
		}
		k := s.kept[i]
		s.kept = slices.Delete(s.kept, i, i+1)
		if k.expiry.Stop() && k.isFree() {
			return k
		}
		_ = k.Close()
	}
	return nil
}

// fitting is the newest kept connection that fits a request best, or -1.
func (s *server) fitting(http1, plain bool) int {
	any := -1
	for i := len(s.kept) - 1; i >= 0; i-- {
		switch k := s.kept[i]; {
		case k.http1 && !http1:
		case (k.direct != nil) == plain:
			return i
		case any < 0:
			any = i
		}
	}
	return any
}

// giveBack keeps a connection of HTTP/1.1 for the next request, if it can carry
// one and nothing stands behind the last answer; hint is how long the server says that it keeps it, 0 if it does not.
func (s *server) giveBack(k *conn, hint time.Duration) {
	if k.http2 {
		return
	}
	clean := !k.last && k.rest()
	keep := idleKeep
	if hint > 0 {
		keep = min(keep, hint-time.Second)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !clean || keep <= 0 || len(s.kept) >= mostKept || s.pool.closed.Load() {
		_ = k.Close()
		return
	}
	if k.expiry == nil {
		k.expiry = time.AfterFunc(keep, func() { s.expire(k) })
	} else {
		k.expiry.Reset(keep)
	}
	s.kept = append(s.kept, k)
}

func (s *server) expire(k *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = slices.DeleteFunc(s.kept, func(other *conn) bool { return other == k })
	_ = k.Close()
}

// keepHint is how long a server says that it keeps an idle connection; 0 if it
// does not.
func keepHint(h http.Header) time.Duration {
	if len(h["Keep-Alive"]) == 0 {
		return 0
	}
	for part := range strings.SplitSeq(h.Get("Keep-Alive"), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if n, err := strconv.ParseUint(value, 10, 16); err == nil && strings.EqualFold(name, "timeout") {
			return max(time.Duration(n)*time.Second, 1)
		}
	}
	return 0
}

// dropKept closes what is not in use.
func (s *server) dropKept() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.kept {
		k.expiry.Stop()
		_ = k.Close()
	}
	s.kept = nil
	for _, k := range s.shared {
		if k.InFlight() == 0 {
			_ = k.Close()
		}
	}
}
