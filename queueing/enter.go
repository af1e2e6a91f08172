package queueing

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"

	"github.com/waitroom/waitroom/configs"
)

// Enter gives a number: [ErrNotOpen] before the doors, [ErrEnded] from closing
// on. Without an account it is the next one; an account has one number, however
// often and on however many edges it enters. Only a hash of the account is
// recorded, see accountRecord.
//
// Entries that arrive together share one call, and calls are at least 5 ms
// apart. A caller whose ctx ends is let go, its number is then nobody's, or
// waits for its account; one that happens to carry the call for the others
// stays for it, a second at most.
//
// Where an edge remembers more numbers than Redis does, none is given for the next
// 0.3 s of Redis time, so that each edge can say with its tick what it remembers.
func (l *Line) Enter(ctx context.Context, account string) (number uint64, err error) {
	return l.enters.one(ctx, account)
}

// maxEnters is how many entries go in one call. A script adds many numbers as
// fast as one, but it looks for each account, and everybody else waits meanwhile.
func maxEnters(sale *configs.Sale) int {
	if sale.OneTicketPerAccount {
		return 256
	}
	return math.MaxInt
}

// enter takes a number for each account, where an empty one is nobody's. Not to
// be repeated when the reply is lost: numbers without an account would be lost
// with it.
func (l *Line) enter(ctx context.Context, accounts []string) ([]uint64, error) {
	keys, args, unnamed := slices.Clone(l.keys), []any{nil}, 0
	for _, account := range accounts {
		if account == "" {
			unnamed++
			continue
		}
		key, field := l.accountRecord(account)
		keys, args = append(keys, key), append(args, field)
	}
	args[0] = unnamed
	r, err := l.number(ctx, scriptEnter, keys, args...)
	if err != nil {
		return nil, fmt.Errorf("enter line: %w", err)
	}
	if err := refusal(r); err != nil {
		return nil, err
	}
	numbers, err := l.numbers(r, accounts)
	if err != nil {
		return nil, fmt.Errorf("enter line: %w", err)
	}
	return numbers, nil
}

// numbers reads what lua/enter.lua answered, in the order of the question.
func (l *Line) numbers(r reply, accounts []string) ([]uint64, error) {
	var first uint64
	var seen remembered
	numbers := make([]uint64, len(accounts))
	into := []any{"entered", &first}
	for i, account := range accounts {
		if account != "" {
			into = append(into, &numbers[i])
		}
	}
	if err := r.scan(append(into, seen.fields()...)...); err != nil {
		return nil, err
	}
	for i, account := range accounts {
		if account == "" {
			numbers[i] = first
			first++
		}
	}
	l.memory.learn(seen)
	return numbers, nil
}

// accountRecord is where the number of an account is kept: 96 bits of a hash
// that nobody can compare with those of other sales, in one of 65,536 small
// hashes. Redis keeps such hashes packed, up to 25 million accounts or so: then an
// account takes about 33 bytes.
func (l *Line) accountRecord(account string) (key string, field []byte) {
	sum := sha256.Sum256([]byte(l.plan.key + "\x00" + account))
	return fmt.Sprintf("%s:account:%x", l.keys[0], sum[:2]), sum[2:14]
}
