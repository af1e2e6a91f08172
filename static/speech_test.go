package static_test

import (
	"strings"
	"testing"

	"github.com/waitroom/waitroom/static"
)

func TestLanguages(t *testing.T) {
	t.Parallel()
	got := strings.Join(static.Languages(), " ")
	if want := "en de fr es pt it nl pl tr vi ja ko zh-Hans zh-Hant ar hi"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSpeak(t *testing.T) {
	t.Parallel()
	some := []string{"de", "en", "zh-Hant"}
	for _, test := range []struct {
		wish, accept string
		offered      []string
		want         string
	}{
		{"", "", nil, "en"},
		{"", "", some, "de"},
		{"fr", "", nil, "fr"},
		{"fr", "", some, "de"},  // not offered here
		{"xx", "pl", nil, "pl"}, // no language of ours
		{"", "de-CH, fr;q=.9", nil, "de"},
		{"", "fr;q=0.4, de;q=0.8", nil, "de"},
		{"", "fr-CA,fr;q=0.9,en-US;q=0.8", some, "en"},
		{"", "zh", nil, "zh-Hans"},
		{"", "zh-CN,zh;q=0.9,en;q=0.8", nil, "zh-Hans"},
		{"", "zh-SG", nil, "zh-Hans"},
		{"", "zh-TW", nil, "zh-Hant"},
		{"", "zh-HK", nil, "zh-Hant"},
		{"", "yue-HK", nil, "zh-Hant"},
		{"", "pt-PT", nil, "pt"},
		{"", "es-419", nil, "es"},
		{"", "ar-MA", nil, "ar"},
		{"", "gsw", nil, "de"},
		{"", "sv", nil, "en"},
		{"", "sv, de;q=.5", nil, "de"},
		{"", "fr;q=0, de;q=0.1", nil, "de"},
		{"", "*", some, "de"},
		{"", "EN-us", nil, "en"},
		{"", "de;q=banana", nil, "en"},
		{"", ";;;,,,;q=", some, "de"},
		{"", "\x00\xff", some, "de"},
		{"", "fr," + strings.Repeat("x", 8000), nil, "fr"},
		{"", strings.Repeat("x", 8000) + ",fr", nil, "en"},
		{"", strings.Repeat("a-", 4000), nil, "en"},
		{"de", "fr", []string{"tlh"}, "de"}, // none of ours is offered: all are
	} {
		if got := static.Speak(test.wish, test.accept, test.offered); got != test.want {
			t.Errorf("Speak(%q, %.40q, %v) = %q, want %q", test.wish, test.accept, test.offered, got, test.want)
		}
	}
}

func BenchmarkSpeak(b *testing.B) {
	for name, accept := range map[string]string{
		"usual": "zh-TW,zh;q=0.9,en-US;q=0.8,en;q=0.7", "hostile": strings.Repeat("zz-Latn-419,", 680),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				static.Speak("", accept, nil)
			}
		})
	}
}
