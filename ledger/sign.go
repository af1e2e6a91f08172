package ledger

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/waitroom/waitroom/configs"
)

const (
	// signatureHeader proves who wrote a body: t=<unix seconds>,v1=<hex of the
	// HMAC-SHA256 of "<t>.<body>">. Both directions use it, with worker.token.
	signatureHeader = "Waitroom-Signature"
	// signatureLife is how far t may be from now, either way.
	signatureLife = 5 * time.Minute
)

// sign returns the header's value for a body sent at an instant.
func sign(key configs.Secret, at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	return fmt.Sprintf("t=%s,v1=%x", t, mac(key, t, body))
}

// verify reports whether a header's value is right for a body at an instant.
func verify(key configs.Secret, now time.Time, header string, body []byte) bool {
	t, v1 := "", ""
	for part := range strings.SplitSeq(header, ",") {
		switch name, value, _ := strings.Cut(strings.TrimSpace(part), "="); name {
		case "t":
			t = value
		case "v1":
			v1 = value
		}
	}
	seconds, err := strconv.ParseInt(t, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > signatureLife {
		return false
	}
	got, err := hex.DecodeString(v1)
	return err == nil && hmac.Equal(got, mac(key, t, body))
}

func mac(key configs.Secret, t string, body []byte) []byte {
	h := hmac.New(sha256.New, []byte(key.Reveal()))
	h.Write([]byte(t + "."))
	h.Write(body)
	return h.Sum(nil)
}

// unquoted drops the address from an error of a request: it is a secret.
func unquoted(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
