package queueing

import (
	"fmt"
	"strconv"
	"time"
)

// reply is what a script answered: numbers travel as text, because Redis cuts
// the fraction off a number that Lua returns.
type reply []string

// word is the first field of a reply.
func (r reply) word() string {
	if len(r) == 0 {
		return ""
	}
	return r[0]
}

// scan reads the fields into pointers, as many as there are. In the place of a
// pointer a string is the one text that may stand there.
func (r reply) scan(into ...any) error {
	if len(r) != len(into) {
		return fmt.Errorf("read reply: %d fields, want %d", len(r), len(into))
	}
	for i, target := range into {
		if err := scanField(r[i], target); err != nil {
			return fmt.Errorf("read reply: field %d: %w", i, err)
		}
	}
	return nil
}

// digit is how scripts are told yes and no.
func digit(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func scanField(text string, target any) (err error) {
	switch p := target.(type) {
	case string:
		if text != p {
			err = fmt.Errorf("%q, want %q", text, p)
		}
	case *string:
		*p = text
	case *bool:
		*p = text == "1"
		if text != "0" && text != "1" {
			err = fmt.Errorf("%q, want 0 or 1", text)
		}
	case *int:
		*p, err = strconv.Atoi(text)
	case *int64:
		*p, err = strconv.ParseInt(text, 10, 64)
	case *uint64:
		*p, err = strconv.ParseUint(text, 10, 64)
	case *float64:
		*p, err = strconv.ParseFloat(text, 64)
	case *time.Time:
		var us int64
		us, err = strconv.ParseInt(text, 10, 64)
		*p = time.UnixMicro(us)
	case *Number:
		*p, err = parseNumber(text)
	case *entered:
		*p, err = parseEntered(text)
	case *Seed:
		*p, err = ParseSeed(text)
	default:
		panic(fmt.Sprintf("queueing: scan into %T", target))
	}
	return err
}

// refusal is the error for a reply that says no.
func refusal(r reply) error {
	switch r.word() {
	case "not_open":
		return ErrNotOpen
	case "ended":
		return ErrEnded
	case "paused":
		return ErrPaused
	case "not_called":
		return ErrNotCalled
	case "left":
		return ErrLeft
	case "wait":
		var us int64
		if err := r[1:2].scan(&us); err != nil {
			return err
		}
		return &WaitError{Retry: time.Duration(us) * time.Microsecond}
	}
	return nil
}
