package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// A question asks for one key of a sale's file.
type question struct {
	key, other string // other: a key that the answer may be of instead
	ask, more  string
	optional   bool
	propose    func(*interview) string                                 // empty: nothing
	meant      func(i *interview, text string) (string, string, error) // the key and what the file says
	said       func(*interview) string                                 // how it was understood; nil: plainly
}

// questions are asked in this order: each proposal may build on the answers before.
func questions() []question {
	return []question{
		{key: "title", ask: "What do you sell?", more: "Shoppers read this on every page, as: Golden toy, half price", meant: as("title", nil)},
		{key: "sale", ask: "What is its short name?", more: "It stands in addresses: a-z, 0-9 and -. It cannot change once the sale is open.",
			propose: freeName, meant: freshName},
		{key: "timezone", ask: "In which time zone are your hours?", more: "Region and city, as Europe/Berlin",
			propose: func(i *interview) string { return usualZone(i.sales) }, meant: as("timezone", nil)},
		{key: "opens", other: "repeat", ask: "When does it open?",
			more:  "Day and hour, as 27.11.2026 10:00, or again and again, as every Thursday 18:00.\nThen all who are there are put in a random order, so nobody has to be first.",
			meant: opening, said: saidOpening},
		{key: "doors", ask: "When do the doors open?", more: "From then on people can come and wait for the opening. An hour, or as 30 minutes before.",
			propose: func(i *interview) string { return i.around(-cmp.Or(i.lead, 30*time.Minute)) },
			meant:   func(i *interview, text string) (string, string, error) { return i.aroundOpening("doors", text, -1) },
			said: func(i *interview) string {
				s := i.sale()
				return "The doors open on " + configs.Moment(s.Doors, s.Zone)
			}},
		{key: "closes", ask: "When does it close?", more: "Nobody can buy after that. An hour, or as 2 hours after.",
			propose: func(i *interview) string { return i.around(cmp.Or(i.open, 2*time.Hour)) },
			meant:   func(i *interview, text string) (string, string, error) { return i.aroundOpening("closes", text, 1) },
			said: func(i *interview) string {
				s := i.sale()
				return "It closes on " + configs.Moment(s.Closes, s.Zone)
			}},
		{key: "product_page", ask: "Where is the product's page?", more: "Copy its address from the browser.", meant: page},
		{key: "buy", ask: "Which request does its buy button send?",
			more:    "Ask who made the shop; or open the page, press F12, choose Network, press buy, and\nread the line that appears with POST. Its address alone will do, too.",
			propose: func(i *interview) string { return "POST " + strings.TrimSuffix(i.draft["product_page"], "/") + "/buy" },
			meant:   as("buy", buyOf)},
		{key: "checkout", ask: "Where does somebody pay who got one?", more: "The address of the checkout, with {reservation} where the shop wants the reservation's number.",
			propose: func(*interview) string { return "/checkout?reservation={reservation}" }, meant: as("checkout", nil)},
		{key: "stock", ask: "How many units are there?", meant: as("stock", plainDigits)},
		{key: "price", ask: "What does one unit cost?", optional: true,
			more:  "With currency, as 19.90 EUR; a payment of anything else is refused. Leave it empty where\nvouchers or postage change what is paid.",
			meant: as("price", nil)},
		{key: "per_account", ask: "How many may one customer buy?", propose: func(*interview) string { return "1" }, meant: as("per_account", plainDigits)},
		{key: "admit", ask: "How many people may come through in a second?",
			more:    "As many as your checkout can bear: ask who runs the shop. As 20/s, or 30/min for a small one.\nProposed is three people for each unit within a minute, and 200/s at most.",
			propose: func(i *interview) string { return paceFor(i.sale().Stock) }, meant: as("admit", speedOf)},
		{key: "hold", ask: "How long may somebody take to pay?", more: "Then the unit goes to somebody else.",
			propose: func(*interview) string { return "10m" }, meant: as("hold", func(text string) string {
				if d, ok := configs.MeantSpan(text); ok {
					return configs.Short(d)
				}
				return text
			})},
	}
}

// as is an answer that the file says as it was typed, but for what read makes of it.
func as(key string, read func(string) string) func(*interview, string) (string, string, error) {
	return func(_ *interview, text string) (string, string, error) {
		if read != nil {
			text = read(text)
		}
		return key, text, nil
	}
}

// freeName is a name for the sale that no other one has.
func freeName(i *interview) string {
	first := idOf(i.draft["title"])
	id := first
	for n := 2; id != "" && !i.nameIsFree(id); n++ {
		id = first + "-" + strconv.Itoa(n)
	}
	return id
}

func (i *interview) nameIsFree(id string) bool {
	_, _, err := freshName(i, id)
	return err == nil && !slices.ContainsFunc(i.sales, func(s configs.Sale) bool { return s.ID == id }) &&
		!slices.ContainsFunc(i.rooms, func(r configs.Room) bool { return r.ID == id })
}

// freshName is the name, unless there is a file that it would overwrite.
func freshName(i *interview, text string) (string, string, error) {
	if file := i.fileOf(text); i.file == "" && !strings.ContainsAny(text, `/\`) && isThere(file) {
		return "", "", fmt.Errorf("%s is there already, and no file is overwritten, choose another name", file)
	}
	return "sale", text, nil
}

// page is the product's page; where more than a path was pasted, it says what of it counts.
func page(i *interview, text string) (string, string, error) {
	path, query := pathOf(text)
	if path != text && !i.yes {
		i.say("  The page's path counts: %s\n", path)
	}
	if query != "" && !i.yes {
		i.say("  What stands behind the question mark (%s) is left out: it is one page with and without.\n", query)
	}
	return "product_page", path, nil
}

// opening reads a day and its hour, or a repetition.
func opening(i *interview, text string) (string, string, error) {
	zone := i.sale().Zone
	if zone == nil {
		return "opens", text, nil // without a zone, it is at fault anyway
	}
	if meant, ok := configs.MeantRepeat(text); ok {
		return "repeat", meant, nil
	}
	value, err := configs.MeantWhen(text, i.now.In(zone))
	if err != nil {
		return "", "", err
	}
	if at, err := i.sale().Instant(value); err == nil && !at.After(i.now) {
		return "", "", fmt.Errorf("%s is past, %s", configs.Moment(at, zone), configs.Away(at, i.now))
	}
	return "opens", value, nil
}

func saidOpening(i *interview) string {
	s := i.sale()
	at := fmt.Sprintf("%s, %s", configs.Moment(s.Opens, s.Zone), configs.Away(s.Opens, i.now))
	if s.Repeat != "" {
		return "It opens " + s.Repeat + ", the first time on " + at
	}
	return "It opens on " + at
}
