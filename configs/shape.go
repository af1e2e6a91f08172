package configs

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A shape is a schema of JSON Schema, draft 2020-12, as far as our files need it: what
// editors know of a value. It never refuses what the files may say, and need not refuse
// all that they may not: the rules do.
type shape struct {
	Dialect              string     `json:"$schema,omitempty"`
	Title                string     `json:"title,omitempty"`
	Description          string     `json:"description,omitempty"`
	Type                 any        `json:"type,omitempty"` // a name, or a list of names
	Const                any        `json:"const,omitempty"`
	Enum                 []any      `json:"enum,omitempty"`
	Pattern              string     `json:"pattern,omitempty"`
	MinLength            int        `json:"minLength,omitempty"`
	MaxLength            int        `json:"maxLength,omitempty"`
	Minimum              *float64   `json:"minimum,omitempty"`
	Maximum              *float64   `json:"maximum,omitempty"`
	MinItems             int        `json:"minItems,omitempty"`
	MaxItems             int        `json:"maxItems,omitempty"`
	Items                *shape     `json:"items,omitempty"`
	Properties           properties `json:"properties,omitempty"`
	AdditionalProperties any        `json:"additionalProperties,omitempty"` // false, or a shape
	PropertyNames        *shape     `json:"propertyNames,omitempty"`
	Required             []string   `json:"required,omitempty"`
	AnyOf                []shape    `json:"anyOf,omitempty"`
	If                   *shape     `json:"if,omitempty"`
	Then                 *shape     `json:"then,omitempty"`
	Else                 *shape     `json:"else,omitempty"`
	Not                  *shape     `json:"not,omitempty"`
	Default              any        `json:"default,omitempty"`
	Examples             []any      `json:"examples,omitempty"`
	ErrorMessage         string     `json:"errorMessage,omitempty"` // no standard, but editors show it
}

// scalars are the types that an editor may see in what is one value to us, for quotes
// never change what it means.
var scalars = []string{"string", "number", "boolean"}

// listOf is a list of some shape.
func listOf(s shape) shape { return shape{Type: "array", Items: &s} }

// anyOf is one shape or the other.
func anyOf(shapes ...shape) shape { return shape{AnyOf: shapes} }

// nothing is the shape of what must not be there.
func nothing() *shape { return &shape{Not: &shape{}} }

// properties are the keys of a group, in the order in which the rules have them.
type properties []property

type property struct {
	key   string
	shape shape
}

// MarshalJSON writes the keys in their order.
func (p properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, entry := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		text, err := plainJSON(entry.shape)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", entry.key, text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// plainJSON is JSON that leaves <, > and & as they are.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
