package configs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/configs"
)

func TestExamplesLoad(t *testing.T) {
	t.Parallel()
	operator, sale := string(configs.ExampleOperator), string(configs.ExampleSale)
	jwt := regexp.MustCompile(`(?m)^  cookie: .*\n  # header.*\n  # (jwt:).*\n  # (  cookie: .*)\n  # (  claim: .*)\n  # (  key: .*)$`).
		ReplaceAllString(operator, "  $1\n  $2\n  $3\n  $4")
	header := regexp.MustCompile(`(?m)^  cookie: .*\n  # (header.*)$`).ReplaceAllString(operator, "  $1")
	files := regexp.MustCompile(`(?m)^  mode: acme.*\n  (domains: .*)\n  email: .*\n(?:  # ca.*\n)*  # (files:).*\n  # (  - cert: .*)\n  # (    key: .*)$`).
		ReplaceAllString(operator, "  mode: files\n  $1\n  $2\n  $3\n  $4")
	check := regexp.MustCompile(`(?m)^  # (check:.*)\n  # (  kind.*)\n  # (  site_key.*)\n  # (  secret): .*\n  # (  url.*)$`).
		ReplaceAllString(operator, "  $1\n  $2\n  $3\n  $4: x\n  $5")
	cors := regexp.MustCompile(`(?m)^# (cors:.*)\n# (  origins:.*)$`).ReplaceAllString(operator, "$1\n$2")
	look := regexp.MustCompile(`(?m)^  # `).ReplaceAllString(sale[strings.Index(sale, "\nbrand:"):], "  ")
	branded := strings.Replace(sale[:strings.Index(sale, "\nbrand:")]+look, "# languages", "languages", 1)
	repeat := regexp.MustCompile(`(?m)^(doors|opens|closes): .*\n`).ReplaceAllString(sale, "")
	repeat = regexp.MustCompile(`(?m)^# (repeat|doors|closes): `).ReplaceAllString(repeat, "$1: ")
	for _, test := range []struct{ name, operator, sale string }{
		{"as it stands", operator, sale},
		{"with jwt", jwt, sale},
		{"with header", header, sale},
		{"with files", files, sale},
		{"with check", check, sale},
		{"with cors", cors, sale},
		{"with repeat", operator, repeat},
		{"with a whole brand", operator, branded},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if test.name != "as it stands" && test.operator == operator && test.sale == sale {
				t.Fatal("the example lacks the commented lines that this test puts in")
			}
			dir := t.TempDir()
			write(t, filepath.Join(dir, "waitroom.yaml"), test.operator)
			write(t, filepath.Join(dir, "sales", "golden-toy.yaml"), test.sale)
			write(t, filepath.Join(dir, "sales", "whole-shop.yaml"), string(configs.ExampleRoom))
			write(t, filepath.Join(dir, "sales", "golden-toy.svg"), "<svg/>")
			write(t, filepath.Join(dir, "sales", "golden-toy", "page.css"), "body{}")
			c, err := configs.Load(filepath.Join(dir, "waitroom.yaml"), environment, now)
			if err != nil {
				t.Fatal(err)
			}
			if len(c.Sales) != 1 || len(c.Rooms) != 1 {
				t.Errorf("got %d sales and %d rooms, want one of each", len(c.Sales), len(c.Rooms))
			}
		})
	}
}

// TestEveryKeyIsDocumented: a key that the decoder knows stands in the example,
// with a comment on its line or above, and in docs/configuration.md.
func TestEveryKeyIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []struct {
		keys    []string
		example string
	}{
		{configs.OperatorKeys, string(configs.ExampleOperator)},
		{configs.SaleKeys, string(configs.ExampleSale)},
		{configs.RoomKeys, string(configs.ExampleRoom)},
	} {
		for _, key := range kind.keys {
			last := key[strings.LastIndexByte(key, '.')+1:]
			if !regexp.MustCompile(`(?m)(^|[ {#,])` + last + `:`).MatchString(kind.example) {
				t.Errorf("%s is not in the example", key)
			}
			if !strings.Contains(string(page), "`"+key+"`") {
				t.Errorf("%s is not in docs/configuration.md", key)
			}
		}
	}
}
