package configs

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"time"
)

// Changes gives what may not change from a running configuration to the next
// one while the program runs: a sale between its doors and its closing keeps
// its name, its times, its price, its buckets and where it stands in the configuration,
// and invites nobody besides those it said; what the program holds open (listeners and
// how they are served, stores, folders) needs a restart. Whether a lower stock is still
// possible is not known here.
//
// Each fault points into the next configuration's files.
func Changes(running, next *Config, now time.Time) Faults {
	var faults Faults
	for _, f := range fixed() {
		if !reflect.DeepEqual(f.of(running), f.of(next)) {
			faults = append(faults, next.src.fault(f.key, "cannot change while the program runs", "change it back, or restart"))
		}
	}
	for i := range running.Sales {
		if s := &running.Sales[i]; s.isOpen(now) {
			faults = append(faults, frozen(s, next)...)
		}
	}
	return faults.sorted()
}

// A fixed key is read at start only.
type fixedKey struct {
	key string
	of  func(*Config) any
}

func fixed() []fixedKey {
	return []fixedKey{
		{"listen.https", func(c *Config) any { return c.Listen.HTTPS }},
		{"listen.http", func(c *Config) any { return c.Listen.HTTP }},
		{"listen.admin", func(c *Config) any { return c.Listen.Admin }},
		{"listen.express", func(c *Config) any { return c.Listen.Express }},
		{"redis.url", func(c *Config) any { return c.Redis }},
		{"postgres.url", func(c *Config) any { return c.Postgres }},
		{"data_dir", func(c *Config) any { return c.DataDir }},
		{"worker.listen", func(c *Config) any { return c.Worker.Listen }},
		{"worker.token", func(c *Config) any { return c.Worker.Token }},
		{"worker.name", func(c *Config) any { return c.Worker.Name }},
		{"worker.orders_per_second", func(c *Config) any { return c.Worker.OrdersPerSecond }},
		{"worker.refund_url", func(c *Config) any { return c.Worker.RefundURL }},
	}
}

// isOpen reports whether an instant is between a sale's doors and its closing.
func (s *Sale) isOpen(now time.Time) bool {
	return !now.Before(s.Doors) && now.Before(s.Closes)
}

// frozen gives what has become of an open sale that must not.
func frozen(s *Sale, next *Config) Faults {
	const right = "change it back: the sale is open"
	find := func(test func(*Sale) bool) *Sale {
		i := slices.IndexFunc(next.Sales, func(n Sale) bool { return test(&n) })
		if i < 0 {
			return nil
		}
		return &next.Sales[i]
	}
	n := find(func(n *Sale) bool { return n.ID == s.ID })
	if n == nil {
		if renamed := find(func(n *Sale) bool { return n.File == s.File }); renamed != nil {
			return Faults{renamed.src.fault("sale", fmt.Sprintf("was %q", s.ID), right)}
		}
		return Faults{next.src.fault("sales", fmt.Sprintf("sale %q of %s is gone", s.ID, s.File), "put it back: the sale is open")}
	}
	var faults Faults
	was := s.InForce()
	for _, c := range was.contradicts(n.InForce()) {
		if c.key == "invitations" { // fewer stop links that got about
			faults = append(faults, n.src.fault(c.key, "was "+cmp.Or(c.force, "none"), fewer(c.force)+": the sale is open"))
			continue
		}
		faults = append(faults, n.src.fault(c.key, "was "+c.before(), right))
	}
	return faults
}

// fewer says what to write where a file has more invitations than were said.
func fewer(invitations string) string {
	if invitations == "" {
		return "leave it out"
	}
	return "write " + invitations + " or fewer"
}
