package proxy

import (
	"net/http"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
)

// TestSlid: a pass that is used lives on for its whole life, from the moment at
// which a quarter of it is gone.
func TestSlid(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)
	const life = 20 * time.Minute
	for _, test := range []struct {
		left  time.Duration
		moved bool
	}{{life, false}, {15*time.Minute + time.Second, false}, {15 * time.Minute, true}, {time.Second, true},
		{time.Hour, false}} { // given when the file said more
		expires := now.Add(test.left)
		until, moved := slid(expires, now, life)
		want := expires
		if test.moved {
			want = now.Add(life)
		}
		if moved != test.moved || !until.Equal(want) {
			t.Errorf("with %v left: until %v, %t; want %v, %t", test.left, until, moved, want, test.moved)
		}
	}
}

// TestCrowded: a line that comes and goes within ten seconds is one.
func TestCrowded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)
	var c crowded
	for _, step := range []struct {
		after         time.Duration
		armed         bool
		changed, said bool
	}{
		{0, false, false, false},
		{time.Second, true, true, true},
		{time.Minute, true, false, true},
		{time.Second, false, false, true},
		{8 * time.Second, false, false, true},
		{500 * time.Millisecond, true, false, true},
		{9 * time.Second, false, false, true},
		{time.Second, false, true, false},
		{time.Hour, false, false, false},
		{time.Second, true, true, true},
	} {
		now = now.Add(step.after)
		if changed := c.look(step.armed, now); changed != step.changed || c.said != step.said {
			t.Errorf("at %v, armed %t: changed %t, said %t; want %t, %t", now, step.armed, changed, c.said, step.changed, step.said)
		}
	}
}

// TestTickRoom_OfARoomThatIsGone: a tick that is under way while its room goes says
// nothing about it for ever after.
func TestTickRoom_OfARoomThatIsGone(t *testing.T) {
	t.Parallel()
	rdb := redis.NewClient(&redis.Options{Addr: testserver.Mini(t).Addr()})
	t.Cleanup(func() { _ = rdb.Close() })
	admit, err := configs.ParseRate("10/s")
	if err != nil {
		t.Fatal(err)
	}
	r := newRoom(&configs.Room{ID: "shop", Admit: admit, Burst: 1, PassLife: time.Minute}, nil, rdb)
	reg := prometheus.NewRegistry()
	e := &Edge{rdb: rdb, log: zap.NewNop(), metrics: newMetrics(reg, nil)}
	nobody := &way{usher: &usher{}}
	for h, want := range map[*house]int{{rooms: map[string]*room{"shop": r}, way: nobody}: 1, {way: nobody}: 0} {
		e.house.Store(h)
		e.tickRoom(t.Context(), r)
		got := 0
		all, err := reg.Gather()
		for _, family := range all {
			if family.GetName() == "waitroom_room_armed" {
				got = len(family.GetMetric())
			}
		}
		if err != nil || got != want {
			t.Errorf("in a house of %d rooms: %d rooms are told of, want %d (%v)", len(h.rooms), got, want, err)
		}
	}
}

// TestKeepPrivate: no shared cache may store it, and browsers may as before.
func TestKeepPrivate(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"":                                     "private",
		"no-store":                             "private, no-store",
		"public, max-age=60":                   "private, max-age=60",
		"max-age=60, s-maxage=600, immutable":  "private, max-age=60, immutable",
		"Public,S-MaxAge=600,must-revalidate":  "private, must-revalidate",
		"private, no-cache":                    "private, no-cache",
		`private="Set-Cookie", max-age=60`:     "private, max-age=60",
		"proxy-revalidate, stale-if-error=600": "private, stale-if-error=600",
		`private="Set-Cookie, public", a="b, \", s-maxage=1", max-age=60`: `private, a="b, \", s-maxage=1", max-age=60`,
		`no-cache="a, s-maxage=600`:                                       `private, no-cache="a, s-maxage=600`,
	} {
		h := http.Header{"Cdn-Cache-Control": {"max-age=600"}, "Cloudflare-Cdn-Cache-Control": {"max-age=600"}, "Surrogate-Control": {"x"},
			"Edge-Control": {"cache-maxage=10m"}, "X-Accel-Expires": {"600"}}
		if said != "" {
			h.Set("Cache-Control", said)
		}
		keepPrivate(h)
		if got := h.Get("Cache-Control"); got != want || len(h) != 1 {
			t.Errorf("%q becomes %q with %d fields, want %q alone", said, got, len(h), want)
		}
	}
}

