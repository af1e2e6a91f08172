package gate_test

import (
	"errors"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/gate"
)

// A bucket that goes back alone has its units twice, or another's are nowhere. What is
// in the others shows it to whoever comes, also when nobody is left who saw.
func TestBuckets_OneThatForgotTransfersClosesTheGate(t *testing.T) {
	t.Parallel()
	const n, units = 2, 400
	for name, test := range map[string]struct{ bucket, sells int }{
		"the donor, one":    {0, 201}, // 200 are at home, 100 come
		"the donor, two":    {0, 301}, // and 50 more
		"the receiver, two": {1, 301},
	} {
		for comes, do := range map[string]func(*testing.T, *gate.Gate) error{
			"look": func(t *testing.T, g *gate.Gate) error { look(t, g); return nil },
			"mend": func(t *testing.T, g *gate.Gate) error { _, err := g.Mend(t.Context(), nil, nil); return err },
			"audit": func(t *testing.T, g *gate.Gate) error {
				a, err := g.Audit(t.Context())
				if a.Open() {
					t.Errorf("audit %+v; want a closed gate", a.Snapshot)
				}
				return err
			},
		} {
			t.Run(name+" "+comes, func(t *testing.T) {
				t.Parallel()
				both(t, func(t *testing.T, rdb *redis.Client) {
					g := buckets(t, rdb, "toy", n, units)
					forget := older(t, rdb, "wr:{"+gate.Tag("toy", test.bucket)+"}:state")
					for i := range test.sells {
						reserve(t, g, at(1, n, i))
					}
					forget()
					newcomer := gate.New(rdb, "toy", n)
					if err := do(t, newcomer); err != nil && !errors.Is(err, gate.ErrClosed) {
						t.Error(err)
					}
					if s := look(t, gate.New(rdb, "toy", n)); s.Open() {
						t.Errorf("Look = %+v; want a closed gate", s)
					}
				})
			})
		}
	}
}

// Whoever goes by a picture of before a rebuild takes nothing from the gate that is
// there now, and does not close it.
func TestBuckets_AnOldPictureIsNoReasonToGive(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		const n = 2
		g := buckets(t, rdb, "toy", n, 12)
		for i := range 9 { // six are at home; three come, in one transfer
			reserve(t, g, at(1, n, i))
		}
		c := client(t, "redis://"+rdb.Options().Addr)
		tear(t, gate.Load(t.Context(), c))
		b := &between{what: func() {
			tear(t, g.Close(t.Context(), "by x"))
			drain(t, g)
			if ok, err := g.Rebuild(t.Context(), "by x", gate.Contents{Epoch: 2, Total: 4}); err != nil || !ok {
				t.Errorf("Rebuild = %t, %v", ok, err)
			}
		}}
		c.AddHook(b)
		b.left.Store(1 << 20)
		mine := gate.New(c, "toy", n)
		look(t, mine)
		b.left.Store(2) // the reserve, the look; then it gives
		if _, err := mine.Reserve(t.Context(), at(1, n, 100)); !errors.Is(err, gate.ErrClosed) {
			t.Errorf("Reserve = %v; want closed", err)
		}
		if s := look(t, gate.New(rdb, "toy", n)); !s.Open() || s.Mark.Epoch != 2 || s.Left != 4 || s.Transit != 0 {
			t.Errorf("Look = %+v; want the gate as it was rebuilt", s)
		}
	})
}
