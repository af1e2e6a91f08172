package crowd_test

import (
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/waitroom/waitroom/internal/demo/crowd"
)

// BenchmarkRun is a sale for a hundred units, door and crowd in one process as
// in the demo. WAITROOM_SHOPPERS sets the size of the crowd, 2,000 otherwise.
func BenchmarkRun(b *testing.B) {
	shoppers, err := strconv.Atoi(os.Getenv("WAITROOM_SHOPPERS"))
	if err != nil {
		shoppers = 2000
	}
	for b.Loop() {
		arrive := time.Duration(shoppers) * time.Second / 2000
		e := &edge{opens: time.Now().Add(arrive), stock: 100, hold: 3 * time.Second,
			hopeless: shoppers / 2, poll: 1000, bucket: rate.NewLimiter(2000, 100)}
		o := options(serve(b, e), shoppers)
		o.Arrive = arrive
		r, err := crowd.Run(b.Context(), o)
		if err != nil || r.Unanswered != 0 || r.Errors != 0 {
			b.Errorf("got %+v, %v", r, err)
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.Sys)/float64(shoppers)/1024, "KiB/shopper")
		b.ReportMetric(float64(r.No.P99)/1e6, "no-p99-ms")
		b.Logf("%+v", r)
	}
}
