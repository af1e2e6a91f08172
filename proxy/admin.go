package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"
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
	for _, a := range []struct {
		name, method, path string
		do                 act
	}{
		{"pause", http.MethodPost, "/v1/sales/{sale}/pause", pause},
		{"resume", http.MethodPost, "/v1/sales/{sale}/resume", resume},
		{"rate", http.MethodPut, "/v1/sales/{sale}/rate", setRate},
		{"message", http.MethodPut, "/v1/sales/{sale}/message", setMessage},
		{"mix", http.MethodPut, "/v1/sales/{sale}/mix", e.mix},
		{"purge", http.MethodPost, "/v1/cache/purge", e.purge},
		{"origin", http.MethodGet, "/v1/origin", e.atOrigin},
	} {
		mux.HandleFunc(a.method+" "+a.path, e.action(a.name, a.do))
		mux.HandleFunc(a.path, e.action(a.name, onlyBy(a.method)))
	}
	mux.HandleFunc("/v1/", e.action("unknown", func(steered, *http.Request) (string, error) { return "", errNoAction }))
	return mux
}

// onlyBy refuses an action that was asked for by another method.
func onlyBy(method string) act {
	return func(steered, *http.Request) (string, error) { return "", &wrongMethod{method} }
}

// wrongMethod means that an action is asked for by this method alone.
type wrongMethod struct{ right string }

func (e *wrongMethod) Error() string { return "this action is a " + e.right }

// act does one action; what it returns as detail goes into the audit line and the
// answer. An error wrapped in errAsked or errState is the operator's, any other ours.
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
	errNoSale = errors.New("there is no sale or room of that name")
	errAsked  = errors.New("bad request") // a fault of what was asked
	errState  = errors.New("not now")     // of when it was asked

	errNoAction = errors.New("there is no such action: sales/{sale}/ has pause, resume, rate, message and mix, cache/ has purge, and origin is one")
)

// action does the action, or refuses it, and writes its one audit line.
func (e *Edge) action(name string, do act) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxAdminBody)
		detail, err := e.perform(r, do)
		e.log.Info("audit", zap.String("action", name), zap.String("sale", cut(r.PathValue("sale"))), zap.String("detail", detail),
			zap.String("from", peerOf(r).String()), zap.Bool("done", err == nil), zap.Error(err))
		if err == nil {
			done := map[string]string{"status": "ok"}
			if detail != "" {
				done["detail"] = detail
			}
			reply(w, http.StatusOK, done)
			return
		}
		status := http.StatusServiceUnavailable
		switch {
		case errors.Is(err, errToken):
			status = http.StatusUnauthorized
			w.Header().Set("WWW-Authenticate", "Bearer")
		case errors.Is(err, errNoSale), errors.Is(err, errNoAction):
			status = http.StatusNotFound
		case errors.Is(err, errAsked):
			status = http.StatusBadRequest
		case errors.Is(err, errState):
			status = http.StatusConflict
		}
		if wrong, ok := errors.AsType[*wrongMethod](err); ok {
			status = http.StatusMethodNotAllowed
			w.Header().Set("Allow", wrong.right)
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
	if err := decode(r, &asked, `{"admit":"500/s"}`); err != nil {
		return "", err
	}
	rate, err := configs.ParseRate(asked.Admit)
	if err != nil {
		return "", fmt.Errorf("%w: admit: %w", errAsked, err)
	}
	return asked.Admit, l.SetRate(r.Context(), rate)
}

func setMessage(l steered, r *http.Request) (string, error) {
	var asked struct {
		Message string `json:"message"`
	}
	if err := decode(r, &asked, `{"message":"Back in five minutes"}`); err != nil {
		return "", err
	}
	if len(asked.Message) > queueing.MaxMessage || !utf8.ValidString(asked.Message) {
		return "", fmt.Errorf("%w: message: at most %d bytes of UTF-8", errAsked, queueing.MaxMessage)
	}
	if i := strings.IndexFunc(asked.Message, notInMessage); i >= 0 {
		c, _ := utf8.DecodeRuneInString(asked.Message[i:])
		return "", fmt.Errorf("%w: message: holds %U: send one line, without what turns the direction of text", errAsked, c)
	}
	return asked.Message, l.SetMessage(r.Context(), asked.Message)
}

