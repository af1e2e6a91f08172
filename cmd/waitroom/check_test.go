package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
)

// TestCheck_Branded: the example of a look of one's own is in order, and check says what
// there is of it.
func TestCheck_Branded(t *testing.T) {
	t.Parallel()
	const want = "\n  look     pages in en or de, and in en for who reads none of them; colour #0b5c8f; #7cc4f0 on dark devices; logo toy-house.svg, which says \"Toy House\"; 5 texts of its own; 2 links at the foot\n"
	if code, out, errs := command("check", "../../examples/branded/golden-toy.yaml"); code != 0 || errs != "" || !strings.Contains(out, want) {
		t.Errorf("exit %d, said %q, out %s; want 0 and %q", code, errs, out, want)
	}
}

// One command reads all three kinds of files, whatever they are called.
func TestCheck(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		code int
		want string
	}{
		"a sale":            {rehearsed, 0, "5 units"},
		"who is told":       {rehearsed + "\nshed: {line_per_unit: 300}\n", 0, "at the opening with about 1,500 people ahead, or more"},
		"who is told, sure": {strings.NewReplacer("stock: 5", "stock: 100", "admit: 50/s", "admit: 2000/s").Replace(rehearsed), 0, "10% of those whose turn comes buy: at the opening with about 96,400 people ahead, or more"},
		"a room":            {"sale: shop\ntitle: The shop\nroom: /\nadmit: 5/s\n", 0, "a room, always open"},
		"a room in braces":  {"{sale: shop, title: The shop, room: /, admit: 5/s}\n", 0, "a room, always open"},
		"a fault":           {strings.Replace(rehearsed, "50/s", "50", 1), 2, "sale.yaml:12:8: admit: "},
		"an operator's":     {"origin: {url: 5}\n", 2, "sales: missing"},
		"not YAML":          {"sale: [\n", 2, "sale.yaml:1:"},
		"no colon":          {strings.Replace(rehearsed, "stock: ", "stock ", 1), 2, "stock: no colon behind it, write stock: 5"},
		"no name":           {strings.Replace(rehearsed, "sale: ", "name: ", 1), 2, `name: unknown key, did you mean "sale"?`},
		"nothing":           {"", 2, "empty"},
	} {
		code, out, errs := command("check", saleFile(t, test.text))
		if code != test.code || !strings.Contains(out+errs, test.want) {
			t.Errorf("%s: exit %d, out %q, said %q; want %d and %q", name, code, out, errs, test.code, test.want)
		}
	}
}

// TestCheck_Names: a sale's file that nobody reads is told.
func TestCheck_Names(t *testing.T) {
	t.Parallel()
	file := inviting(t, inviteOperator)
	for name, end := range map[string]string{"toy.yml": "rename it to toy.yaml\n", "toy.yaml.txt": "rename it to toy.yaml\n"} {
		name = filepath.Join(filepath.Dir(file), name)
		if err := os.WriteFile(name, []byte(rehearsed), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, out, errs := command("check", file); code != 0 || !strings.Contains(out, "warning: "+name+": nobody reads it") || !strings.Contains(out, end) {
			t.Errorf("%s: exit %d, out %q, said %q; want 0 and a warning", name, code, out, errs)
		}
		if code, out, errs := command("check", name); code != 0 || !strings.Contains(out, "warning: "+name+": the operator's file says") {
			t.Errorf("%s alone: exit %d, out %q, said %q; want 0 and a warning", name, code, out, errs)
		}
	}
}

// A certificate that is not there would keep the edge from starting.
func TestCheck_Certificates(t *testing.T) {
	t.Parallel()
	file := inviting(t, strings.Replace(inviteOperator, "mode: acme, domains: [shop.example.com, www.example.com], email: ops@example.com",
		"mode: files, domains: [shop.example.com], files: [{cert: shop.crt, key: shop.key}]", 1))
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), "shop.crt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, errs := command("check", file)
	if want := "shop.key cannot be read: no such file or directory, put it there or name another"; code != 2 || !strings.Contains(errs, want) || strings.Contains(errs, "shop.crt cannot") {
		t.Errorf("exit %d, said %q; want 2 and %q", code, errs, want)
	}
}

