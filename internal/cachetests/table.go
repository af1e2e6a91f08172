package cachetests

import (
	"fmt"
	"strings"
)

// Markdown writes a record as docs/cache.md has it.
func (r Record) Markdown() string {
	var out strings.Builder
	r.sums(&out)
	r.groups(&out)
	r.missed(&out)
	return out.String()
}

// row writes one line of a table.
func (r Record) row(out *strings.Builder, first string, cell func(Recorded) string) {
	cells := []string{first}
	for _, c := range r.Caches {
		cells = append(cells, cell(c))
	}
	fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
}

// head writes the names of the caches.
func (r Record) head(out *strings.Builder, first string) {
	r.row(out, first, func(c Recorded) string { return strings.TrimSpace(c.Name + " " + c.Version) })
	r.row(out, "---", func(Recorded) string { return "---:" })
}

func (r Record) sums(out *strings.Builder) {
	r.head(out, "")
	of := func(k Kind) int { return r.Caches[0].Sum(k).Of }
	passed := func(k Kind) func(Recorded) string {
		return func(c Recorded) string { return fmt.Sprint(c.Sum(k).Passed) }
	}
	r.row(out, fmt.Sprintf("required, %d: passed", of(Required)), func(c Recorded) string { return "**" + passed(Required)(c) + "**" })
	r.row(out, "required: failed", func(c Recorded) string { return fmt.Sprint(len(c.Failed)) })
	r.row(out, "of these: a stored answer is given that must not be", func(c Recorded) string { return fmt.Sprint(len(c.Unsafe)) })
	r.row(out, fmt.Sprintf("optimal, %d: passed", of(Optimal)), passed(Optimal))
	r.row(out, fmt.Sprintf("asked only, %d: yes", of(Check)), passed(Check))
}

func (r Record) groups(out *strings.Builder) {
	out.WriteString("\n")
	r.head(out, "required behaviours that passed")
	for _, g := range r.Groups {
		t, some := r.Caches[0].Counts[Required][g.ID]
		if !some {
			continue
		}
		r.row(out, fmt.Sprintf("%s, %d", g.Name, t.Of), func(c Recorded) string {
			return fmt.Sprint(c.Counts[Required][g.ID].Passed)
		})
	}
}

// missed lists what did not pass in waitroom, those with the same reason together.
func (r Record) missed(out *strings.Builder) {
	for _, k := range []Kind{Required, Optimal} {
		var reasons []string
		ids := map[string][]string{}
		for _, m := range r.Caches[0].Missed {
			if m.Kind != k {
				continue
			}
			reason := Excused[m.ID]
			if ids[reason] == nil {
				reasons = append(reasons, reason)
			}
			ids[reason] = append(ids[reason], "`"+m.ID+"`")
		}
		if len(reasons) == 0 {
			fmt.Fprintf(out, "\nEverything that is %s passes in %s.\n", k, us)
			continue
		}
		fmt.Fprintf(out, "\nWhat is %s and did not pass in %s:\n\n", k, us)
		for _, reason := range reasons {
			fmt.Fprintf(out, "- %s\n", strings.TrimSuffix(strings.Join(ids[reason], ", ")+": "+reason, ": "))
		}
	}
}
