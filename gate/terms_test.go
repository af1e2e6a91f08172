package gate_test

import (
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/testserver"
)

// TestPost: what was posted is read as it was, by the sale's name, and nothing that
// was never posted or is damaged.
func TestPost(t *testing.T) {
	t.Parallel()
	rdb := client(t, testserver.Redis(t))
	price, err := configs.ParseMoney("19.90 EUR")
	tear(t, err)
	want := configs.Terms{
		Key: "toy@2026-11-27T09:00Z", Zone: "Europe/Berlin", Repeat: "Friday 10:00", Price: price, Buckets: 3, Invitations: 7,
		Doors: time.Date(2026, 11, 27, 8, 30, 0, 0, time.UTC), Opens: time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC),
		Closes: time.Date(2026, 11, 27, 11, 0, 0, 0, time.UTC),
	}
	bare := configs.Terms{Key: "shoe", Zone: "UTC", Buckets: 1, Doors: want.Doors, Opens: want.Opens, Closes: want.Closes}
	tear(t, gate.Post(t.Context(), rdb, []configs.Terms{want, bare}))
	tear(t, gate.Post(t.Context(), rdb, nil))
	tear(t, rdb.Set(t.Context(), "wr:{terms:torn}", `{"key":"torn","buckets":`, 0).Err())
	got, err := gate.Posted(t.Context(), rdb, []string{"toy", "shoe", "torn", "other"})
	tear(t, err)
	if len(got) != 2 || got["toy"] != want || got["shoe"] != bare {
		t.Errorf("got %+v, want %+v and %+v", got, want, bare)
	}
	if n, err := gate.Built(t.Context(), rdb, "toy"); err != nil || n != 0 {
		t.Errorf("buckets of a gate that was never built: got %d, %v; want 0", n, err)
	}
	if got, err := gate.Posted(t.Context(), rdb, nil); err != nil || len(got) != 0 {
		t.Errorf("of no sale: got %v, %v", got, err)
	}
}