// TestCheck_CertificateFiles: what cannot be served is a fault, of run too; what is
// served to whom it does not name is said.
func TestCheck_CertificateFiles(t *testing.T) {
	t.Parallel()
	file := inviting(t, strings.Replace(inviteOperator, "mode: acme, domains: [shop.example.com, www.example.com], email: ops@example.com",
		"mode: files, domains: [shop.example.com], files: [{cert: shop.crt, key: shop.key}]", 1))
	lay := func(name, text string) {
		if err := os.WriteFile(filepath.Join(filepath.Dir(file), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cert, key := selfSigned(t, "another.example.com")
	_, strange := selfSigned(t, "another.example.com")
	for _, test := range []struct {
		name, cert, key string
		code            int
		want            string
	}{
		{"no PEM", "junk", "junk", 2, "waitroom.yaml:1:"},
		{"another's key", cert, strange, 2, "private key does not match public key"},
		{"for another name", cert, key, 0, "warning: tls.files: no certificate is for shop.example.com"},
	} {
		lay("shop.crt", test.cert)
		lay("shop.key", test.key)
		code, out, errs := command("check", file)
		if code != test.code || !strings.Contains(out+errs, test.want) {
			t.Errorf("%s: exit %d, out %q, said %q; want %d and %q", test.name, code, out, errs, test.code, test.want)
		}
		if test.code == 0 {
			continue
		}
		if code, _, errs := command("run", "--config", file); code != 2 || !strings.Contains(errs, "tls.files[0].cert: ") {
			t.Errorf("%s: run ended with %d and said %q, want 2 and the key", test.name, code, errs)
		}
	}
}

// selfSigned is a certificate for a name and its key, as PEM.
func selfSigned(t *testing.T, name string) (cert, key string) {
	t.Helper()
	pair, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &pair.PublicKey, pair)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(pair)
	if err != nil {
		t.Fatal(err)
	}
	text := func(kind string, bytes []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}))
	}
	return text("CERTIFICATE", der), text("PRIVATE KEY", secret)
}

// TestStorefront_Flags: what cannot be an address is a fault of its flag.
func TestStorefront_Flags(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ flag, value, want string }{
		{"--listen", "8080", `--listen "8080": write host:port`},
		{"--worker", "nourl", "--worker: write a URL"},
	} {
		if code, _, errs := command("storefront", test.flag, test.value); code != 2 || !strings.Contains(errs, test.want) {
			t.Errorf("%s %s: exit %d, said %q; want 2 and %q", test.flag, test.value, code, errs, test.want)
		}
	}
}

// A sale's file is no operator's, and the programs say so in one line.
func TestRun_OfASale(t *testing.T) {
	t.Parallel()
	code, _, errs := command("run", "--config", saleFile(t, rehearsed))
	if want := "sale.yaml: this is a sale's file or a room's, name the operator's, which lists this one under sales\n"; code != 2 || !strings.HasSuffix(errs, want) || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit %d, said %q; want 2 and %q", code, errs, want)
	}
}

// TestCheck_Connect: the stores that a file names are asked, too. What they lack
// is said, and a fault is an exit code of 1.
func TestCheck_Connect(t *testing.T) {
	t.Parallel()
	fit := testserver.StartRedis(t, "--appendonly", "yes").URL
	evicting := testserver.StartRedis(t, "--appendonly", "yes", "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru").URL
	forgetful := testserver.StartRedis(t).URL
	synced := testserver.StartPostgres(t, "fsync=on").URL
	for name, test := range map[string]struct {
		redis, postgres string
		code            int
		want            string
	}{
		"fit":           {fit, synced, 0, "The stores are fit for a sale."},
		"a warning":     {forgetful, synced, 0, "warning: redis 127.0.0.1:"},
		"a fault":       {evicting, synced, 1, "maxmemory-policy allkeys-lru: when memory is short"},
		"Redis away":    {"redis://:hidden@" + testserver.FreeAddress(t) + "/0", synced, 1, "fault: redis: does not answer"},
		"Postgres away": {fit, "postgres://u:hidden@" + testserver.FreeAddress(t) + "/db", 1, "fault: postgres: does not answer"},
		"embedded":      {"", "", 0, "The stores are inside the program"},
	} {
		stores := ""
		if test.redis != "" {
			stores = "redis: {url: '" + test.redis + "'}\npostgres: {url: '" + test.postgres + "'}\nworker: {token: 0123456789abcdef0123456789abcdef}\n"
		}
		code, out, errs := command("check", "--connect", inviting(t, inviteOperator+stores))
		if code != test.code || !strings.Contains(out, test.want) || strings.Contains(out+errs, "hidden") {
			t.Errorf("%s: exit %d, out %q, said %q; want %d and %q", name, code, out, errs, test.code, test.want)
		}
	}
	code, out, errs := command("check", "--connect", saleFile(t, rehearsed))
	if want := "--connect: the stores are in the operator's file, name that one"; code != 2 || out != "" || !strings.Contains(errs, want) {
		t.Errorf("of a sale alone: exit %d, out %q, said %q; want 2 and %q", code, out, errs, want)
	}
}

