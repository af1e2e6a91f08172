package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of a guarded shop
	"github.com/spf13/cobra"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/internal/demo/storefront"
)

// newStorefront is the demo's shop on its own, for the compose file and the
// benchmark. At its end it says on standard output how many requests it saw.
func newStorefront() *cobra.Command {
	cmd := &cobra.Command{
		Use: "storefront", Short: "Run the demo's small shop alone",
		Long: "Serves the shop of the demo until SIGTERM: a product page, a buy that works without a\n" +
			"waiting room in front of it, a login, a checkout and a till. Name it under origin to try a\n" +
			"waiting room with files of your own. With --worker the till tells that worker's API of\n" +
			"payments, with the token in WAITROOM_WORKER_TOKEN. At the end it prints how many requests\n" +
			"it saw.",
		Example: "  waitroom storefront --listen 127.0.0.1:8080 --worker http://127.0.0.1:9190",
	}
	listen := cmd.Flags().String("listen", "127.0.0.1:8080", "`address` to listen on")
	worker := cmd.Flags().String("worker", "", "`URL` of the worker's API")
	guarded := cmd.Flags().String("guarded", "", "`URL` of a Postgres where the shop keeps stock and users of its own")
	stock := cmd.Flags().Int("stock", 100, "units that a guarded shop has, anew at each start")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := wrongFlags(*listen, *worker); err != nil {
			return &wiring.UsageError{Err: err}
		}
		o := storefront.Options{Worker: *worker, Token: os.Getenv("WAITROOM_WORKER_TOKEN")}
		if *guarded != "" {
			db, err := openShelf(cmd.Context(), *guarded, *stock)
			if err != nil {
				return err
			}
			defer db.Close()
			o.Guarded = db
		}
		l, err := net.Listen("tcp", *listen)
		if err != nil {
			return fmt.Errorf("--listen: %w", err)
		}
		shop := storefront.New(o)
		if err := serveShop(cmd.Context(), l, shop); err != nil {
			return err
		}
		return json.NewEncoder(cmd.OutOrStdout()).Encode(map[string]int64{"requests": shop.Requests()})
	}
	return cmd
}

// wrongFlags says what is wrong with an address or a URL.
func wrongFlags(listen, worker string) error {
	if _, port, err := net.SplitHostPort(listen); err != nil || port == "" {
		return fmt.Errorf(`--listen %q: write host:port, as "127.0.0.1:8080"`, listen)
	}
	if worker == "" {
		return nil
	}
	if u, err := url.Parse(worker); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New("--worker: write a URL, as http://127.0.0.1:9190")
	}
	return nil
}

// openShelf opens the database of a guarded shop and fills it.
func openShelf(ctx context.Context, url string, stock int) (*sql.DB, error) {
	db, err := sql.Open("pgx", url)
	if err != nil {
		return nil, err
	}
	if err := storefront.Prepare(ctx, db, storefront.DefaultSale, stock); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// serveShop serves until ctx is done.
func serveShop(ctx context.Context, l net.Listener, shop http.Handler) error {
	server := &http.Server{Handler: shop, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	stopped := context.AfterFunc(ctx, func() { _ = server.Close() }) // a demo cuts what is left
	defer stopped()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
