package configs

import (
	"net/netip"
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
		file("data_dir", func(o *operator) *string { return &o.DataDir }),
		required(makeSecret, other("secret", oneOrMore, func(o *operator, v value) { o.Secrets = secrets(v) })),
		list("trusted_proxies", `["10.0.0.0/8"]`, free(network), func(o *operator) *[]netip.Prefix { return &o.TrustedProxies }),
		group("identity", func(o *operator) *Identity { return &o.Identity }, identityRules()),
		required(`list the sale files, as ["sales/*.yaml"]`, other("sales", listOf(shape{Type: "string"}), func(o *operator, v value) {
			o.globs = v.list(`["sales/*.yaml"]`)
		})),
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
		required(`list whose pages may ask, as ["https://app.example.com"]`, other("origins", listOf(originShape), func(c *CORS, v value) {
			for _, item := range v.list(`["https://app.example.com"]`) {
				origin := read(item, webOrigin)
				if origin != "" && slices.Contains(c.Origins, origin) {
					item.fault(complain("the same origin again").advise("write each once"))
				}
				c.Origins = append(c.Origins, origin)
			}
		})),
	}
}

var originShape = shape{Type: "string", Pattern: `^https://[^/?#*@\s]+/?$`, ErrorMessage: "write one as https://app.example.com"}

// oneOrMore is the shape of one value, or of a list of them.
var oneOrMore = anyOf(shape{Type: scalars}, shape{Type: "array", Items: &shape{Type: scalars}, MinItems: 1})

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
		may("https", listening, func(l *Listen) *string { return &l.HTTPS }),
		orOff(may("http", listening, func(l *Listen) *string { return &l.HTTP }),
			func(l *Listen) { l.HTTP = "" }),
		orOff(may("admin", listening, func(l *Listen) *string { return &l.Admin }),
			func(l *Listen) { l.Admin = "" }),
		may("proxy_protocol", yesOrNo(), func(l *Listen) *bool { return &l.ProxyProtocol }),
		may("express", yesOrNo(), func(l *Listen) *bool { return &l.Express }),
	}
}

// listening is an address to listen on.
var listening = free(listenAddress).telling(func(address string) any { return orNothing(address, address == "") })

func tlsRules() []rule[TLS] {
	return []rule[TLS]{
		must("mode", "write acme, files or internal", choice(TLSACME, TLSFiles, TLSInternal), func(t *TLS) *TLSMode { return &t.Mode }),
		list("domains", "[shop.example.com]", free(domain), func(t *TLS) *[]string { return &t.Domains }),
		may("email", free(email), func(t *TLS) *string { return &t.Email }),
		may("ca", free(directoryURL), func(t *TLS) **url.URL { return &t.CA }),
		file("ca_root", func(t *TLS) *string { return &t.CARoot }),
		groups("files", "[{cert: shop.crt, key: shop.key}]", certificateRules(), func(t *TLS) *[]Certificate { return &t.Files }),
	}
}

func certificateRules() []rule[Certificate] {
	return []rule[Certificate]{
		required("name the file of the chain, as shop.crt", file("cert", func(c *Certificate) *string { return &c.Cert })),
		required("name the file of the key, as shop.key", file("key", func(c *Certificate) *string { return &c.Key })),
	}
}

func originRules() []rule[Origin] {
	return []rule[Origin]{
		required("write one as http://10.0.0.5:8080", other("url", oneOrMore, func(o *Origin, v value) { o.URLs = originURLs(v) })),
		orOff(may("at_once", free(atOnce).telling(func(AtOnce) any { return "auto" }), func(o *Origin) *AtOnce { return &o.AtOnce }),
			func(o *Origin) { o.AtOnce = AtOnce{Off: true} }),
		may("timeout", length(time.Second, time.Hour), func(o *Origin) *time.Duration { return &o.Timeout }),
		file("ca_root", func(o *Origin) *string { return &o.CARoot }),
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
		may("size", volume(1<<20, 1<<40), func(c *Cache) *int64 { return &c.Size }),
	}
}

