package gate

import (
	"fmt"
	"strconv"
	"time"
)

// reply is what a script answered: text, field by field. Redis would cut a number
// of Lua down to what it holds exactly, so numbers travel as text too.
type reply struct {
	fields []string
	mark   Mark // of the gate behind the script; zero when it is not open
	stamp  uint64
}

// readReply cuts the mark off an answer.
func readReply(fields []string) (reply, error) {
	cut := len(fields) - 3
	if cut < 1 {
		return reply{}, fmt.Errorf("read reply: %d fields, too few for a mark", len(fields))
	}
	r := reply{fields: fields[:cut]}
	err := reply{fields: fields[cut:]}.scan(&r.mark.Epoch, &r.mark.Moves, &r.stamp)
	return r, err
}

// word is what an answer begins with.
func (r reply) word() string {
	if len(r.fields) == 0 {
		return ""
	}
	return r.fields[0]
}

// ok reads an answer that begins with "ok" into pointers, and gives the error
// for one that says no.
func (r reply) ok(into ...any) error {
	if err := refusal(r); err != nil {
		return err
	}
	return r.scan(append([]any{"ok"}, into...)...)
}

// scan reads the fields into pointers, as many as there are. In the place of a
// pointer a string is the one text that may stand there.
func (r reply) scan(into ...any) error {
	if len(r.fields) != len(into) {
		return fmt.Errorf("read reply: %d fields, want %d", len(r.fields), len(into))
	}
	for i, target := range into {
		if err := scanField(r.fields[i], target); err != nil {
			return fmt.Errorf("read reply: field %d: %w", i, err)
		}
	}
	return nil
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
	case *uint64:
		*p, err = strconv.ParseUint(text, 10, 64)
	case *time.Time:
		var ms int64
		ms, err = strconv.ParseInt(text, 10, 64)
		*p = instant(ms)
	default:
		panic(fmt.Sprintf("gate: scan into %T", target))
	}
	return err
}

// refusal is the error for a reply that says no.
func refusal(r reply) error {
	switch r.word() {
	case "closed":
		return ErrClosed
	case "backlog":
		return ErrBacklog
	case "sold_out":
		return ErrSoldOut
	case "key_reused":
		return ErrKeyReused
	case "too_many":
		return ErrTooMany
	case "already":
		already := &AlreadyBoughtError{}
		if err := r.scan("already", &already.Reservation); err != nil {
			return err
		}
		return already
	}
	return nil
}

// instant reads Unix milliseconds; zero is the zero time, both ways.
func instant(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
