package configs

import (
	"net/url"
	"path/filepath"
	"slices"
	"time"
)

// An operator is the operator's file while it is read: a Config that does not
// have its sales yet.
type operator struct {
	Config
	globs []value
}

// operatorRules are the keys of the operator's file.
func operatorRules() []rule[operator] {
	return append([]rule[operator]{
		group("listen", func(o *operator) *Listen { return &o.Listen }, listenRules()),
		required("write mode: acme, files or internal under it",
			group("tls", func(o *operator) *TLS { return &o.TLS }, tlsRules())),
		required("write url: http://10.0.0.5:8080 under it",
			group("origin", func(o *operator) *Origin { return &o.Origin }, originRules())),
		group("redis", func(o *operator) *Store { o.Redis = &Store{}; return o.Redis },
			storeRules(redisURL)),
		group("postgres", func(o *operator) *Store { o.Postgres = &Store{}; return o.Postgres },
			storeRules(postgresURL)),
		may("data_dir", func(o *operator, v value) {
			o.DataDir = beside(v.doc.name, read(v, words(1024)))
		}),
		must("secret", makeSecret, func(o *operator, v value) { o.Secrets = secrets(v) }),
		may("trusted_proxies", func(o *operator, v value) {
			for _, item := range v.list(`["10.0.0.0/8"]`) {
				o.TrustedProxies = append(o.TrustedProxies, read(item, network))
			}
		}),
		group("identity", func(o *operator) *Identity { return &o.Identity }, identityRules()),
		must("sales", `list the sale files, as ["sales/*.yaml"]`, func(o *operator, v value) {
			o.globs = v.list(`["sales/*.yaml"]`)
		}),
		group("admin", func(o *operator) *Admin { return &o.Admin }, adminRules()),
		group("worker", func(o *operator) *Worker { return &o.Worker }, workerRules()),
		orOff(group("cache", func(o *operator) *Cache { return &o.Cache }, cacheRules()),
			func(o *operator) { o.Cache.Size = 0 }),
		orOff(group("limits", func(o *operator) *Limits { return &o.Limits }, limitsRules()),
			func(o *operator) {
				all := &o.Limits
				all.Address, all.Device, all.Account, all.Block.Join = allOff, allOff, allOff, limitOff
			}),
		orOff(group("bots", func(o *operator) *Bots { return &o.Bots }, botsRules()),
			func(*operator) {}),
		group("cors", func(o *operator) *CORS { return &o.CORS }, corsRules()),
	}, branded(func(o *operator) **Brand { return &o.Brand }, func(o *operator) *[]string { return &o.Languages })...)
}

func corsRules() []rule[CORS] {
	return []rule[CORS]{
		must("origins", `list whose pages may ask, as ["https://app.example.com"]`, func(c *CORS, v value) {
			for _, item := range v.list(`["https://app.example.com"]`) {
				origin := read(item, webOrigin)
				if origin != "" && slices.Contains(c.Origins, origin) {
					item.fault(complain("the same origin again").advise("write each once"))
				}
				c.Origins = append(c.Origins, origin)
			}
		}),
	}
}

// required makes a group one that must be there.
func required[T any](right string, r rule[T]) rule[T] {
	r.right = right
	return r
}

// beside reads a path as one beside the file that it is written in.
func beside(file, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(file), path)
}

// secrets reads one secret or a list of them, each once.
func secrets(v value) []Secret {
	var all []Secret
	for _, item := range v.oneOrList(makeSecret) {
		s := read(item, signingSecret)
		for _, other := range all {
			if s.IsSet() && s.Reveal() == other.Reveal() {
				item.fault(complain("the same secret again").advise("write each once"))
			}
		}
		all = append(all, s)
	}
	return all
}

func listenRules() []rule[Listen] {
	return []rule[Listen]{
		may("https", func(l *Listen, v value) { l.HTTPS = read(v, listenAddress) }),
		orOff(may("http", func(l *Listen, v value) { l.HTTP = read(v, listenAddress) }),
			func(l *Listen) { l.HTTP = "" }),
		orOff(may("admin", func(l *Listen, v value) { l.Admin = read(v, listenAddress) }),
			func(l *Listen) { l.Admin = "" }),
		may("proxy_protocol", func(l *Listen, v value) { l.ProxyProtocol = read(v, truth) }),
	}
}

