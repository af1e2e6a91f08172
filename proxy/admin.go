package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

const maxAdminBody = 4 << 10

// Admin is the handler of the admin address: metrics and health for everybody
// who reaches it, the operators' actions with the bearer token. Liveness only
// says that the process answers; ready is asked for readiness.
func (e *Edge) Admin(metrics prometheus.Gatherer, ready func() error) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if err := errors.Join(e.Ready(), ready()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "ready\n")
	})
	mux.HandleFunc("POST /v1/sales/{sale}/pause", e.action("pause", pause))
	mux.HandleFunc("POST /v1/sales/{sale}/resume", e.action("resume", resume))
	mux.HandleFunc("PUT /v1/sales/{sale}/rate", e.action("rate", setRate))
	mux.HandleFunc("PUT /v1/sales/{sale}/message", e.action("message", setMessage))
	mux.HandleFunc("PUT /v1/sales/{sale}/mix", e.action("mix", e.mix))
	mux.HandleFunc("POST /v1/cache/purge", e.action("purge", e.purge))
	return mux
}

// act does one action; what it returns as detail goes into the audit line. An
// error wrapped in errAsked or errState is the operator's, any other ours.
type act func(l steered, r *http.Request) (detail string, err error)

// steered is the line of a sale or of a room: what operators steer.
type steered interface {
	Pause(ctx context.Context) error
	Resume(ctx context.Context) error
	SetRate(ctx context.Context, rate configs.Rate) error
	SetMessage(ctx context.Context, text string) error
}

var (
	errToken  = errors.New("the admin token is missing or wrong")
	errNoSale = errors.New("no such sale")
	errAsked  = errors.New("bad request") // a fault of what was asked
	errState  = errors.New("not now")     // of when it was asked
)

// action does the action, or refuses it, and writes its one audit line.
func (e *Edge) action(name string, do act) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxAdminBody)
		detail, err := e.perform(r, do)
		e.log.Info("audit", zap.String("action", name), zap.String("sale", cut(r.PathValue("sale"))), zap.String("detail", detail),
			zap.String("from", peerOf(r).String()), zap.Bool("done", err == nil), zap.Error(err))
		if err == nil {
			reply(w, http.StatusOK, map[string]string{"status": "ok"})
			return
		}
		status := http.StatusServiceUnavailable
		switch {
		case errors.Is(err, errToken):
			status = http.StatusUnauthorized
			w.Header().Set("WWW-Authenticate", "Bearer")
		case errors.Is(err, errNoSale):
			status = http.StatusNotFound
		case errors.Is(err, errAsked):
			status = http.StatusBadRequest
		case errors.Is(err, errState):
			status = http.StatusConflict
		}
		reply(w, status, map[string]string{"error": err.Error()})
	}
}

// perform does an action for who has the token.
func (e *Edge) perform(r *http.Request, do act) (detail string, err error) {
	h := e.house.Load()
	if !authorized(r, h.cfg.Admin.Token) {
		return "", errToken
	}
	sale := r.PathValue("sale")
	l := h.steered(sale)
	if sale != "" && l == nil {
		return "", errNoSale
	}
	return do(l, r)
}

// steered is the line of what has a name; nil if nothing has.
func (h *house) steered(id string) steered {
	if d := h.doors[id]; d != nil {
		return d.line
	}
	if r := h.rooms[id]; r != nil {
		return r.line
	}
	return nil
}

func authorized(r *http.Request, token configs.Secret) bool {
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && token.Matches(given)
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the operator may have left
}

func pause(l steered, r *http.Request) (string, error)  { return "", l.Pause(r.Context()) }
func resume(l steered, r *http.Request) (string, error) { return "", l.Resume(r.Context()) }

func setRate(l steered, r *http.Request) (string, error) {
	var asked struct {
		Admit string `json:"admit"`
	}
	if err := decode(r, &asked); err != nil {
		return "", err
	}
	rate, err := configs.ParseRate(asked.Admit)
	if err != nil {
		return "", errors.Join(errAsked, err)
	}
	return asked.Admit, l.SetRate(r.Context(), rate)
}

func setMessage(l steered, r *http.Request) (string, error) {
	var asked struct {
		Message string `json:"message"`
	}
	if err := decode(r, &asked); err != nil {
		return "", err
	}
	if len(asked.Message) > queueing.MaxMessage || !utf8.ValidString(asked.Message) {
		return "", errors.Join(errAsked, fmt.Errorf("message: at most %d bytes of UTF-8", queueing.MaxMessage))
	}
	return asked.Message, l.SetMessage(r.Context(), asked.Message)
}

// mix gives the draw its public value. Bytes that are no UTF-8 were replaced when
// the body was read, and a value that is published must be the one that was sent.
func (e *Edge) mix(_ steered, r *http.Request) (string, error) {
	var asked struct {
		Value string `json:"value"`
	}
	if err := decode(r, &asked); err != nil {
		return "", err
	}
	if n := len(asked.Value); n == 0 || n > queueing.MaxMix || strings.ContainsRune(asked.Value, utf8.RuneError) {
		return "", errors.Join(errAsked, fmt.Errorf("value: 1 to %d bytes of UTF-8", queueing.MaxMix))
	}
	d := e.house.Load().doors[r.PathValue("sale")]
	if d == nil {
		return "", errors.Join(errAsked, queueing.ErrNoMix) // a room
	}
	err := d.line.Mix(r.Context(), asked.Value)
	switch {
	case errors.Is(err, queueing.ErrNoMix):
		err = errors.Join(errAsked, err)
	case errors.Is(err, queueing.ErrMixed), errors.Is(err, queueing.ErrNotOpen):
		err = errors.Join(errState, err)
	}
	return asked.Value, err
}

// purge forgets the product pages; each is fetched again when it is next asked
// for.
func (e *Edge) purge(steered, *http.Request) (string, error) {
	for _, p := range e.house.Load().posters {
		p.forget()
	}
	return "", nil
}

func decode(r *http.Request, into any) error {
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return errors.Join(errAsked, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.Join(errAsked, errors.New("one JSON object is expected"))
	}
	return nil
}