// TestRoomOf: whole segments count, the innermost room wins, sales win over rooms.
func TestRoomOf(t *testing.T) {
	t.Parallel()
	sale := configs.Sale{ID: "toy", Closes: time.Now().Add(time.Hour), Product: "/shop/toy", Buy: configs.Buy{Method: "POST", Path: "/shop/toy/buy"}}
	rt := newRoutes([]configs.Sale{sale}, []configs.Room{
		{ID: "shop", Path: "/shop"}, {ID: "wine", Path: "/shop/cellar/wine/"}, {ID: "cellar", Path: "/Shop/Cellar"}, {ID: "cafe", Path: "/café"},
		{ID: "hall", Path: "/hall", Except: []string{"/Hall/Static/", "/hall/é"}}, {ID: "nook", Path: "/hall/static/nook"},
	})
	for _, test := range []struct{ method, path, want string }{
		{"GET", "/shop", "shop"}, {"GET", "/shop/", "shop"}, {"POST", "/shop/x", "shop"}, {"GET", "/shopping", ""}, {"GET", "/", ""},
		{"GET", "/x/shop", ""}, {"GET", "/SHOP//x", "shop"}, {"GET", "/x/../shop/y", "shop"}, {"GET", "/shop/../x", ""}, {"GET", "/shop%2fx", "shop"},
		{"GET", "/shop/cellar", "cellar"}, {"GET", "/shop/cellars", "shop"}, {"DELETE", "/shop/cellar/wine/red", "wine"},
		{"GET", "/caf%c3%a9/x", "cafe"}, {"GET", "/CAF%C3%89", "cafe"},
		{"GET", "/shop/toy", ""}, {"POST", "/shop/toy", ""}, {"GET", "/shop/toy/buy", ""}, {"POST", "/shop/toy/buy", ""}, {"GET", "/shop/toy/more", "shop"},
		{"GET", "/.waitroom/shop/status", ""},
		{"GET", "/hall/static", ""}, {"GET", "/hall/static/", ""}, {"POST", "/HALL/static/a/b.css", ""}, {"GET", "/hall/static/a%20b%2B.css", ""},
		{"GET", "/hall/%c3%89/x", ""}, {"GET", "/hall/statics", "hall"}, {"GET", "/hall", "hall"}, {"GET", "/x/hall/static", ""}, {"GET", "/hall/static/nook", "nook"},
		// What some origin may take for another path is not excepted.
		{"GET", "/hall/x/../static/a", "hall"}, {"GET", "/hall//static/a", "hall"}, {"GET", "/hall/static/../x", "hall"}, {"GET", "/hall/static/..%2fx", "hall"},
		{"GET", "/hall/static%2fa", "hall"}, {"GET", "/hall/static/a;b", "hall"}, {"GET", "/hall/static/a%00/../../x", "hall"}, {"GET", "/hall/x%3f/../../static", "hall"},
		{"GET", `/hall\static/a`, "hall"}, {"GET", "/hall/static/%252e%252e/x", "hall"}, {"GET", "/hall/static/..;/x", "hall"}, {"GET", "/hall/static./a", "hall"},
	} {
		got := rt.route(test.method, test.path, time.Now())
		id := ""
		if got.kind == wantRoom {
			id = got.room.ID
		}
		if id != test.want {
			t.Errorf("%s %s: room %q, want %q", test.method, test.path, id, test.want)
		}
	}
	if got := rt.route("GET", "/.waitroom/wine/me", time.Now()); got.kind != wantRoomOwn || got.room.ID != "wine" || got.part != "me" {
		t.Errorf("our own address of a room: %+v", got)
	}
}

// TestNeverQueued: only what shows nothing, and what belongs to the whole host,
// in its plain form.
func TestNeverQueued(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		method, target string
		want           bool
	}{
		{"HEAD", "/shop", true}, {"OPTIONS", "/shop", true}, {"GET", "/shop", false}, {"POST", "/robots.txt/x", false},
		{"GET", "/robots.txt", true}, {"GET", "/robots.txt?x=y", true}, {"GET", "/favicon.ico", true}, {"GET", "/favicon.svg", true},
		{"GET", "/apple-touch-icon.png", true}, {"GET", "/.well-known/security.txt", true}, {"GET", "/.well-known/Acme/aB", true},
		{"GET", "/favicon.x/shop", false}, {"GET", "/apple-touch-icon.png/shop", false}, {"GET", "/apple-touch-icon/shop", false},
		{"HEAD", "/shop?_method=get", false}, {"OPTIONS", "/shop?a=b&%5fmethod=GET", false}, {"HEAD", "/shop?a=b", true},
		{"GET", "/sw.js", true}, {"GET", "/service-worker.js", true}, {"GET", "/manifest.webmanifest?v=2", true}, {"GET", "/site.webmanifest", true}, {"GET", "/manifest.json", true},
		{"GET", "/shop/sw.js", false}, {"GET", "/sw.js/x", false}, {"GET", "/%73w.js", false}, {"GET", "//sw.js", false}, {"GET", "/manifest", false},
		{"GET", "/shop/favicon.ico", false}, {"GET", "/favicon", false}, {"GET", "/.well-known", false},
		{"GET", "/.well-known/../shop", false}, {"GET", "/.well-known/..%2fshop", false}, {"GET", "/.well-known//shop", false},
		{"GET", "/robots.txt%00/shop", false}, {"GET", "/favicon.ico;x/../../shop", false}, {"GET", "/favicon.ico;/shop", false}, {"GET", `/.well-known/..\shop`, false},
	} {
		r, err := http.NewRequest(test.method, "https://shop.example.com"+test.target, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := neverQueued(r); got != test.want {
			t.Errorf("%s %s: %t, want %t", test.method, test.target, got, test.want)
		}
	}
}
