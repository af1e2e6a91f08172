package configs_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// TestChanges: what is refused, and at which key, before, while and after the
// sale of the small files is open.
func TestChanges(t *testing.T) {
	t.Parallel()
	before := now
	open := time.Date(2026, 11, 27, 8, 30, 0, 0, time.UTC) // the doors
	after := time.Date(2026, 11, 27, 11, 0, 0, 0, time.UTC)
	swap := func(pairs ...string) func(string) string { return strings.NewReplacer(pairs...).Replace }
	same := func(text string) string { return text }
	for _, test := range []struct {
		name           string
		operator, sale func(string) string
		at             time.Time
		want           string // keys, in order
	}{
		{"nothing", same, same, open, ""},
		{"times before the doors", same, swap("10:00", "10:30"), before, ""},
		{"times while open", same, swap("10:00", "10:30", "09:30", "09:31"), open, "doors opens"},
		{"times afterwards", same, swap("10:00", "10:30"), after, ""},
		{"an equal time in another zone", same, swap("Berlin", "Paris"), open, "timezone"},
		{"name while open", same, swap("golden-toy", "silver"), open, "sale"},
		{"closing, stock, rate while open", same, swap("12:00", "11:00", "100", "200", "2000/s", "1/min"), open, ""},
		{"public value while open", func(s string) string { return s + "admin: {token: abcdefghijklmnop}\n" }, func(s string) string { return s + "mix: drand round 5213377\n" }, open, "mix"},
		{"public value before", func(s string) string { return s + "admin: {token: abcdefghijklmnop}\n" }, func(s string) string { return s + "mix: drand round 5213377\n" }, before, ""},
		{"price while open", same, func(s string) string { return s + "price: 19.90 EUR\n" }, open, "price"},
		{"price before", same, func(s string) string { return s + "price: 19.90 EUR\n" }, before, ""},
		{"buckets while open", same, func(s string) string { return s + "buckets: 10\n" }, open, "buckets"},
		{"the buckets there are while open", same, func(s string) string { return s + "buckets: 1\n" }, open, ""},
		{"buckets before", same, func(s string) string { return s + "buckets: 10\n" }, before, ""},
		{"more invitations while open", same, func(s string) string { return s + "invitations: 5\n" }, open, "invitations"},
		{"more invitations before", same, func(s string) string { return s + "invitations: 5\n" }, before, ""},
		{"removal while open", swap("sales/*", "sales/x*"), same, open, "sales"},
		{"removal before", swap("sales/*", "sales/x*"), same, before, ""},
		{"secret, origin", swap("secret: ", "secret: \"and a new one ${WAITROOM_SECRET}\" #", ":8080", ":8081"), same, open, ""},
		{"listener", func(s string) string { return s + "listen: {https: \":8443\"}\n" }, same, before, "listen.https"},
		{"the express lane", func(s string) string { return s + "listen: {express: false}\n" }, same, before, "listen.express"},
		{"stores", func(s string) string {
			return s + "redis: {url: \"${REDIS_URL}\"}\npostgres: {url: \"${DATABASE_URL}\"}\nworker: {token: abcdefghijklmnop}\ndata_dir: x\n"
		}, same, before, "redis.url postgres.url worker.token data_dir"},
		{"worker, backlog aside", func(s string) string {
			return s + "worker: {token: abcdefghijklmnop, name: b, orders_per_second: 7, refund_url: \"http://a/b\", max_backlog: 5}\n"
		}, same, before, "worker.token worker.name worker.orders_per_second worker.refund_url"},
		{"backlog", func(s string) string { return s + "worker: {max_backlog: 5}\n" }, same, open, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			file := folder(t, smallOperator, map[string]string{"a.yaml": smallSale})
			running := load(t, file, now)
			write(t, file, test.operator(smallOperator))
			write(t, filepath.Join(filepath.Dir(file), "sales", "a.yaml"), test.sale(smallSale))
			next := load(t, file, now)
			var keys []string
			for _, f := range configs.Changes(running, next, test.at) {
				keys = append(keys, f.Key)
				if f.File == "" || f.Line == 0 || f.Right == "" {
					t.Errorf("the fault has no place or no advice: %v", f)
				}
			}
			if got := strings.Join(keys, " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestChanges_Invitations: fewer are allowed, and the advice for more says so.
func TestChanges_Invitations(t *testing.T) {
	t.Parallel()
	open := time.Date(2026, 11, 27, 8, 30, 0, 0, time.UTC)
	for _, test := range []struct{ was, is, want string }{
		{"invitations: 3\n", "invitations: 4\n", "was 3, write 3 or fewer: the sale is open"},
		{"invitations: 3\n", "invitations: 2\n", ""},
		{"", "invitations: 1\n", "was none, leave it out: the sale is open"},
	} {
		file := folder(t, smallOperator, map[string]string{"a.yaml": smallSale + test.was})
		running := load(t, file, now)
		write(t, filepath.Join(filepath.Dir(file), "sales", "a.yaml"), smallSale+test.is)
		got := ""
		for _, f := range configs.Changes(running, load(t, file, now), open) {
			got += f.Wrong + ", " + f.Right
		}
		if got != test.want {
			t.Errorf("%q to %q: got %q, want %q", test.was, test.is, got, test.want)
		}
	}
}
