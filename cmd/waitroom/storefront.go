package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of a guarded shop
	"github.com/spf13/cobra"

	"github.com/waitroom/waitroom/internal/demo/storefront"
)

// newStorefront is the demo's shop on its own, for the compose file and the
// benchmark. At its end it says on standard output how many requests it saw.
func newStorefront() *cobra.Command {
	cmd := &cobra.Command{
		Use: "storefront", Short: "Run the demo's small shop alone",
	}
	listen := cmd.Flags().String("listen", "127.0.0.1:8080", "`address` to listen on")
	worker := cmd.Flags().String("worker", "", "`URL` of the worker's API")
	guarded := cmd.Flags().String("guarded", "", "`URL` of a Postgres where the shop keeps stock and users of its own")
	stock := cmd.Flags().Int("stock", 100, "units that a guarded shop has, anew at each start")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
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
			return err
		}
		shop := storefront.New(o)
		if err := serveShop(cmd.Context(), l, shop); err != nil {
			return err
		}
		return json.NewEncoder(cmd.OutOrStdout()).Encode(map[string]int64{"requests": shop.Requests()})
	}
	return cmd
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
