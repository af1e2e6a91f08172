package cache

import (
	"fmt"
	"strconv"
	"strings"
)

// mostSpans is how many parts one request gets; who asks for more gets the whole.
const mostSpans = 16

// span is a part of a body, from the first byte to before the last.
type span struct{ from, to int64 }

func (s span) contentRange(size int64) string {
	return fmt.Sprintf("bytes %d-%d/%d", s.from, s.to-1, size)
}

// parseRange reads a Range field (RFC 9110, 14.1.2 and 14.2) for a body. What is
// not understood, is too much, or would be more than the whole is no range:
// false. A range with no byte in the body gives no span and true.
func parseRange(value string, size int64) (spans []span, ok bool) {
	unit, list, found := strings.Cut(value, "=")
	if !found || !strings.EqualFold(strings.TrimSpace(unit), "bytes") || strings.Count(list, ",") >= mostSpans {
		return nil, false
	}
	some, sum := false, int64(0)
	for part := range strings.SplitSeq(list, ",") {
		part = strings.Trim(part, " \t")
		if part == "" {
			continue
		}
		s, in, ok := parseSpan(part, size)
		if !ok {
			return nil, false
		}
		some = true
		if in {
			spans, sum = append(spans, s), sum+s.to-s.from
		}
	}
	if !some || sum > size {
		return nil, false
	}
	return spans, true
}

// parseSpan reads "a-b", "a-" or "-n"; in reports whether any of it is in the body.
func parseSpan(part string, size int64) (s span, in, ok bool) {
	first, last, found := strings.Cut(part, "-")
	if !found || first == "" && last == "" {
		return s, false, false
	}
	if first == "" {
		n, ok := parseOffset(last)
		return span{max(0, size-n), size}, n > 0 && size > 0, ok
	}
	from, ok := parseOffset(first)
	if !ok {
		return s, false, false
	}
	to := size
	if last != "" {
		end, ok := parseOffset(last)
		if !ok || end < from {
			return s, false, false
		}
		to = min(size, end+1)
	}
	return span{from, to}, from < size, true
}

// parseOffset reads digits. A number beyond all bodies is as good as the largest.
func parseOffset(s string) (int64, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 62)
	if err != nil {
		n = 1<<62 - 1
	}
	return n, true
}