func tlsRules() []rule[TLS] {
	return []rule[TLS]{
		must("mode", "write acme, files or internal", func(t *TLS, v value) {
			t.Mode = read(v, oneOf(TLSACME, TLSFiles, TLSInternal))
		}),
		may("domains", func(t *TLS, v value) {
			for _, item := range v.list("[shop.example.com]") {
				t.Domains = append(t.Domains, read(item, domain))
			}
		}),
		may("email", func(t *TLS, v value) { t.Email = read(v, email) }),
		may("ca", func(t *TLS, v value) { t.CA = read(v, directoryURL) }),
		may("ca_root", func(t *TLS, v value) { t.CARoot = beside(v.doc.name, read(v, words(1024))) }),
		{key: "files", inner: keysOf(certificateRules()), read: func(t *TLS, v value) {
			for _, item := range v.list("[{cert: shop.crt, key: shop.key}]") {
				var c Certificate
				decode(item, &c, certificateRules())
				t.Files = append(t.Files, c)
			}
		}},
	}
}

func certificateRules() []rule[Certificate] {
	return []rule[Certificate]{
		must("cert", "name the file of the chain, as shop.crt", func(c *Certificate, v value) {
			c.Cert = beside(v.doc.name, read(v, words(1024)))
		}),
		must("key", "name the file of the key, as shop.key", func(c *Certificate, v value) {
			c.Key = beside(v.doc.name, read(v, words(1024)))
		}),
	}
}

func originRules() []rule[Origin] {
	return []rule[Origin]{
		must("url", "write one as http://10.0.0.5:8080", func(o *Origin, v value) { o.URLs = originURLs(v) }),
		orOff(may("at_once", func(o *Origin, v value) { o.AtOnce = read(v, atOnce) }),
			func(o *Origin) { o.AtOnce = AtOnce{Off: true} }),
		may("timeout", func(o *Origin, v value) { o.Timeout = read(v, span(time.Second, time.Hour)) }),
		may("ca_root", func(o *Origin, v value) { o.CARoot = beside(v.doc.name, read(v, words(1024))) }),
	}
}

// originURLs reads the address of one server or a list of them, each once.
func originURLs(v value) []*url.URL {
	var all []*url.URL
	for _, item := range v.oneOrList("write one as http://10.0.0.5:8080") {
		u := read(item, originURL)
		if u == nil {
			continue
		}
		if slices.ContainsFunc(all, func(other *url.URL) bool { return other.String() == u.String() }) {
			item.fault(complain("the same address again").advise("write each once"))
		}
		all = append(all, u)
	}
	return all
}

func cacheRules() []rule[Cache] {
	return []rule[Cache]{
		may("size", func(c *Cache, v value) { c.Size = read(v, size(1<<20, 1<<40)) }),
	}
}

func storeRules(parse func(string) (Secret, *complaint)) []rule[Store] {
	return []rule[Store]{
		must("url", "write its address, or ${NAME} for one in the environment",
			func(s *Store, v value) { s.URL = read(v, parse) }),
	}
}

func identityRules() []rule[Identity] {
	return []rule[Identity]{
		may("cookie", func(i *Identity, v value) { i.Cookie = read(v, cookieName) }),
		may("header", func(i *Identity, v value) { i.Header = read(v, headerName) }),
		group("jwt", func(i *Identity) *JWT { i.JWT = &JWT{}; return i.JWT }, jwtRules()),
	}
}

func jwtRules() []rule[JWT] {
	return []rule[JWT]{
		must("cookie", "name the cookie that holds it", func(j *JWT, v value) { j.Cookie = read(v, cookieName) }),
		must("claim", "name the claim that is the account, as sub", func(j *JWT, v value) { j.Claim = read(v, words(200)) }),
		must("key", "write the HMAC secret or the PEM public key", func(j *JWT, v value) { j.Key = read(v, jwtKey) }),
	}
}

func adminRules() []rule[Admin] {
	return []rule[Admin]{
		may("token", func(a *Admin, v value) { a.Token = read(v, bearerToken) }),
	}
}

