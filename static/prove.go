package static

import (
	"net/url"
	"strings"
	"time"
)

// Asked is what [Prove] asks for. The zero value asks nothing that can be shown.
type Asked struct {
	Challenge string        // its text, which comes back with what is shown
	Bits      int           // of each of its puzzles; 0: no proof
	Puzzles   int           // how many there are
	After     time.Duration // not to be answered sooner
	Check     string        // the kind of a check by somebody else, of those in checks; empty: none
	SiteKey   string        // its public key
	Behind    bool          // who cannot show it may join behind the draw
}

// check is what a page loads of a service that tells people from programs.
type check struct {
	widget, script string
	hosts          string // from which it works, for the policy
	styles, asks   bool   // its styles and questions come from there, too
}

// checks are the services by their names in the configuration.
var checks = map[string]check{
	"turnstile": {
		widget: "cf-turnstile", script: "https://challenges.cloudflare.com/turnstile/v0/api.js",
		hosts: "https://challenges.cloudflare.com",
	},
	"hcaptcha": {
		widget: "h-captcha", script: "https://js.hcaptcha.com/1/api.js",
		hosts: "https://hcaptcha.com https://*.hcaptcha.com", styles: true, asks: true,
	},
}

// ownPath is the address of a part of the sale; empty where there is no sale.
func (v View) ownPath(part string) string {
	if v.Sale == "" {
		return ""
	}
	return prefix + url.PathEscape(v.Sale) + "/" + part
}

// Plain reports whether what is asked can be shown without script.
func (a Asked) Plain() bool { return a.Bits == 0 && a.Check == "" }

// AfterMillis is for the script.
func (a Asked) AfterMillis() int64 { return a.After.Milliseconds() }

// Widget is the class of the element that the check fills, and CheckScript what
// fills it.
func (a Asked) Widget() string      { return checks[a.Check].widget }
func (a Asked) CheckScript() string { return checks[a.Check].script }

// WithoutScript is what [Prove] says to who runs no script, and Enter the label of
// the button by which they join; empty: they cannot.
func (d document) WithoutScript() string {
	switch {
	case d.Asked.Plain():
		return d.T.Text("prove.plain", "wait", d.T.length(max(d.Asked.After, time.Second)))
	case d.Asked.Behind:
		return d.T.Text("prove.behind")
	default:
		return d.T.Text("prove.refuse")
	}
}

func (d document) Enter() string {
	switch {
	case d.Asked.Plain():
		return d.T.Text("action.enter")
	case d.Asked.Behind:
		return d.T.Text("action.behind")
	default:
		return ""
	}
}

// provePolicy is the content policy of [Prove], made of the other pages': its own script instead of the other
// pages', a worker from the same origin, and what the check needs.
func provePolicy(policy, kind string) string {
	c := checks[kind]
	more := func(to bool, hosts string) string {
		if !to || hosts == "" {
			return ""
		}
		return " " + hosts
	}
	own := strings.NewReplacer(
		scriptSource, "script-src "+digest(proveScript)+more(true, c.hosts),
		"style-src ", "style-src"+more(c.styles, c.hosts)+" ",
		"connect-src 'self'", "connect-src 'self'"+more(c.asks, c.hosts),
	).Replace(policy) + "; worker-src 'self'"
	if c.hosts == "" {
		return own
	}
	return own + "; frame-src " + c.hosts
}
