package static

import (
	"strings"
	"testing"
	"time"
)

func TestLength(t *testing.T) {
	t.Parallel()
	tests := []struct {
		d    time.Duration
		want string
	}{
		{-time.Second, "0 seconds"},
		{time.Second, "1 second"},
		{59*time.Second + 999*time.Millisecond, "59 seconds"},
		{time.Minute, "1 minute"},
		{9*time.Minute + 59*time.Second, "9 minutes"},
		{time.Hour, "1 hour"},
		{time.Hour + 5*time.Minute, "1 hour 5 minutes"},
		{49 * time.Hour, "2 days 1 hour"},
	}
	for _, tt := range tests {
		if got := english.length(tt.d); got != tt.want {
			t.Errorf("length(%v) = %q, want %q", tt.d, got, tt.want)
		}
	}
}

func TestSpan(t *testing.T) {
	t.Parallel()
	tests := []struct {
		low, high time.Duration
		want      string
	}{
		{0, 0, ""},
		{0, 40 * time.Second, "less than a minute"},
		{30 * time.Second, 90 * time.Second, "up to 2 minutes"},
		{2 * time.Minute, 4 * time.Minute, "2 to 4 minutes"},
		{119 * time.Second, 4*time.Minute + time.Second, "1 to 5 minutes"},
		{3 * time.Minute, 3 * time.Minute, "about 3 minutes"},
		{80 * time.Minute, 90 * time.Minute, "80 to 90 minutes"},
		{80 * time.Minute, 100 * time.Minute, "1 to 2 hours"},
		{47 * time.Hour, 48 * time.Hour, "47 to 48 hours"},
		{47 * time.Hour, 49 * time.Hour, "1 to 3 days"},
		{29 * 24 * time.Hour, 30 * 24 * time.Hour, "29 to 30 days"},
		{29 * 24 * time.Hour, 31 * 24 * time.Hour, ""},
	}
	for _, tt := range tests {
		if got := english.span(tt.low, tt.high); got != tt.want {
			t.Errorf("span(%v, %v) = %q, want %q", tt.low, tt.high, got, tt.want)
		}
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	tests := []struct {
		n    uint64
		want string
	}{
		{0, "0 people ahead of you."},
		{1, "1 person ahead of you."},
		{1_000_001, "1,000,001 people ahead of you."},
		{1<<64 - 1, "18,446,744,073,709,551,615 people ahead of you."},
	}
	for _, tt := range tests {
		if got := english.count("live.say", tt.n); got != tt.want {
			t.Errorf("count(%d) = %q, want %q", tt.n, got, tt.want)
		}
	}
}

// A page without its texts would be empty without anybody noticing.
func TestEveryPageHasItsTexts(t *testing.T) {
	t.Parallel()
	for name := range english.texts {
		if page, _, found := strings.Cut(name, ".room."); found && !traits[Page(page)].Rooms {
			t.Errorf("text %s is of no page that rooms have", name)
		}
		page, found := strings.CutSuffix(strings.Replace(name, ".room.", ".", 1), ".heading")
		if _, ok := traits[Page(page)]; found && !ok {
			t.Errorf("page %s has texts and no traits", page)
		}
	}
	for _, p := range Known() {
		for _, name := range []string{"heading", "lead"} {
			if english.Text(string(p)+"."+name) == "" {
				t.Errorf("no text %s.%s", p, name)
			}
		}
	}
}
