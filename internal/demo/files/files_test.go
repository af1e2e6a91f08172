package files_test

import (
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/demo/files"
)

// TestWrite: what is written is valid and says what was asked for.
func TestWrite(t *testing.T) {
	t.Parallel()
	opens := time.Date(2098, 11, 27, 10, 0, 0, 0, time.UTC)
	f := files.Files{
		HTTPS: "127.0.0.1:1", Admin: "127.0.0.1:2", Worker: "127.0.0.1:3", Shop: "127.0.0.1:4",
		Secret: "a secret of the tests, of 32 bytes or more", WorkerToken: "one",
		Doors: opens.Add(-time.Hour), Opens: opens, Closes: opens.Add(time.Hour),
		Stock: 7, Rate: "30/min", Hold: 90 * time.Second,
	}
	stores := f
	stores.Redis, stores.Postgres, stores.AdminToken, stores.Sale = "redis://127.0.0.1:5", "postgres://127.0.0.1:6/shop", "two", "silver-toy"
	for _, test := range []struct {
		name, sale string
		files      files.Files
		embedded   bool
	}{{"embedded", "golden-toy", f, true}, {"with stores", "silver-toy", stores, false}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			operator, err := test.files.Write(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			cfg, err := configs.Load(operator, func(string) (string, bool) { return "", false }, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			s := cfg.Sales[0]
			if cfg.Embedded() != test.embedded || cfg.Admin.Token.IsSet() == test.embedded || !cfg.Worker.Token.Matches("one") {
				t.Errorf("got embedded %v, admin %v; want embedded %v and an admin's token without", cfg.Embedded(), cfg.Admin.Token.IsSet(), test.embedded)
			}
			if s.ID != test.sale || !s.Opens.Equal(opens) || s.Stock != 7 || s.Admit.String() != "30/min" || s.Hold != 90*time.Second {
				t.Errorf("got sale %+v", s)
			}
		})
	}
}
