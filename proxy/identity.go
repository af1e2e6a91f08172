package proxy

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"

	"github.com/waitroom/waitroom/configs"
)

const maxAccount = 200 // bytes

// identity reads the storefront's account of a shopper from a request.
type identity struct {
	configs.Identity
	key     any // of the JWT
	methods []string
}

func newIdentity(section configs.Identity) (*identity, error) {
	id := &identity{Identity: section}
	if section.JWT == nil {
		return id, nil
	}
	secret := []byte(section.JWT.Key.Reveal())
	if !strings.HasPrefix(strings.TrimSpace(string(secret)), "-----BEGIN") {
		id.key, id.methods = secret, []string{"HS256", "HS384", "HS512"}
		return id, nil
	}
	if key, err := jwt.ParseRSAPublicKeyFromPEM(secret); err == nil {
		id.key, id.methods = key, []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}
		return id, nil
	}
	if key, err := jwt.ParseECPublicKeyFromPEM(secret); err == nil {
		id.key, id.methods = key, []string{"ES256", "ES384", "ES512"}
		return id, nil
	}
	key, err := jwt.ParseEdPublicKeyFromPEM(secret)
	if err != nil {
		return nil, fmt.Errorf("identity.jwt.key: neither an RSA, an EC nor an Ed25519 public key in PEM: %w", err)
	}
	id.key, id.methods = key, []string{"EdDSA"}
	return id, nil
}

// account is who the storefront says this is; empty when it does not say. A
// cookie's value is the storefront's secret and is kept only as its hash.
func (id *identity) account(q *question) string {
	switch {
	case id.Cookie != "":
		value := q.cookie("", id.Cookie)
		if value == "" {
			return ""
		}
		sum := sha256.Sum256([]byte(value))
		return "cookie-" + base64.RawURLEncoding.EncodeToString(sum[:18])
	case id.Header != "":
		return plainAccount(q.field(http.CanonicalHeaderKey(id.Header)))
	case id.JWT != nil:
		return plainAccount(id.claim(q.cookie("", id.JWT.Cookie)))
	default:
		return ""
	}
}

// clean removes the field that names an account where it says nothing: from who is
// not believed, and under any other spelling.
func (id *identity) clean(h http.Header, believed bool) {
	if id.Header == "" {
		return
	}
	for name := range h {
		plain := strings.EqualFold(name, id.Header)
		if foldField(name) == foldField(id.Header) && !(plain && believed) {
			delete(h, name)
		}
	}
}

// none reports whether the storefront says nothing about anybody: then an
// account is its ticket's, and stays so.
func (id *identity) none() bool { return id.Cookie == "" && id.Header == "" && id.JWT == nil }

// claim is the account that a token of the storefront names, a text or a whole
// number; empty when there is none.
func (id *identity) claim(token string) string {
	if token == "" {
		return ""
	}
	claims := jwt.MapClaims{}
	_, err := jwt.ParseWithClaims(token, claims, func(*jwt.Token) (any, error) { return id.key, nil },
		jwt.WithValidMethods(id.methods), jwt.WithJSONNumber())
	if err != nil {
		return "" // not signed by the storefront: nobody
	}
	switch v := claims[id.JWT.Claim].(type) {
	case string:
		return v
	case json.Number: // as it is written: a float would make two large ones one
		return wholeNumber(v.String())
	default:
		return ""
	}
}

func wholeNumber(s string) string {
	if strings.Trim(s, "-0123456789") != "" {
		return "" // a fraction or an exponent, which no account has
	}
	return s
}

// plainAccount refuses what a database or a log could choke on.
func plainAccount(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > maxAccount || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		return ""
	}
	return s
}