func storeRules(parse func(string) (Secret, *complaint)) []rule[Store] {
	return []rule[Store]{
		must("url", "write its address, or ${NAME} for one in the environment", free(parse), func(s *Store) *Secret { return &s.URL }),
	}
}

func identityRules() []rule[Identity] {
	return []rule[Identity]{
		may("cookie", free(cookieName), func(i *Identity) *string { return &i.Cookie }),
		may("header", free(headerName), func(i *Identity) *string { return &i.Header }),
		group("jwt", func(i *Identity) *JWT { i.JWT = &JWT{}; return i.JWT }, jwtRules()),
	}
}

func jwtRules() []rule[JWT] {
	return []rule[JWT]{
		must("cookie", "name the cookie that holds it", free(cookieName), func(j *JWT) *string { return &j.Cookie }),
		must("claim", "name the claim that is the account, as sub", phrase(200), func(j *JWT) *string { return &j.Claim }),
		must("key", "write the HMAC secret or the PEM public key", free(jwtKey), func(j *JWT) *Secret { return &j.Key }),
	}
}

func adminRules() []rule[Admin] {
	return []rule[Admin]{
		may("token", free(bearerToken), func(a *Admin) *Secret { return &a.Token }),
	}
}

func workerRules() []rule[Worker] {
	return []rule[Worker]{
		may("listen", listening, func(w *Worker) *string { return &w.Listen }),
		may("token", free(bearerToken), func(w *Worker) *Secret { return &w.Token }),
		may("name", phrase(200), func(w *Worker) *string { return &w.Name }),
		may("orders_per_second", number(1, 100_000), func(w *Worker) *int { return &w.OrdersPerSecond }),
		may("max_backlog", number(1, 10_000_000), func(w *Worker) *int { return &w.MaxBacklog }),
		may("refund_url", free(secretURL("https://shop.example.com/refunds", "https", "http")), func(w *Worker) *Secret { return &w.RefundURL }),
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
		orOff(may("body", volume(1<<10, 1<<50), func(l *Limits) *int64 { return &l.Body }), func(l *Limits) { l.Body = 0 }),
		may("header", volume(4<<10, MostHeader), func(l *Limits) *int64 { return &l.Header }),
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
		may("burst", number(1, maxBurst), func(b *Block) *int { return &b.Burst }),
	}
}

// limit is one bucket: a rate or off.
func limit[T any](key string, of func(*T) *Limit) rule[T] {
	f := speed(Rate{1, time.Hour}, Rate{1_000_000, time.Second})
	r := may(key, f, func(t *T) *Rate { l := of(t); l.Off = false; return &l.Rate })
	r.absent = func(t *T) any { return of(t).String() }
	return orOff(r, func(t *T) { *of(t) = limitOff })
}

func botsRules() []rule[Bots] {
	return []rule[Bots]{
		may("suspicious", choice(Behind, Refuse), func(b *Bots) *Suspicion { return &b.Suspicious }),
		may("least_time", length(time.Second, time.Minute), func(b *Bots) *time.Duration { return &b.LeastTime }),
		may("proof", yesOrNo(), func(b *Bots) *bool { return &b.Proof }),
		group("check", func(b *Bots) *Check { b.Check = &Check{}; return b.Check }, checkRules()),
	}
}

func checkRules() []rule[Check] {
	return []rule[Check]{
		must("kind", "write turnstile or hcaptcha", form[CheckKind]{checkKind, choice(Turnstile, HCaptcha).shape, nil}, func(c *Check) *CheckKind { return &c.Kind }),
		must("site_key", "write the public key that its provider gave you", phrase(200), func(c *Check) *string { return &c.SiteKey }),
		must("secret", "write ${NAME} for the one that its provider gave you", free(checkSecret), func(c *Check) *Secret { return &c.Secret }),
		may("url", free(secretURL("https://challenges.cloudflare.com/turnstile/v0/siteverify", "https", "http")), func(c *Check) *Secret { return &c.URL }),
	}
}
