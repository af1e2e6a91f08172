package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"strings"

	"github.com/waitroom/waitroom/proxy/kept"
)

// form is what a query or a body says, field by field.
type form struct {
	fields []kept.Field // in the order in which they were sent; of an object those that are one value
	qty    []string     // the quantities among them, as they were written
	files  bool         // it holds a file besides
}

// add takes a field up, unless it is one by which an origin could read the request
// as another one.
func (f *form) add(name, value string) error {
	switch {
	case len(f.fields) >= maxBuyFields:
		return fmt.Errorf("at most %d fields are allowed", maxBuyFields)
	case name == "qty":
		f.qty = append(f.qty, value)
	case meansQty(name):
		return fmt.Errorf("field %q: write qty", name)
	case isMethodParam(name) && (!writes(value) || f.has(name)):
		return fmt.Errorf("field %q: not a method that buys", name)
	}
	f.fields = append(f.fields, kept.Field{Name: name, Value: value})
	return nil
}

func (f *form) has(name string) bool {
	_, ok := first(f.fields, name)
	return ok
}

// first is the value of the first field of a name, ok if there is one.
func first(fields []kept.Field, name string) (value string, ok bool) {
	for _, one := range fields {
		if one.Name == name {
			return one.Value, true
		}
	}
	return "", false
}

// readForm reads an encoded form as net/url does, in order, and strictly: what it does
// not understand is an error.
func readForm(encoded string) (f form, err error) {
	for pair := range strings.SplitSeq(encoded, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		if strings.Contains(pair, ";") {
			return f, errors.New("a semicolon parts no fields; write %3B for one")
		}
		if name, err = url.QueryUnescape(name); err != nil {
			return f, err
		}
		if value, err = url.QueryUnescape(value); err != nil {
			return f, err
		}
		if err := f.add(name, value); err != nil {
			return f, err
		}
	}
	return f, nil
}

// readParts reads a form in parts (RFC 7578). A file is noted, not read; one that
// nobody has chosen is none.
func readParts(body []byte, boundary string) (f form, err error) {
	parts := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			return f, nil
		}
		if err != nil {
			return f, errors.New("not a form in parts")
		}
		kind, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
		if err != nil || kind != "form-data" || part.Header.Get("Content-Transfer-Encoding") != "" {
			return f, errors.New("a part is no field of a form")
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return f, errors.New("not a form in parts")
		}
		name := params["name"]
		if _, isFile := params["filename"]; isFile {
			if meansQty(name) || isMethodParam(name) {
				return f, fmt.Errorf("field %q: not a file", name)
			}
			f.files = f.files || len(value) > 0
			continue
		}
		if err := f.add(name, string(value)); err != nil {
			return f, err
		}
	}
}

// readObject reads a JSON object, field by field, since decoding into a struct or map
// would let the last of two win, in any spelling.
func readObject(body []byte) (f form, err error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return f, errors.New("a JSON object is expected")
	}
	for fields := 0; dec.More(); fields++ {
		t, err := dec.Token()
		if err != nil || fields >= maxBuyFields {
			return f, fmt.Errorf("a JSON object of at most %d fields is expected", maxBuyFields)
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return f, errors.New("not JSON")
		}
		switch name, _ := t.(string); {
		case name == "qty":
			f.qty = append(f.qty, string(raw))
		case meansQty(name), holdsQty(raw):
			return f, fmt.Errorf("field %q: write qty, outermost", name)
		case isMethodParam(name):
			return f, fmt.Errorf("field %q: not read here", name)
		}
		f.note(t, raw)
	}
	if _, err := dec.Token(); err != nil {
		return f, errors.New("not JSON")
	}
	if _, err := dec.Token(); err != io.EOF {
		return f, errors.New("one JSON object is expected")
	}
	return f, nil
}

// note takes a field of an object up if it is a text, a number or a yes or no.
func (f *form) note(name json.Token, raw json.RawMessage) {
	field := kept.Field{Value: string(raw)}
	field.Name, _ = name.(string)
	switch raw[0] {
	case '"':
		_ = json.Unmarshal(raw, &field.Value) // it was decoded once
	case '{', '[', 'n': // n: null
		return
	}
	f.fields = append(f.fields, field)
}
