package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
)

const (
	checkWait    = 3 * time.Second // for one answer, the wait for a turn included
	checksAtOnce = 64              // questions under way
	checksMost   = 1024            // and besides them, those who wait for a turn
	maxCheckSays = 64 << 10        // bytes of an answer
)

// checkURLs is where the services are asked.
var checkURLs = map[configs.CheckKind]string{
	configs.Turnstile: "https://challenges.cloudflare.com/turnstile/v0/siteverify",
	configs.HCaptcha:  "https://api.hcaptcha.com/siteverify",
}

// checker asks a service whether the answer that a shopper brings of it is good. Each
// is good once: the service sees to that. One that does not answer is left in peace
// for a while, so that nobody waits for it in vain and no questions pile up.
type checker struct {
	section configs.Check
	url     string
	client  *http.Client
	turns   chan struct{}
	asking  atomic.Int64
	lull    lull
	told    atomic.Bool   // that it does not answer, and not yet that it does again
	count   func(finding) // of each question, what came of it
	log     *zap.Logger
}

func newChecker(section configs.Check, count func(finding), log *zap.Logger) *checker {
	c := &checker{section: section, url: checkURLs[section.Kind], turns: make(chan struct{}, checksAtOnce), count: count, log: log}
	if section.URL.IsSet() {
		c.url = section.URL.Reveal()
	}
	c.client = &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true,
			MaxConnsPerHost: checksAtOnce, MaxIdleConnsPerHost: checksAtOnce, IdleConnTimeout: 30 * time.Second,
			MaxResponseHeaderBytes: maxCheckSays,
		},
		// The secret is for the service alone, wherever it would send us.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c
}

// maxAnswer is how many bytes the answers have at most that services give out:
// Turnstile's 2,048, as it says, hCaptcha's some thousand.
var maxAnswer = map[configs.CheckKind]int{configs.Turnstile: 2 << 10, configs.HCaptcha: 8 << 10}

// answerLetters are those of base64, and of what joins such texts.
const answerLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-._~:"

// issued reports whether an answer looks like one that the service gives out. What
// does not could make it, or a wall before it, say something else than a verdict.
func (c *checker) issued(answer string) bool {
	return answer != "" && len(answer) <= maxAnswer[c.section.Kind] && strings.Trim(answer, answerLetters) == ""
}

// ask judges an answer: empty if it is good. What is none costs no question.
func (c *checker) ask(ctx context.Context, answer string, addr netip.Addr) finding {
	if !c.issued(answer) {
		return findCheckFailed
	}
	f := c.question(ctx, answer, addr)
	c.count(f)
	return f
}

func (c *checker) question(ctx context.Context, answer string, addr netip.Addr) finding {
	if c.asking.Add(1) > checksAtOnce+checksMost || !c.lull.may(time.Now()) {
		c.asking.Add(-1)
		return findCheckAway
	}
	defer c.asking.Add(-1)
	whole := ctx
	ctx, cancel := context.WithTimeout(ctx, checkWait)
	defer cancel()
	select {
	case c.turns <- struct{}{}:
		defer func() { <-c.turns }()
	case <-ctx.Done():
		return findCheckAway
	}
	good, err := c.verify(ctx, answer, addr)
	if whole.Err() == nil { // else it was the shopper who left
		answered := err == nil || errors.Is(err, errNotUnderstood)
		c.tell(err, c.lull.note(answered, time.Now()))
	}
	switch {
	case err != nil:
		return findCheckAway
	case !good:
		return findCheckFailed
	default:
		return ""
	}
}

// tell logs what came of a question, where that is new: a lull that begins; at once,
// what somebody here has to mend; and the first answer after either.
func (c *checker) tell(err error, begins bool) {
	switch {
	case err == nil:
		if c.told.Load() && c.told.Swap(false) {
			c.log.Info("check answers again")
		}
	case begins || errors.Is(err, errOurKeys):
		if !c.told.Swap(true) {
			c.log.Warn("check does not answer", zap.Error(err))
		}
	}
}

// errOurKeys means that the service does not know our secret, or not this site key.
var errOurKeys = errors.New("bots.check: see its secret and site_key")

// errNotUnderstood means that the service answers, and makes nothing of a question.
// All in it but the shopper's part is always the same, so it says nothing of others.
var errNotUnderstood = errors.New("check does not understand the question")

// verdict is what the services answer.
type verdict struct {
	Success *bool    `json:"success"`
	Codes   []string `json:"error-codes"`
}

// What is wrong with something else than the token: ourKeys are what only the operator
// can mend, theirs is the service's, and unclear nobody's in particular.
var (
	ourKeys = []string{"missing-input-secret", "invalid-input-secret", "sitekey-secret-mismatch"}
	theirs  = []string{"internal-error"}
)

const unclear = "bad-request"

// blames gives the error of a verdict that says nothing about the token; nil: it does.
func (v verdict) blames() error {
	for _, code := range v.Codes {
		switch {
		case slices.Contains(ourKeys, code):
			return fmt.Errorf("check answers %s: %w", code, errOurKeys)
		case slices.Contains(theirs, code):
			return fmt.Errorf("check answers %s", code)
		case code == unclear:
			return errNotUnderstood
		}
	}
	return nil
}

func (c *checker) verify(ctx context.Context, answer string, addr netip.Addr) (good bool, err error) {
	form := url.Values{"secret": {c.section.Secret.Reveal()}, "response": {answer}}
	if addr.IsValid() {
		form.Set("remoteip", addr.WithZone("").String())
	}
	if c.section.Kind == configs.HCaptcha {
		form.Set("sitekey", c.section.SiteKey)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(form.Encode()))
	if err != nil {
		return false, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := c.client.Do(req)
	if err != nil {
		return false, errors.Unwrap(err) // without the address, which may hold a secret
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxCheckSays+1))
	if err != nil {
		return false, err
	}
	return judged(resp.StatusCode, body)
}

// judged reads an answer. Its codes say more than its status.
func judged(status int, body []byte) (good bool, err error) {
	var v verdict
	read := len(body) <= maxCheckSays && json.Unmarshal(body, &v) == nil && v.Success != nil
	if read && !*v.Success {
		if err := v.blames(); err != nil {
			return false, err
		}
	}
	switch {
	case status == http.StatusBadRequest, status == http.StatusRequestEntityTooLarge, status == http.StatusUnprocessableEntity:
		return false, errNotUnderstood
	case status != http.StatusOK:
		return false, fmt.Errorf("check answers %d", status)
	case !read:
		return false, errors.New("check answers something else")
	}
	return *v.Success, nil
}
