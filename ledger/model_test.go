package ledger_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"
	"pgregory.net/rapid"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
)

// model is a sale in the fewest words: who holds what, and what became of the
// money. Books and gate together must come to the same, whatever happens.
type model struct {
	left    int
	orders  []*modelOrder
	paid    []*modelPayment
	refunds int
}

type modelOrder struct {
	id, account, at string // at: finishing held paid expired cancelled refused
	due             bool   // money for it is due back
	stream          string // where its account's winners are
}

type modelPayment struct {
	id, out string // out: finishing paid refund_due wrong
	order   *modelOrder
	right   bool // what the order costs
}

func (o *modelOrder) out() bool   { return o.at == "finishing" || o.at == "held" || o.at == "paid" }
func (o *modelOrder) ended() bool { return o.at == "expired" || o.at == "cancelled" }

func (m *model) has(account string) bool {
	return slices.ContainsFunc(m.orders, func(o *modelOrder) bool { return o.account == account && o.out() })
}

// meet is what becomes of money that meets its order.
func (m *model) meet(p *modelPayment) {
	switch o := p.order; {
	case o.at == "finishing":
		p.out = "finishing"
		return
	case o.at == "refused":
		p.out = "refund_due"
	case !p.right:
		p.out = "wrong"
	case o.at == "held":
		p.out, o.at = "paid", "paid"
	case o.ended() && m.left > 0 && !m.has(o.account):
		p.out, o.at, m.left = "paid", "paid", m.left-1
	default:
		p.out = "refund_due"
	}
	if p.out != "paid" {
		m.refunds++
		p.order.due = p.order.due || p.order.at != "paid"
	}
}

// write is what becomes of the winners that are on their way.
func (m *model) write() {
	for _, o := range m.orders {
		if o.at == "finishing" {
			o.at = "held"
		}
	}
	for _, p := range m.paid {
		if p.out == "finishing" {
			m.meet(p)
		}
	}
}

// end is what becomes of an order that is not paid.
func (m *model) end(o *modelOrder, how string) {
	if o.at == "held" {
		o.at, m.left = how, m.left+1
	}
}

// status is what the shop sees of an order.
func (o *modelOrder) status() string {
	if o.due && !o.out() {
		return "refund_due"
	}
	return o.at
}

// playFor is how long sales are played on one pair of stores; with another
// -rapid.checks than 100, so many are.
const playFor = 5 * time.Second

// TestSaleFollowsItsModel plays winners, payments right and wrong, cancellations,
// expiries, refusals, redeliveries, refunds, rebuilds and reconciliations in any
// order, on both pairs of stores.
func TestSaleFollowsItsModel(t *testing.T) {
	each(t, 1, func(s *shop) {
		s.log = zap.NewNop()
		s.section.RefundURL = configs.NewSecret(newTill(s.TB, says(200)).URL)
		began, failed := time.Now(), false
		rapid.Check(s.TB.(*testing.T), func(t *rapid.T) {
			if !failed && time.Since(began) > playFor && flag.Lookup("rapid.checks").Value.String() == "100" {
				return // enough, unless somebody asks for more
			}
			failed = true // until it is known better; what failed is made smaller for as long as that takes
			stock, buckets := rapid.IntRange(1, 4).Draw(t, "stock"), rapid.SampledFrom([]int{1, 3}).Draw(t, "buckets")
			p := &play{T: t, shop: s.again(stock, buckets), model: model{left: stock}}
			t.Repeat(map[string]func(*rapid.T){
				"": p.agree, "reserve": p.reserve, "write": p.write, "pay": p.pay, "cancel": p.cancel, "expire": p.expire,
				"refuse": p.refuse, "redeliver": p.redeliver, "refund": p.refund, "rebuild": p.rebuild, "reconcile": p.reconcile,
			})
			p.close()
			failed = false
		})
	})
}

