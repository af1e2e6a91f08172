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

// ask judges an answer: empty if it is good. A missing one costs no question.
func (c *checker) ask(ctx context.Context, answer string, addr netip.Addr) finding {
	if answer == "" {
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
	if whole.Err() == nil && c.lull.note(err == nil, time.Now()) { // else it was the shopper who left
		c.log.Warn("check does not answer", zap.Error(err))
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

// verdict is what the services answer.
type verdict struct {
	Success *bool    `json:"success"`
	Codes   []string `json:"error-codes"`
}

// ours are the codes of what is wrong on our side or theirs, not with the answer.
var ours = []string{"missing-input-secret", "invalid-input-secret", "sitekey-secret-mismatch", "bad-request", "internal-error"}

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
	if resp.StatusCode != http.StatusOK {
		return false, fmt.Errorf("check answers %d", resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxCheckSays+1))
	if err != nil {
		return false, err
	}
	var v verdict
	if len(body) > maxCheckSays || json.Unmarshal(body, &v) != nil || v.Success == nil {
		return false, errors.New("check answers something else")
	}
	for _, code := range v.Codes {
		if !*v.Success && slices.Contains(ours, code) {
			return false, fmt.Errorf("check answers %s", code)
		}
	}
	return *v.Success, nil
}
