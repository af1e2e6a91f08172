package proxy

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

const maxEvidence = 16 << 10 // bytes; the answer of a check may have some thousand

// evidence is what comes with the wish for a ticket. Each may be missing.
type evidence struct {
	Challenge string `json:"challenge"` // its text
	Solution  string `json:"solution"`
	Check     string `json:"check"` // the answer of a check

	// What the services' own scripts put into a form.
	Turnstile string `json:"cf-turnstile-response"`
	HCaptcha  string `json:"h-captcha-response"`
}

// check is the answer of a check, whatever it is called.
func (e evidence) check() string { return cmp.Or(e.Check, e.Turnstile, e.HCaptcha) }

// readEvidence reads a form or a JSON object. What cannot be read is an error; what is
// not there is not.
func readEvidence(r *http.Request) (e evidence, err error) {
	body, err := readUpTo(r, maxEvidence)
	if err != nil || len(body) == 0 {
		return e, err
	}
	if coding := strings.Join(r.Header.Values("Content-Encoding"), ", "); coding != "" && !strings.EqualFold(coding, "identity") {
		return e, fmt.Errorf("%w: Content-Encoding %s; send it plain", errNotRead, cut(coding))
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return e, errors.New("body: its Content-Type is missing or broken")
	}
	switch kind {
	case "application/json":
		if err := json.Unmarshal(body, &e); err != nil {
			return e, errors.New("body: a JSON object with texts is expected")
		}
	case "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return e, errors.New("body: a form is expected")
		}
		e = evidence{form.Get("challenge"), form.Get("solution"), form.Get("check"), form.Get("cf-turnstile-response"), form.Get("h-captcha-response")}
	default:
		return e, fmt.Errorf("%w: body: %s; send a form or JSON", errNotRead, cut(kind))
	}
	return e, nil
}
