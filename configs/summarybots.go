package configs

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// tickets says what it takes to get one, and what becomes of who falls short of it;
// empty: nothing is asked, and no block is capped.
func (c *Config) tickets() string {
	var all []string
	if shows := c.Bots.shows(); shows != "" {
		all = append(all, "a browser shows "+shows)
	}
	if b := c.Limits.Block; !b.Join.Off {
		all = append(all, fmt.Sprintf("each IPv4 /24 or IPv6 /48 gets %s at once and %s more, on each edge", thousands(b.Burst), b.Join.Rate))
	}
	if len(all) == 0 {
		return ""
	}
	return strings.Join(all, "; ") + "; " + c.Bots.Suspicious.spoken()
}

func (b Bots) shows() string {
	var all []string
	if b.Proof {
		all = append(all, "a proof of work")
	}
	if b.LeastTime > 0 {
		all = append(all, spoken(b.LeastTime)+" of patience")
	}
	if b.Check != nil {
		all = append(all, "the word of "+string(b.Check.Kind))
	}
	return strings.Join(all, ", ")
}

func (s Suspicion) spoken() string {
	if s == Refuse {
		return "others get no ticket"
	}
	return "others stand behind the draw"
}

// asks reports whether there is anything for which somebody is suspected.
func (c *Config) suspects() bool { return c.Bots.Asks() || !c.Limits.Block.Join.Off }

// botNotes are what is easily overlooked about who gets a ticket.
func (c *Config) botNotes() (notes []string) {
	note := func(when bool, text string) {
		if when {
			notes = append(notes, text)
		}
	}
	says := func(key string) bool { return c.src != nil && c.src.has(key) }
	note(says("limits.block.burst") && c.Limits.Block.Join.Off, "limits.block.burst does nothing without limits.block.join")
	note(says("bots.suspicious") && !c.suspects(),
		"bots.suspicious alone asks nothing: write proof, least_time or check beside it, or limits.block.join")
	note(c.Bots.Suspicious == Refuse && c.suspects(),
		"bots.suspicious: refuse turns honest people away as well; behind gives them a place")
	if check := c.Bots.Check; check != nil && check.URL.IsSet() {
		note(!check.asksProvider(), "bots.check.url is not "+string(check.Kind)+"'s: whoever is there is given the secret, and decides who is a person")
		note(inTheClear(check.URL), "bots.check.url is http:// to another host: the secret can be read on the way; use https://")
	}
	return notes
}

// asksProvider reports whether the URL leads to the provider.
func (c *Check) asksProvider() bool {
	home := map[CheckKind][]string{
		Turnstile: {"challenges.cloudflare.com"},
		HCaptcha:  {"api.hcaptcha.com", "hcaptcha.com"},
	}[c.Kind]
	u, err := url.Parse(c.URL.Reveal())
	return err == nil && slices.Contains(home, u.Hostname())
}
