package configs_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/configs"
)

// FuzzLoad: whatever stands in the files, Load answers with a configuration or
// with faults, and no fault shows what the environment holds.
func FuzzLoad(f *testing.F) {
	f.Add(configs.ExampleOperator, configs.ExampleSale)
	cases, _ := filepath.Glob("testdata/*.txt")
	for _, name := range cases {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, operator, sale []byte) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "waitroom.yaml"), string(operator))
		write(t, filepath.Join(dir, "sales", "a.yaml"), string(sale))
		c, err := configs.Load(filepath.Join(dir, "waitroom.yaml"), environment, now)
		if err == nil {
			_ = c.Summary(now, nil)
			return
		}
		if _, ok := errors.AsType[configs.Faults](err); !ok {
			t.Errorf("got %T, want Faults", err)
		}
		if strings.Contains(err.Error(), "correct horse battery") {
			t.Errorf("the environment shows: %v", err)
		}
	})
}
