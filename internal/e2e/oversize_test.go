package e2e_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// TestMoreThanAnybodyCounts: a request with more in it than we would count is
// refused whole. The shop never sees one that was understood in another way, and
// no unit is taken by it.
func TestMoreThanAnybodyCounts(t *testing.T) {
	t.Parallel()
	f := openFront(t)
	many := strings.Repeat("a=1&", 10_001) + "qty=9"
	fields := make([]string, 0, 6000)
	for i := range 3000 {
		fields = append(fields, fmt.Sprintf("X-Field-%d", i), "some value of it")
	}
	bothProtocols(t, func(t *testing.T, http2 bool) {
		buyer := f.client(http2)
		f.admit(t, buyer)
		c := f.client(http2)
		c.Jar = buyer.Jar
		for _, test := range []struct {
			name, method, target, body string
			fields                     []string
		}{
			{"parameters in a body", "POST", buyPath, many, []string{"Content-Type", form}},
			{"parameters in a query", "POST", buyPath + "?" + many, "", nil},
			{"a long query", "GET", "/account?" + strings.Repeat("q", 200<<10), "", nil},
			{"many fields", "GET", "/account", "", fields},
			{"one large field", "GET", "/account", "", []string{"X-Large", strings.Repeat("x", 900<<10)}},
			{"a large field on a buy", "POST", buyPath, "qty=1", []string{"Content-Type", form, "X-Large", strings.Repeat("x", 900<<10)}},
		} {
			status, err := f.oversize(c, test.method, test.target, test.body, test.fields)
			// Over HTTP/2 the bound is told beforehand, and this client keeps to it.
			knew := http2 && err != nil && strings.Contains(err.Error(), "peer's advertised limit")
			if !knew && !slices.Contains([]int{400, 413, 414, 431}, status) {
				t.Errorf("%s: got %d, %v; want a refusal", test.name, status, err)
			}
		}
	})
	t.Cleanup(func() {
		if n := len(f.shop.Seen("/account")); n > 0 {
			t.Errorf("the shop saw %d of them", n)
		}
		if left := f.metric("waitroom_stock_left", ""); left != 1000 {
			t.Errorf("%v units are left, want all", left)
		}
	})
}

// oversize gives the status of an answer, and what went wrong besides: it may come
// before the request is sent to its end.
func (f *front) oversize(c *http.Client, method, target, body string, fields []string) (int, error) {
	req, err := http.NewRequest(method, f.url(target), strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	for i := 0; i < len(fields); i += 2 {
		req.Header.Set(fields[i], fields[i+1])
	}
	res, err := c.Do(req)
	if cause := (*url.Error)(nil); errors.As(err, &cause) {
		return 0, cause.Err
	}
	defer res.Body.Close()
	return res.StatusCode, nil
}
