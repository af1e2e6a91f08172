package configs

import (
	"fmt"
	"math"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Told says how many people are ahead of the first in line who is told at the opening
// that the turn will come too late; ok is false where nobody is. What it takes to know
// that is none of a file's business.
type Told func(*Sale) (ahead int, ok bool)

// Summary says in plain words what a sale will do, as seen at an instant. Without a
// Told, it does not say from where on people are told.
func (s *Sale) Summary(now time.Time, told Told) string {
	var b strings.Builder
	say := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "  %-8s %s\n", label, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(&b, "%s (%s): %s\n", s.Title, s.ID, s.standing(now))
	if s.Repeat != "" {
		say("repeats", "%s; this run is %s, and the next takes over at %s", s.Repeat, s.Key, moment(s.Over(), s.Zone))
	}
	say("doors", "%s: whoever comes from then on is in the draw", moment(s.Doors, s.Zone))
	say("opens", "%s: the draw; who comes later stands behind it", moment(s.Opens, s.Zone))
	if s.Mix != "" {
		say("mix", "the draw waits until an operator gives the value of %q", s.Mix)
	}
	if s.OneTicketPerAccount {
		say("accounts", "only who is signed in can join, and an account has one number")
	}
	say("closes", "%s, %s after opening", moment(s.Closes, s.Zone), spoken(s.Closes.Sub(s.Opens)))
	say("sells", "%s%s, at most %s an account", units(s.Stock), s.each(), thousands(s.PerAccount))
	if s.Price.IsSet() {
		say("price", "a payment of another amount or currency is refused, as far as the shop says what was paid: let it send both")
	}
	if s.Buckets > 1 {
		say("buckets", "the stock is split in %s, which a Redis Cluster spreads over its nodes", thousands(s.Buckets))
	}
	say("buying", "%s on %s; a winner pays at %s", s.Buy, s.Product, s.Checkout)
	say("line", "%s", s.pace())
	say("tail", "%s", s.tail(told))
	if s.MatchStock {
		say("passes", "never more are unused than there are units left: once as many are out, who is next waits until one ends, a minute and five seconds after it was given, and nobody can tell how long the line takes")
	}
	if s.Invitations > 0 {
		say("invites", "%s, who stand before the draw and come in at the opening, at the line's rate", thousands(s.Invitations))
	}
	say("hold", "%s to pay; money that comes later %s", spoken(s.Hold), s.late())
	return b.String()
}

// standing is where a sale is in its life.
func (s *Sale) standing(now time.Time) string {
	switch {
	case now.Before(s.Doors):
		return "doors in " + spoken(s.Doors.Sub(now))
	case now.Before(s.Opens):
		return "doors are open, opens in " + spoken(s.Opens.Sub(now))
	case now.Before(s.Closes):
		return "open, closes in " + spoken(s.Closes.Sub(now))
	case now.Before(s.Over()):
		return "closed, the last holds run out in " + spoken(s.Over().Sub(now))
	}
	return "over since " + moment(s.Over(), s.Zone)
}

// pace says how fast the line moves and what that means for crowds.
func (s *Sale) pace() string {
	text, take := fmt.Sprintf("%s, %s at once", s.Admit.spoken("shopper"), thousands(s.Burst)), "take"
	if s.MatchStock {
		text, take = "at most "+text, "take at least"
	}
	for _, crowd := range []int{1_000, 100_000, 1_000_000} {
		takes := time.Duration(float64(crowd) / s.Admit.PerSecond() * float64(time.Second))
		if takes > s.Closes.Sub(s.Opens) {
			return text + fmt.Sprintf("; not all of %s get through before it closes", thousands(crowd))
		}
		text += fmt.Sprintf("; %s %s %s", thousands(crowd), take, spoken(takes))
	}
	return text
}

// tail says who is told that the turn will come too late.
func (s *Sale) tail(told Told) string {
	var text string
	switch {
	case s.Shed.Off:
		return "nobody is told that the turn will come too late"
	case s.Shed.LinePerUnit > 0:
		text = fmt.Sprintf("who has %s people ahead for each unit is told that it will be gone", thousands(s.Shed.LinePerUnit))
	default:
		text = fmt.Sprintf("who has a chance of less than 1 in %s is told so, where %s of those called are expected to buy",
			thousands(int(math.Round(1/(1-s.Shed.Certainty)))), percentage(s.Conversion))
	}
	if told == nil {
		return text
	}
	if ahead, ok := told(s); ok {
		return text + ": at first with about " + thousands(about(ahead)) + " people ahead, or more"
	}
	return text + ": at first nobody is"
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

// each says what a unit costs, if that is known.
func (s *Sale) each() string {
	if !s.Price.IsSet() {
		return ""
	}
	return " for " + s.Price.String() + " each"
}

func (s *Sale) late() string {
	if s.LatePayment == Refund {
		return "is always refunded"
	}
	return "takes a new unit if one is left, else it is refunded"
}

// Summary says in plain words what a configuration will do, as seen at an
// instant: the edge, the stores and what a restart loses, then each sale and room.
func (c *Config) Summary(now time.Time, told Told) string {
	var b strings.Builder
	say := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "  %-8s %s\n", label, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(&b, "%s\n", c.File)
	say("listens", "%s", c.listens())
	say("tls", "%s", c.TLS.spoken())
	say("origin", "%s", c.Origin.spoken())
	say("mode", "%s", c.Mode())
	say("account", "%s", c.Identity.spoken())
	if tickets := c.tickets(); tickets != "" {
		say("tickets", "%s", tickets)
	}
	for _, note := range c.notes() {
		say("note", "%s", note)
	}
	for i := range c.Sales {
		b.WriteString("\n" + c.Sales[i].Summary(now, told))
	}
	for i := range c.Rooms {
		b.WriteString("\n" + c.Rooms[i].Summary())
	}
	return b.String()
}

func (c *Config) listens() string {
	text := "https " + c.Listen.HTTPS
	if c.Listen.HTTP != "" {
		text += ", http " + c.Listen.HTTP
	}
	if c.Listen.Admin != "" {
		text += ", admin " + c.Listen.Admin
	}
	return text + ", worker " + c.Worker.Listen
}

func (t TLS) spoken() string {
	names := strings.Join(t.Domains, ", ")
	switch t.Mode {
	case TLSACME:
		return "certificates are issued and renewed by ACME for " + names
	case TLSFiles:
		return fmt.Sprintf("certificates are read from %s for %s", plural(len(t.Files), "pair")+" of files", names)
	}
	return "certificates are signed by a CA of our own, which no browser trusts: for trying"
}

func (o Origin) spoken() string {
	var all []string
	for _, u := range o.URLs {
		all = append(all, u.String())
	}
	text := strings.Join(all, ", ")
	if len(all) > 1 {
		text = "in turn " + text
	}
	return text + "; " + o.AtOnce.spoken()
}

func (a AtOnce) spoken() string {
	switch {
	case a.Off:
		return "any number of requests at once"
	case a.Most > 0:
		return plural(a.Most, "request") + " at once from each edge"
	}
	return "from each edge as many requests at once as it answers well"
}

// Mode says in one line where things are kept and what a restart loses.
func (c *Config) Mode() string {
	if c.Embedded() {
		return fmt.Sprintf("embedded: this program alone, books in %s; a restart loses the line (everybody draws a new number), never the books", c.DataDir)
	}
	return "redis and postgres: any number of edges and workers; a restart loses nothing: another one takes over"
}

func (i Identity) spoken() string {
	switch {
	case i.Cookie != "":
		return "the storefront's cookie " + i.Cookie
	case i.Header != "":
		return "the header " + i.Header
	case i.JWT != nil:
		return fmt.Sprintf("claim %s of the signed cookie %s", i.JWT.Claim, i.JWT.Cookie)
	}
	return "anonymous: a device is an account, so per_account binds browsers, not people"
}

// believes reports whether anybody can claim to be any account: a plain cookie is
// not signed, and a header comes from anywhere but for trusted proxies.
func (c *Config) believes() bool {
	return c.Identity.Cookie != "" || c.Identity.Header != "" && len(c.TrustedProxies) == 0
}

// inTheClear reports whether what is sent to a URL leaves this machine without TLS.
func inTheClear(to Secret) bool {
	u, err := url.Parse(to.Reveal())
	if err != nil || u.Scheme != "http" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() != "localhost" && (err != nil || !ip.IsLoopback())
}

// notes are what is allowed and easily overlooked.
func (c *Config) notes() []string {
	var notes []string
	note := func(when bool, text string) {
		if when {
			notes = append(notes, text)
		}
	}
	note(len(c.Sales)+len(c.Rooms) == 0, "no sale: everything is passed on to the origin")
	note(!c.Admin.Token.IsSet(), "no admin.token: operators cannot pause, resume or change the rate")
	for _, t := range []struct {
		key   string
		token Secret
	}{{"admin.token", c.Admin.Token}, {"worker.token", c.Worker.Token}} {
		note(t.token.IsSet() && len(t.token.Reveal()) < minToken, t.key+" is so short that it can be guessed: "+makeSecret)
	}
	note(!c.Worker.Token.IsSet(), "no worker.token: the worker's API is closed, so no payment can be reported")
	note(!c.Worker.RefundURL.IsSet(), "no worker.refund_url: refunds that are due wait in the table")
	note(inTheClear(c.Worker.RefundURL), "worker.refund_url is http:// to another host: refunds can be read on the way, though not forged; use https://")
	note(c.believes() && slices.ContainsFunc(c.Sales, func(s Sale) bool { return s.OneTicketPerAccount }),
		"identity is believed as it is sent, so one_ticket_per_account can be cheated: use jwt, or a header with trusted_proxies")
	notes = append(notes, c.botNotes()...)
	for _, name := range c.Limits.off() {
		note(true, name+" is off")
	}
	return notes
}
