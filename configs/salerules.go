package configs

import "time"

// saleRules are the keys of a sale file. Zone and repetition come before the
// times that are read by them.
func saleRules() []rule[Sale] {
	return append([]rule[Sale]{
		must("sale", "name it, as golden-toy", func(s *Sale, v value) { s.ID = read(v, saleID) }),
		must("title", "write what shoppers read, as Golden toy", func(s *Sale, v value) { s.Title = read(v, words(200)) }),
		must("timezone", "write one as Europe/Berlin", func(s *Sale, v value) { s.Zone = read(v, zone) }),
		may("repeat", func(s *Sale, v value) {
			s.Repeat, _ = v.scalar()
			s.rep = read(v, repeat)
		}),
		may("doors", func(s *Sale, v value) {
			if s.repeats(v) {
				s.rep.doors = read(v, span(0, 24*time.Hour))
			} else {
				s.Doors = read(v, instant(s.Zone))
			}
		}),
		may("opens", func(s *Sale, v value) {
			if s.repeats(v) {
				v.fault(complain("repeat says when it opens").advise("leave it out"))
			} else {
				s.Opens = read(v, instant(s.Zone))
			}
		}),
		may("closes", func(s *Sale, v value) {
			if s.repeats(v) {
				s.rep.closes = read(v, span(time.Minute, 7*24*time.Hour))
			} else {
				s.Closes = read(v, instant(s.Zone))
			}
		}),
		may("mix", func(s *Sale, v value) { s.Mix = read(v, mixName) }),
		may("one_ticket_per_account", func(s *Sale, v value) { s.OneTicketPerAccount = read(v, truth) }),
		must("product_page", "write its path, as /toys/golden", func(s *Sale, v value) { s.Product = read(v, sitePath) }),
		must("buy", "write the request that buys, as POST /toys/golden/buy", func(s *Sale, v value) { s.Buy = read(v, buyRequest) }),
		must("checkout", "write where a winner pays, as /checkout?reservation={reservation}", func(s *Sale, v value) { s.Checkout = read(v, checkout) }),
		must("stock", "write how many units there are, as 100", func(s *Sale, v value) { s.Stock = read(v, count(1, maxStock)) }),
		may("buckets", func(s *Sale, v value) { s.Buckets = read(v, count(1, maxBuckets)) }),
		may("per_account", func(s *Sale, v value) { s.PerAccount = read(v, count(1, maxPerAccount)) }),
		must("admit", "write how many may come through, as 2000/s", func(s *Sale, v value) { s.Admit = read(v, admit) }),
		may("burst", func(s *Sale, v value) { s.Burst = read(v, count(1, maxBurst)) }),
		may("hold", func(s *Sale, v value) { s.Hold = read(v, span(minHold, maxHold)) }),
		may("late_payment", func(s *Sale, v value) { s.LatePayment = read(v, oneOf(Rehold, Refund)) }),
		may("price", func(s *Sale, v value) { s.Price = read(v, money) }),
		orOff(group("shed", func(s *Sale) *Shed { return &s.Shed }, shedRules()),
			func(s *Sale) { s.Shed = Shed{Off: true} }),
		may("conversion", func(s *Sale, v value) { s.Conversion = read(v, percent) }),
		may("match_stock", func(s *Sale, v value) { s.MatchStock = read(v, truth) }),
		may("invitations", func(s *Sale, v value) { s.Invitations = read(v, count(1, maxInvitations)) }),
	}, branded(func(s *Sale) **Brand { return &s.Brand }, func(s *Sale) *[]string { return &s.Languages })...)
}

func shedRules() []rule[Shed] {
	return []rule[Shed]{
		may("certainty", func(s *Shed, v value) { s.Certainty = read(v, certainty) }),
		may("line_per_unit", func(s *Shed, v value) { s.LinePerUnit = read(v, count(1, maxLinePerUnit)) }),
	}
}

func (s *Sale) repeats(v value) bool { return v.doc.has("repeat") }

// A check is a rule about several keys of a sale at once: the key to blame and
// what to say, or no complaint. Keys that are missing or at fault themselves
// are zero, and the check says nothing about them.
type check struct {
	key  string
	says func(*Sale) *complaint
}

func saleChecks() []check {
	return []check{
		{"doors", dated("doors", "2026-11-27 09:30")},
		{"opens", dated("opens", "2026-11-27 10:00")},
		{"closes", dated("closes", "2026-11-27 12:00")},
		{"doors", func(s *Sale) *complaint {
			if !s.Opens.IsZero() && s.Doors.After(s.Opens) {
				return complain("after opens").advise("doors open before the draw, or with it")
			}
			return nil
		}},
		{"doors", func(s *Sale) *complaint {
			if !s.Doors.IsZero() && s.Opens.Sub(s.Doors) > maxDoors {
				return complain("more than 31 days before opens").advise("at most 31 days")
			}
			return nil
		}},
		{"closes", func(s *Sale) *complaint {
			if !s.Opens.IsZero() && !s.Closes.IsZero() && !s.Closes.After(s.Opens) {
				return complain("not after opens").advise("a sale closes after it has opened")
			}
			return nil
		}},
		{"closes", func(s *Sale) *complaint {
			if !s.Opens.IsZero() && s.Closes.Sub(s.Opens) > maxOpen {
				return complain("more than 92 days after opens").advise("at most 92 days")
			}
			return nil
		}},
		{"per_account", func(s *Sale) *complaint {
			if s.Stock > 0 && s.PerAccount > s.Stock {
				return complain("%d is more than the stock of %d", s.PerAccount, s.Stock).advise("at most the stock")
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

// dated complains about a time that only a repeating sale may leave out.
func dated(key, right string) func(*Sale) *complaint {
	return func(s *Sale) *complaint {
		if s.src.has(key) || s.src.has("repeat") {
			return nil
		}
		return complain("missing").advise("write one as " + right)
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
		return complain("one run of %s reaches into the next", short(run)).advise("shorten doors, closes or hold to " + short(gap) + " together")
	}
	return nil
}

// decodeSale reads the keys of a sale file into the run that is current at an
// instant. The document has the faults.
func decodeSale(root value, now time.Time) *Sale {
	s, d := defaultSale(root.doc.name), root.doc
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
