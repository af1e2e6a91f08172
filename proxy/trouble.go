package proxy

import (
	"strings"
	"time"
	"unicode"
)

const (
	troubleAgain = 30 * time.Second // trouble that stays is told of again so often
	troubleLeast = time.Second      // and trouble of changing kinds no more often than this
)

// trouble is why the ticks of one line fail. Ten a second that say the same would
// bury what else there is to read.
type trouble struct {
	kind string // empty: there is none
	told time.Time
}

// news reports whether what came of a tick is worth a line: trouble that begins,
// becomes another, or stays; and its end.
func (t *trouble) news(err error, now time.Time) bool {
	kind := kindOf(err)
	since := now.Sub(t.told)
	switch {
	case kind == t.kind && (kind == "" || since < troubleAgain),
		kind != "" && t.kind != "" && since < troubleLeast:
		return false
	}
	t.kind, t.told = kind, now
	return true
}

// kindOf is an error's text without what differs from one time to the next, such
// as a port; empty for none.
func kindOf(err error) string {
	if err == nil {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, err.Error())
}
