package storefront_test

import (
	"database/sql"
	"net/http"
	"net/url"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/waitroom/waitroom/internal/demo/crowd"
	"github.com/waitroom/waitroom/internal/demo/storefront"
	"github.com/waitroom/waitroom/internal/testserver"
)

// The guarded shop fails by being slow, never by selling too many.
func TestGuarded_SellsExactlyItsStock(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("pgx", testserver.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for range 2 { // preparing again starts the sale anew
		if err := storefront.Prepare(t.Context(), db, "toy", 5); err != nil {
			t.Fatal(err)
		}
	}
	shop, base := open(t, storefront.Options{Guarded: db, Sale: "toy"})

	r, err := crowd.Run(t.Context(), crowd.Options{Edge: base, Shoppers: 40, Straight: true, Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if r.Held != 5 || r.ToldNo != 35 || r.DuplicateBuyers != 0 || shop.Requests() != 80 {
		t.Errorf("got %+v after %d requests, want 5 held and 35 told no after 80", r, shop.Requests())
	}
	var orders, books int
	if err := db.QueryRow(`SELECT (SELECT count(*) FROM orders), (SELECT sold FROM stock)`).Scan(&orders, &books); err != nil {
		t.Fatal(err)
	}
	if orders != 5 || books != 5 {
		t.Errorf("got %d orders and %d sold in the books, want 5 and 5", orders, books)
	}
	if res, _ := post(t, base+"/login", url.Values{"name": {"shopper-7"}}); res.StatusCode != http.StatusSeeOther {
		t.Errorf("login: got %d, want 303", res.StatusCode)
	}
	db.Close()
	if res, _ := post(t, base+"/login", url.Values{"name": {"shopper-7"}}); res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("login without a database: got %d, want 503", res.StatusCode)
	}
}