// notInMessage reports what no title may hold either: what breaks a line, cannot be
// seen, or has text read otherwise than it is written.
func notInMessage(c rune) bool {
	return unicode.IsControl(c) || unicode.In(c, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}

// mix gives the draw its public value. Bytes that are no UTF-8 were replaced when
// the body was read, and a value that is published must be the one that was sent.
func (e *Edge) mix(_ steered, r *http.Request) (string, error) {
	var asked struct {
		Value string `json:"value"`
	}
	if err := decode(r, &asked, `{"value":"9d1e0dc1b2c7"}`); err != nil {
		return "", err
	}
	if asked.Value == "" || strings.ContainsRune(asked.Value, utf8.RuneError) {
		return "", fmt.Errorf("%w: value: %w", errAsked, queueing.ErrMixValue)
	}
	d := e.house.Load().doors[r.PathValue("sale")]
	if d == nil {
		return "", fmt.Errorf("%w: %w", errAsked, queueing.ErrNoMix) // a room
	}
	err := d.line.Mix(r.Context(), asked.Value)
	switch {
	case errors.Is(err, queueing.ErrMixValue):
		return "", fmt.Errorf("%w: value: %w", errAsked, queueing.ErrMixValue)
	case errors.Is(err, queueing.ErrNoMix):
		err = fmt.Errorf("%w: %w", errAsked, err)
	case errors.Is(err, queueing.ErrMixed), errors.Is(err, queueing.ErrNotOpen):
		err = fmt.Errorf("%w: %w", errState, err)
	}
	return asked.Value, err
}

// purge forgets what is kept: everything; with a path that path, whatever its
// query, and with one that ends with * all that begin with it; and says of how many
// targets. It is fetched again when it is next asked for.
func (e *Edge) purge(_ steered, r *http.Request) (string, error) {
	path := "/*"
	if r.ContentLength != 0 {
		var asked struct {
			Path string `json:"path"`
		}
		if err := decode(r, &asked, `{"path":"/toys/golden"} or {"path":"/toys/*"}, or nothing for all`); err != nil {
			return "", err
		}
		if path = asked.Path; !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "?# ") {
			return "", fmt.Errorf("%w: path: begins with /, and has no query", errAsked)
		}
		if strings.Contains(strings.TrimSuffix(path, "*"), "*") {
			return "", fmt.Errorf("%w: path: * stands at the end alone, for whatever begins so", errAsked)
		}
	}
	begin, all := strings.CutSuffix(path, "*")
	n := 0
	for _, p := range e.house.Load().posters {
		if foldPath(p.path) == foldPath(path) || all && strings.HasPrefix(p.path, begin) {
			if p.page.Body() != nil {
				n++
			}
			p.forget()
		}
	}
	if all {
		n += e.cache.Purge(begin, time.Now())
	} else {
		n += e.cache.PurgePath(path, time.Now())
	}
	return fmt.Sprintf("%s: %d forgotten", path, n), nil
}

// decode reads a body that is one JSON object such as right, and nothing else.
func decode(r *http.Request, into any, right string) error {
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("%w: %s, send %s", errAsked, unread(err), right)
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("%w: more than one object, send %s", errAsked, right)
	}
	return nil
}

// unread says in our words why a body cannot be read.
func unread(err error) string {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && e.Field != "" {
		return e.Field + " is not a text"
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fmt.Sprintf("the body has more than %d bytes", maxAdminBody)
	}
	if errors.Is(err, io.EOF) {
		return "the body is empty"
	}
	return "the body is not understood"
}
