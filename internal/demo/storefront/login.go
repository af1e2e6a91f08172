package storefront

import (
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"time"
)

// passwordRounds makes one login cost a core about 0.2 ms: far less than a
// real shop would spend, so that the demo measures the door and not the hash.
const passwordRounds = 1000

// accounts lets anybody in under any name: it is the cost of a login and the
// cookie after it that matter here, not the secret.
type accounts struct {
	key []byte // signs the cookie; a restart logs everybody out
}

// session is the cookie's value for a name, the same on each of its devices.
func (a accounts) session(name, password string) (string, error) {
	if _, err := pbkdf2.Key(sha256.New, password, []byte(name), passwordRounds, 32); err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, a.key)
	mac.Write([]byte(name))
	return hex.EncodeToString(mac.Sum(nil)[:16]), nil
}

func (s *Shop) login(w http.ResponseWriter, r *http.Request) {
	name := strings.ToLower(strings.TrimSpace(r.PostFormValue("name")))
	if name == "" || len(name) > 100 {
		say(w, r, http.StatusBadRequest, note{Status: "no_name", Text: "Please tell us your name, in 1 to 100 letters."})
		return
	}
	if s.shelf != nil {
		if err := s.shelf.lookUp(r.Context(), name); err != nil {
			say(w, r, http.StatusServiceUnavailable, note{Status: "busy", Text: "We cannot log you in right now. Please try again."})
			return
		}
	}
	value, err := s.accounts.session(name, r.PostFormValue("password"))
	if err != nil {
		say(w, r, http.StatusInternalServerError, note{Status: "error", Text: "We cannot log you in."})
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: "session", Value: value, Path: "/", MaxAge: int((30 * 24 * time.Hour).Seconds()),
		HttpOnly: true, Secure: r.Header.Get("X-Forwarded-Proto") == "https", SameSite: http.SameSiteLaxMode,
	})
	http.Redirect(w, r, ProductPath, http.StatusSeeOther)
}

// lookUp reads the user, as every login must. A name that is not known is a
// new shopper; only a database that does not answer is an error.
func (s *shelf) lookUp(ctx context.Context, name string) error {
	var since time.Time
	err := s.db.QueryRowContext(ctx, `SELECT since FROM users WHERE name = $1`, name).Scan(&since)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}
