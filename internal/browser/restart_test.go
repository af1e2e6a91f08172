package browser_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/waitroom/waitroom/internal/chromium"
)

// TestRestart: a phone that was switched off and on again has the place that it had, and
// the same page.
func TestRestart(t *testing.T) {
	t.Parallel()
	s := hold(t, time.Hour, 10, 20)
	line := strings.Replace(s.URL, "127.0.0.1", "localhost", 1) + "/.waitroom/toy/line"
	profile := t.TempDir()
	for _, on := range []string{"first", "again"} {
		phone, err := chromium.Start(chromedp.UserDataDir(profile))
		if err != nil {
			t.Fatal(err)
		}
		w := &window{phone.Own(t, line), t}
		w.Shows(heading, "You are in the draw")
		if got := w.standing().Number; got != 20 {
			t.Errorf("%s: the number is %d, want the one after 20 others", on, got)
		}
		until(t, "the ticket on the disk", func() bool { return onDisk(profile, "__Host-wr-toy") })
		w.SwitchOff()
		until(t, "the end of the browser", func() bool {
			_, err := os.Lstat(filepath.Join(profile, "SingletonLock"))
			return errors.Is(err, fs.ErrNotExist)
		})
		phone.Close()
	}
}

// onDisk reports whether a browser has written a cookie down, as it does twice a minute.
func onDisk(profile, cookie string) bool {
	for _, pattern := range []string{"*/Cookies*", "*/Network/Cookies*"} {
		files, _ := filepath.Glob(filepath.Join(profile, pattern)) // the pattern is whole
		for _, name := range files {
			if content, err := os.ReadFile(name); err == nil && bytes.Contains(content, []byte(cookie)) {
				return true
			}
		}
	}
	return false
}