// TestCheck_Addresses: what the programs would not read, check does not either.
func TestCheck_Addresses(t *testing.T) {
	t.Parallel()
	file := inviting(t, inviteOperator+"redis: {url: 'redis://10.0.0.6?foo=1'}\npostgres: {url: 'postgres://10.0.0.7/shop'}\nworker: {token: 0123456789abcdef0123456789abcdef}\n")
	for _, with := range []string{"check", "run"} {
		args := map[string][]string{"check": {"check", file}, "run": {"run", "--config", file}}[with]
		code, _, errs := command(args...)
		if want := "redis.url: foo: there is no such parameter, leave it out"; code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, said %q; want 2 and %q", with, code, errs, want)
		}
	}
}

// TestCheck_Beside: files that are right by themselves, and not together.
func TestCheck_Beside(t *testing.T) {
	t.Parallel()
	dir := filepath.Dir(planning(t))
	weekly, err := os.ReadFile(filepath.Join(dir, "sales", "weekly.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	other := strings.Replace(string(weekly), "sale: weekly", "sale: other", 1)
	named := put("sales/other.yaml", other)
	loose, apart := put("loose/other.yaml", other), put("loose/apart.yaml", strings.NewReplacer("sale: weekly", "sale: apart", "/shoes", "/boots").Replace(string(weekly)))
	first := put("loose/weekly.yaml", string(weekly))
	for name, test := range map[string]struct {
		files []string
		code  int
		want  string
	}{
		"two files":                       {[]string{first, loose}, 2, "product_page: /shoes is the page of sale \"weekly\""},
		"one of those the operator names": {[]string{named}, 2, "product_page: /shoes is the page of sale \"weekly\""},
		"one that nobody names":           {[]string{loose}, 0, "opens"},
		"at once on two pages":            {[]string{first, apart}, 0, "apart and weekly are open at once"},
	} {
		code, out, errs := answering(strings.NewReader(""), append([]string{"check"}, test.files...)...)
		if code != test.code || !strings.Contains(out+errs, test.want) {
			t.Errorf("%s: exit %d, out %s, said %s; want %d and %q", name, code, out, errs, test.code, test.want)
		}
	}
	if code, out, errs := answering(strings.NewReader(""), "new", "sale", filepath.Join(dir, "loose", "new.yaml"), "--yes", "--title", "Hats", "--sale", "hats", "--timezone", "Asia/Tokyo",
		"--opens", "thursdays 18:00", "--product-page", "/boots", "--stock", "9"); code != 2 || !strings.Contains(errs, "/boots is the page of sale") {
		t.Errorf("beside files without an operator's: exit %d, out %s, said %s", code, out, errs)
	}
}

// TestPlan_NoSecrets: who plans sales has none, and sees the pages and plays the sale.
func TestPlan_NoSecrets(t *testing.T) {
	t.Parallel()
	config := planning(t)
	if told, err := readShown(config, atNoon); err != nil || len(told.sales) != 1 || told.sales[0].ID != "weekly" {
		t.Errorf("preview: got %+v, %v", told.sales, err)
	}
	if sale, err := saleToRehearse(config, "", atNoon); err != nil || sale.ID != "weekly" {
		t.Errorf("rehearse: got %+v, %v", sale, err)
	}
}