func workerRules() []rule[Worker] {
	return []rule[Worker]{
		may("listen", func(w *Worker, v value) { w.Listen = read(v, listenAddress) }),
		may("token", func(w *Worker, v value) { w.Token = read(v, bearerToken) }),
		may("name", func(w *Worker, v value) { w.Name = read(v, words(200)) }),
		may("orders_per_second", func(w *Worker, v value) { w.OrdersPerSecond = read(v, count(1, 100_000)) }),
		may("max_backlog", func(w *Worker, v value) { w.MaxBacklog = read(v, count(1, 10_000_000)) }),
		may("refund_url", func(w *Worker, v value) {
			w.RefundURL = read(v, secretURL("https://shop.example.com/refunds", "https", "http"))
		}),
	}
}

var (
	limitOff = Limit{Off: true}
	allOff   = Rates{limitOff, limitOff, limitOff, limitOff}
)

func limitsRules() []rule[Limits] {
	return []rule[Limits]{
		orOff(group("address", func(l *Limits) *Rates { return &l.Address }, limitRules("join", "claim", "buy", "request")),
			func(l *Limits) { l.Address = allOff }),
		orOff(group("device", func(l *Limits) *Rates { return &l.Device }, limitRules("claim", "buy", "request")),
			func(l *Limits) { l.Device = allOff }),
		orOff(group("account", func(l *Limits) *Rates { return &l.Account }, limitRules("join", "claim", "buy", "request")),
			func(l *Limits) { l.Account = allOff }),
		orOff(group("block", func(l *Limits) *Block { return &l.Block }, blockRules()),
			func(l *Limits) { l.Block.Join = limitOff }),
		orOff(may("body", func(l *Limits, v value) { l.Body = read(v, size(1<<10, 1<<50)) }), func(l *Limits) { l.Body = 0 }),
		may("header", func(l *Limits, v value) { l.Header = read(v, size(4<<10, MostHeader)) }),
	}
}

// limitRules are the limits that one kind of key has.
func limitRules(keys ...string) []rule[Rates] {
	of := map[string]func(*Rates) *Limit{
		"join":    func(b *Rates) *Limit { return &b.Join },
		"claim":   func(b *Rates) *Limit { return &b.Claim },
		"buy":     func(b *Rates) *Limit { return &b.Buy },
		"request": func(b *Rates) *Limit { return &b.Request },
	}
	var rules []rule[Rates]
	for _, key := range keys {
		rules = append(rules, limit(key, of[key]))
	}
	return rules
}

func blockRules() []rule[Block] {
	return []rule[Block]{
		limit("join", func(b *Block) *Limit { return &b.Join }),
		may("burst", func(b *Block, v value) { b.Burst = read(v, count(1, maxBurst)) }),
	}
}

// limit is one bucket: a rate or off.
func limit[T any](key string, of func(*T) *Limit) rule[T] {
	return orOff(
		may(key, func(t *T, v value) {
			*of(t) = Limit{Rate: read(v, rate(Rate{1, time.Hour}, Rate{1_000_000, time.Second}))}
		}),
		func(t *T) { *of(t) = limitOff },
	)
}

func botsRules() []rule[Bots] {
	return []rule[Bots]{
		may("suspicious", func(b *Bots, v value) { b.Suspicious = read(v, oneOf(Behind, Refuse)) }),
		may("least_time", func(b *Bots, v value) { b.LeastTime = read(v, span(time.Second, time.Minute)) }),
		may("proof", func(b *Bots, v value) { b.Proof = read(v, truth) }),
		group("check", func(b *Bots) *Check { b.Check = &Check{}; return b.Check }, checkRules()),
	}
}

func checkRules() []rule[Check] {
	return []rule[Check]{
		must("kind", "write turnstile or hcaptcha", func(c *Check, v value) { c.Kind = read(v, checkKind) }),
		must("site_key", "write the public key that its provider gave you", func(c *Check, v value) { c.SiteKey = read(v, words(200)) }),
		must("secret", "write ${NAME} for the one that its provider gave you", func(c *Check, v value) { c.Secret = read(v, checkSecret) }),
		may("url", func(c *Check, v value) {
			c.URL = read(v, secretURL("https://challenges.cloudflare.com/turnstile/v0/siteverify", "https", "http"))
		}),
	}
}
