package configs_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/waitroom/waitroom/configs"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// TestSecretIsNeverSeen: alone, in a struct, behind a pointer and in a slice, by
// every means of printing that the program uses.
func TestSecretIsNeverSeen(t *testing.T) {
	t.Parallel()
	const hidden = "hunter2-hunter2"
	secret := configs.NewSecret(hidden)
	values := map[string]any{
		"alone":   secret,
		"pointer": &secret,
		"slice":   []configs.Secret{secret},
		"struct":  configs.Config{Secrets: []configs.Secret{secret}, Admin: configs.Admin{Token: secret}, Redis: &configs.Store{URL: secret}},
		"hidden":  holder{secret},
		"map":     map[string]configs.Secret{"a": secret},
	}
	for name, value := range values {
		var out strings.Builder
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
			fmt.Fprintf(&out, verb, value)
		}
		encoded, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(encoded)
		if encoded, err = yaml.Marshal(value); err != nil {
			t.Fatal(err)
		}
		out.Write(encoded)
		core := zapcore.NewCore(zapcore.NewJSONEncoder(zapcore.EncoderConfig{}), zapcore.AddSync(&writer{&out}), zap.DebugLevel)
		zap.New(core).Info("", zap.Any("value", value), zap.Reflect("again", value), zap.Inline(zapcore.ObjectMarshalerFunc(
			func(enc zapcore.ObjectEncoder) error { return enc.AddReflected("third", value) })))
		zap.New(core).Sugar().Infow("", "value", value)
		slog.New(slog.NewTextHandler(&out, nil)).Info("", "value", value)
		got := out.String()
		if strings.Contains(got, hidden) || strings.Contains(strings.ToLower(got), fmt.Sprintf("%x", hidden)) {
			t.Errorf("%s shows the secret: %s", name, got)
		}
		if !strings.Contains(got, "[redacted]") && name != "hidden" {
			t.Errorf("%s does not say that there is one", name)
		}
	}
	if secret.Reveal() != hidden || !secret.IsSet() || (configs.Secret{}).IsSet() {
		t.Error("the secret itself is lost")
	}
}

// A holder keeps a secret where fmt cannot ask it how to print.
type holder struct{ secret configs.Secret }

type writer struct{ *strings.Builder }

func (writer) Sync() error { return nil }

func TestSecret_Matches(t *testing.T) {
	t.Parallel()
	secret := configs.NewSecret("hunter2")
	for given, want := range map[string]bool{"hunter2": true, "hunter3": false, "hunter22": false, "hunter": false, "": false} {
		if got := secret.Matches(given); got != want {
			t.Errorf("%q: got %v, want %v", given, got, want)
		}
	}
	if (configs.Secret{}).Matches("") || configs.NewSecret("").Matches("") {
		t.Error("nothing matches an unset secret")
	}
}
