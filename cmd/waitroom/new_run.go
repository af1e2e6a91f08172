package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/configs"
)

// run asks everything, shows what comes of it, and writes it.
func (i *interview) run(ctx context.Context) error {
	if i.yes {
		if err := i.missing(); err != nil {
			return err
		}
	} else {
		i.say("A few questions. An empty line means what stands in brackets; Ctrl-C ends without writing.\n")
	}
	for _, q := range questions() {
		if err := i.ask(ctx, q); err != nil {
			return err
		}
	}
	if err := i.review(ctx); err != nil {
		return err
	}
	if err := writeNew(i.target(), i.draft.Text()); err != nil {
		return err
	}
	i.next()
	return nil
}

// review shows what the sale will do until somebody says yes to it, and changes what
// they name.
func (i *interview) review(ctx context.Context) error {
	for {
		sale, faults := i.draft.Judge(i.target(), i.sales, i.rooms, i.now)
		if i.yes {
			if len(faults) > 0 {
				return &wiring.UsageError{Err: faults}
			}
			i.show(sale)
			return nil
		}
		if len(faults) == 0 {
			i.show(sale)
		}
		i.blamed = map[string]bool{}
		for _, f := range faults {
			i.blamed[f.Key] = true
			i.say("\n%s: %s, %s.\n", f.Key, f.Wrong, f.Right)
		}
		done, err := i.settled(ctx, len(faults) == 0)
		if done || err != nil {
			return err
		}
	}
}

// show says what a sale will do, and what about its hours is seldom meant.
func (i *interview) show(sale *configs.Sale) {
	i.say("\n%s", sale.Summary(i.now, firstTold))
	for _, clash := range clashesWith(i.sales, sale, i.now) {
		i.say("%s", clash)
	}
}

// settled asks whether to write, and asks anew what somebody wants to change.
func (i *interview) settled(ctx context.Context, right bool) (bool, error) {
	var keys []string
	for _, q := range questions() {
		keys = append(keys, q.key)
	}
	proposed := ""
	if i.say("\n"); right {
		i.say("Write it to %s? Yes, no, or the name of what to change:\n  %s\n", i.target(), strings.Join(keys, ", "))
		proposed = "yes"
	} else {
		i.say("What shall change? %s\n", strings.Join(keys, ", "))
	}
	text, err := i.line(ctx, proposed)
	if err != nil {
		return false, err
	}
	yes, ok := yesOrNo(text)
	switch at := slices.Index(keys, strings.ReplaceAll(strings.ToLower(text), " ", "_")); {
	case ok && !yes:
		return false, errNothing
	case ok:
		return right, nil
	case at >= 0:
		return false, i.again(ctx, keys[at])
	}
	if meant, ok := configs.Nearest(text, keys); ok {
		i.say("  Did you mean %s?\n", meant)
	}
	return false, nil
}

// again asks a question once more, and with the opening or its clocks what hangs on them.
// What was right before stands in brackets.
func (i *interview) again(ctx context.Context, key string) error {
	i.kept = false
	keys := []string{key}
	if s := i.sale(); !s.Opens.IsZero() {
		i.lead, i.open = s.Opens.Sub(s.Doors), s.Closes.Sub(s.Opens)
	}
	i.before = configs.Draft{}
	if !i.blamed[key] {
		i.before[key] = i.draft[key]
	}
	if key == "opens" && i.draft["repeat"] != "" {
		i.before[key] = i.draft["repeat"]
	}
	switch key {
	case "timezone":
		keys = []string{"timezone", "opens", "doors", "closes"}
	case "opens":
		keys = []string{"opens", "doors", "closes"}
	}
	for _, k := range keys {
		delete(i.draft, k)
	}
	if len(keys) > 1 {
		delete(i.draft, "repeat")
	}
	for _, q := range questions() {
		if slices.Contains(keys, q.key) {
			if err := i.ask(ctx, q); err != nil {
				return err
			}
		}
	}
	return nil
}

// next says where the file is and what is good to do with it.
func (i *interview) next() {
	file := i.target()
	i.say("\nWritten: %s\n\nNext:\n", file)
	for _, step := range [][2]string{
		{"waitroom check " + file, "what it means, whenever you have changed it"},
		{"waitroom preview " + file, "what shoppers will see"},
		{"waitroom rehearse --config " + file + " --shoppers 100000", "the whole sale with a made-up crowd"},
		{"waitroom calendar --config " + i.config, "what is coming, and what clashes"},
	} {
		i.say("  %s\n      %s\n", step[0], step[1])
	}
	sales, _, err := configs.LoadSales(i.config, i.now)
	named := slices.ContainsFunc(sales, func(s configs.Sale) bool { return s.ID == i.draft["sale"] })
	switch _, faults := errors.AsType[configs.Faults](err); {
	case named:
		i.say("A running waitroom takes the file by itself, within seconds.\n")
	case err == nil || faults && isThere(i.config):
		i.say("%s does not name this file yet: ask who runs waitroom to list it there under sales.\n", i.config)
	default:
		i.say("There is no %s here: put the file into the folder that it lists under sales.\n", i.config)
	}
}
