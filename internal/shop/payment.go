package shop

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
)

// payStart gives a browser what it has to bring back from the provider.
func (s *Shop) payStart(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: PaymentCookie, Value: r.PostFormValue("order"), Path: "/pay", Secure: true, HttpOnly: true, SameSite: http.SameSiteNoneMode})
	w.WriteHeader(http.StatusNoContent)
}

// Returned is what the shop makes of a provider's form.
type Returned struct {
	Order   string `json:"order"`   // by the cookie; empty: there was none
	Payment string `json:"payment"` // by the form
	Origin  string `json:"origin"`  // as the browser tells it
	Lax     bool   `json:"lax"`     // a cookie came along that must not from another site
}

// payReturn is where a provider on another site posts the shopper's browser to.
func (s *Shop) payReturn(w http.ResponseWriter, r *http.Request) {
	back := Returned{Payment: r.PostFormValue("payment"), Origin: r.Header.Get("Origin")}
	if c, err := r.Cookie(PaymentCookie); err == nil {
		back.Order = c.Value
	}
	_, err := r.Cookie(SessionCookie)
	back.Lax = err == nil
	answer(w, http.StatusOK, back)
}

// Sign is the signature of a notice's raw body.
func Sign(key string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// hook takes a notice whose bytes are those that were signed, and no others.
func (s *Shop) hook(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !hmac.Equal([]byte(Sign(string(s.key), body)), []byte(r.Header.Get("X-Signature"))) {
		http.Error(w, "signature does not fit", http.StatusUnauthorized)
		return
	}
	answer(w, http.StatusOK, Receipt{Bytes: int64(len(body))})
}
