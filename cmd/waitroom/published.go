package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
)

// published is what verify reads of a sale's status document.
type published struct {
	Sale       string  `json:"sale"`
	Run        string  `json:"run"` // of a sale that repeats
	Entered    *uint64 `json:"entered"`
	Drawn      *uint64 `json:"drawn"`
	Behind     uint64  `json:"behind"` // how many were put behind the draw
	Commitment string  `json:"commitment"`
	Seed       string  `json:"seed"`
	Mix        string  `json:"mix"`   // names the public value, where there is one
	Mixed      string  `json:"mixed"` // the value
}

// key is what the draw is keyed by.
func (p *published) key() string { return cmp.Or(p.Run, p.Sale) }

// maxPublished is far beyond a status document.
const maxPublished = 1 << 20

// errNotDrawn means that there is nothing to verify yet.
var errNotDrawn = errors.New("the draw is not over")

// readPublished reads the document of a sale whose draw is over. What is none is
// a fault of usage.
func readPublished(in io.Reader) (*published, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxPublished))
	if err != nil {
		return nil, fmt.Errorf("read status document: %w", err)
	}
	if err := isStatus(text); err != nil {
		return nil, &wiring.UsageError{Err: err}
	}
	var p published
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, &wiring.UsageError{Err: errors.New("this is no status document: " + wrongField(err))}
	}
	if p.Mixed != "" && p.Mix == "" {
		return nil, &wiring.UsageError{Err: errors.New("the status document is not whole: it has mixed, and no mix that names what was promised")}
	}
	switch {
	case p.Drawn == nil:
		return nil, errNotDrawn
	case p.Mix != "" && p.Mixed == "":
		return nil, fmt.Errorf("%w: it waits for the value of %q", errNotDrawn, p.Mix)
	case p.Seed == "":
		return nil, errNotDrawn
	case p.Commitment == "":
		return nil, &wiring.UsageError{Err: errors.New("the status document is not whole: it has a seed and no commitment")}
	case *p.Drawn > maxDrawn:
		return nil, &wiring.UsageError{Err: fmt.Errorf("drawn is %d: no draw has so many", *p.Drawn)}
	}
	return &p, nil
}

const maxDrawn = 1 << 48 // of queueing.NewDraw

// isStatus says why a text is not a sale's status document, nil if it is one.
func isStatus(text []byte) error {
	const right = "give the one of /.waitroom/SALE/status"
	var fields map[string]json.RawMessage
	err := json.Unmarshal(text, &fields)
	has := func(names ...string) bool {
		for _, name := range names {
			if _, ok := fields[name]; !ok {
				return false
			}
		}
		return true
	}
	switch trimmed := bytes.TrimSpace(text); {
	case len(trimmed) == 0:
		return errors.New("nothing came in: " + right)
	case trimmed[0] == '<':
		return errors.New("this is a page, no status document: " + right)
	case err != nil:
		return errors.New("this is no JSON object: " + right)
	case has("sale", "armed"):
		return errors.New("this is the status document of a room, which draws nothing")
	case !has("sale", "drawn"):
		return errors.New("this is no status document of a sale: " + right)
	}
	return nil
}

// wrongField says which field is not what it should be.
func wrongField(err error) string {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Sprintf("%s is a %s", e.Field, e.Value)
	}
	return err.Error()
}
