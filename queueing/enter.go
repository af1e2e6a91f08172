package queueing

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Entry is who wants a number. The zero value is anybody.
type Entry struct {
	Account string // has one number, however often it enters; empty: nobody's, each time another one
	Behind  bool   // wants one behind the draw
	Proof   Proof  // is spent on the number; zero: none is asked for
}

// named reports whether an entry is looked at by itself.
func (e Entry) named() bool { return e.Account != "" || !e.Proof.none() }

// Proof is good for one number, in this line and at whichever edge. Whoever asks
// for one has seen that it is a good one; here it is only used up.
type Proof struct {
	ID   [16]byte  // random
	Ends time.Time // not taken from then on, nor earlier than MaxProof before
}

// MaxProof is the longest time for which a proof can be good: what was used is
// remembered for one to two times as long.
const MaxProof = 6 * time.Minute

func (p Proof) none() bool { return p.Ends.IsZero() }

// Given is what an entry came to.
type Given struct {
	Number
	Again bool // the account had it: nothing was given, and no proof was spent
}

// Enter gives a number: [ErrNotOpen] before the doors, [ErrEnded] from closing
// on. Without an account it is the next one; an account has one number, the one it
// was given first, however often and on however many edges it enters; but one behind
// the draw gives way, before the lottery is closed, to one in it. Of the one that it
// left nothing is recorded: who has kept that ticket has a second place, behind the
// draw, and may claim at it too. Only a hash of the account is recorded, see
// accountRecord.
//
// Who is to stand behind the draw is given a number of another count, see
// [Snapshot.Place]; once the lottery is closed everybody who enters is behind it, and
// numbers are given alike.
//
// A proof is spent with the number that it is given for, in the same step. One that
// was, or that has ended, is [ErrSpent]; but an account that has a number is told it,
// and spends nothing.
//
// Entries that arrive together share one call, and calls are at least 5 ms
// apart. A caller whose ctx ends is let go, its number is then nobody's, or
// waits for its account; one that happens to carry the call for the others
// stays for it, a second at most.
//
// Where an edge remembers more numbers than Redis does, none is given for the next
// 0.3 s of Redis time, so that each edge can say with its tick what it remembers.
func (l *Line) Enter(ctx context.Context, e Entry) (Given, error) {
	got, err := l.enters.one(ctx, e)
	if err != nil {
		return Given{}, err
	}
	return got.Given, got.err
}

// entered is what became of one of the entries of a call.
type entered struct {
	Given
	err error
}

// maxNamed is how many entries with an account or a proof go in one call. A script
// adds many numbers as fast as one, but it looks for each of these, and everybody
// else waits meanwhile.
const maxNamed = 256

// enter takes a number for each entry. Not to be repeated when the reply is lost:
// numbers without an account would be lost with it.
func (l *Line) enter(ctx context.Context, entries []Entry) ([]entered, error) {
	keys := append(make([]string, 0, len(l.keys)+8), l.keys...)
	args, plain, behind := []any{nil, nil}, 0, 0
	for _, e := range entries {
		switch {
		case e.named():
			var account []byte
			if e.Account != "" {
				var key string
				key, account = l.accountRecord(e.Account)
				keys = append(keys, key)
			}
			args = append(args, digit(e.Behind), account, e.Proof.arg())
		case e.Behind:
			behind++
		default:
			plain++
		}
	}
	args[0], args[1] = plain, behind
	r, err := l.number(ctx, scriptEnter, keys, args...)
	if err != nil {
		return nil, fmt.Errorf("enter line: %w", err)
	}
	if err := refusal(r); err != nil {
		return nil, err
	}
	got, err := l.numbers(r, entries)
	if err != nil {
		return nil, fmt.Errorf("enter line: %w", err)
	}
	return got, nil
}

// arg is the proof as lua/enter.lua reads it; empty: none.
func (p Proof) arg() []byte {
	if p.none() {
		return nil
	}
	return append(strconv.AppendInt(nil, p.Ends.UnixMicro(), 10), append([]byte(":"), p.ID[:]...)...)
}

// numbers reads what lua/enter.lua answered, in the order of the question.
func (l *Line) numbers(r reply, entries []Entry) ([]entered, error) {
	var plain, behind Number
	var seen remembered
	got := make([]entered, len(entries))
	into := []any{"entered", &plain, &behind}
	for i, e := range entries {
		if e.named() {
			into = append(into, &got[i])
		}
	}
	if err := r.scan(append(into, seen.fields()...)...); err != nil {
		return nil, err
	}
	for i, e := range entries {
		switch {
		case e.named():
		case e.Behind:
			got[i].Number = behind
			behind.Value++
		default:
			got[i].Number = plain
			plain.Value++
		}
	}
	l.memory.learn(seen)
	return got, nil
}

// parseEntered reads what lua/enter.lua answers to one entry: spent, or a number,
// with = before one that its account had.
func parseEntered(text string) (e entered, err error) {
	if text == "spent" {
		e.err = ErrSpent
		return e, nil
	}
	digits, again := strings.CutPrefix(text, "=")
	e.Again = again
	e.Number, err = parseNumber(digits)
	return e, err
}

// parseNumber reads a number as lua/enter.lua writes it: digits, with b before
// those of one behind the draw.
func parseNumber(text string) (n Number, err error) {
	digits, behind := strings.CutPrefix(text, "b")
	n.Behind = behind
	n.Value, err = strconv.ParseUint(digits, 10, 64)
	return n, err
}

// accountRecord is where the number of an account is kept: 96 bits of a hash
// that nobody can compare with those of other sales, in one of 65,536 small
// hashes. Redis keeps such hashes packed, up to 25 million accounts or so: then an
// account takes about 33 bytes.
func (l *Line) accountRecord(account string) (key string, field []byte) {
	sum := sha256.Sum256([]byte(l.plan.key + "\x00" + account))
	return fmt.Sprintf("%s:account:%x", l.keys[0], sum[:2]), sum[2:14]
}
