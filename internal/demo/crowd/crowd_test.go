package crowd_test

import (
	"context"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/waitroom/waitroom/internal/demo/crowd"
)

// options points a crowd at a test server; its certificate is for example.com.
func options(server *httptest.Server, shoppers int) crowd.Options {
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	return crowd.Options{Edge: server.URL, Host: "example.com", RootCAs: pool, Shoppers: shoppers, Seed: 7}
}

func run(t *testing.T, o crowd.Options, patience time.Duration) crowd.Report {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := crowd.Run(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	if sum := r.Paid + r.Held + r.ToldNo + r.Unanswered; sum != r.Shoppers || r.Shoppers != int64(o.Shoppers) {
		t.Errorf("%d shoppers, but %d ends: %+v", o.Shoppers, sum, r)
	}
	return r
}

func TestRun_WholeSale(t *testing.T) {
	t.Parallel()
	e := &edge{opens: time.Now().Add(500 * time.Millisecond), stock: 10, hold: 3 * time.Second, bucket: rate.NewLimiter(100, 1)}
	o := options(serve(t, e), 200)
	o.Pay, o.Walk, o.Double, o.Arrive = 0.6, 0.2, 0.9, 300*time.Millisecond
	var heard atomic.Int64
	o.Progress = func(tally crowd.Tally) { heard.Store(tally.Entered) }
	r := run(t, o, 60*time.Second)

	e.mu.Lock()
	defer e.mu.Unlock()
	for _, test := range []struct {
		what      string
		got, want int64
	}{
		{"entered", r.Entered, 200},
		{"heard of by progress", heard.Load(), 200},
		{"paid, as the door has it", r.Paid, int64(e.count("paid"))},
		{"paid, as stock", r.Paid, 10},
		{"held", r.Held, 0},
		{"expired", r.Expired, int64(e.count("expired"))},
		{"reserved", r.Reserved, int64(len(e.orders))},
		{"told no", r.ToldNo, 190},
		{"unanswered", r.Unanswered, 0},
		{"errors", r.Errors, 0},
		{"duplicate buyers", r.DuplicateBuyers, 0},
		{"noes timed", int64(r.No.Count), 190 - r.Expired},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %d, want %d", test.what, test.got, test.want)
		}
	}
	if r.Admitted < r.Reserved || r.AdmittedMax1s < 1 || r.AdmittedMax1s > 101 {
		t.Errorf("admitted %d for %d reservations, at most %d in a second, want no more than 101", r.Admitted, r.Reserved, r.AdmittedMax1s)
	}
	if r.No.P50 <= 0 || r.No.P99 < r.No.P50 || r.Connect.Count < 200 {
		t.Errorf("latencies: no %+v, connect %+v", r.No, r.Connect)
	}
	if runtime.GOOS == "linux" && len(e.conns) != 200 {
		t.Errorf("came from %d addresses, want one each", len(e.conns))
	}
	t.Logf("%+v", r)
}

func TestRun_HopelessLeaveAtOnce(t *testing.T) {
	t.Parallel()
	e := &edge{opens: time.Now(), stock: 5, hold: time.Minute, hopeless: 5, bucket: rate.NewLimiter(rate.Inf, 1)}
	o := options(serve(t, e), 50)
	o.Pay = 1
	if r := run(t, o, 30*time.Second); r.Paid != 5 || r.ToldNo != 45 || r.Errors != 0 {
		t.Errorf("got %+v, want 5 paid and 45 told no", r)
	}
}

// Fewer connections than shoppers, some of which break: all get their answer.
func TestRun_FewAndBrokenConnections(t *testing.T) {
	t.Parallel()
	e := &edge{opens: time.Now(), stock: 10, hold: time.Minute, breaks: 40, bucket: rate.NewLimiter(rate.Inf, 1)}
	o := options(serve(t, e), 100)
	o.Pay, o.Double, o.Connections = 1, 0.5, 8
	if r := run(t, o, 60*time.Second); r.Paid != 10 || r.ToldNo != 90 || r.DuplicateBuyers != 0 {
		t.Errorf("got %+v, want 10 paid and 90 told no", r)
	}
}

// A gate that sells to every press is found out by those who press twice.
func TestRun_SeesDuplicateBuyers(t *testing.T) {
	t.Parallel()
	e := &edge{opens: time.Now(), stock: 30, hold: time.Minute, forgets: true, bucket: rate.NewLimiter(rate.Inf, 1)}
	o := options(serve(t, e), 30)
	o.Pay, o.Double = 1, 1
	if r := run(t, o, 30*time.Second); r.DuplicateBuyers < 5 || r.Reserved != 30+r.DuplicateBuyers {
		t.Errorf("got %+v, want duplicates", r)
	}
}

