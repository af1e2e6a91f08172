package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/waitroom/waitroom/bench/internal/command"
)

func print(w io.Writer, all []result) {
	command.Say(w, "| defence | the farm has | its tickets in the draw | its share of 100 units | of 1,000 | honest, put behind the draw | of a school | of a carrier | phone works, mean | 99 %% | energy |")
	command.Say(w, "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
	for _, r := range all {
		cells := []string{r.defence.name, r.farm.name, fmt.Sprint(r.tickets[1])}
		for i, stock := range stocks {
			cells = append(cells, percent(r.wins[i], stock))
		}
		cells = append(cells, r.wronged("school", "carrier", "own address"), r.wronged("school"), r.wronged("carrier"))
		command.Say(w, "| %s |", strings.Join(append(cells, r.cost()...), " | "))
	}
}

// wronged is the share of the honest of some networks that do not take part in the
// draw.
func (r result) wronged(kinds ...string) string {
	wronged, came := 0, 0
	for _, k := range kinds {
		wronged, came = wronged+r.behind[k]+r.late[k], came+r.came[k]
	}
	return percent(wronged, came)
}

// cost is what the proof costs who has a phone.
func (r result) cost() []string {
	if len(r.waits) == 0 {
		return []string{"–", "–", "–"}
	}
	slices.Sort(r.waits)
	mean := 0.
	for _, s := range r.waits {
		mean += s / float64(len(r.waits))
	}
	return []string{
		fmt.Sprintf("%.1f s", mean), fmt.Sprintf("%.1f s", r.waits[len(r.waits)*99/100]),
		fmt.Sprintf("%.0f J", mean*phoneWatts),
	}
}

func percent(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of))
}
