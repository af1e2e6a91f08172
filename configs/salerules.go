package configs

import (
	"fmt"
	"strings"
	"time"
)

// saleRules are the keys of a sale file. Zone and repetition come before the
// times that are read by them.
func saleRules() []rule[Sale] {
	return append([]rule[Sale]{
		must("sale", "name it, as sale: golden-toy", saleName, func(s *Sale) *string { return &s.ID }),
		must("title", "write what shoppers read, as title: Golden toy", titling, func(s *Sale) *string { return &s.Title }),
		must("timezone", "write the largest city that has your time, as timezone: Europe/Berlin", zoneName, func(s *Sale) **time.Location { return &s.Zone }),
		other("repeat", repeatShape, func(s *Sale, v value) {
			s.Repeat, _ = v.scalar()
			s.rep = read(v, repeat)
		}),
		timed("doors", func(s *Sale) *time.Time { return &s.Doors },
			length(0, 24*time.Hour), func(s *Sale) *time.Duration { return &s.rep.doors }),
		timed("opens", func(s *Sale) *time.Time { return &s.Opens }, form[time.Duration]{}, nil),
		timed("closes", func(s *Sale) *time.Time { return &s.Closes },
			length(time.Minute, 7*24*time.Hour), func(s *Sale) *time.Duration { return &s.rep.closes }),
		may("mix", free(mixName), func(s *Sale) *string { return &s.Mix }),
		may("one_ticket_per_account", yesOrNo(), func(s *Sale) *bool { return &s.OneTicketPerAccount }),
		must("product_page", "write its path, as product_page: /toys/golden", pathname, func(s *Sale) *string { return &s.Product }),
		must("buy", "write the request that buys, as buy: POST /toys/golden/buy", buying, func(s *Sale) *Buy { return &s.Buy }),
		must("checkout", "write where a winner pays, as checkout: /checkout?reservation={reservation}", paying, func(s *Sale) *string { return &s.Checkout }),
		must("stock", "write how many units there are, as stock: 100", number(1, maxStock), func(s *Sale) *int { return &s.Stock }),
		may("buckets", number(1, maxBuckets), func(s *Sale) *int { return &s.Buckets }),
		may("per_account", number(1, maxPerAccount), func(s *Sale) *int { return &s.PerAccount }),
		must("admit", "write how many may come through, as admit: 2000/s", speed(minRate, maxRate), func(s *Sale) *Rate { return &s.Admit }),
		may("burst", number(1, maxBurst), func(s *Sale) *int { return &s.Burst }),
		may("hold", length(minHold, maxHold), func(s *Sale) *time.Duration { return &s.Hold }),
		may("late_payment", choice(Rehold, Refund), func(s *Sale) *LatePayment { return &s.LatePayment }),
		may("price", written(money, moneyForm, "write amount and currency, as 19.90 EUR"), func(s *Sale) *Money { return &s.Price }),
		orOff(group("shed", func(s *Sale) *Shed { return &s.Shed }, shedRules()),
			func(s *Sale) { s.Shed = Shed{Off: true} }),
		may("conversion", share(), func(s *Sale) *float64 { return &s.Conversion }),
		may("match_stock", yesOrNo(), func(s *Sale) *bool { return &s.MatchStock }),
		may("invitations", number(1, maxInvitations), func(s *Sale) *int { return &s.Invitations }),
	}, branded(func(s *Sale) **Brand { return &s.Brand }, func(s *Sale) *[]string { return &s.Languages })...)
}

func shedRules() []rule[Shed] {
	return []rule[Shed]{
		may("certainty", sure(), func(s *Shed) *float64 { return &s.Certainty }),
		may("line_per_unit", number(1, maxLinePerUnit), func(s *Shed) *int { return &s.LinePerUnit }),
	}
}

// The forms that more than one kind of file has, or that are too long for a table.
var (
	saleName    = form[string]{parse: saleID, shape: shape{Type: scalars, Pattern: saleIDForm.String(), ErrorMessage: "write a-z, 0-9 and -, at most 48, as golden-toy"}}
	titling     = form[string]{titleText, phrase(maxTitle).shape, nil}
	zoneName    = written(zone, zoneForm, "write a time zone as Europe/Berlin, or UTC")
	pathname    = written(sitePath, pathForm, "write a path as /toys/golden")
	buying      = written(buyRequest, buyForm, "write method and path, as POST /toys/golden/buy")
	paying      = written(checkout, checkoutForm, "write where a winner pays, as /checkout?reservation={reservation}")
	repeatShape = shape{Type: "string", Pattern: repeatForm.String(), ErrorMessage: "write every Thursday 18:00, or every day 18:00"}
	timeShape   = shape{Type: "string", Pattern: instantForm.String(), ErrorMessage: "write day and hour as " + example}
)

