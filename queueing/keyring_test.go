package queueing_test

import (
	"encoding/base64"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

const (
	oldSecret = "old-secret-0123456789abcdefghijklmn"
	newSecret = "new-secret-0123456789abcdefghijklmn"
)

func keyring(t testing.TB, secrets ...string) *queueing.Keyring {
	t.Helper()
	var list []configs.Secret
	for _, s := range secrets {
		list = append(list, configs.NewSecret(s))
	}
	k, err := queueing.NewKeyring(list)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

var (
	issued = time.UnixMilli(1_796_000_000_123)
	ticket = queueing.Ticket{Sale: "golden-toy", Number: numbered(123_456), ID: [8]byte{1, 2, 3, 4, 5, 6, 7, 0xff}, Issued: issued}
	pass   = queueing.Pass{Sale: "golden-toy", Number: numbered(123_456), ID: ticket.ID, Admitted: issued, Expires: issued.Add(time.Minute)}
)

func TestKeyringGivesBackWhatItSigned(t *testing.T) {
	t.Parallel()
	k := keyring(t, newSecret)
	for _, number := range []uint64{0, 1, 127, 128, 1 << 32, math.MaxUint64} {
		want := ticket
		want.Number.Value = number
		value := k.SignTicket(want)
		got, err := k.Ticket(want.Sale, value)
		if err != nil || got != want {
			t.Errorf("number %d: got %+v, %v, want %+v", number, got, err, want)
		}
		if len(value) >= 100 {
			t.Errorf("number %d: %d characters", number, len(value))
		}
	}
	for _, reservation := range []string{"", "0197a3c2-5b1e-7c3d-9f00-1234567890ab", strings.Repeat("r", 64)} {
		want := pass
		want.Number.Value, want.Reservation = math.MaxUint64, reservation
		value := k.SignPass(want)
		got, err := k.Pass(want.Sale, value, issued)
		if err != nil || got != want {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
		if len(value) >= 200 {
			t.Errorf("reservation %q: %d characters", reservation, len(value))
		}
	}
	if ticket.Account() != "ticket-01020304050607ff" || pass.Account() != ticket.Account() {
		t.Errorf("accounts %q and %q", ticket.Account(), pass.Account())
	}
}

func TestPassExpires(t *testing.T) {
	t.Parallel()
	k := keyring(t, newSecret)
	value := k.SignPass(pass)
	for _, c := range []struct {
		at   time.Time
		want error
	}{
		{pass.Expires.Add(-time.Millisecond), nil},
		{pass.Expires, queueing.ErrExpired},
		{pass.Expires.Add(time.Hour), queueing.ErrExpired},
	} {
		if _, err := k.Pass(pass.Sale, value, c.at); !errors.Is(err, c.want) {
			t.Errorf("%v after the end: %v, want %v", c.at.Sub(pass.Expires), err, c.want)
		}
	}
}

func TestKeyringRotates(t *testing.T) {
	t.Parallel()
	before := keyring(t, oldSecret).SignTicket(ticket)
	both := keyring(t, newSecret, oldSecret)
	if _, err := both.Ticket(ticket.Sale, before); err != nil {
		t.Errorf("the older secret's ticket: %v", err)
	}
	if _, err := keyring(t, newSecret).Ticket(ticket.Sale, both.SignTicket(ticket)); err != nil {
		t.Errorf("the first secret does not sign: %v", err)
	}
	if _, err := keyring(t, newSecret).Ticket(ticket.Sale, before); !errors.Is(err, queueing.ErrForged) {
		t.Errorf("a dropped secret's ticket: %v, want ErrForged", err)
	}
}

func TestKeyringRefusesForgeries(t *testing.T) {
	t.Parallel()
	k := keyring(t, newSecret)
	good := k.SignTicket(ticket)
	bad := map[string]string{
		"empty":        "",
		"a pass":       k.SignPass(pass),
		"padded":       good + "=",
		"longer":       good + "A",
		"line break":   good[:8] + "\n" + good[8:],
		"line breaks":  good + "\r\n",
		"blank":        " " + good,
		"very long":    strings.Repeat("A", 100_000),
		"standard set": "+/" + good[2:],
	}
	for i := range len(good) {
		bad["shorter"] = good[:i]
		if _, err := k.Ticket(ticket.Sale, good[:i]); !errors.Is(err, queueing.ErrForged) {
			t.Errorf("first %d characters: %v, want ErrForged", i, err)
		}
		for _, c := range "AQgw_" { // differs in high and in low bits
			if altered := good[:i] + string(c) + good[i+1:]; altered != good {
				bad["altered at "+altered[i:]] = altered
			}
		}
	}
	for name, value := range bad {
		if _, err := k.Ticket(ticket.Sale, value); !errors.Is(err, queueing.ErrForged) {
			t.Errorf("%s: %v, want ErrForged", name, err)
		}
	}
	for _, sale := range []string{"", "golden-to", "golden-toyx", "Golden-toy"} {
		if _, err := k.Ticket(sale, good); !errors.Is(err, queueing.ErrForged) {
			t.Errorf("in sale %q: %v, want ErrForged", sale, err)
		}
	}
}

func TestNewKeyringRefusesWeakSecrets(t *testing.T) {
	t.Parallel()
	for _, secrets := range [][]configs.Secret{
		nil,
		{configs.NewSecret("")},
		{configs.NewSecret(newSecret), configs.NewSecret(strings.Repeat("x", 31))},
	} {
		if _, err := queueing.NewKeyring(secrets); err == nil {
			t.Errorf("%d secrets accepted", len(secrets))
		} else if strings.Contains(err.Error(), "xxx") {
			t.Errorf("the error shows the secret: %v", err)
		}
	}
}

func FuzzTicket(f *testing.F) {
	k := keyring(f, newSecret)
	f.Add("golden-toy", k.SignTicket(ticket))
	f.Add("golden-toy", k.SignPass(pass))
	f.Add("", base64.RawURLEncoding.EncodeToString(make([]byte, 41)))
	f.Fuzz(func(t *testing.T, sale, value string) {
		got, err := k.Ticket(sale, value)
		if err == nil && k.SignTicket(got) != value {
			t.Errorf("accepted %q, which is not how %+v is written", value, got)
		}
	})
}

func FuzzPass(f *testing.F) {
	k := keyring(f, newSecret)
	now := pass.Expires.Add(-time.Minute)
	f.Add("golden-toy", k.SignPass(pass))
	f.Add("golden-toy", k.SignTicket(ticket))
	f.Add("", base64.RawURLEncoding.EncodeToString(make([]byte, 49)))
	f.Fuzz(func(t *testing.T, sale, value string) {
		got, err := k.Pass(sale, value, now)
		if err == nil && (k.SignPass(got) != value || got.Sale != sale || !now.Before(got.Expires)) {
			t.Errorf("accepted %q for %q, which is not how %+v is written, or not for it", value, sale, got)
		}
	})
}

func BenchmarkTicket(b *testing.B) {
	k := keyring(b, newSecret)
	value := k.SignTicket(ticket)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := k.Ticket("golden-toy", value); err != nil {
			b.Fatal(err)
		}
	}
}

// TestGeneration: the passes of one turn have one generation, whether they give
// the moment of the claim or, asked for again, the beginning of its span.
func TestGeneration(t *testing.T) {
	t.Parallel()
	begin := time.UnixMilli(0).Add(3_000_000 * 10 * time.Minute)
	for _, test := range []struct {
		admitted time.Time
		want     int64
	}{
		{begin, 3_000_000},
		{begin.Add(10*time.Minute - time.Millisecond), 3_000_000},
		{begin.Add(10 * time.Minute), 3_000_001},
	} {
		if got := (queueing.Pass{Admitted: test.admitted}).Generation(); got != test.want {
			t.Errorf("admitted %v: generation %d, want %d", test.admitted, got, test.want)
		}
	}
}
