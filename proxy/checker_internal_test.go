package proxy

import (
	"testing"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/static"
)

// TestCheckKinds: each kind of check that can be written is one that can be shown and
// asked about.
func TestCheckKinds(t *testing.T) {
	t.Parallel()
	for _, kind := range []configs.CheckKind{configs.Turnstile, configs.HCaptcha} {
		if a := (static.Asked{Check: string(kind)}); checkURLs[kind] == "" || a.Widget() == "" || a.CheckScript() == "" {
			t.Errorf("%s: it is asked about at %q, its page loads %q into %q", kind, checkURLs[kind], a.CheckScript(), a.Widget())
		}
	}
}
