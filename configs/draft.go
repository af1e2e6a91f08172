package configs

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Draft is a sale's file while it is being written: what its keys say so far, by
// key, as a file would say it.
type Draft map[string]string

// Judge reads a draft of a file beside sales and rooms that there are, by the rules by
// which files are read. The faults are those of what it says: what it does not say yet
// is none. Of a sale that repeats, the run that is current is given as soon as it says when.
func (d Draft) Judge(name string, sales []Sale, rooms []Room, now time.Time) (*Sale, Faults) {
	if len(d) == 0 {
		return defaultSale(name), nil
	}
	doc := newDocument(name, nil, keysOf(saleRules()))
	doc.alien = notOfSale
	root := doc.open(d.Text())
	if root == nil {
		return defaultSale(name), doc.finish()
	}
	sale := decodeSale(value{doc: doc, node: root}, now)
	faults := doc.finish()
	if sale.ID != "" {
		faults = append(faults, collisions(append(slices.Clone(sales), sale.soFar(now)), rooms)...)
	}
	faults = slices.DeleteFunc(faults, func(f Fault) bool { return f.File != name || f.bare })
	if sale.Repeat != "" && sale.Zone != nil && sale.Key == "" {
		run := sale.runAt(now)
		sale = &run
	}
	return sale, faults
}

// soFar is a sale of which not all is said, with its run as soon as all its times are: from
// then on it can stand in the way of others.
func (s *Sale) soFar(now time.Time) Sale {
	if s.Key != "" || s.Zone == nil || s.Repeat == "" && (s.Doors.IsZero() || s.Opens.IsZero() || s.Closes.IsZero()) || s.Repeat != "" && s.rep.days == [7]bool{} {
		return *s
	}
	run := *s
	run.Key = s.ID
	return run.runAt(now)
}

// offered are the keys that a file from a draft shows where it does not say them, as
// remarks with what is in force, or with what the example says.
var offered = []string{"price", "per_account", "hold", "late_payment", "conversion"}

// around is what times of a sale that repeats count from.
var around = map[string]string{"doors": "how long before it opens people can come and wait", "closes": "how long after it has opened nobody can buy any more"}

// Text is the file: what the draft says, with the example's remarks, and what is often
// wanted besides, as remarks.
func (d Draft) Text() []byte {
	notes := notesOf(string(ExampleSale))
	times := "doors"
	if _, ok := d["repeat"]; ok {
		times = "repeat"
	}
	var b strings.Builder
	b.WriteString("# A sale: what is sold, when, and how fast people come through.\n\n")
	for _, r := range saleRules() {
		line := ""
		if text, ok := d[r.key]; ok {
			line = r.key + ": " + scalarOf(text)
		} else if contains(offered, r.key) {
			line = "# " + r.key + ": " + unsaid(r, notes[r.key])
		} else {
			continue
		}
		if r.key == times || r.key == "product_page" || r.key == "stock" {
			b.WriteString("\n")
		}
		says := notes[r.key].says
		if times == "repeat" && around[r.key] != "" {
			says = around[r.key]
		}
		fmt.Fprintf(&b, "%-33s # %s\n", line, says)
	}
	b.WriteString("\n# Colours, a logo and words of your own: docs/branding.md. Every key: docs/configuration.md.\n")
	return []byte(b.String())
}

// unsaid is what is in force of a key that no file says, else what the example says.
func unsaid(r rule[Sale], example note) string {
	if r.absent != nil {
		if says := r.absent(defaultSale("")); says != nil {
			return fmt.Sprint(says)
		}
	}
	return fmt.Sprint(example.value)
}

// bare is a text that means the same with and without quotes to every reader of YAML.
var bare = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9 /_.,{}?=&+-]*$|^[0-9]+(/[a-z]+|[hms])?$|^[0-9-]{10} [0-9:]{5,8}( [+-][0-9:]{5})?$|^[0-9.]+ [A-Z]{3}$`)

// scalarOf writes a text as a value, in quotes only if it needs them. What a title holds
// always needs them, but for letters: yes and null are words to us and not to others.
func scalarOf(text string) string {
	if bare.MatchString(text) && !strings.HasSuffix(text, " ") && !notText[strings.ToLower(text)] {
		return text
	}
	return quoted(text)
}

var notText = map[string]bool{"y": true, "n": true, "yes": true, "no": true, "on": true, "off": true, "true": true, "false": true, "null": true}

// quoted is a text in quotes, as JSON and YAML both read it.
func quoted(text string) string {
	b, _ := plainJSON(text) // which takes any text
	return string(b)
}
