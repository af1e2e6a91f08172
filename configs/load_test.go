package configs_test

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
)

const (
	smallOperator = "tls: {mode: internal}\norigin: {url: \"http://10.0.0.5:8080\"}\nsecret: \"${WAITROOM_SECRET}\"\nsales: [\"sales/*.yaml\"]\n"
	smallSale     = "sale: golden-toy\ntitle: Golden toy\ntimezone: Europe/Berlin\ndoors: 2026-11-27 09:30\nopens: 2026-11-27 10:00\ncloses: 2026-11-27 12:00\n" +
		"product_page: /toys/golden\nbuy: POST /toys/golden/buy\ncheckout: /checkout?r={reservation}\nstock: 100\nadmit: 2000/s\n"
)

// folder writes an operator's file and sale files and gives the former's name.
func folder(t testing.TB, operator string, sales map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "waitroom.yaml"), operator)
	write(t, filepath.Join(dir, "sales", ".keep"), "")
	for name, text := range sales {
		write(t, filepath.Join(dir, "sales", name), text)
	}
	return filepath.Join(dir, "waitroom.yaml")
}

func load(t testing.TB, file string, at time.Time) *configs.Config {
	t.Helper()
	c, err := configs.Load(file, environment, at)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestLoadDefaults(t *testing.T) {
	t.Parallel()
	file := folder(t, smallOperator, map[string]string{"a.yaml": smallSale})
	c := load(t, file, now)
	s := c.Sales[0]
	for _, test := range []struct {
		name      string
		got, want any
	}{
		{"listen", c.Listen, configs.Listen{HTTPS: ":443", HTTP: ":80", Admin: "127.0.0.1:9180", Express: true}},
		{"data_dir", c.DataDir, filepath.Join(filepath.Dir(file), "data")},
		{"secret", c.Secrets[0].Reveal(), "correct horse battery staple, and then some"},
		{"embedded", c.Embedded(), true},
		{"worker.listen", c.Worker.Listen, "127.0.0.1:9190"},
		{"worker.orders_per_second", c.Worker.OrdersPerSecond, 500},
		{"worker.max_backlog", c.Worker.MaxBacklog, 10000},
		{"worker.name is set", c.Worker.Name != "", true},
		{"limits", c.Limits, configs.Limits{
			Body:    4 << 30,
			Header:  32 << 10,
			Address: configs.Rates{Join: every(300, time.Minute), Claim: every(100, time.Second), Buy: every(100, time.Second), Request: every(200, time.Second)},
			Device:  configs.Rates{Claim: every(5, time.Second), Buy: every(5, time.Second), Request: every(5, time.Second)},
			Account: configs.Rates{Join: every(30, time.Minute), Claim: every(5, time.Second), Buy: every(2, time.Second), Request: every(20, time.Second)},
			Block:   configs.Block{Join: configs.Limit{Off: true}, Burst: 1000},
		}},
		{"bots", c.Bots, configs.Bots{Suspicious: configs.Behind}},
		{"origin.at_once", c.Origin.AtOnce, configs.AtOnce{}},
		{"shed", s.Shed, configs.Shed{Certainty: 0.999}},
		{"conversion", s.Conversion, 0.1},
		{"match_stock", s.MatchStock, false},
		{"cache", c.Cache, configs.Cache{Size: 256 << 20}},
		{"origin.timeout", c.Origin.Timeout, time.Minute},
		{"key", s.Key, "golden-toy"},
		{"opens", s.Opens.UTC(), time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)},
		{"buy", s.Buy, configs.Buy{Method: "POST", Path: "/toys/golden/buy"}},
		{"per_account", s.PerAccount, 1},
		{"admit", s.Admit, configs.Rate{Count: 2000, Per: time.Second}},
		{"burst", s.Burst, 200},
		{"hold", s.Hold, 10 * time.Minute},
		{"late_payment", s.LatePayment, configs.Rehold},
		{"over", s.Over().UTC(), time.Date(2026, 11, 27, 11, 10, 0, 0, time.UTC)},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, test.got, test.want)
		}
	}
}

func every(n int, per time.Duration) configs.Limit {
	return configs.Limit{Rate: configs.Rate{Count: n, Per: per}}
}

