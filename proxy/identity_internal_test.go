package proxy

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/waitroom/waitroom/configs"
)

func TestAccountOfCookieAndHeader(t *testing.T) {
	t.Parallel()
	read := func(section configs.Identity, name, value string) string {
		id, err := newIdentity(section)
		if err != nil {
			t.Fatal(err)
		}
		return id.account(asks(&http.Request{Header: http.Header{name: {value}}}))
	}
	cookie := configs.Identity{Cookie: "session"}
	alice := read(cookie, "Cookie", "a=1; session=alice-secret")
	if !strings.HasPrefix(alice, "cookie-") || strings.Contains(alice, "alice") {
		t.Errorf("the account of a cookie is %q, want its hash", alice)
	}
	if again := read(cookie, "Cookie", "session=alice-secret; b=2"); again != alice {
		t.Errorf("the same cookie gives %q and %q", alice, again)
	}
	if bob := read(cookie, "Cookie", "session=bob"); bob == alice {
		t.Error("two cookies give one account")
	}
	for _, none := range []string{"", "session=", "sessions=x", "Session=x"} {
		if got := read(cookie, "Cookie", none); got != "" {
			t.Errorf("cookies %q give the account %q, want none", none, got)
		}
	}
	header := configs.Identity{Header: "X-Account"}
	for sent, want := range map[string]string{
		"alice": "alice", " bob ": "bob", "": "", "a\x00b": "", "\xff": "", strings.Repeat("x", 201): "", "Zoë": "Zoë",
	} {
		if got := read(header, "X-Account", sent); got != want {
			t.Errorf("header %q gives the account %q, want %q", sent, got, want)
		}
	}
	if got := read(configs.Identity{}, "Cookie", "session=alice"); got != "" {
		t.Errorf("without identity the account is %q, want none", got)
	}
}

func TestAccountOfJWT(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	public := string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	const secret = "a secret of the storefront's, for tokens"
	sign := func(m jwt.SigningMethod, key any, claims jwt.MapClaims) string {
		s, err := jwt.NewWithClaims(m, claims).SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	alice := jwt.MapClaims{"sub": "alice"}
	for _, test := range []struct {
		name, key, token, want string
	}{
		{"hmac", secret, sign(jwt.SigningMethodHS256, []byte(secret), alice), "alice"},
		{"ecdsa", public, sign(jwt.SigningMethodES256, key, alice), "alice"},
		{"a number", secret, sign(jwt.SigningMethodHS256, []byte(secret), jwt.MapClaims{"sub": 4711}), "4711"},
		{"a large number", secret, sign(jwt.SigningMethodHS256, []byte(secret), jwt.MapClaims{"sub": int64(9007199254740993)}), "9007199254740993"},
		{"a number above all integers", secret, sign(jwt.SigningMethodHS256, []byte(secret), jwt.MapClaims{"sub": json.Number("123456789012345678901234567890")}), "123456789012345678901234567890"},
		{"a fraction", secret, sign(jwt.SigningMethodHS256, []byte(secret), jwt.MapClaims{"sub": 1.5}), ""},
		{"an exponent", secret, sign(jwt.SigningMethodHS256, []byte(secret), jwt.MapClaims{"sub": json.Number("1e3")}), ""},
		{"not expired", secret, sign(jwt.SigningMethodHS256, []byte(secret), jwt.MapClaims{"sub": 7, "exp": time.Now().Add(time.Hour).Unix()}), "7"},
		{"no claim", secret, sign(jwt.SigningMethodHS256, []byte(secret), jwt.MapClaims{"name": "alice"}), ""},
		{"a list", secret, sign(jwt.SigningMethodHS256, []byte(secret), jwt.MapClaims{"sub": []string{"alice"}}), ""},
		{"another secret", secret, sign(jwt.SigningMethodHS256, []byte("x"), alice), ""},
		{"unsigned", secret, sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, alice), ""},
		{"public key as secret", public, sign(jwt.SigningMethodHS256, []byte(public), alice), ""},
		{"expired", secret, sign(jwt.SigningMethodHS256, []byte(secret), jwt.MapClaims{"sub": "alice", "exp": time.Now().Add(-time.Hour).Unix()}), ""},
		{"nonsense", secret, "a.b.c", ""},
		{"nothing", secret, "", ""},
	} {
		id, err := newIdentity(configs.Identity{JWT: &configs.JWT{Cookie: "token", Claim: "sub", Key: configs.NewSecret(test.key)}})
		if err != nil {
			t.Fatal(err)
		}
		r := &http.Request{Header: http.Header{"Cookie": {"token=" + test.token}}}
		if got := id.account(asks(r)); got != test.want {
			t.Errorf("%s: the account is %q, want %q", test.name, got, test.want)
		}
	}
	if _, err := newIdentity(configs.Identity{JWT: &configs.JWT{Key: configs.NewSecret("-----BEGIN PUBLIC KEY-----")}}); err == nil {
		t.Error("a broken public key is no fault")
	}
}