// again opens another sale in the same stores.
func (s *shop) again(stock, buckets int) *shop {
	s.Helper()
	other := *s
	other.sale = liveSale("toy-"+uuid.NewString()[:13], stock)
	other.begin(buckets)
	other.costs("19.90 EUR")
	return &other
}

// play is one course of a sale, and its model beside it.
type play struct {
	*rapid.T
	shop *shop
	model
	spent int // refunds that the shop has taken
}

func (p *play) want(what string, got, want any) {
	if fmt.Sprint(got) != fmt.Sprint(want) {
		p.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

func (p *play) account(t *rapid.T) string {
	return rapid.SampledFrom([]string{"ann", "bob", "carl"}).Draw(t, "account")
}

// order draws one that is there.
func (p *play) order(t *rapid.T) *modelOrder {
	if len(p.orders) == 0 {
		t.Skip("no order yet")
	}
	return p.orders[rapid.IntRange(0, len(p.orders)-1).Draw(t, "order")]
}

func (p *play) reserve(t *rapid.T) {
	account := p.account(t)
	id, err := p.shop.reserve(account)
	if p.left == 0 || p.has(account) {
		p.want("refused at the gate", err != nil, true)
		return
	}
	p.want("fault of the gate", err, nil)
	p.left--
	p.orders = append(p.orders, &modelOrder{id: id, account: account, at: "finishing", stream: p.streamOf(id)})
}

func (p *play) write(*rapid.T) {
	p.shop.drain()
	p.model.write()
}

func (p *play) pay(t *rapid.T) {
	o := p.order(t)
	n := modelPayment{
		id:    p.shop.sale.Key + rapid.SampledFrom([]string{"-p0", "-p1", "-p2", "-p3", "-p4", "-p5"}).Draw(t, "payment"),
		order: o, right: rapid.IntRange(0, 3).Draw(t, "right") > 0,
	}
	was := slices.IndexFunc(p.paid, func(q *modelPayment) bool { return q.id == n.id })
	if was < 0 && n.right && slices.ContainsFunc(p.paid, func(q *modelPayment) bool { return q.order == o && q.out == "finishing" && q.right }) {
		t.Skip("two notices wait for one order: either may pay it")
	}
	fields := `"amount":19.90,"currency":"EUR"`
	if !n.right {
		fields = `"amount":9.90,"currency":"EUR"`
	}
	got := p.shop.said(o.id, n.id, fields)
	switch {
	case was < 0:
		p.meet(&n)
		p.paid = append(p.paid, &n)
	case p.paid[was].order != o || p.paid[was].right != n.right:
		p.want("payment used for another", got, "409")
		return
	default:
		n = *p.paid[was]
	}
	p.want("payment", got, map[string]string{
		"finishing": "202 finishing", "paid": "200 paid", "refund_due": "200 refund_due", "wrong": "409 refund_due",
	}[n.out])
}

func (p *play) cancel(t *rapid.T) {
	o := p.order(t)
	code, body := p.shop.ask("POST", "/v1/orders/"+o.id+"/cancel", "")
	switch o.at {
	case "finishing":
		p.want("cancel on its way", code, 503)
	case "paid":
		p.want("cancel what is paid", code, 409)
	default:
		p.end(o, "cancelled")
		p.want("cancel", fmt.Sprint(code, body["status"]), fmt.Sprint(200, o.status()))
	}
}

func (p *play) expire(*rapid.T) {
	p.shop.expire()
	for _, o := range p.orders {
		p.end(o, "expired")
	}
}

// refuse lets a winner come of an account that has an order already.
func (p *play) refuse(t *rapid.T) {
	account := p.account(t)
	p.write(t)
	first := slices.IndexFunc(p.orders, func(o *modelOrder) bool { return o.account == account && o.out() })
	if first < 0 {
		t.Skip("it would be no second order")
	}
	o := &modelOrder{id: uuid.NewString(), account: account, at: "refused", stream: p.orders[first].stream}
	p.forge(o)
	p.shop.drain()
	p.orders = append(p.orders, o)
}

func (p *play) redeliver(t *rapid.T) {
	p.forge(p.order(t))
}

// forge appends an order's winner, once more or for the first time.
func (p *play) forge(o *modelOrder) {
	err := p.shop.rdb.XAdd(p.Context(), &redis.XAddArgs{Stream: o.stream, Values: winner(o.id, o.account, "1")}).Err()
	p.want("fault of the stream", err, nil)
}

// streamOf finds the bucket that a winner is in.
func (p *play) streamOf(reservation string) string {
	for i := range p.shop.sale.Buckets {
		stream := "wr:{" + gate.Tag(p.shop.sale.Key, i) + "}:winners"
		entries, err := p.shop.rdb.XRevRangeN(p.Context(), stream, "+", "-", 1).Result()
		p.want("fault of the stream", err, nil)
		if len(entries) == 1 && entries[0].Values["reservation"] == reservation {
			return stream
		}
	}
	p.Fatalf("winner %s is in no stream", reservation)
	return ""
}

func (p *play) refund(*rapid.T) {
	p.want("fault of the outbox", p.shop.worker.SendRefunds(p.Context()), nil)
	p.spent = p.refunds
}

// rebuild makes a keeper build the gate again from the books.
func (p *play) rebuild(t *rapid.T) {
	p.write(t)
	p.want("fault of the gate", p.shop.gate.Close(p.Context(), "rebuild it"), nil)
	p.shop.open()
}

func (p *play) reconcile(*rapid.T) {
	a, err := p.shop.worker.Reconcile(p.Context(), p.shop.sale, true)
	p.want("fault of the reconciler", err, nil)
	p.want("books and gate agree", a.Why, "")
	p.want("mended", a.Mended, 0)
}

// agree compares what is cheap to compare after every step.
func (p *play) agree(*rapid.T) {
	snap, err := p.shop.gate.Look(p.Context())
	p.want("fault of the gate", err, nil)
	p.want("left at the gate", snap.Left, p.left)
	c, err := p.shop.books.Counts(p.Context(), p.shop.sale.Key)
	p.want("fault of the books", err, nil)
	held, paid := 0, 0
	for _, o := range p.orders {
		switch o.at {
		case "held":
			held++
		case "paid":
			paid++
		}
	}
	p.want("held, paid, balanced", fmt.Sprint(c.Pending, c.Paid, c.Balanced()), fmt.Sprint(held, paid, true))
	p.want("refunds", p.shop.count(`SELECT COUNT(*) FROM refunds WHERE sale = $1`, p.shop.sale.Key), p.refunds)
}

// close compares all there is, once everything has come to rest.
func (p *play) close() {
	p.write(p.T)
	p.shop.sweep()
	p.agree(p.T)
	p.reconcile(p.T)
	for _, o := range p.orders {
		_, body := p.shop.ask("GET", "/v1/orders/"+o.id, "")
		p.want("order "+o.id, body["status"], o.status())
		n, ok, err := p.shop.gate.Find(p.Context(), "", o.id)
		p.want("note of "+o.id, fmt.Sprint(n.Status, ok, err), fmt.Sprint(gate.Status(o.status()), true, nil))
	}
	causes := func(what string) int {
		return p.shop.count(`SELECT COUNT(*) FROM journal WHERE sale = $1 AND cause = $2`, p.shop.sale.Key, what)
	}
	paid := 0
	for _, q := range p.paid {
		if q.out == "paid" {
			paid++
		}
	}
	p.want("orders paid in the journal", causes("paid")+causes("reheld"), paid)
	p.want("refunds due in the journal", causes("refund_due"), p.refunds)
	p.want("refunds taken in the journal", causes("refunded"), p.spent)
	p.want("early payments", p.shop.count(`SELECT COUNT(*) FROM early_payments WHERE sale = $1`, p.shop.sale.Key), 0)
}