func TestLoadReadsWhatIsWritten(t *testing.T) {
	t.Parallel()
	c := load(t, folder(t, smallOperator+`listen: {http: off, admin: off, https: "127.0.0.1:0"}
redis: {url: "${REDIS_URL}"}
postgres: {url: "${DATABASE_URL}"}
trusted_proxies: [10.0.0.0/8, "2001:db8::1"]
worker: {token: "${WAITROOM_WORKER_TOKEN}", refund_url: "https://shop.example.com/r?key=1"}
limits: {address: off, device: {buy: 10/h}}
`, map[string]string{"b.yaml": smallSale, "a.yaml": strings.NewReplacer(
		"golden-toy", "silver", "/toys/golden", "/toys/silver", "2026-11-27", "2026-11-28").Replace(smallSale)}), now)
	for _, test := range []struct {
		name      string
		got, want any
	}{
		{"listen", c.Listen, configs.Listen{HTTPS: "127.0.0.1:0", Express: true}},
		{"redis", c.Redis.URL.Reveal(), "redis://:hunter2@10.0.0.6:6379"},
		{"network", c.TrustedProxies[0], netip.MustParsePrefix("10.0.0.0/8")},
		{"address", c.TrustedProxies[1], netip.MustParsePrefix("2001:db8::1/128")},
		{"join is off", c.Limits.Address.Join, configs.Limit{Off: true}},
		{"device", c.Limits.Device.Buy, configs.Limit{Rate: configs.Rate{Count: 10, Per: time.Hour}}},
		{"address claim is off", c.Limits.Address.Claim, configs.Limit{Off: true}},
		{"device claim stays", c.Limits.Device.Claim, every(5, time.Second)},
		{"account stays", c.Limits.Account.Buy, configs.Limit{Rate: configs.Rate{Count: 2, Per: time.Second}}},
		{"first to open", c.Sales[0].ID, "golden-toy"},
		{"second to open", c.Sales[1].ID, "silver"},
		{"refunds", c.Worker.RefundURL.Reveal(), "https://shop.example.com/r?key=1"},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, test.got, test.want)
		}
	}
}

func TestLoadRefusesWholeFiles(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text, want string
	}{
		{"too large", smallSale + strings.Repeat("# \n", 30_000), "too large"},
		{"brackets without end", strings.Repeat("[", 60_000), "nested too deep"},
		{"braces without end", strings.Repeat("{a: ", 15_000), "nested too deep"},
		{"entries without end", strings.Repeat("- ", 30_000), "nested too deep"},
		{"a list without end", "sale: [" + strings.Repeat("a,", 20_000) + "a]\n", "6,000 words and marks"},
		{"nested lists without end", "sale: [[[[[[[[" + strings.Repeat("a,", 20_000) + "a]]]]]]]]\n", "6,000 words and marks"},
		{"zero bytes", "sale: a\x00b\n", "control character"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			_, _, err := configs.LoadSaleFile(filepath.Join(filepath.Dir(folder(t, "", map[string]string{"a.yaml": test.text})), "sales", "a.yaml"), now)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %.300v, want %q in it", err, test.want)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestLoadWithoutFile(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{"missing": "nowhere.yaml", "folder": "."} {
		_, err := configs.Load(filepath.Join(t.TempDir(), file), environment, now)
		faults, ok := errors.AsType[configs.Faults](err)
		if !ok || len(faults) != 1 || !strings.HasPrefix(faults[0].Wrong, "cannot be read") {
			t.Errorf("%s: got %v, want one fault that it cannot be read", name, err)
		}
	}
}

// TestLoadOfASale: who gives a sale's file where the operator's belongs is told
// so once, rather than of every key.
func TestLoadOfASale(t *testing.T) {
	t.Parallel()
	for _, text := range []string{smallSale, "sale: shop\nroom: /\n"} {
		_, err := configs.Load(folder(t, text, nil), environment, now)
		faults, _ := errors.AsType[configs.Faults](err)
		if len(faults) != 1 || !strings.Contains(faults[0].Wrong, "a sale's file") || !strings.Contains(faults[0].Right, "the operator's") {
			t.Errorf("got %v, want one fault that it is a sale's file", err)
		}
	}
}

