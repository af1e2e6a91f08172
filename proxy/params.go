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
	"slices"
	"strconv"
	"strings"

	"github.com/waitroom/waitroom/proxy/kept"
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
	query  form   // of the address
	said   form   // of the body
}

// fields are all that it says, those of the address first.
func (a *ask) fields() []kept.Field { return slices.Concat(a.query.fields, a.said.fields) }

// readAsk understands a buy whole or refuses it: what it did not read the way
// the shopper meant it must not be sold.
func readAsk(r *http.Request) (*ask, error) {
	key := r.Header.Get("Idempotency-Key")
	if len(r.Header.Values("Idempotency-Key")) > 1 || len(key) > maxKey || strings.ContainsFunc(key, notPlain) {
		return nil, fmt.Errorf("Idempotency-Key: one, of at most %d plain characters, is allowed", maxKey)
	}
	if err := checkMethodFields(r.Header); err != nil {
		return nil, err
	}
	if len(r.URL.RawQuery) > maxBuyQuery {
		return nil, fmt.Errorf("query: at most %d bytes are allowed", maxBuyQuery)
	}
	body, err := readUpTo(r, maxBuyBody)
	if err != nil {
		return nil, err
	}
	query, err := readForm(r.URL.RawQuery)
	if err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	said, err := readBody(r.Header, body)
	if err != nil {
		return nil, fmt.Errorf("body: %w", err)
	}
	qty, err := oneQty(append(query.qty, said.qty...))
	if err != nil {
		return nil, err
	}
	return &ask{qty: qty, key: key, query: query, said: said,
		digest: digest(r.URL.RawQuery, r.Header.Get("Content-Type"), string(body))}, nil
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

// readBody reads what a body says; an empty one says nothing. A body of a kind that
// is not read here is refused.
func readBody(h http.Header, body []byte) (form, error) {
	if coding := strings.Join(h.Values("Content-Encoding"), ", "); coding != "" && !strings.EqualFold(coding, "identity") {
		return form{}, fmt.Errorf("%w: Content-Encoding %s; send it plain", errNotRead, coding)
	}
	if len(body) == 0 {
		return form{}, nil
	}
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || len(h.Values("Content-Type")) > 1 {
		return form{}, errors.New("its Content-Type is missing, broken or there twice")
	}
	if charset, said := params["charset"]; said && !isUTF8(charset) {
		return form{}, fmt.Errorf("%w: charset %s; send utf-8", errNotRead, charset)
	}
	switch kind {
	case "application/x-www-form-urlencoded":
		if strings.IndexAny(strings.TrimLeftFunc(string(body), isBlank), "{[") == 0 {
			return form{}, errors.New("it is no form; say that it is application/json")
		}
		return readForm(string(body))
	case "multipart/form-data":
		return readParts(body, params["boundary"])
	case "application/json":
		return readObject(body)
	default:
		return form{}, fmt.Errorf("%s is not read here; send a form or JSON", kind)
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
