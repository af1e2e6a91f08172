package certs

import (
	"errors"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// TestCalm: an error is one from a warning on.
func TestCalm(t *testing.T) {
	t.Parallel()
	core, said := observer.New(zap.InfoLevel)
	log := calmed(zap.New(core))
	log.Debug("unheard")
	log.Info("creating an account", zap.Error(errors.New("no such file")), zap.String("email", "ops@example.com"))
	log.Warn("renewal failed", zap.Error(errors.New("refused")))
	lines := said.All()
	if len(lines) != 2 {
		t.Fatalf("%d lines, want 2", len(lines))
	}
	if got := lines[0].ContextMap(); len(got) != 1 || got["email"] == nil {
		t.Errorf("at info: %v, want the email alone", got)
	}
	if got := lines[1].ContextMap(); got["error"] != "refused" {
		t.Errorf("at warn: %v, want the error", got)
	}
}
