package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/configs"
)

// An interview turns answers into the file of a sale.
type interview struct {
	lines <-chan string
	out   io.Writer

	now          time.Time
	config       string // the operator's file
	folder, file string // where the new one goes; file: as it was named
	sales        []configs.Sale
	rooms        []configs.Room
	given        map[string]string // answers by flags, by key
	yes          bool              // ask nothing
	advised      string            // what the last fault says to write
	blamed       map[string]bool   // keys that the last review found at fault
	before       configs.Draft     // what the draft said of what is asked again
	lead, open   time.Duration     // from the doors to the opening, and from there to the closing; 0: as usual
	kept         bool              // a path that another sale has, to change the hours
	draft        configs.Draft
}

// errNothing is why no file was written.
var errNothing = errors.New("nothing was written")

// readLines gives what is typed, line by line, until it ends or ctx is done. A read that
// waits for a terminal ends with the process.
func readLines(ctx context.Context, in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for scan := bufio.NewScanner(in); scan.Scan(); {
			select {
			case lines <- strings.TrimSpace(scan.Text()):
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

func (i *interview) say(format string, args ...any) { _, _ = fmt.Fprintf(i.out, format, args...) }

// line is the next answer; an empty one means what is proposed.
func (i *interview) line(ctx context.Context, proposed string) (string, error) {
	if proposed != "" {
		i.say("  [%s] ", proposed)
	} else {
		i.say("  > ")
	}
	select {
	case text, ok := <-i.lines:
		if !ok {
			i.say("\n")
			return "", fmt.Errorf("the answers ended: %w", errNothing)
		}
		if text == "" {
			text = proposed
		}
		return text, nil
	case <-ctx.Done():
		i.say("\n")
		return "", fmt.Errorf("%w: %w", context.Cause(ctx), errNothing)
	}
}

// confirm asks for yes or no; an empty line is yes.
func (i *interview) confirm(ctx context.Context, words string) (bool, error) {
	for {
		i.say("  %s", words)
		text, err := i.line(ctx, "yes")
		if err != nil {
			return false, err
		}
		if yes, ok := yesOrNo(text); ok {
			return yes, nil
		}
		i.say("  Please write yes or no.\n")
	}
}

func yesOrNo(text string) (yes, ok bool) {
	switch strings.ToLower(text) {
	case "y", "yes", "ok":
		return true, true
	case "n", "no":
		return false, true
	}
	return false, false
}

// ask asks one question until there is an answer that is right.
func (i *interview) ask(ctx context.Context, q question) error {
	if text, ok := i.given[q.key]; ok {
		delete(i.given, q.key) // asked about later, it is asked
		return i.take(q, text)
	}
	proposed := i.before[q.key]
	delete(i.before, q.key)
	if proposed == "" && q.propose != nil {
		proposed = q.propose(i)
	}
	if i.yes {
		if proposed == "" && !q.optional {
			return &wiring.UsageError{Err: fmt.Errorf("--%s: missing, and --yes asks nothing", flagOf(q.key))}
		}
		return i.take(q, proposed)
	}
	i.say("\n%s\n", q.ask)
	if q.more != "" {
		i.say("  %s\n", strings.ReplaceAll(q.more, "\n", "\n  "))
	}
	if q.optional && proposed != "" {
		i.say("  none takes it out.\n")
	}
	for {
		text, err := i.line(ctx, proposed)
		if err != nil {
			return err
		}
		if text == "" && !q.optional {
			i.say("  This one needs an answer.\n")
			continue
		}
		done, err := i.heard(ctx, q, text, text != proposed)
		if done || err != nil {
			return err
		}
		if i.advised != "" {
			proposed, i.advised = i.advised, ""
		}
	}
}

// take is the answer of who is not asked: what is wrong with it is a fault of usage.
func (i *interview) take(q question, text string) error {
	if text == "" && q.optional {
		return nil
	}
	if err := i.answer(q, text); err != nil {
		return &wiring.UsageError{Err: fmt.Errorf("--%s %q: %w", flagOf(q.key), text, err)}
	}
	return nil
}

// heard takes an answer that was typed, says what is wrong with it or how it was
// understood, and reports whether that is settled.
func (i *interview) heard(ctx context.Context, q question, text string, typed bool) (done bool, err error) {
	if q.optional && (text == "" || text == "none" || text == "-") {
		delete(i.draft, q.key)
		return true, nil
	}
	err = i.answer(q, text)
	if clash := (*clashError)(nil); errors.As(err, &clash) {
		return i.keeps(ctx, clash)
	}
	if err != nil {
		i.say("  %s.\n", err)
		i.advised = i.meant(q, err)
		return false, nil
	}
	if q.said == nil {
		return true, nil
	}
	words := q.said(i)
	if !typed {
		i.say("  %s.\n", words)
		return true, nil
	}
	return i.confirm(ctx, words+". Right?")
}

// meant is the one answer that a fault advises, if it is right; else nothing.
func (i *interview) meant(q question, fault error) string {
	_, advised, ok := strings.Cut(fault.Error(), ", write ")
	if !ok || q.key == "opens" {
		return ""
	}
	before := i.draft
	defer func() { i.draft = before }()
	if i.answer(q, advised) != nil {
		return ""
	}
	return advised
}

// missing are the flags of what has no answer where nothing is asked.
func (i *interview) missing() error {
	var flags []string
	for _, q := range questions() {
		_, given := i.given[q.key]
		if !given && !q.optional && (q.propose == nil || q.key == "timezone" && q.propose(i) == "") {
			flags = append(flags, "--"+flagOf(q.key))
		}
	}
	if flags == nil {
		return nil
	}
	return &wiring.UsageError{Err: fmt.Errorf("%s: missing, and --yes asks nothing", strings.Join(flags, ", "))}
}

var errEncoding = errors.New("holds a letter that is not sent as UTF-8, set the terminal to UTF-8 and write it again")

// answer makes a text part of the draft, unless the rules of files are against it.
func (i *interview) answer(q question, text string) error {
	if !utf8.ValidString(text) {
		return errEncoding
	}
	key, value, err := q.meant(i, text)
	if err != nil {
		return err
	}
	before := i.draft
	i.draft = configs.Draft{}
	for k, v := range before {
		if k != q.key && k != q.other {
			i.draft[k] = v
		}
	}
	i.draft[key] = value
	if err := i.judge(key); err != nil {
		i.draft = before
		return err
	}
	return i.clash(key, before)
}

// A clashError is an answer that is right, but for another sale at the same time.
type clashError struct {
	says string
	with configs.Draft // the draft with the answer
}

func (c *clashError) Error() string { return c.says }

// clash tells, after an answer about a path, that another sale has it at the same time.
// After any other answer it is no fault of that one, and the review tells it.
func (i *interview) clash(key string, before configs.Draft) error {
	if key != "product_page" && key != "buy" {
		return nil
	}
	_, faults := i.draft.Judge(i.target(), i.sales, i.rooms, i.now)
	for _, f := range faults {
		if f.Key == key {
			clash := &clashError{f.Wrong + ", " + f.Right, i.draft}
			i.draft = before
			return clash
		}
	}
	return nil
}

// keeps asks who wants a path that another sale has whether the hour shall change instead.
// Asked once: the request that buys mostly is under the page.
func (i *interview) keeps(ctx context.Context, clash *clashError) (bool, error) {
	i.say("  %s.\n", clash)
	if !i.kept {
		yes, err := i.confirm(ctx, "Keep it, and change the hours at the end?")
		if !yes || err != nil {
			return false, err
		}
		i.kept = true
	}
	i.draft = clash.with
	return true, nil
}

// judge says what is wrong with the draft by itself or with its name, after an answer
// about a key.
func (i *interview) judge(key string) error {
	_, faults := i.draft.Judge(i.target(), nil, nil, i.now)
	if key == "sale" && len(faults) == 0 {
		_, faults = i.draft.Judge(i.target(), i.sales, i.rooms, i.now)
		faults = slices.DeleteFunc(faults, func(f configs.Fault) bool { return f.Key != "sale" })
	}
	var wrong []string
	for _, f := range faults {
		text := f.Wrong
		if f.Key != key {
			text = f.Key + ": " + text
		}
		if f.Right != "" {
			text += ", " + f.Right
		}
		wrong = append(wrong, text)
	}
	if wrong != nil {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}

// sale is what the draft says so far.
func (i *interview) sale() *configs.Sale {
	s, _ := i.draft.Judge(i.target(), i.sales, i.rooms, i.now)
	return s
}
