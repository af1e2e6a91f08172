package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
)

// newPreview shows every page as shoppers will see it, and takes part in no sale.
func newPreview() *cobra.Command {
	cmd := &cobra.Command{
		Use: "preview [FILE]", Short: "Show every page as shoppers will see it, in a browser",
		Long: "Serves each page at each moment of a sale, in each language, light and dark, with made-up\n" +
			"values, as the file of a sale, a room or the operator has them look; without one, as\n" +
			"waitroom itself does. What changes in the files is shown at once, and so is what is wrong\n" +
			"with them. Nothing is sold, nobody waits, no store is asked.",
		Example: "  waitroom preview sales/golden-toy.yaml",
		Args:    wiring.Files(0, 1),
	}
	listen := cmd.Flags().String("listen", "127.0.0.1:8900", "`address` to listen on")
	config := cmd.Flags().String("config", "", "the operator's `file`, or one of a sale")
	cmd.RunE = func(cmd *cobra.Command, files []string) error {
		file := *config
		if len(files) == 1 {
			if file != "" {
				return &wiring.UsageError{Err: errors.New("--config: name one file")}
			}
			file = files[0]
		}
		if file != "" {
			if _, err := os.Stat(file); err != nil {
				return &wiring.UsageError{Err: err}
			}
		}
		l, err := net.Listen("tcp", *listen)
		if err != nil {
			return &wiring.UsageError{Err: fmt.Errorf("--listen: %w: name another address, as --listen 127.0.0.1:8901", err)}
		}
		_, _ = fmt.Fprintf(cmd.OutOrStdout(), "open http://%s (Ctrl-C ends it)\n", l.Addr())
		return servePreview(cmd.Context(), l, newGallery(file))
	}
	return cmd
}

// servePreview serves until ctx is done.
func servePreview(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	stopped := context.AfterFunc(ctx, func() { _ = server.Close() }) // nobody waits for anything
	defer stopped()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
