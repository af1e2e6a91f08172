package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/demo/crowd"
)

// demoOptions are the flags of `waitroom demo`.
type demoOptions struct {
	shoppers        int
	stock           int
	rate            string
	redis, postgres string
	proof           bool
	json            bool
}

func newDemo() *cobra.Command {
	var o demoOptions
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run a whole sale on this machine",
		Long: "Starts a small shop, a waiting room on real TLS in front of it and a worker behind it,\n" +
			"opens a sale and sends a crowd through the front door; then reports what everyone got.\n" +
			"Without --shoppers it stays up, so that you can join with a browser.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return &wiring.UsageError{Err: err}
			}
			if o.shoppers == 0 {
				return o.stayUp(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.shoppers, "shoppers", 0, "how many come; 0: nobody, stay up")
	f.IntVar(&o.stock, "stock", 100, "units for sale")
	f.StringVar(&o.rate, "rate", "2000/s", "how many are let through")
	f.StringVar(&o.redis, "redis", "", "`URL` of a real Redis; with --postgres")
	f.StringVar(&o.postgres, "postgres", "", "`URL` of a real Postgres; with --redis")
	f.BoolVar(&o.proof, "proof", false, "ask a proof of work for a ticket; the crowd works on this machine, too")
	f.BoolVar(&o.json, "json", false, "print one JSON object at the end, progress on standard error")
	return cmd
}

// Bounds of what one process on one machine can play.
const (
	maxShoppers = 200_000
	maxStock    = 1_000_000
)

func (o *demoOptions) check() error {
	_, err := configs.ParseRate(o.rate)
	switch {
	case o.shoppers < 0 || o.shoppers > maxShoppers:
		return fmt.Errorf("--shoppers %d: from 0 to %d", o.shoppers, maxShoppers)
	case o.stock < 1 || o.stock > maxStock:
		return fmt.Errorf("--stock %d: from 1 to %d", o.stock, maxStock)
	case err != nil:
		return fmt.Errorf("--rate %q: %w", o.rate, err)
	case (o.redis == "") != (o.postgres == ""):
		return errors.New("--redis and --postgres: give both or neither")
	case o.json && o.shoppers == 0:
		return errors.New("--json: needs --shoppers, for without a crowd there is no report")
	}
	return nil
}

const (
	arrivalsPerSecond = 1700             // with new TLS connections, on two cores shared with the edge
	settleBeforeDraw  = 2 * time.Second  // after the last arrival
	demoHold          = 6 * time.Second  // short, so that unpaid units are seen coming back
	demoOpen          = 90 * time.Second // from the draw to closing, at the most
	demoAfter         = 15 * time.Second // after closing, for the last answers
	visitOpens        = 30 * time.Second // until the draw, when somebody is to join by hand
	visitOpen         = 2 * time.Hour    // of such a sale
	visitHold         = 2 * time.Minute
)

// run plays a sale with a crowd and reports.
func (o *demoOptions) run(ctx context.Context, out, progressTo io.Writer) (err error) {
	if !o.json {
		progressTo = out
	}
	arrive := max(time.Second, time.Duration(o.shoppers)*time.Second/arrivalsPerSecond)
	s, err := openStage(ctx, o, schedule{opensIn: arrive + settleBeforeDraw, open: demoOpen, hold: demoHold}, progressTo)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	say(progressTo, "%d shoppers, %d units, %s; the doors are open at %s", o.shoppers, o.stock, o.rate, s.address())

	began := time.Now()
	going := progress{out: progressTo, opens: s.sale.Opens.Sub(began)}
	ctx, cancel := context.WithDeadline(ctx, s.sale.Closes.Add(demoAfter))
	defer cancel()
	seen, err := sendCrowd(ctx, crowd.Brief{CA: s.ca, Options: crowd.Options{
		Edge: s.address(), Sale: s.sale.ID,
		ProductPage: s.sale.Product, BuyPath: s.sale.Buy.Path,
		Shoppers: o.shoppers, Proof: o.proof, Arrive: arrive, Seed: uint64(began.UnixNano()),
	}}, func(t crowd.Tally) { going.hear(t, time.Since(began)) }, progressTo)
	if err != nil {
		return err
	}
	r, err := o.report(context.WithoutCancel(ctx), s, seen, time.Since(began))
	if err != nil {
		return err
	}
	if o.json {
		return json.NewEncoder(out).Encode(r)
	}
	r.print(out, seen)
	return nil
}

// stayUp serves a sale for people with browsers until ctx is done.
func (o *demoOptions) stayUp(ctx context.Context, out, errs io.Writer) error {
	s, err := openStage(ctx, o, schedule{opensIn: visitOpens, open: visitOpen, hold: visitHold, listen: "127.0.0.1:8443"}, errs)
	if err != nil {
		return err
	}
	say(out, "the shop is at   %s%s", s.address(), s.sale.Product)
	say(out, "the line is at   %s/.waitroom/%s/line", s.address(), s.sale.ID)
	say(out, "the draw is at   %s; press Ctrl-C to end", s.sale.Opens.Format(time.TimeOnly))
	say(out, "Your browser will warn of the certificate: this machine has just made it up.")
	select {
	case <-ctx.Done():
	case <-s.ended:
	}
	return s.close()
}

func say(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }
