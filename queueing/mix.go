package queueing

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Why a public value is not taken.
var (
	ErrNoMix    = errors.New("the sale names no public value")
	ErrMixed    = errors.New("another public value was given before")
	ErrMixValue = fmt.Errorf("a public value is 1 to %d bytes of UTF-8, without invisible characters, and without blanks at its ends", MaxMix)
)

// MaxMix bounds the public value of a draw, in bytes: every edge carries it in
// every call.
const MaxMix = 500

// Mix gives the public value that the sale has named, from the doors on
// ([ErrNotOpen] before). The draw is held as soon as there is one and the
// lottery is closed. The first value holds for ever: the same one again changes
// nothing, another is [ErrMixed]. Everybody is to be able to type it, so it is 1 to
// MaxMix bytes of UTF-8, without line breaks and other invisible characters, and
// without blanks at its ends; else [ErrMixValue].
func (l *Line) Mix(ctx context.Context, value string) error {
	switch {
	case l.plan.mix == "":
		return fmt.Errorf("mix draw: %w", ErrNoMix)
	case value == "", len(value) > MaxMix, !utf8.ValidString(value),
		strings.ContainsFunc(value, invisible), strings.TrimSpace(value) != value:
		return fmt.Errorf("mix draw: %w", ErrMixValue)
	}
	r, err := l.callAgain(ctx, scriptMix, value)
	if err == nil {
		err = refusal(r)
	}
	var seen remembered
	if err == nil {
		err = r.scan(append([]any{"mixed"}, seen.fields()...)...)
	}
	if err != nil {
		return fmt.Errorf("mix draw: %w", err)
	}
	l.memory.learn(seen)
	if seen.mixed != value {
		return fmt.Errorf("mix draw: %w", ErrMixed)
	}
	return nil
}

func invisible(r rune) bool { return !unicode.IsGraphic(r) }
