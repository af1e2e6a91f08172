package main

import (
	"testing"

	"github.com/waitroom/waitroom/configs"
)

func TestSchema(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"sale", "room", "operator"} {
		if code, out, errs := command("schema", kind); code != 0 || out != string(configs.Schema(kind)) || out == "" || errs != "" {
			t.Errorf("%s: exit %d, %d bytes, said %q; want the schema", kind, code, len(out), errs)
		}
	}
	for _, line := range [][]string{{"schema"}, {"schema", "sales"}, {"schema", "sale", "room"}} {
		if code, out, errs := command(line...); code != 2 || out != "" || errs == "" {
			t.Errorf("%q: exit %d, out %q, said %q; want 2 and the kinds", line, code, out, errs)
		}
	}
}
