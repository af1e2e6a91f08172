package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/waitroom/waitroom/internal/demo/storefront"
)

// newStorefront is the demo's shop on its own, for the compose file.
func newStorefront() *cobra.Command {
	cmd := &cobra.Command{
		Use: "storefront", Short: "Run the demo's small shop alone", Hidden: true, Args: cobra.NoArgs,
	}
	listen := cmd.Flags().String("listen", "127.0.0.1:8080", "`address` to listen on")
	worker := cmd.Flags().String("worker", "", "`URL` of the worker's API")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		l, err := net.Listen("tcp", *listen)
		if err != nil {
			return err
		}
		shop := storefront.New(storefront.Options{Worker: *worker, Token: os.Getenv("WAITROOM_WORKER_TOKEN")})
		return serveShop(cmd.Context(), l, shop)
	}
	return cmd
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
