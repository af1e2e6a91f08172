package configs

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// operatorChecks are the rules about several keys of the operator's file.
func operatorChecks(o *operator) {
	storeChecks(o)
	tlsChecks(o)
	identityChecks(o)
	listenChecks(o)
	loopChecks(o)
	titleChecks(o)
}

func storeChecks(o *operator) {
	d := o.src
	switch redis, postgres := d.has("redis"), d.has("postgres"); {
	case redis && !postgres:
		d.blame("redis", "without postgres", "write both, or neither for the embedded stores")
	case postgres && !redis:
		d.blame("postgres", "without redis", "write both, or neither for the embedded stores")
	case redis && postgres && !d.has("worker.token"):
		d.blame("worker.token", "missing", "the worker's API needs one with redis and postgres: "+makeSecret)
	}
}

// tlsChecks: each source of certificates has its own keys.
func tlsChecks(o *operator) {
	d, mode := o.src, o.TLS.Mode
	needs := func(key, right string) {
		if !d.has(key) {
			d.blame(key, "missing", right+" with mode "+string(mode))
		}
	}
	onlyWith := func(key string, only TLSMode) {
		if mode != only && d.has(key) {
			d.blame(key, "not used with mode "+string(mode), "leave it out, or write mode: "+string(only))
		}
	}
	if mode == "" {
		return
	}
	onlyWith("tls.email", TLSACME)
	onlyWith("tls.ca", TLSACME)
	onlyWith("tls.ca_root", TLSACME)
	onlyWith("tls.files", TLSFiles)
	if mode != TLSInternal {
		needs("tls.domains", "name the shop's domains, as [shop.example.com],")
	}
	if mode == TLSFiles {
		needs("tls.files", "list them, as [{cert: shop.crt, key: shop.key}],")
	}
	notEmpty := func(key string, n int) {
		if d.has(key) && n == 0 && !d.faulted(key) {
			d.blame(key, "an empty list", "name at least one")
		}
	}
	notEmpty("tls.domains", len(o.TLS.Domains))
	notEmpty("tls.files", len(o.TLS.Files))
	for _, name := range o.TLS.Domains {
		if mode == TLSACME && strings.HasPrefix(name, "*.") {
			d.blame("tls.domains", `"`+name+`" cannot be proved over HTTP`, "name each host, or use mode: files")
		}
	}
}

func identityChecks(o *operator) {
	d := o.src
	var set []string
	for _, key := range []string{"cookie", "header", "jwt"} {
		if d.has("identity." + key) {
			set = append(set, key)
		}
	}
	if len(set) > 1 {
		d.blame("identity."+set[1], "a second source of the account", "keep one of "+strings.Join(set, ", "))
	}
	if d.has("identity") && len(set) == 0 && !d.faulted("identity") {
		d.blame("identity", "empty", "write cookie, header or jwt under it, or leave it out")
	}
}

// titleChecks: what a sale is called stands in its own file. Here it would be the title of
// every sale.
func titleChecks(o *operator) {
	if o.Brand == nil {
		return
	}
	for language, texts := range o.Brand.Texts {
		key := "brand.texts.title"
		if language != "" {
			key = "brand.texts." + language + ".title"
		}
		if texts["title"] != "" {
			o.src.blame(key, "would be the title of every sale", "write it in the sale's own file")
		}
	}
}

// saleNeeds are the rules about what a sale needs of the operator's file.
func saleNeeds(o *operator) Faults {
	var faults Faults
	for i := range o.Sales {
		s := &o.Sales[i]
		if s.OneTicketPerAccount && !o.src.has("identity") {
			faults = append(faults, s.src.fault("one_ticket_per_account", "without identity in "+o.File,
				"write identity there, or leave this out"))
		}
		if s.Mix != "" && !o.src.has("admin.token") {
			faults = append(faults, s.src.fault("mix", "without admin.token in "+o.File,
				"write one there: the value is given with it"))
		}
	}
	return faults
}

// listenChecks: two listeners on one address would leave the second unopened, and
// PROXY headers count from nobody but who is trusted.
func listenChecks(o *operator) {
	if o.Listen.ProxyProtocol && len(o.TrustedProxies) == 0 && !o.src.faulted("trusted_proxies") {
		o.src.blame("listen.proxy_protocol", "without trusted_proxies", "name the networks of your own proxies there")
	}
	seen := map[string]string{}
	for _, l := range []struct{ key, address string }{
		{"listen.https", o.Listen.HTTPS},
		{"listen.http", o.Listen.HTTP},
		{"listen.admin", o.Listen.Admin},
		{"worker.listen", o.Worker.Listen},
	} {
		_, port, err := net.SplitHostPort(l.address)
		if err != nil || port == "0" {
			continue
		}
		if other := seen[l.address]; other != "" {
			o.src.blame(l.key, "the same address as "+other, "give each its own port")
			continue
		}
		seen[l.address] = l.key
	}
}

// loopChecks: an origin at an address where we listen would ask ourselves for ever.
func loopChecks(o *operator) {
	for _, u := range o.Origin.URLs {
		for _, l := range []struct{ key, address string }{
			{"listen.https", o.Listen.HTTPS}, {"listen.http", o.Listen.HTTP},
			{"listen.admin", o.Listen.Admin}, {"worker.listen", o.Worker.Listen},
		} {
			if host, port, err := net.SplitHostPort(l.address); err == nil && port == portOf(u) && sameHost(u.Hostname(), host) {
				o.src.blame("origin.url", u.Redacted()+" is this program itself, at "+l.key, "name the shop's own address")
			}
		}
	}
}

// portOf is the port of an origin, also where its scheme says it; empty: a socket.
func portOf(u *url.URL) string {
	switch {
	case u.Port() != "" || u.Scheme == "unix":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// sameHost reports whether an origin's host is one on which a listener is: the same,
// or this machine where the listener is on all its addresses.
func sameHost(origin, listener string) bool {
	at, err := netip.ParseAddr(origin)
	here := strings.EqualFold(origin, "localhost") || err == nil && (at.IsLoopback() || at.IsUnspecified())
	on, err := netip.ParseAddr(listener)
	switch {
	case err == nil && on.IsUnspecified(), listener == "":
		return here
	case err == nil && on.IsLoopback() && strings.EqualFold(origin, "localhost"):
		return true
	}
	return strings.EqualFold(origin, listener) || strings.EqualFold(listener, "localhost") && here
}
