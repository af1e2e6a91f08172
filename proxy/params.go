package proxy

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const (
	maxBuyBody   = 64 << 10 // bytes
	maxBuyQuery  = 8 << 10
	maxBuyFields = 100
	maxKey       = 255 // of an Idempotency-Key
)

var (
	errTooLarge = errors.New("body too large") // above what is read
	errNotRead  = errors.New("not read here")  // a coding or charset in which a quantity would be missed
)

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
	if err := checkMethodFields(r.Header); err != nil {
		return ask{}, err
	}
	if len(r.URL.RawQuery) > maxBuyQuery {
		return ask{}, fmt.Errorf("query: at most %d bytes are allowed", maxBuyQuery)
	}
	body, err := readUpTo(r, maxBuyBody)
	if err != nil {
		return ask{}, err
	}
	query, err := formQty(r.URL.RawQuery)
	if err != nil {
		return ask{}, fmt.Errorf("query: %w", err)
	}
	inBody, err := bodyQty(r.Header, body)
	if err != nil {
		return ask{}, fmt.Errorf("body: %w", err)
	}
	qty, err := oneQty(append(query, inBody...))
	if err != nil {
		return ask{}, err
	}
	return ask{qty: qty, key: key, digest: digest(r.URL.RawQuery, r.Header.Get("Content-Type"), string(body))}, nil
}

// readUpTo reads a body that is small enough. One that says that it is not is
// refused unread: who waits for 100 Continue (RFC 9110, 10.1.1) keeps it.
func readUpTo(r *http.Request, most int64) ([]byte, error) {
	if r.ContentLength > most {
		return nil, errTooLarge
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, most+1))
	if err != nil {
		return nil, fmt.Errorf("read body: %w", err)
	}
	if int64(len(body)) > most {
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

// bodyQty finds the quantities that a body names; an empty one names none. A
// body of a kind that is not read here is refused.
func bodyQty(h http.Header, body []byte) ([]string, error) {
	if coding := strings.Join(h.Values("Content-Encoding"), ", "); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, fmt.Errorf("%w: Content-Encoding %s; send it plain", errNotRead, coding)
	}
	if len(body) == 0 {
		return nil, nil
	}
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || len(h.Values("Content-Type")) > 1 {
		return nil, errors.New("its Content-Type is missing, broken or there twice")
	}
	if charset, said := params["charset"]; said && !isUTF8(charset) {
		return nil, fmt.Errorf("%w: charset %s; send utf-8", errNotRead, charset)
	}
	switch kind {
	case "application/x-www-form-urlencoded":
		if strings.IndexAny(strings.TrimLeftFunc(string(body), isBlank), "{[") == 0 {
			return nil, errors.New("it is no form; say that it is application/json")
		}
		return formQty(string(body))
	case "application/json":
		return jsonQty(body)
	default:
		return nil, fmt.Errorf("%s is not read here; send a form or JSON", kind)
	}
}

// isUTF8 reports whether bytes in a charset mean what they mean in UTF-8.
func isUTF8(charset string) bool {
	switch strings.ToLower(charset) {
	case "utf-8", "utf8", "us-ascii":
		return true
	default:
		return false
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
	for name, said := range values {
		switch {
		case name != "qty" && meansQty(name):
			return nil, fmt.Errorf("field %q: write qty", name)
		case isMethodParam(name) && !writes(said[0]), isMethodParam(name) && len(said) > 1:
			return nil, fmt.Errorf("field %q: not a method that buys", name)
		}
	}
	return values["qty"], nil
}

// meansQty reports whether an origin may read a field's name as qty, or as a way
// into something that has one: items[0][qty], qty[], item.qty.
func meansQty(name string) bool {
	apart := func(c rune) bool { return strings.ContainsRune("[].", c) || isBlank(c) }
	for part := range strings.FieldsFuncSeq(name, apart) {
		if strings.EqualFold(part, "qty") {
			return true
		}
	}
	return false
}

// jsonQty finds qty in a JSON object, field by field, since decoding into a
// struct or map would let the last of two win, in any spelling.
func jsonQty(body []byte) ([]string, error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("a JSON object is expected")
	}
	var found []string
	for fields := 0; dec.More(); fields++ {
		t, err := dec.Token()
		if err != nil || fields >= maxBuyFields {
			return nil, fmt.Errorf("a JSON object of at most %d fields is expected", maxBuyFields)
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, errors.New("not JSON")
		}
		switch name, _ := t.(string); {
		case name == "qty":
			found = append(found, string(raw))
		case meansQty(name), holdsQty(raw):
			return nil, fmt.Errorf("field %q: write qty, outermost", name)
		case isMethodParam(name):
			return nil, fmt.Errorf("field %q: not read here", name)
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

// holdsQty reports whether a value has a quantity somewhere inside.
func holdsQty(raw json.RawMessage) bool {
	var value any
	_ = json.Unmarshal(raw, &value) // it was decoded once
	return anyQty(value)
}

func anyQty(value any) bool {
	switch v := value.(type) {
	case []any:
		return slices.ContainsFunc(v, anyQty)
	case map[string]any:
		for name, inner := range v {
			if meansQty(name) || anyQty(inner) {
				return true
			}
		}
	}
	return false
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
