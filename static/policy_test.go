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
	for _, p := range static.Known() {
		policy := static.ContentSecurityPolicy(p, full)
		elements := inline.FindAllStringSubmatch(render(t, p, full), -1)
		want := 3
		if p == static.Prove { // renews nothing by itself
			want = 2
		}
		if len(elements) != want {
			t.Fatalf("%s: %d inline elements, want %d: a style, the script and what watches it", p, len(elements), want)
		}
		for _, element := range elements {
			sum := sha256.Sum256([]byte(element[2]))
			want := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
			if !strings.Contains(policy, want) {
				t.Errorf("%s: policy has no %s: %s", p, want, policy)
			}
		}
	}
}

func TestPolicyDirectives(t *testing.T) {
	t.Parallel()
	every := []string{"default-src 'none'", "img-src data:", "form-action 'self'", "base-uri 'none'"}
	for _, test := range []struct {
		page  static.Page
		check string
		has   []string
		not   []string // besides, anywhere
	}{
		{static.Lottery, "turnstile", []string{"connect-src 'self'"}, []string{"worker", "frame-src", "https:"}},
		{static.Framed, "", []string{"default-src 'none'"}, []string{"worker", "frame-src", "https:"}},
		{static.Prove, "", []string{"connect-src 'self'", "worker-src 'self'"}, []string{"frame-src", "https:"}},
		{static.Prove, "turnstile", []string{"connect-src 'self'", "worker-src 'self'", "frame-src https://challenges.cloudflare.com"}, []string{"hcaptcha"}},
		{static.Prove, "hcaptcha", []string{"connect-src 'self' https://hcaptcha.com https://*.hcaptcha.com", "frame-src https://hcaptcha.com https://*.hcaptcha.com"}, []string{"cloudflare"}},
	} {
		policy := "; " + static.ContentSecurityPolicy(test.page, static.View{Asked: static.Asked{Check: test.check}}) + ";"
		ancestors := "frame-ancestors 'none'"
		if test.page == static.Framed { // says where to go instead, and has nothing to press but that
			ancestors = "frame-ancestors *"
		}
		for _, want := range append(test.has, append(every, ancestors)...) {
			if !strings.Contains(policy, "; "+want+";") {
				t.Errorf("%s with %q: policy lacks %s: %s", test.page, test.check, want, policy)
			}
		}
		for _, fault := range append(test.not, "unsafe", "script-src 'self'") {
			if strings.Contains(policy, fault) {
				t.Errorf("%s with %q: policy allows what it should not, %s: %s", test.page, test.check, fault, policy)
			}
		}
	}
}
