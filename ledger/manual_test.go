package ledger_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/ledger"
)

// TestRefundsByHandOfTheManual: what docs/ledger.md lets an operator write leaves
// the books as a worker would.
func TestRefundsByHandOfTheManual(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/ledger.md")
	check(t, err)
	statements := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(statements) != 2 {
		t.Fatalf("the page has %d statements, want 2", len(statements))
	}
	books, err := ledger.OpenPostgres(configs.NewSecret(testserver.Postgres(t)))
	check(t, err)
	s := newShop(t, books, testserver.Redis(t), 1)
	s.open()
	id := s.buy("ann")
	s.wantPaid(id, "p1", 200, "paid")
	s.wantPaid(id, "pay_81", 200, "refund_due")
	for range 2 { // a second time changes nothing
		for _, one := range statements {
			_, err := s.books.DB().ExecContext(s.Context(), one[1])
			check(t, err)
		}
	}
	s.wantCount(1, `SELECT COUNT(*) FROM refunds WHERE payment_id = 'pay_81' AND sent_at IS NOT NULL`)
	s.wantCount(1, `SELECT COUNT(*) FROM journal WHERE cause = 'refunded' AND payment_id = 'pay_81' AND amount = -19.9 AND reservation_id = $1`, id)
}
