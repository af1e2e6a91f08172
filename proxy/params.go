package proxy

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

const (
	maxBuyBody   = 64 << 10 // bytes
	maxBuyQuery  = 8 << 10
	maxBuyFields = 100
	maxKey       = 255 // of an Idempotency-Key
)

// errTooLarge is a body above maxBuyBody.
var errTooLarge = errors.New("body too large")

// ask is what a buy asks for.
type ask struct {
	qty    int
	key    string // the client's Idempotency-Key; empty: none
	digest string // of everything that was asked
}

// readAsk understands a buy whole or refuses it: what it did not read the way
// the shopper meant it must not be sold.
func readAsk(r *http.Request) (ask, error) {
	key := r.Header.Get("Idempotency-Key")
	if len(r.Header.Values("Idempotency-Key")) > 1 || len(key) > maxKey || strings.ContainsFunc(key, notPlain) {
		return ask{}, fmt.Errorf("Idempotency-Key: one, of at most %d plain characters, is allowed", maxKey)
	}
	if len(r.URL.RawQuery) > maxBuyQuery {
		return ask{}, fmt.Errorf("query: at most %d bytes are allowed", maxBuyQuery)
	}
	body, err := readBody(r)
	if err != nil {
		return ask{}, err
	}
	query, err := formQty(r.URL.RawQuery)
	if err != nil {
		return ask{}, fmt.Errorf("query: %w", err)
	}
	kind := r.Header.Get("Content-Type")
	inBody, err := bodyQty(kind, body)
	if err != nil {
		return ask{}, fmt.Errorf("body: %w", err)
	}
	qty, err := oneQty(append(query, inBody...))
	if err != nil {
		return ask{}, err
	}
	return ask{qty: qty, key: key, digest: digest(r.URL.RawQuery, kind, string(body))}, nil
}

// readBody reads a body that is small enough. One that says that it is not is
// refused unread: who waits for 100 Continue (RFC 9110, 10.1.1) keeps it.
func readBody(r *http.Request) ([]byte, error) {
	if r.ContentLength > maxBuyBody {
		return nil, errTooLarge
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBuyBody+1))
	if err != nil {
		return nil, fmt.Errorf("read body: %w", err)
	}
	if len(body) > maxBuyBody {
		return nil, errTooLarge
	}
	return body, nil
}

func notPlain(c rune) bool { return c < 0x21 || c > 0x7e }

// digest is that of its parts, each with its length, so that no two asks share
// one.
func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		_, _ = fmt.Fprintf(h, "%d:%s", len(p), p) // a hash takes everything
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:18])
}

// bodyQty finds the quantities that a body names. A body of a kind that is not
// read here names none; an empty one neither.
func bodyQty(contentType string, body []byte) ([]string, error) {
	if len(body) == 0 {
		return nil, nil
	}
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil, errors.New("its Content-Type is missing or broken")
	}
	switch kind {
	case "application/x-www-form-urlencoded":
		return formQty(string(body))
	case "application/json":
		return jsonQty(body)
	default:
		return nil, fmt.Errorf("%s is not read here; send a form or JSON", kind)
	}
}

// formQty finds qty in an encoded form, strictly: net/url drops what it does
// not understand only in its Values, never in its error.
func formQty(encoded string) ([]string, error) {
	if strings.Count(encoded, "&") >= maxBuyFields {
		return nil, fmt.Errorf("at most %d fields are allowed", maxBuyFields)
	}
	values, err := url.ParseQuery(encoded)
	if err != nil {
		return nil, err
	}
	for name := range values {
		if name != "qty" && strings.EqualFold(strings.Trim(name, " []"), "qty") {
			return nil, fmt.Errorf("field %q: write qty", name)
		}
	}
	return values["qty"], nil
}

// jsonQty finds qty in a JSON object, token by token, since decoding into a
// struct or map would let the last of two win, in any spelling.
func jsonQty(body []byte) ([]string, error) {
	dec := json.NewDecoder(strings.NewReader(string(body)))
	dec.UseNumber()
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("a JSON object is expected")
	}
	var found []string
	for fields := 0; dec.More(); fields++ {
		name, err := dec.Token()
		if err != nil || fields >= maxBuyFields {
			return nil, fmt.Errorf("a JSON object of at most %d fields is expected", maxBuyFields)
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, errors.New("not JSON")
		}
		if s, _ := name.(string); strings.EqualFold(s, "qty") {
			if s != "qty" {
				return nil, fmt.Errorf("field %q: write qty", s)
			}
			found = append(found, string(raw))
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, errors.New("not JSON")
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("one JSON object is expected")
	}
	return found, nil
}

// oneQty accepts at most one quantity, a plain whole number from 1.
func oneQty(found []string) (int, error) {
	if len(found) == 0 {
		return 1, nil
	}
	if len(found) > 1 {
		return 0, errors.New("qty: given more than once")
	}
	n, err := strconv.Atoi(found[0])
	if err != nil || n < 1 || strconv.Itoa(n) != found[0] {
		return 0, errors.New("qty: a whole number from 1 is expected")
	}
	return n, nil
}