// When time is up, a held unit is held, and whoever heard nothing is unanswered.
func TestRun_TimeIsUp(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	e := &edge{opens: time.Now(), stock: 5, hold: time.Minute, bucket: rate.NewLimiter(rate.Inf, 1)}
	e.enough = func(hopes int) {
		if hopes == 15 {
			cancel()
		}
	}
	o := options(serve(t, e), 20)
	o.Walk = 1
	if r, err := crowd.Run(ctx, o); err != nil || r.Held != 5 || r.ToldNo != 15 || r.Errors != 0 {
		t.Errorf("all held: got %+v, want 5 held and 15 told no", r)
	}
	early := &edge{opens: time.Now().Add(time.Hour), stock: 5}
	if r := run(t, options(serve(t, early), 20), time.Second); r.Unanswered != 20 || r.Errors != 0 {
		t.Errorf("before opens: got %+v, want 20 unanswered", r)
	}
	hangs := secure(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	if r := run(t, options(hangs, 20), time.Second); r.Unanswered != 20 || r.Errors != 0 || r.Elapsed > 5*time.Second {
		t.Errorf("no answers: got %+v, want 20 unanswered", r)
	}
}

func TestRun_CountsProblems(t *testing.T) {
	t.Parallel()
	broken := secure(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no", http.StatusBadGateway)
	}))
	r := run(t, options(broken, 5), 3*time.Second)
	if r.Unanswered != 5 || r.Errors < 5 || r.Problems["GET /toys/golden: answer 502"] < 5 {
		t.Errorf("got %+v, want five or more problems", r)
	}
}

func TestRun_RefusesOptions(t *testing.T) {
	t.Parallel()
	good := crowd.Options{Edge: "https://127.0.0.1:1", Shoppers: 1}
	for name, spoil := range map[string]func(*crowd.Options){
		"no edge":       func(o *crowd.Options) { o.Edge = "" },
		"odd scheme":    func(o *crowd.Options) { o.Edge = "ftp://127.0.0.1" },
		"nobody":        func(o *crowd.Options) { o.Shoppers = 0 },
		"share above 1": func(o *crowd.Options) { o.Double = 1.1 },
		"sum above 1":   func(o *crowd.Options) { o.Pay, o.Walk = 0.7, 0.7 },
		"no connection": func(o *crowd.Options) { o.Connections = -1 },
		"backwards":     func(o *crowd.Options) { o.Arrive = -1 },
	} {
		o := good
		spoil(&o)
		if _, err := crowd.Run(t.Context(), o); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

func TestRun_Straight(t *testing.T) {
	t.Parallel()
	var sold atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("GET /toys/golden", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /toys/golden/buy", func(w http.ResponseWriter, r *http.Request) {
		switch n := sold.Add(1); {
		case n <= 3:
			send(w, http.StatusCreated, map[string]any{"reservation": string(rune('a' + n))})
		case n <= 10:
			send(w, http.StatusConflict, map[string]any{"status": "sold_out"})
		default:
			_, _ = io.Copy(io.Discard, r.Body) // or the server does not see that they leave
			<-r.Context().Done()               // the pool is used up
		}
	})
	shop := httptest.NewServer(mux)
	t.Cleanup(shop.Close)
	r := run(t, crowd.Options{Edge: shop.URL, Shoppers: 15, Straight: true, Patience: time.Second}, time.Minute)
	if r.Held != 3 || r.Reserved != 3 || r.ToldNo != 7 || r.Unanswered != 5 || r.Errors != 0 {
		t.Errorf("got %+v, want 3 held, 7 told no, 5 unanswered", r)
	}
}

func TestLogin(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	server := secure(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) == 1 {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		http.Redirect(w, r, "/", http.StatusSeeOther)
	}))
	l, err := crowd.Login(t.Context(), options(server, 0), 50, 200*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if l.Count != 10 || l.Errors != 1 || l.P50 <= 0 || l.P99 < l.P50 || l.Max < l.P99 {
		t.Errorf("got %+v, want 10 logins, one of them lost", l)
	}
	if _, err := crowd.Login(t.Context(), options(server, 0), 0, time.Second); err == nil {
		t.Error("rate 0: got no error")
	}
}
