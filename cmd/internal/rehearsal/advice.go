package rehearsal

import (
	"fmt"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// advise says what the numbers speak for, where they do.
func (r *Report) advise(sale *configs.Sale) []string {
	advice := []string{}
	say := func(when bool, format string, args ...any) {
		if when {
			advice = append(advice, fmt.Sprintf(format, args...))
		}
	}
	rate := sale.Admit.PerSecond()
	window := sale.Closes.Sub(sale.Opens)
	left := r.Stock - r.Bought

	say(float64(r.Stock)/rate < 10 && r.AdmittedForNothing > r.Stock,
		"The line lets one shopper through for each unit in %s, sooner than anybody can press buy: %s were let through and found nothing left. At %s fewer would come for nothing, and all would be held within about a minute still; with match_stock: true hardly anybody would, and the sale takes as long as those hesitate who are let in.",
		span(float64(r.Stock)/rate), thousands(r.AdmittedForNothing), slower(r.Stock))
	say(r.calledBackMany(), "%s", r.aboutRecall(sale))
	say(r.ToldEnded > 0 && left > 0,
		"The sale closed with %s of %s units unsold and %s people still there: at %s at most %s are let through in the %s that it is open. Raise admit, or close later.",
		thousands(left), thousands(r.Stock), thousands(r.ToldEnded), r.Rate, thousands(int(rate*window.Seconds())), span(window.Seconds()))
	say(r.ToldEnded == 0 && left > 0 && r.AllHeld == 0,
		"%s of %s units stayed unsold though everybody was called: this crowd is too small for the stock.", thousands(left), thousands(r.Stock))
	say(left > 0 && r.AllHeld != 0 && r.Lapsed > 0,
		"%s came back too late to be sold again: a hold shorter than %s gives them to the next in line sooner.", plural(left, "unit"), span(sale.Hold.Seconds()))
	say(r.StatusPeak.PerSecond > manyPolls,
		"In the busiest second the pages ask for %s small documents, the same bytes for everybody: let a CDN carry /.waitroom/%s/status, which may be cached for a second.",
		thousands(r.StatusPeak.PerSecond), sale.ID)
	say(r.PrivatePeak.PerSecond > manyRequests,
		"%s private requests come in the busiest second, which no CDN can carry: plan more than one edge.", thousands(r.PrivatePeak.PerSecond))
	return advice
}

// manyRecalled: one in so many of those who are told that it is hopeless.
const manyRecalled = 20

// calledBackMany reports whether more people were told no than it takes.
func (r *Report) calledBackMany() bool {
	return r.CalledBack > 0 && r.CalledBack*manyRecalled >= r.HopelessAtOnce+r.HopelessLater
}

// aboutRecall says what would have told fewer people no.
func (r *Report) aboutRecall(sale *configs.Sale) string {
	text := fmt.Sprintf("Of those who were told that it is hopeless, %s were called back, and %s of them got a unit. ", thousands(r.CalledBack), thousands(r.CalledBackGot))
	if sale.Shed.LinePerUnit > 0 {
		return text + fmt.Sprintf("A larger line_per_unit than %s tells fewer.", thousands(sale.Shed.LinePerUnit))
	}
	text += fmt.Sprintf("Of the places that were called %s ended with a paid unit, where the sale reckons with conversion: %s", percent(r.converted()), percent(sale.Conversion))
	if !sale.MatchStock {
		text += "; match_stock: true or a lower admit calls fewer places for each unit"
	}
	return text + ". Fewer are told no with conversion: " + percent(max(leastConversion, min(r.converted(), sale.Conversion/2))) + "."
}

// leastConversion is the least that a file may say.
const leastConversion = 0.001

// converted is how many of the places that were called ended with a paid unit.
func (r *Report) converted() float64 { return float64(r.Bought) / float64(max(r.PlacesCalled, 1)) }

// What one edge with a few cores carries without effort.
const (
	manyPolls    = 5000
	manyRequests = 3000
)

// slower is a rate that lets three times the stock through in a minute.
func slower(stock int) configs.Rate {
	if perSecond := stock * 3 / 60; perSecond >= 1 {
		return configs.Rate{Count: perSecond, Per: time.Second}
	}
	return configs.Rate{Count: stock * 3, Per: time.Minute}
}
