package origin_test

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/proxy/origin"
)

// TestAgain: a pool goes on where nothing has changed, and is another one where the
// section has, or who vouches under the same name.
func TestAgain(t *testing.T) {
	t.Parallel()
	shop := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) }))
	t.Cleanup(shop.Close)
	shop.Config.ErrorLog = zap.NewStdLog(zap.NewNop())
	address, err := url.Parse(shop.URL)
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(t.TempDir(), "root.pem")
	lay := func(der []byte) {
		t.Helper()
		if err := os.WriteFile(root, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lay(testserver.SelfSigned(t).Certificate[0])
	section := configs.Origin{URLs: []*url.URL{address}, Timeout: 10 * time.Second, CARoot: root}
	first, err := origin.New(section, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := do(first, request(t, http.MethodGet, "/", "")); err == nil {
		t.Error("a server is believed for which nobody vouches")
	}
	again, err := first.Again(section, zap.NewNop())
	if again != first || err != nil {
		t.Errorf("nothing has changed, and it is another pool, %v", err)
	}
	lay(shop.Certificate().Raw)
	vouched, err := first.Again(section, zap.NewNop())
	if vouched == first || err != nil {
		t.Fatalf("another vouches, and it is the same pool, %v", err)
	}
	if got := get(t, vouched, "/"); got != "ok" {
		t.Errorf("got %q, want ok", got)
	}
	slower := section
	slower.Timeout = time.Minute
	if other, err := vouched.Again(slower, zap.NewNop()); other == vouched || err != nil {
		t.Errorf("the section has changed, and it is the same pool, %v", err)
	}
	if err := os.Remove(root); err != nil {
		t.Fatal(err)
	}
	if _, err := vouched.Again(section, zap.NewNop()); err == nil {
		t.Error("a file that is gone is no fault")
	}
}
