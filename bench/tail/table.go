package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/waitroom/waitroom/shedding"
)

// The figures stand between these in the page.
const (
	begin = "<!-- figures: go run ./bench/tail -write -->\n"
	end   = "<!-- end of figures -->\n"
)

// rows are what the table says of each certainty.
var rows = []struct {
	name  string
	value func(result) string
}{
	{"may get one, of those told", func(r result) string { return percent(1 - r.certainty) }},
	{"**would have got one, had they stayed**", func(r result) string { return "**" + percent(r.plain.got/max(r.plain.willing, 1)) + "**" }},
	{"at most, with 95 % confidence", func(r result) string { return percent(r.plain.most) }},
	{"the same, each sale counting as one", func(r result) string { return percent(r.plain.each) }},
	{"sales in which it was more than asked for", func(r result) string { return fmt.Sprintf("%d of %d", r.plain.over, r.plain.sales) }},
	{"the most, in one sale", func(r result) string { return percent(r.plain.worst) }},
	{"would have got one, where stock was added later", func(r result) string { return percent(r.restocked.got / max(r.restocked.willing, 1)) }},
	{"told, of all in line", func(r result) string { return percent(float64(r.told) / float64(r.line)) }},
	{"told at the opening, of a line on average, where all was sold", func(r result) string { return percent(r.byTime[0]) }},
	{"after 10 s", func(r result) string { return percent(r.byTime[slices.Index(moments, 10)]) }},
	{"after 100 s", func(r result) string { return percent(r.byTime[slices.Index(moments, 100)]) }},
	{"in the end", func(r result) string { return percent(r.byTime[len(moments)-1]) }},
	{"of those told: called back before their turn", func(r result) string { return percent(float64(r.back) / float64(max(r.told, 1))) }},
	{"most often, one shopper", func(r result) string { return fmt.Sprint(r.most) }},
	{"units left over while somebody willing waited", func(r result) string { return fmt.Sprint(r.idle) }},
	{"units sold", func(r result) string { return thousands(r.sold) }},
}

func table(all []result, left, sales int, seed uint64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s sales for each certainty, seed %d. %s people in line; in %d of the sales somebody was told and no stock was added.\n\n",
		thousands(sales), seed, thousands(all[0].line), all[len(all)-1].plain.sales)
	head, rule := "| certainty |", "|---|"
	for _, r := range all {
		head += fmt.Sprintf(" %v |", r.certainty)
		rule += "---:|"
	}
	b.WriteString(head + "\n" + rule + "\n")
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |", row.name)
		for _, r := range all {
			fmt.Fprintf(&b, " %s |", row.value(r))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\nWith certainty 0.999, if all who are told close their pages and never come back: %s units sold.\n", thousands(left))
	b.WriteString("\nWhat came of the words, of those who stayed and wanted to buy:\n\n| word | said | got one | the word says |\n|---|---:|---:|---|\n")
	words := all[len(all)-1].words
	for _, w := range []struct {
		word shedding.Word
		says string
	}{
		{shedding.Good, "4 in 5 or more"}, {shedding.BetterThanEven, "more than 1 in 2"}, {shedding.Uncertain, "nothing"},
		{shedding.LessThanEven, "less than 1 in 2"}, {shedding.Small, "1 in 10 at most"},
	} {
		n := words[w.word]
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", w.word, thousands(n[0]), of(n[1], n[0]), w.says)
	}
	b.WriteString("\n")
	return b.String()
}

// of is a share of how many there were; of none it says nothing.
func of(part, all int) string {
	if all == 0 {
		return "–"
	}
	return percent(float64(part) / float64(all))
}

func percent(share float64) string {
	switch p := 100 * share; {
	case p == 0:
		return "0 %"
	case p < 0.1:
		return fmt.Sprintf("%.4f %%", p)
	default:
		return fmt.Sprintf("%.3g %%", p)
	}
}

// thousands writes a number with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// put replaces the figures of a page.
func put(file, figures string) error {
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return fmt.Errorf("%s: want %q and %q around the figures", file, begin, end)
	}
	return os.WriteFile(file, []byte(before+begin+figures+end+after), 0o644)
}
