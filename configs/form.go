package configs

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// A form is how a value is written in a file: how it is read, its shape for editors,
// and how a default is told.
type form[V any] struct {
	parse func(string) (V, *complaint)
	shape shape
	tell  func(V) any // as a file writes it; nil where it says nothing
}

// written is a form whose values are texts that match a pattern.
func written[V any](parse func(string) (V, *complaint), pattern *regexp.Regexp, advice string) form[V] {
	return form[V]{parse: parse, shape: shape{Type: "string", Pattern: pattern.String(), ErrorMessage: advice}}
}

// free is a form of which editors are told nothing but that it is one value.
func free[V any](parse func(string) (V, *complaint)) form[V] {
	return form[V]{parse: parse, shape: shape{Type: scalars}}
}

// telling is a form whose defaults are known.
func (f form[V]) telling(tell func(V) any) form[V] {
	f.tell = tell
	return f
}

// numeral is a number, with or without quotes.
func numeral(kind string, low, high float64, pattern *regexp.Regexp, advice string) shape {
	return shape{AnyOf: []shape{
		{Type: kind, Minimum: &low, Maximum: &high, ErrorMessage: advice},
		{Type: "string", Pattern: pattern.String(), ErrorMessage: advice},
	}}
}

// number is a whole number within bounds.
func number(low, high int) form[int] {
	advice := fmt.Sprintf("write a whole number in plain digits, from %d to %d", low, high)
	return form[int]{count(low, high), numeral("integer", float64(low), float64(high), digits, advice), func(n int) any {
		if n == 0 {
			return nil
		}
		return n
	}}
}

// length is a duration within bounds.
func length(low, high time.Duration) form[time.Duration] {
	f := written(span(low, high), spans, fmt.Sprintf("write hours, minutes and seconds as 1h30m, 10m or 90s, from %s to %s", Short(low), Short(high)))
	f.shape.MinLength = 1
	return f.telling(func(d time.Duration) any { return orNothing(Short(d), d == 0) })
}

// volume is a number of bytes within bounds.
func volume(low, high int64) form[int64] {
	f := written(size(low, high), sizes, "write a whole number with its unit, from "+shortSize(low)+" to "+shortSize(high))
	return f.telling(func(n int64) any { return orNothing(shortSize(n), n == 0) })
}

var rates = regexp.MustCompile(`^[1-9][0-9]*/(s|min|h)$`)

// speed is a rate within bounds.
func speed(low, high Rate) form[Rate] {
	return written(rate(low, high), rates, fmt.Sprintf("write a whole number in a span, as 2000/s, 30/min or 600/h, from %s to %s", low, high))
}

// phrase is words in one line.
func phrase(most int) form[string] {
	return form[string]{words(most), shape{Type: scalars, MinLength: 1, MaxLength: most}, func(s string) any { return orNothing(s, s == "") }}
}

// choice is one of a few words.
func choice[W ~string](words ...W) form[W] {
	s := shape{}
	for _, w := range words {
		s.Enum = append(s.Enum, string(w))
	}
	return form[W]{oneOf(words...), s, func(w W) any { return orNothing(string(w), w == "") }}
}

// yesOrNo is true or false, with or without quotes.
func yesOrNo() form[bool] {
	return form[bool]{truth, shape{Enum: []any{true, false, "true", "false"}}, func(is bool) any { return is }}
}

// share is a number in percent; sure, one between 0 and 1.
func share() form[float64] {
	return written(percent, percents, "write it in percent, as 5%, from 0.1% to 100%").
		telling(func(f float64) any { return percentage(f) })
}

func sure() form[float64] {
	return form[float64]{certainty, numeral("number", leastSure, mostSure, fractions, "write one from 0.5 to 0.999999, as 0.999"), func(f float64) any { return f }}
}

// status is the code of the waiting page.
func status() form[int] {
	s := shape{}
	for _, code := range waitingStatuses {
		s.Enum = append(s.Enum, code, strconv.Itoa(code))
	}
	return form[int]{waitingStatus, s, func(code int) any { return code }}
}

func orNothing(text string, nothing bool) any {
	if nothing {
		return nil
	}
	return text
}
