package cache

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// overhead is what keeping an answer takes besides its bytes.
const overhead = 1 << 10

// answer is one answer of the origin, kept. Nothing about it changes, but that
// packed forms are added once and that it is used.
type answer struct {
	status    int
	life      lifetime
	reach     reach
	age       time.Duration // when it came
	came      time.Time
	selectors []selector // of the request that it answers
	ownTag    string     // Etag as the origin wrote it
	packable  bool
	wanted    atomic.Bool // packed forms are to be made
	forms     atomic.Pointer[[]form]
	used      uint64 // when last; the store's
}

// form is an answer in one coding, ready to be sent. Its header is shared by
// whoever reads it.
type form struct {
	coding string // "" is as it came
	header http.Header
	body   []byte
}

// notKept are the fields of an answer that belong to that answer alone (RFC 9111,
// 3.1), beside those for one hop.
var notKept = []string{"Age", "Content-Length", "Set-Cookie", "Proxy-Authentication-Info"}

// newAnswer makes what is kept of an answer to a request. Its tag is as the origin
// wrote it.
func newAnswer(in http.Header, v verdict, status int, h http.Header, body []byte, tag string, x exchange) *answer {
	kept := h.Clone()
	RemoveHopFields(kept)
	for _, name := range slices.Concat(notKept, v.drop) {
		kept.Del(name)
	}
	if kept.Get("Date") == "" {
		kept.Set("Date", x.came.UTC().Format(http.TimeFormat)) // RFC 9110, 6.6.1
	}
	if len(kept["Content-Encoding"]) > 0 {
		varyBy(kept, "Accept-Encoding")
	}
	a := &answer{
		status: status, life: v.life, reach: v.reach, age: initialAge(h, x), came: x.came,
		selectors: selectorsOf(in, v.vary), ownTag: tag, packable: packable(status, kept, body),
	}
	if a.packable {
		varyBy(kept, "Accept-Encoding")
	}
	plain := newForm(kept, "", body)
	if status == http.StatusNoContent {
		delete(plain.header, "Content-Length") // RFC 9110, 8.6
	}
	a.forms.Store(&[]form{plain})
	return a
}

// newForm makes a form of an answer from the header of the plain one. Strong tags
// differ between forms (RFC 9110, 8.8.3.3).
func newForm(plain http.Header, coding string, body []byte) form {
	h := plain.Clone()
	if coding != "" {
		h.Set("Content-Encoding", coding)
		if tag := h.Get("Etag"); isStrong(tag) {
			h.Set("Etag", strings.TrimSuffix(tag, `"`)+"-"+coding+`"`)
		}
		h.Del("Content-Md5")
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	return form{coding, h, body}
}

func varyBy(h http.Header, name string) {
	if names, all := varyNames(h); !all && !slices.Contains(names, name) {
		h.Set("Vary", strings.Join(append(slices.Clone(h["Vary"]), name), ", "))
	}
}

// plain is the answer as it came.
func (a *answer) plain() form { return (*a.forms.Load())[0] }

// form is the one that a request likes best. Parts are of the plain one.
func (a *answer) form(in *Asked) *form {
	forms := *a.forms.Load()
	if len(forms) == 1 || len(in.Range) > 0 && in.Method == http.MethodGet || noTransform(in.CacheControl) {
		return &forms[0]
	}
	find := func(coding string) int {
		return slices.IndexFunc(forms, func(f form) bool { return f.coding == coding })
	}
	coding := parseAccept(in.AcceptEncoding).choose(func(coding string) bool { return find(coding) > 0 })
	return &forms[find(coding)]
}

func noTransform(cacheControl []string) bool {
	return len(cacheControl) > 0 && parseDirectives(cacheControl).noTransform
}

// size is how many bytes keeping the answer takes.
func (a *answer) size() int64 {
	n := int64(overhead)
	for _, f := range *a.forms.Load() {
		n += f.size()
	}
	for _, s := range a.selectors {
		n += int64(len(s.name) + len(s.value))
	}
	return n
}

// size is how many bytes a form takes, those that its body does not fill among them.
func (f form) size() int64 { return int64(cap(f.body)) + headerSize(f.header) }

func headerSize(h http.Header) (n int64) {
	for name, values := range h {
		n += int64(len(name)) + 64
		for _, v := range values {
			n += int64(len(v)) + 16
		}
	}
	return n
}

// ageAt is how old the answer is at an instant (RFC 9111, 4.2.3).
func (a *answer) ageAt(now time.Time) time.Duration { return a.age + max(0, now.Sub(a.came)) }

// over is for how long the answer has been stale at an instant; negative while it
// is fresh.
func (a *answer) over(now time.Time) time.Duration { return a.ageAt(now) - a.life.fresh }

func (a *answer) fresh(now time.Time) bool { return a.over(now) < 0 }

// whileFetching reports whether the answer may be used while another one is
// fetched, and whileAway whether it may be if none is to be had (RFC 5861).
func (a *answer) whileFetching(now time.Time) bool { return a.over(now) < a.life.whileRevalidate }
func (a *answer) whileAway(now time.Time) bool     { return a.over(now) < a.life.ifError }

// crowdedLife is for how long beyond its lifetime an answer is shown to who would be
// turned away else, where it does not say itself for how long.
const crowdedLife = 10 * time.Minute

// whileCrowded reports whether the answer may be used where the origin is not to be
// asked (RFC 9111, 4.2.4).
func (a *answer) whileCrowded(now time.Time) bool {
	d := parseDirectives(a.plain().header["Cache-Control"])
	if d.noCache || d.mustRevalidate || d.proxyRevalidate || d.sharedAge != absent || d.ifError != absent {
		return a.whileAway(now)
	}
	return a.over(now) < crowdedLife
}

// ageField is how Age is written.
func ageField(age time.Duration) string { return strconv.FormatInt(seconds(age), 10) }

// seconds are those of an age that are written.
func seconds(age time.Duration) int64 {
	return int64(min(age, mostSeconds*time.Second) / time.Second)
}

var hopFields = []string{
	"Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authorization",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// RemoveHopFields removes from a header what is meant for one hop only: the fields
// of RFC 9110, 7.6.1, their forerunners, and what Connection nominates.
func RemoveHopFields(h http.Header) {
	for _, line := range h["Connection"] {
		for name := range strings.SplitSeq(line, ",") {
			h.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range hopFields {
		delete(h, name)
	}
}
