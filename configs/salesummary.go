package configs

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Told says how many people are ahead of the first in line who is told at the opening
// that the turn will come too late; ok is false where nobody is. What it takes to know
// that is none of a file's business.
type Told func(*Sale) (ahead int, ok bool)

// Summary says in plain words what a sale will do, as seen at an instant, and warns of
// what about its hours is seldom meant. Without a Told, it does not say from where on
// people are told.
func (s *Sale) Summary(now time.Time, told Told) string {
	return s.summary(now, told) + warningsOf([]Sale{*s}, now)
}

// warningsOf are the clashes of sales from an instant on, each a line: as far as dated
// ones reach and a month at least, but no further than a year.
func warningsOf(sales []Sale, now time.Time) string {
	until := now.AddDate(0, 1, 0)
	for i := range sales {
		if s := &sales[i]; s.Repeat == "" && s.Closes.After(until) {
			until = s.Closes
		}
	}
	if year := now.AddDate(1, 0, 0); until.After(year) {
		until = year
	}
	var b strings.Builder
	for _, clash := range Clashes(Calendar(sales, now, until)) {
		fmt.Fprintf(&b, "warning: %s\n", clash.Says)
	}
	return b.String()
}

func (s *Sale) summary(now time.Time, told Told) string {
	var b strings.Builder
	say := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "  %-8s %s\n", label, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(&b, "%s (%s): %s\n", s.Title, s.ID, s.standing(now))
	if s.Repeat != "" {
		say("repeats", "%s, each time with a draw and a stock of its own; below is %s, and the next is shown from %s on", s.Repeat, s.Key, Moment(s.Over(), s.Zone))
	}
	say("doors", "%s: who comes from then until it opens has the same chance, the first and the last", Moment(s.Doors, s.Zone))
	say("opens", "%s: all who are there are put in a random order; who comes later stands behind them", Moment(s.Opens, s.Zone))
	if s.Mix != "" {
		say("mix", "the random order waits until an operator gives the value of %q", s.Mix)
	}
	if s.OneTicketPerAccount {
		say("accounts", "only who is signed in can join, each account once")
	}
	say("closes", "%s, %s after it opened: nobody can buy from then on", Moment(s.Closes, s.Zone), spoken(s.Closes.Sub(s.Opens)))
	say("sells", "%s%s; one customer gets %s at most", units(s.Stock), s.each(), thousands(s.PerAccount))
	if s.Price.IsSet() {
		say("price", "a payment of another amount or currency is refused, as far as the shop says what was paid: let it send both")
	}
	if s.Buckets > 1 {
		say("buckets", "the stock is kept in %s parts, which a Redis Cluster spreads over its nodes", thousands(s.Buckets))
	}
	say("page", "%s, which everybody sees without waiting; %s is the request that buys", s.Product, s.Buy)
	say("checkout", "who got a unit pays at %s", s.Checkout)
	say("pace", "%s", s.pace())
	say("crowd", "%s", s.crowd(1_000_000))
	say("told no", "%s", s.tail(told))
	if s.MatchStock {
		say("passes", "no more people are let in than there are units left: once so many are in, the next waits until one of them has bought, or a minute and five seconds are over, and nobody can tell how long the line takes")
	}
	if s.Invitations > 0 {
		say("invites", "%s, who stand before everybody else and come in at the opening, at the line's pace", thousands(s.Invitations))
	}
	if look := look(s.Brand, s.Languages); look != "" {
		say("look", "%s", look)
	}
	say("to pay", "%s, then the unit goes to somebody else; money that comes later %s", spoken(s.Hold), s.late())
	return b.String()
}

// standing is the most important of a sale: what there is and when, or that it is over.
func (s *Sale) standing(now time.Time) string {
	switch {
	case now.Before(s.Doors):
		return fmt.Sprintf("%s, opens %s; doors %s", units(s.Stock), Moment(s.Opens, s.Zone), Away(s.Doors, now))
	case now.Before(s.Opens):
		return fmt.Sprintf("%s, the doors are open; opens %s, %s", units(s.Stock), Away(s.Opens, now), Moment(s.Opens, s.Zone))
	case now.Before(s.Closes):
		return fmt.Sprintf("%s, open now; closes %s, %s", units(s.Stock), Away(s.Closes, now), Moment(s.Closes, s.Zone))
	case now.Before(s.Over()):
		return "closed; the last who got a unit may pay for another " + spoken(s.Over().Sub(now))
	}
	return "over since " + Moment(s.Over(), s.Zone) + ", nobody can buy; write new dates to sell again"
}

