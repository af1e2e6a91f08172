package configs

import (
	"crypto/x509"
	"encoding/pem"
	"regexp"
	"strings"
	"unicode"
)

// expanded lists the keys in whose values ${NAME} stands for the environment:
// secrets and addresses. List items count as their list.
func expanded(key string) bool {
	switch key, _, _ = strings.Cut(key, "["); key {
	case "listen.https", "listen.http", "listen.admin", "worker.listen",
		"origin.url", "redis.url", "postgres.url", "worker.refund_url",
		"secret", "admin.token", "worker.token", "identity.jwt.key":
		return true
	}
	return false
}

var (
	anyReference = regexp.MustCompile(`\$\{[^}]*\}?`)
	environment  = regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$`)
)

// expand puts in what the environment holds. Nothing that comes from there is
// ever part of a complaint. Sale files have no environment: there the
// characters stay as they are.
func (v value) expand(text string) (string, *complaint) {
	if v.doc.env == nil || !strings.Contains(text, "${") {
		return text, nil
	}
	if !expanded(v.key) {
		return "", complain("write the value itself", "the environment is read in secrets and addresses only")
	}
	var wrong *complaint
	text = anyReference.ReplaceAllStringFunc(text, func(found string) string {
		name := environment.FindStringSubmatch(found)
		if name == nil {
			wrong = complain("write ${NAME}, nothing more", "not a reference to the environment")
			return ""
		}
		held, ok := v.doc.env(name[1])
		switch held = strings.TrimSpace(held); {
		case !ok:
			wrong = complain("set it", "the environment has no %s", name[1])
		case held == "":
			wrong = complain("give it a value", "%s is empty in the environment", name[1])
		}
		return held
	})
	return text, wrong
}

// Nothing below quotes what it refuses.

const makeSecret = "make one with: openssl rand -base64 32"

const minSecret = 32 // bytes, the length of the keys that are derived from it

// signingSecret reads a secret that signs.
func signingSecret(text string) (Secret, *complaint) {
	text = strings.TrimSpace(text)
	if len(text) < minSecret {
		return Secret{}, complain("at least 32, "+makeSecret, "%d bytes long", len(text))
	}
	return NewSecret(text), nil
}

// bearerToken reads what a caller of an API proves itself with (RFC 6750).
func bearerToken(text string) (Secret, *complaint) {
	text = strings.TrimSpace(text)
	if strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsGraphic(r) || r == ' ' }) {
		return Secret{}, complain(makeSecret, "holds what cannot be sent in a header")
	}
	return NewSecret(text), nil
}

// jwtKey reads an HMAC secret or a PEM public key.
func jwtKey(text string) (Secret, *complaint) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "-----BEGIN") {
		return signingSecret(text)
	}
	const right = "write the public key that begins with -----BEGIN PUBLIC KEY-----"
	block, _ := pem.Decode([]byte(text + "\n"))
	if block == nil {
		return Secret{}, complain(right, "not a whole PEM block")
	}
	if block.Type != "PUBLIC KEY" {
		return Secret{}, complain(right, "not a public key")
	}
	if _, err := x509.ParsePKIXPublicKey(block.Bytes); err != nil {
		return Secret{}, complain(right, "not a public key that is understood")
	}
	return NewSecret(text), nil
}
