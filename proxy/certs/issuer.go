package certs

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"time"

	"github.com/caddyserver/certmagic"
	acmez "github.com/mholt/acmez/v3/acme"
	"github.com/prometheus/client_golang/prometheus"
)

// issueWait bounds one order, its challenges included.
const issueWait = 10 * time.Minute

// errPaused says that an order failed lately, at whichever edge.
var errPaused = errors.New("orders pause after one that failed")

// An issuer is certmagic's, with pauses after orders that fail, which all edges
// with one storage keep together: three edges ask no more often than one, and so
// does one that is started again and again. Both methods are called under the
// lock of the certificate.
type issuer struct {
	*certmagic.ACMEIssuer
	storage certmagic.Storage
	failed  *prometheus.CounterVec
}

// PreCheck refuses while orders pause. Nobody is ever asked at a terminal.
func (i *issuer) PreCheck(ctx context.Context, names []string, _ bool) error {
	for _, name := range names {
		left, err := i.left(ctx, name)
		if err != nil {
			return err
		}
		if left > 0 {
			return fmt.Errorf("%w: %s for %v", errPaused, name, left.Round(time.Second))
		}
	}
	return i.ACMEIssuer.PreCheck(ctx, names, false)
}

// Issue orders a certificate.
func (i *issuer) Issue(ctx context.Context, request *x509.CertificateRequest) (*certmagic.IssuedCertificate, error) {
	ordering, cancel := context.WithTimeout(ctx, issueWait)
	defer cancel()
	issued, err := i.ACMEIssuer.Issue(ordering, request)
	if ctx.Err() != nil {
		return issued, err // we are stopped, and it is nobody's fault
	}
	for _, name := range request.DNSNames {
		if told := i.tell(ctx, name, err); told != nil {
			return issued, errors.Join(err, told)
		}
	}
	return issued, err
}

// tell notes how an order ended.
func (i *issuer) tell(ctx context.Context, name string, err error) error {
	if err == nil {
		_ = i.storage.Delete(ctx, i.note(name)) // what stays is over soon, and the certificate is here
		return nil
	}
	i.failed.WithLabelValues(name).Inc()
	before, readErr := i.attempts(ctx, name)
	if readErr != nil {
		return readErr
	}
	problem, _ := errors.AsType[acmez.Problem](err)
	after, err := json.Marshal(before.after(time.Now(), problem.Status == http.StatusTooManyRequests))
	if err != nil {
		return fmt.Errorf("note order that failed: %w", err)
	}
	return i.storage.Store(ctx, i.note(name), after)
}

// left is how long an order for a domain has to wait.
func (i *issuer) left(ctx context.Context, name string) (time.Duration, error) {
	a, err := i.attempts(ctx, name)
	return a.left(time.Now()), err
}

func (i *issuer) attempts(ctx context.Context, name string) (a attempts, err error) {
	text, err := i.storage.Load(ctx, i.note(name))
	if errors.Is(err, fs.ErrNotExist) {
		return attempts{}, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &a)
	}
	if err != nil {
		return attempts{}, fmt.Errorf("read orders that failed: %w", err)
	}
	return a, nil
}

func (i *issuer) note(name string) string {
	return path.Join("failed", certmagic.StorageKeys.Safe(i.IssuerKey()), certmagic.StorageKeys.Safe(name)+".json")
}
