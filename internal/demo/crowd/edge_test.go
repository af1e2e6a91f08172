package crowd_test

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/waitroom/waitroom/internal/testserver"
)

// edge is the shoppers' side of the door in its shortest form: places are
// numbers, everybody is called at opens, the state is a few maps.
type edge struct {
	opens    time.Time
	stock    int
	hold     time.Duration
	hopeless int  // places from here on are told at once; 0: none
	forgets  bool // sells to every press, as a broken gate would
	poll     int  // poll_after_ms; default 100
	breaks   int  // every so many requests end without an answer; 0: none

	mu       sync.Mutex
	bucket   *rate.Limiter
	requests int
	numbers  int
	orders   map[string]*order // by ticket
	conns    map[string]bool   // source addresses seen
	noes     map[string]bool   // tickets that were told sold out
	hopes    map[string]bool   // those of them that have asked again since
	enough   func(hopes int)   // hears of each
}

type order struct {
	id     string
	status string
	before time.Time
}

func serve(t testing.TB, e *edge) *httptest.Server {
	t.Helper()
	e.orders, e.conns = map[string]*order{}, map[string]bool{}
	e.noes, e.hopes = map[string]bool{}, map[string]bool{}
	mux := http.NewServeMux()
	text := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "page") }
	mux.HandleFunc("GET /toys/golden", text)
	mux.HandleFunc("GET /checkout", text)
	mux.HandleFunc("GET /.waitroom/golden-toy/line", text)
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "session", Value: r.PostFormValue("name")})
		http.Redirect(w, r, "/toys/golden", http.StatusSeeOther)
	})
	mux.HandleFunc("GET /.waitroom/golden-toy/status", e.status)
	mux.HandleFunc("GET /.waitroom/golden-toy/me", e.me)
	mux.HandleFunc("POST /.waitroom/golden-toy/ticket", e.ticket)
	mux.HandleFunc("POST /.waitroom/golden-toy/pass", e.pass)
	mux.HandleFunc("POST /toys/golden/buy", e.buy)
	mux.HandleFunc("GET /.waitroom/golden-toy/order", e.order)
	mux.HandleFunc("POST /checkout/pay", e.pay)
	server := secure(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.mu.Lock()
		e.requests++
		broken := e.breaks > 0 && e.requests%e.breaks == 0
		host, _, _ := strings.Cut(r.RemoteAddr, ":")
		e.conns[host] = true
		e.mu.Unlock()
		if broken {
			panic(http.ErrAbortHandler)
		}
		mux.ServeHTTP(w, r)
	}))
	return server
}

// secure starts a server with a certificate that is cheap to sign with; the
// one that httptest brings makes a crowd wait for its key.
func secure(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{testserver.SelfSigned(t, "example.com")}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // some cut their connections on purpose
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func (e *edge) expire() {
	for _, o := range e.orders {
		if o.status == "held" && time.Now().After(o.before) {
			o.status = "expired"
		}
	}
}

// left and paid are the books; the lock is held.
func (e *edge) count(statuses ...string) (n int) {
	e.expire()
	for _, o := range e.orders {
		for _, s := range statuses {
			if o.status == s {
				n++
			}
		}
	}
	return n
}

func (e *edge) left() int { return e.stock - e.count("held", "paid") }

func send(w http.ResponseWriter, code int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	if code == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body)
}

func ticket(r *http.Request) string {
	if c, err := r.Cookie("__Host-wr-golden-toy"); err == nil {
		return c.Value
	}
	return ""
}

func (e *edge) standing(r *http.Request) map[string]any {
	t := ticket(r)
	place, _ := strconv.Atoi(t)
	_, err := r.Cookie("__Host-wrp-golden-toy")
	state := "called"
	switch {
	case t == "":
		state = "none"
	case time.Now().Before(e.opens):
		state = "lottery"
	case e.orders[t] != nil:
		state = "held"
	case e.hopeless > 0 && place >= e.hopeless:
		state = "hopeless"
	case e.left() <= 0:
		state = "sold_out"
		e.noes[t] = true
	case err == nil:
		state = "admitted"
	}
	return map[string]any{"state": state, "number": place, "poll_after_ms": max(e.poll, 100)}
}

func (e *edge) status(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	state := "open"
	switch {
	case e.count("paid") == e.stock:
		state = "sold_out"
	case e.left() <= 0:
		state = "all_held"
		if e.noes[ticket(r)] && e.enough != nil {
			e.hopes[ticket(r)] = true
			e.enough(len(e.hopes))
		}
	}
	w.Header().Set("ETag", `"`+state+`"`)
	if r.Header.Get("If-None-Match") == `"`+state+`"` {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	send(w, http.StatusOK, map[string]any{"state": state})
}

func (e *edge) me(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	send(w, http.StatusOK, e.standing(r))
}

func (e *edge) pass(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	body := e.standing(r)
	if body["state"] != "called" || !e.bucket.Allow() {
		send(w, http.StatusTooManyRequests, body)
		return
	}
	body["state"], body["admitted_at"] = "admitted", time.Now().UnixMilli()
	http.SetCookie(w, &http.Cookie{Name: "__Host-wrp-golden-toy", Value: ticket(r)})
	send(w, http.StatusOK, body)
}

func (e *edge) buy(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t := ticket(r)
	_, err := r.Cookie("__Host-wrp-golden-toy")
	switch {
	case err != nil:
		e.join(w, r)
	case e.orders[t] != nil && e.forgets:
		send(w, http.StatusCreated, map[string]any{"status": "reserved", "reservation": "again-" + t})
	case e.orders[t] != nil:
		send(w, http.StatusConflict, map[string]any{"status": "already_bought", "reservation": e.orders[t].id})
	case e.left() <= 0:
		e.noes[t] = true
		send(w, http.StatusConflict, map[string]any{"status": "sold_out"})
	default:
		o := &order{id: "r-" + t, status: "held", before: time.Now().Add(e.hold)}
		e.orders[t] = o
		body := e.body(o)
		body["status"] = "reserved"
		send(w, http.StatusCreated, body)
	}
}

func (e *edge) ticket(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	code := e.enter(w, r)
	send(w, code, e.standing(r))
}

// enter gives a ticket to whoever has none.
func (e *edge) enter(w http.ResponseWriter, r *http.Request) int {
	if ticket(r) != "" {
		return http.StatusOK
	}
	c := &http.Cookie{Name: "__Host-wr-golden-toy", Value: strconv.Itoa(e.numbers)}
	http.SetCookie(w, c)
	r.AddCookie(c)
	e.numbers++
	return http.StatusCreated
}

func (e *edge) join(w http.ResponseWriter, r *http.Request) {
	e.enter(w, r)
	if r.Header.Get("Content-Type") != "application/json" {
		http.Redirect(w, r, "/.waitroom/golden-toy/line", http.StatusSeeOther)
		return
	}
	send(w, http.StatusTooManyRequests, e.standing(r))
}

func (e *edge) body(o *order) map[string]any {
	return map[string]any{"reservation": o.id, "status": o.status, "pay_before": o.before.UnixMilli(),
		"checkout": "/checkout?reservation=" + o.id}
}

func (e *edge) order(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.expire()
	o := e.orders[ticket(r)]
	if o == nil {
		http.NotFound(w, r)
		return
	}
	send(w, http.StatusOK, e.body(o))
}

func (e *edge) pay(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, o := range e.orders {
		if o.id == r.PostFormValue("reservation") && o.status == "held" {
			o.status = "paid"
		}
	}
	send(w, http.StatusOK, map[string]any{"status": "paid"})
}