func TestAbsent(t *testing.T) {
	t.Parallel()
	file := folder(t, strings.Replace(smallOperator, "tls: {mode: internal}",
		"tls:\n  mode: files\n  domains: [a.example.com]\n  files:\n    - {cert: a.crt, key: a.key}\n    - {cert: b.crt, key: b.key}", 1), nil)
	for _, name := range []string{"a.crt", "a.key", "b.crt"} {
		write(t, filepath.Join(filepath.Dir(file), name), "x")
	}
	faults := load(t, file, now).Absent()
	if len(faults) != 2 || faults[1].Key != "tls.files[1].key" || faults[1].Line != 6 || !strings.Contains(faults[1].Wrong, "b.key cannot be read: no such file") {
		t.Errorf("got %v, want that b.key cannot be read", faults)
	}
	if err := os.Mkdir(filepath.Join(filepath.Dir(file), "b.key"), 0o700); err != nil {
		t.Fatal(err)
	}
	if again := load(t, file, now).Absent(); len(again) != 2 || !strings.Contains(again[1].Wrong, "b.key cannot be read: not a regular file") {
		t.Errorf("got %v, want that b.key is no file", again)
	}
	if f := faults[0]; f.Key != "tls.files[0].cert" || f.Line != 5 || !strings.Contains(f.Wrong, "a.key cannot be served: failed to find any PEM data") {
		t.Errorf("got %v, want that a.crt is no certificate", f)
	}
}

// TestAbsent_Roots: so are the files of who vouches, which have to hold somebody.
func TestAbsent_Roots(t *testing.T) {
	t.Parallel()
	file := folder(t, strings.Replace(smallOperator, "tls: {mode: internal}",
		"tls: {mode: acme, domains: [a.example.com], ca_root: gone.pem}", 1), nil)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write(t, file, strings.Replace(string(text), "origin: {", "origin: {ca_root: empty.pem, ", 1))
	write(t, filepath.Join(filepath.Dir(file), "empty.pem"), "nobody")
	faults := load(t, file, now).Absent()
	if len(faults) != 2 || faults[0].Key != "tls.ca_root" || !strings.Contains(faults[0].Wrong, "gone.pem cannot be read: no such file") ||
		faults[1].Key != "origin.ca_root" || !strings.HasSuffix(faults[1].Wrong, "empty.pem holds no certificate") || faults[1].Line == 0 {
		t.Errorf("got %v, want that gone.pem cannot be read and empty.pem holds nobody", faults)
	}
}

func TestIsSaleFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.yaml")
	for text, want := range map[string]bool{
		smallSale: true, "title: x\n\"sale\": y\n": true, "{sale: x}": true, "\ufeffroom: /\n": true,
		smallOperator: false, "sale: [\"sales/*.yaml\"]\n": false, "# sale: x\n": false, "a:\n  sale: x\n": false, "a: |\n sale: x\n": false,
		"sale: golden\nstock 100\n": true, "sale: golden\nopens: \"x\nstock: 5\n": true, "sale: \"golden\nsecret: x\norigin: y\n": false,
		"opens: x\nstock: 5\nadmit: 5/s\n": true, "opens: x\nstock: 5\nadmit: 5/s\norigin: x\n": false,
		"- sale: x\n": false, "sale": false, "": false,
	} {
		write(t, file, text)
		if got := configs.IsSaleFile(file); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
	if configs.IsSaleFile(file + ".missing") {
		t.Error("a missing file is one")
	}
}

func TestParseRate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]configs.Rate{
		"500/s": {Count: 500, Per: time.Second}, "30/min": {Count: 30, Per: time.Minute}, "1/min": {Count: 1, Per: time.Minute}, "60/h": {Count: 60, Per: time.Hour},
	} {
		got, err := configs.ParseRate(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%s: got %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "500", "0/s", "0.5/s", "-1/s", "1e3/s", "100001/s", "5/day", "59/h"} {
		if got, err := configs.ParseRate(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}

func TestRate_Burst(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rate configs.Rate
		want int // of a sale
		room int
	}{
		{configs.Rate{Count: 2000, Per: time.Second}, 200, 2000},
		{configs.Rate{Count: 2400, Per: time.Minute}, 4, 40},
		{configs.Rate{Count: 39, Per: time.Second}, 3, 39},
		{configs.Rate{Count: 1, Per: time.Hour}, 3, 3},
	} {
		if got, room := test.rate.Burst(), test.rate.RoomBurst(); got != test.want || room != test.room {
			t.Errorf("%s: got %d and %d, want %d and %d", test.rate, got, room, test.want, test.room)
		}
	}
}
