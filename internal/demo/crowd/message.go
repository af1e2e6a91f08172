package crowd

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	formType = "application/x-www-form-urlencoded"
	jsonType = "application/json"
)

// request is one request of a shopper.
type request struct {
	method, path string
	kind         string // Content-Type of a body; also what the answer should be
	body         string
	cookies      string
	key          string // Idempotency-Key
	tag          string // If-None-Match
}

// bytes is the request as a browser, or a page's script, would send it.
func (q request) bytes(c *crowd) []byte {
	b := make([]byte, 0, 1024)
	line := func(name, value string) {
		if value != "" {
			b = append(append(append(append(b, name...), ": "...), value...), "\r\n"...)
		}
	}
	b = append(append(append(append(b, q.method...), ' '), q.path...), " HTTP/1.1\r\n"...)
	line("Host", c.Host)
	line("User-Agent", "Mozilla/5.0 (waitroom crowd)")
	if q.kind == jsonType {
		line("Accept", jsonType)
	} else {
		line("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	}
	line("Accept-Language", "en")
	line("If-None-Match", q.tag)
	line("Cookie", q.cookies)
	if q.method == http.MethodPost {
		scheme := "http://"
		if c.secure {
			scheme = "https://"
		}
		line("Origin", scheme+c.Host)
		line("Sec-Fetch-Site", "same-origin")
		line("Idempotency-Key", q.key)
		line("Content-Type", q.kind)
		line("Content-Length", strconv.Itoa(len(q.body)))
	}
	b = append(b, "\r\n"...)
	return append(b, q.body...)
}

// reply is one answer, and how long it took from sending to its last byte.
type reply struct {
	status int
	header http.Header
	body   []byte
	took   time.Duration
}

// answer is every field that the shoppers' side of the door uses.
type answer struct {
	State       string `json:"state"`
	Status      string `json:"status"`
	PollAfterMS int64  `json:"poll_after_ms"`
	AdmittedAt  int64  `json:"admitted_at"`
	Reservation string `json:"reservation"`
	PayBefore   int64  `json:"pay_before"`
	Checkout    string `json:"checkout"`
	Challenge   string `json:"challenge"` // its text, or where to ask for one
	Bits        int    `json:"bits"`
}

// answer is the body as JSON; a page says nothing.
func (r reply) answer() answer {
	var a answer
	if strings.HasPrefix(r.header.Get("Content-Type"), jsonType) && json.Unmarshal(r.body, &a) != nil {
		return answer{}
	}
	return a
}

// after is how long the answer tells its reader to wait: from 50 ms to a
// minute, and 2 s when it does not say.
func (r reply) after() time.Duration {
	d := 2 * time.Second
	if ms := r.answer().PollAfterMS; ms > 0 {
		d = time.Duration(ms) * time.Millisecond
	} else if s, err := strconv.Atoi(r.header.Get("Retry-After")); err == nil && s >= 0 {
		d = time.Duration(s) * time.Second
	}
	return min(max(d, 50*time.Millisecond), time.Minute)
}

// jar keeps the cookies of one shopper; all of them go to one host and path.
type jar []*http.Cookie

func (j *jar) keep(r reply) {
	res := http.Response{Header: r.header}
	for _, c := range res.Cookies() {
		j.set(c.Name, c.Value, c.MaxAge < 0)
	}
}

func (j *jar) set(name, value string, gone bool) {
	kept := (*j)[:0]
	for _, c := range *j {
		if c.Name != name {
			kept = append(kept, c)
		}
	}
	if !gone {
		kept = append(kept, &http.Cookie{Name: name, Value: value})
	}
	*j = kept
}

func (j jar) has(name string) bool {
	for _, c := range j {
		if c.Name == name {
			return true
		}
	}
	return false
}

// String is the value of the Cookie field.
func (j jar) String() string {
	var b strings.Builder
	for i, c := range j {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(c.Name + "=" + c.Value)
	}
	return b.String()
}
