package e2e_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestTargetsArriveAsSent: the shop's request line carries exactly the target
// that curl sent, over both protocols, also of somebody who is admitted.
func TestTargetsArriveAsSent(t *testing.T) {
	t.Parallel()
	f := openFront(t)
	ticket, pass := f.admit(t, f.client(true))
	targets := []string{
		"/echo/item/a%2Fb//c%20d/%E4%B8%AD?x=%2F", "//echo//a//", "/echo/../b/./c", "/echo/a%2e%2e/b", "/echo/%41%5A%7E", "/echo?", "/echo??a=b",
		"/echo?a=b;c&&d=%26&e=+%2B", "/echo/%00", "/echo/%ff%FE", "/echo;v=1/b;w", "/echo/[a]:@!$&'()*+,=~", "/echo/%252F", `/echo/"a"<b>`, "/echo/a|b^c`{d}",
		"/echo/?x=https://other.test/y?z", "/echo/" + strings.Repeat("long/", 1000), "/echo/\u4e2d?\u00e9",
	}
	for _, protocol := range []string{"--http1.1", "--http2"} {
		for _, target := range targets {
			before := len(f.shop.Seen(target))
			_, seen := f.well(t, protocol, "--request-target", target, "--cookie", ticket+"; "+pass, f.url("/"))
			if after := len(f.shop.Seen(target)); after != before+1 {
				t.Errorf("%s %.60q: the shop saw it %d times, want once; curl saw:\n%s", protocol, target, after-before, seen)
			}
		}
	}
	for _, record := range f.records() {
		if status := record["status"].(float64); status >= http.StatusInternalServerError {
			t.Errorf("a record says %v", record)
		}
	}
}