// pace says how fast the line moves and what that means for crowds.
func (s *Sale) pace() string {
	text := fmt.Sprintf("%s come through, %s at the same moment at most", s.Admit.spoken("shopper"), thousands(s.Burst))
	if s.MatchStock {
		text = "at most " + text
	}
	for _, crowd := range []int{1_000, 100_000} {
		if takes := s.takes(crowd); takes <= s.Closes.Sub(s.Opens) {
			text += fmt.Sprintf("; %s in %s", thousands(crowd), spoken(takes))
		}
	}
	return text
}

// takes is how long the line needs to call so many, at its pace.
func (s *Sale) takes(crowd int) time.Duration {
	return time.Duration(float64(crowd) / s.Admit.PerSecond() * float64(time.Second))
}

// crowd says what becomes of so many people.
func (s *Sale) crowd(people int) string {
	text := fmt.Sprintf("if %s people come, ", thousands(people))
	switch {
	case s.Stock >= people:
		text += "there is a unit for each"
	case s.Stock == 1:
		text += fmt.Sprintf("one gets a unit, and %s get none", thousands(people-1))
	case s.PerAccount > 1:
		text += fmt.Sprintf("at most %s get a unit, and at least %s get none", thousands(s.Stock), thousands(people-s.Stock))
	default:
		text += fmt.Sprintf("%s get a unit, and %s get none", thousands(s.Stock), thousands(people-s.Stock))
	}
	takes, open := s.takes(people), s.Closes.Sub(s.Opens)
	if takes <= open {
		return text + fmt.Sprintf("; the turn of the last one would come %s after the opening", spoken(takes))
	}
	called := int(s.Admit.PerSecond() * open.Seconds())
	if s.PerAccount*called < s.Stock {
		return text + fmt.Sprintf("; but only about %s have their turn before it closes, too few for all units: let more come through, or close later", thousands(about(called)))
	}
	return text + fmt.Sprintf("; about %s have their turn before it closes", thousands(about(called)))
}

// tail says who is told that the turn will come too late.
func (s *Sale) tail(told Told) string {
	var text string
	switch {
	case s.Shed.Off:
		return "nobody hears before it is over that the turn will come too late"
	case s.Shed.LinePerUnit > 0:
		text = fmt.Sprintf("who has %s people ahead for each unit reads that it will be gone", thousands(s.Shed.LinePerUnit))
	default:
		text = fmt.Sprintf("who has a chance of less than 1 in %s reads so at once, if %s of those whose turn comes buy",
			thousands(int(math.Round(1/(1-s.Shed.Certainty)))), percentage(s.Conversion))
	}
	if told == nil {
		return text
	}
	if ahead, ok := told(s); ok {
		return text + ": at the opening with about " + thousands(about(ahead)) + " people ahead, or more"
	}
	return text + ": at the opening nobody"
}

// about is a number of which three digits are told.
func about(n int) int {
	unit := 1
	for n/unit >= 1000 {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}

// percentage is a share as the files write it.
func percentage(share float64) string {
	return strconv.FormatFloat(math.Round(share*1e5)/1e3, 'f', -1, 64) + "%"
}

// each says what a unit costs and all of them, if that is known.
func (s *Sale) each() string {
	switch {
	case !s.Price.IsSet():
		return ""
	case s.Stock == 1:
		return " for " + s.Price.spoken()
	case s.Price.minor > math.MaxInt64/int64(s.Stock):
		return " for " + s.Price.spoken() + " each"
	}
	return fmt.Sprintf(" for %s each, %s in all", s.Price.spoken(), s.Price.Times(s.Stock).spoken())
}

// spoken is an amount with commas: 1,990.00 EUR.
func (m Money) spoken() string {
	whole, fraction, cents := strings.Cut(m.Amount(), ".")
	n, _ := strconv.Atoi(whole) // plain digits
	text := thousands(n)
	if cents {
		text += "." + fraction
	}
	return text + " " + m.currency
}

func (s *Sale) late() string {
	if s.LatePayment == Refund {
		return "is always given back"
	}
	return "takes another unit if one is left, else it is given back"
}
