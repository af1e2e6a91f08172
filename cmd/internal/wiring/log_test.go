package wiring_test

import (
	"bytes"
	"encoding/json"
	stdlog "log"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
)

// TestOpenLog_TakesTheLibrarysLines: what net/http says through package log is a
// JSON line like any other, whatever bytes a shop or a client put into it. It is
// not parallel: package log has one logger.
func TestOpenLog_TakesTheLibrarysLines(t *testing.T) {
	var out bytes.Buffer
	log, done := wiring.OpenLog(&out)
	const said = "http: torn\n{\"level\":\"error\"}\x1b[31m"
	stdlog.Print(said)
	stdlog.Printf("Unsolicited response received on idle HTTP channel starting with %q; err=%v", "a secret", nil)
	log.Info("ours")
	done()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 {
		t.Fatalf("got %q, want three lines", lines)
	}
	for i, want := range []string{said, "origin sent more than its answer", "ours"} {
		var line struct{ Msg string }
		if err := json.Unmarshal([]byte(lines[i]), &line); err != nil || line.Msg != want {
			t.Errorf("line %d is %s (%v), want the message %q", i, lines[i], err, want)
		}
	}
}
