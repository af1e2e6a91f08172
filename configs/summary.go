package configs

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Summary says in plain words what a configuration will do, as seen at an
// instant: the edge, the stores and what a restart loses, then each sale and room.
func (c *Config) Summary(now time.Time, told Told) string {
	var b strings.Builder
	say := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "  %-8s %s\n", label, fmt.Sprintf(format, args...))
	}
	for i := range c.Sales {
		if sale := &c.Sales[i]; !now.Before(sale.Over()) {
			fmt.Fprintf(&b, "warning: %s of %s is in the past: %s\n", sale.ID, sale.File, sale.standing(now))
		}
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
		b.WriteString("\n" + c.Sales[i].summary(now, told))
	}
	for i := range c.Rooms {
		b.WriteString("\n" + c.Rooms[i].Summary())
	}
	if warnings := warningsOf(c.Sales, now); warnings != "" {
		b.WriteString("\n" + warnings)
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