// timed is a key that is an instant in a dated sale, and a time around the opening in
// one that repeats; the opening itself is not there then.
func timed(key string, dated func(*Sale) *time.Time, f form[time.Duration], repeating func(*Sale) *time.Duration) rule[Sale] {
	r := other(key, timeShape, func(s *Sale, v value) {
		switch {
		case !v.doc.has("repeat"):
			*dated(s) = read(v, besideOpening(key, s, v.doc))
		case repeating == nil:
			v.fault(complain("repeat says when it opens").advise("leave it out"))
		default:
			*repeating(s) = read(v, aroundRuns(key, s, f.parse))
		}
	})
	if r.again = nothing(); repeating != nil {
		r.again = &f.shape
	}
	return r
}

// A check is a rule about several keys of a sale at once: the key to blame and
// what to say, or no complaint. Keys that are missing or at fault themselves
// are zero, and the check says nothing about them.
type check struct {
	key  string
	says func(*Sale) *complaint
}

func saleChecks() []check {
	return []check{
		{"doors", dated("doors", "09:30")},
		{"opens", dated("opens", "10:00")},
		{"closes", dated("closes", "12:00")},
		{"doors", func(s *Sale) *complaint {
			if !s.Opens.IsZero() && s.Doors.After(s.Opens) {
				return complain("after opens").advise("write " + s.clock(s.Opens) + " or earlier")
			}
			return nil
		}},
		{"doors", func(s *Sale) *complaint {
			if !s.Doors.IsZero() && s.Opens.Sub(s.Doors) > maxDoors {
				return complain("more than 31 days before opens").advise("write " + s.clock(s.Opens.Add(-maxDoors)) + " or later")
			}
			return nil
		}},
		{"closes", func(s *Sale) *complaint {
			if !s.Opens.IsZero() && !s.Closes.IsZero() && !s.Closes.After(s.Opens) {
				return complain("not after opens").advise("write a time later than " + s.clock(s.Opens))
			}
			return nil
		}},
		{"closes", func(s *Sale) *complaint {
			if !s.Opens.IsZero() && s.Closes.Sub(s.Opens) > maxOpen {
				return complain("more than 92 days after opens").advise("write " + s.clock(s.Opens.Add(maxOpen)) + " or earlier")
			}
			return nil
		}},
		{"per_account", func(s *Sale) *complaint {
			if s.Stock > 0 && s.PerAccount > s.Stock {
				return complain("%d is more than the stock of %d", s.PerAccount, s.Stock).advise(fmt.Sprintf("write %d or less", s.Stock))
			}
			return nil
		}},
		{"shed.line_per_unit", func(s *Sale) *complaint {
			if s.src.has("shed.certainty") && s.src.has("shed.line_per_unit") {
				return complain("beside certainty").advise("keep one of them")
			}
			return nil
		}},
		{"repeat", runsOverlap},
	}
}

// clock is an instant as the file would write it.
func (s *Sale) clock(at time.Time) string {
	return strings.TrimSuffix(at.In(s.Zone).Format(localForm), ":00")
}

// dated complains about a time that only a repeating sale may leave out.
func dated(key, clock string) func(*Sale) *complaint {
	return func(s *Sale) *complaint {
		if s.src.has(key) || s.src.meant[key] || s.src.has("repeat") {
			return nil
		}
		return complain("missing").advise("write one as " + key + ": " + exampleDay(s.src.now) + " " + clock)
	}
}

// runsOverlap complains about a repeating sale whose next doors open before the
// last holds of the run before have run out.
func runsOverlap(s *Sale) *complaint {
	if s.Repeat == "" || s.rep.days == [7]bool{} || s.Hold == 0 {
		return nil
	}
	run := s.rep.doors + s.rep.closes + s.Hold
	if gap := s.rep.gap(); run > gap {
		return complain("one run of %s reaches into the next", Short(run)).advise("shorten doors, closes or hold to " + Short(gap) + " together")
	}
	return nil
}

// decodeSale reads the keys of a sale file into the run that is current at an
// instant. The document has the faults.
func decodeSale(root value, now time.Time) *Sale {
	s, d := defaultSale(root.doc.name), root.doc
	d.now = now
	s.src = d
	decode(root, s, saleRules())
	for _, check := range saleChecks() {
		if c := check.says(s); c != nil {
			d.blame(check.key, c.wrong, c.right)
		}
	}
	if len(d.faults) > 0 {
		return s
	}
	s.Key = s.ID
	if s.Burst == 0 {
		s.Burst = s.Admit.Burst()
	}
	run := s.runAt(now)
	return &run
}
