package challenge_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/proxy/challenge"
)

var (
	one   = configs.NewSecret("the first secret of these tests, long")
	two   = configs.NewSecret("another secret of these tests, longer")
	begin = time.UnixMilli(1_800_000_000_123)
)

func signer(t testing.TB, secrets ...configs.Secret) *challenge.Signer {
	t.Helper()
	s, err := challenge.NewSigner(secrets)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSigner(t *testing.T) {
	t.Parallel()
	now := signer(t, one)
	c := challenge.New(14, begin)
	text := now.Sign("toy", c)
	for _, test := range []struct {
		name   string
		signer *challenge.Signer
		sale   string
		text   string
		after  time.Duration
		want   error
	}{
		{"at once", now, "toy", text, 0, nil},
		{"in the last moment", now, "toy", text, challenge.Life - time.Millisecond, nil},
		{"too old", now, "toy", text, challenge.Life, challenge.ErrStale},
		{"by an edge that is a little behind", now, "toy", text, -5 * time.Second, nil},
		{"after the clock stepped back", now, "toy", text, -time.Minute, challenge.ErrStale},
		{"in another sale", now, "toys", text, 0, challenge.ErrForged},
		{"with a newer secret beside", signer(t, two, one), "toy", text, 0, nil},
		{"with another secret", signer(t, two), "toy", text, 0, challenge.ErrForged},
		{"nothing", now, "toy", "", 0, challenge.ErrForged},
		{"one character less", now, "toy", text[1:], 0, challenge.ErrForged},
		{"a line break for a character", now, "toy", text[:len(text)-1] + "\n", 0, challenge.ErrForged},
		{"long", now, "toy", strings.Repeat("A", 1<<20), 0, challenge.ErrForged},
	} {
		got, err := test.signer.Open(test.sale, test.text, begin.Add(test.after))
		if !errors.Is(err, test.want) || err == nil && got != c {
			t.Errorf("%s: got %+v, %v, want %v", test.name, got, err, test.want)
		}
	}
}

// Whoever changes a character has a text that was not signed.
func TestSignerAltered(t *testing.T) {
	t.Parallel()
	s := signer(t, one)
	text := s.Sign("toy", challenge.New(11, begin))
	for i := range text {
		other := byte('A')
		if text[i] == other {
			other = 'B'
		}
		altered := text[:i] + string(other) + text[i+1:]
		if _, err := s.Open("toy", altered, begin); !errors.Is(err, challenge.ErrForged) {
			t.Errorf("character %d altered: got %v", i, err)
		}
	}
}

func TestSignerNeedsASecret(t *testing.T) {
	t.Parallel()
	if _, err := challenge.NewSigner(nil); err == nil {
		t.Error("got a signer without a secret")
	}
}

func TestChallengesDiffer(t *testing.T) {
	t.Parallel()
	if one, two := challenge.New(11, begin), challenge.New(11, begin); one.ID == two.ID {
		t.Errorf("two challenges have the ID %x", one.ID)
	}
}

func FuzzOpen(f *testing.F) {
	s := signer(f, one)
	f.Add(s.Sign("toy", challenge.New(15, begin)))
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := s.Open("toy", text, begin)
		if err == nil && s.Sign("toy", c) != text {
			t.Errorf("%q is taken for %+v", text, c)
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	s := signer(b, one)
	text := s.Sign("toy", challenge.New(14, begin))
	forged := strings.Repeat("A", len(text))
	for name, text := range map[string]string{"signed": text, "forged": forged} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = s.Open("toy", text, begin)
			}
		})
	}
}

func BenchmarkSign(b *testing.B) {
	s := signer(b, one)
	b.ReportAllocs()
	for b.Loop() {
		s.Sign("toy", challenge.New(14, begin))
	}
}
