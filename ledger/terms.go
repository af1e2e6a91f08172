package ledger

import (
	"context"
	"fmt"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// What holds of a sale while it is open stands beside its stock. Until the doors
// it follows the files; then it stands, also against a worker that starts with
// another file.

const (
	termColumns = `buckets, invitations, zone, repeats, mix, doors, opens, closes, price, currency`
	// termValues are $2 to $11, as termArgs gives them.
	termValues = `$2, $3, $4, $5, $6, {epoch} + $7 * {ms}, {epoch} + $8 * {ms}, {epoch} + $9 * {ms}, $10, $11`
	saleIsOpen = `(closes IS NOT NULL AND {now} >= doors AND {now} < closes)`
	// termsLast is for how long after the closing terms are looked for.
	termsLast = 30 * 24 * time.Hour
)

func termArgs(key string, t configs.Terms) []any {
	return []any{
		key, t.Buckets, t.Invitations, t.Zone, t.Repeat, t.Mix,
		t.Doors.UnixMilli(), t.Opens.UnixMilli(), t.Closes.UnixMilli(), nullable(amountOf(t.Price)), nullable(t.Price.Currency()),
	}
}

// amountOf is a price as the books write it; empty when there is none.
func amountOf(price configs.Money) string {
	if !price.IsSet() {
		return ""
	}
	return price.Amount()
}

// setTerms writes what holds of a sale, and reports whether it did: not of one that
// is open. Of that only the closing of the same run and fewer invitations are taken.
func (b *Books) setTerms(ctx context.Context, t configs.Terms) (set bool, err error) {
	args := termArgs(t.Key, t)
	n, err := b.plain().exec(ctx, `UPDATE sale_stock SET (`+termColumns+`) = (`+termValues+`)
		WHERE sale = $1 AND NOT `+saleIsOpen, args...)
	if err == nil && n == 0 {
		_, err = b.plain().exec(ctx, `UPDATE sale_stock SET closes = {epoch} + $4 * {ms},
				invitations = CASE WHEN invitations > $5 THEN $5 ELSE invitations END
			WHERE sale = $1 AND doors = {epoch} + $2 * {ms} AND opens = {epoch} + $3 * {ms} AND `+saleIsOpen,
			args[0], args[6], args[7], args[8], args[2])
	}
	if err != nil {
		return false, fmt.Errorf("set terms of %s: %w", t.Key, err)
	}
	return n > 0, nil
}

// kept are terms as the books have them.
type kept struct {
	configs.Terms
	open bool
}

// terms reads what holds of the sales that are to come, open, or lately over.
func (b *Books) terms(ctx context.Context) ([]kept, error) {
	all, err := rows(ctx, b.plain(), scanTerms, `SELECT sale, buckets, invitations, zone, repeats, mix, doors, opens, closes,
			COALESCE(CAST(price AS text), ''), COALESCE(currency, ''), `+saleIsOpen+`
		FROM sale_stock WHERE closes > {now} - $1 * {ms} ORDER BY doors, sale`, termsLast.Milliseconds())
	if err != nil {
		return nil, fmt.Errorf("read terms: %w", err)
	}
	return all, nil
}

func scanTerms(scan func(...any) error) (k kept, err error) {
	var doors, opens, closes instant
	var amount, currency string
	err = scan(&k.Key, &k.Buckets, &k.Invitations, &k.Zone, &k.Repeat, &k.Mix, &doors, &opens, &closes, &amount, &currency, &k.open)
	if err == nil {
		k.Price, err = scanPrice(amount, currency)
	}
	k.Doors, k.Opens, k.Closes = doors.UTC(), opens.UTC(), closes.UTC()
	return k, err
}

// OpenTerms returns what holds of the sales that are open by the books and their
// clock, of at most one run of each.
func (b *Books) OpenTerms(ctx context.Context) ([]configs.Terms, error) {
	ctx, cancel := context.WithTimeout(ctx, txTimeout)
	defer cancel()
	all, err := b.terms(ctx)
	if err != nil {
		return nil, err
	}
	return inForce(all, func(kept) bool { return false }), nil
}

// InForce returns what holds of sales, of at most one run of each: of those that
// are open, and of the worker's own once it has had its say and others have had
// theirs.
func (w *Worker) InForce(ctx context.Context) ([]configs.Terms, error) {
	ctx, cancel := context.WithTimeout(ctx, txTimeout)
	defer cancel()
	all, err := w.books.terms(ctx)
	if err != nil {
		return nil, err
	}
	return inForce(all, func(k kept) bool {
		sale := w.sale(k.Key)
		if sale == nil {
			return false
		}
		said, _ := w.terms.Load(k.Key)
		written := sale.Written()
		return said == written && written.SameRun(k.Terms)
	}), nil
}

// inForce chooses the terms that hold: of each sale the run that is open, else one
// that is so otherwise.
func inForce(all []kept, holds func(kept) bool) []configs.Terms {
	found, byID := []configs.Terms{}, map[string]bool{}
	for _, pass := range []func(kept) bool{func(k kept) bool { return k.open }, holds} {
		for _, k := range all {
			if !byID[k.ID()] && pass(k) {
				byID[k.ID()] = true
				found = append(found, k.Terms)
			}
		}
	}
	return found
}

// settle has the file's terms written down once they say something that this
// worker has not said yet. What others make of it afterwards stands (see follow).
// A file of another run waits until the one that is open is over.
func (k *keeper) settle(ctx context.Context, sale *configs.Sale) error {
	written := sale.Written()
	if said, _ := k.worker.terms.Load(k.key); said == written || written.Key != k.key {
		return nil
	}
	set, err := k.worker.books.setTerms(ctx, written)
	if err != nil {
		return err
	}
	if set || written.SameRun(sale.InForce()) {
		k.worker.terms.Store(k.key, written)
	}
	return nil
}

// Adopt writes down what holds of a sale that is open by its file, if its stock was
// written by a version that wrote no terms: the price is the one of the books, the
// buckets are those of the gate where there is one (see gate.Built).
func (b *Books) Adopt(ctx context.Context, sale *configs.Sale, built func(context.Context) (int, error)) error {
	t := sale.InForce()
	if !t.Open(time.Now()) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, txTimeout)
	defer cancel()
	bare, err := rows(ctx, b.plain(), func(scan func(...any) error) (configs.Money, error) {
		var amount, currency string
		if err := scan(&amount, &currency); err != nil {
			return configs.Money{}, err
		}
		return scanPrice(amount, currency)
	}, `SELECT COALESCE(CAST(price AS text), ''), COALESCE(currency, '') FROM sale_stock
		WHERE sale = $1 AND closes IS NULL`, sale.Key)
	if err != nil {
		return fmt.Errorf("look for terms of %s: %w", sale.Key, err)
	}
	if len(bare) == 0 {
		return nil
	}
	t.Price = bare[0]
	n, err := built(ctx)
	if err != nil {
		return fmt.Errorf("adopt sale %s: %w", sale.Key, err)
	}
	if n > 0 {
		t.Buckets = n
	}
	_, err = b.setTerms(ctx, t)
	return err
}
