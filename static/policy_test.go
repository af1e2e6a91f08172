package static_test

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/static"
)

// Every inline element of every page is one whose hash the policy names.
func TestPolicyHashes(t *testing.T) {
	t.Parallel()
	policy := static.ContentSecurityPolicy()
	for _, p := range static.Known() {
		elements := inline.FindAllStringSubmatch(render(t, p, full), -1)
		if len(elements) != 2 {
			t.Fatalf("%s: %d inline elements, want a style and a script", p, len(elements))
		}
		for _, element := range elements {
			sum := sha256.Sum256([]byte(element[2]))
			want := element[1] + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
			if !strings.Contains(policy, want) {
				t.Errorf("%s: policy has no %s: %s", p, want, policy)
			}
		}
	}
}

func TestPolicyDirectives(t *testing.T) {
	t.Parallel()
	policy := "; " + static.ContentSecurityPolicy() + ";"
	for _, want := range []string{
		"default-src 'none'", "img-src data:", "connect-src 'self'",
		"form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'",
	} {
		if !strings.Contains(policy, "; "+want+";") {
			t.Errorf("policy lacks %s: %s", want, policy)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("policy allows what it should not: %s", policy)
	}
}
