package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

// invitations are the flags of the command.
type invitations struct {
	sale         string
	count, first int
	expires      string
}

func newInvite() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "invite --count N",
		Short: "Print signed links that stand before the draw",
		Long: "Prints links, one a line. Whoever opens one comes in when the sale opens, before the\n" +
			"line. A sale accepts as many as its file says under invitations. The same numbers give\n" +
			"the same links again, so note which were sent to whom. docs/invite.md tells more.",
		Example: "  waitroom invite --sale golden-toy --count 50 --first 100 --expires \"2027-11-26 11:00\"",
	}
	file := wiring.ConfigFlag(cmd)
	var asked invitations
	flags := cmd.Flags()
	flags.StringVar(&asked.sale, "sale", "", "`ID` of the sale; may be left out where there is one")
	flags.IntVar(&asked.count, "count", 0, "how many links")
	flags.IntVar(&asked.first, "first", 0, "the number of the first invitation, from 0")
	flags.StringVar(&asked.expires, "expires", "", "until `when` they are good, in the sale's time zone; default its closing")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := wiring.Load(*file)
		if err != nil {
			return err
		}
		return invite(cfg, asked, time.Now(), cmd.OutOrStdout())
	}
	return cmd
}

func invite(cfg *configs.Config, asked invitations, now time.Time, out io.Writer) error {
	if slices.ContainsFunc(cfg.Rooms, func(r configs.Room) bool { return r.ID == asked.sale }) {
		return &wiring.UsageError{Err: fmt.Errorf("--sale %s: that is a room, which has no draw to stand before; name a sale", asked.sale)}
	}
	sale, err := saleNamed(asked.sale, cfg.Sales, cfg.File)
	if err != nil {
		return err
	}
	if err := asked.refused(sale, now); err != nil {
		return &wiring.UsageError{Err: err}
	}
	expires, err := asked.until(sale, now)
	if err != nil {
		return &wiring.UsageError{Err: err}
	}
	keyring, err := queueing.NewKeyring(cfg.Secrets)
	if err != nil {
		return err
	}
	host, err := publicHost(cfg)
	if err != nil {
		return &wiring.UsageError{Err: err}
	}
	w := bufio.NewWriter(out)
	for n := asked.first; n < asked.first+asked.count; n++ {
		signed := keyring.SignInvitation(queueing.Invitation{Sale: sale.Key, Number: uint64(n), Expires: expires})
		_, _ = fmt.Fprintf(w, "https://%s/.waitroom/%s/invite?i=%s\n", host, sale.ID, signed) // Flush says
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print invitations: %w", err)
	}
	return nil
}

// refused says why the sale does not invite as many, nil if it does.
func (a invitations) refused(s *configs.Sale, now time.Time) error {
	switch {
	case s.Invitations == 0:
		return fmt.Errorf("--sale: %s invites nobody; write invitations with how many into %s", s.ID, s.File)
	case !now.Before(s.Closes):
		return fmt.Errorf("--sale: %s has closed", s.Key)
	case a.count < 1:
		return errors.New("--count: say how many links, from 1")
	case a.first < 0:
		return errors.New("--first: numbers begin at 0")
	case a.count > s.Invitations-a.first:
		return fmt.Errorf("--first %d --count %d: %s has the %d invitations 0 to %d", a.first, a.count, s.ID, s.Invitations, s.Invitations-1)
	}
	return nil
}

// until is when the links expire; zero: with the sale, also if its closing is
// moved.
func (a invitations) until(s *configs.Sale, now time.Time) (time.Time, error) {
	if a.expires == "" {
		return time.Time{}, nil
	}
	t, err := s.Instant(a.expires)
	switch {
	case err != nil:
		return t, fmt.Errorf("--expires: %w", err)
	case !now.Before(t):
		return t, fmt.Errorf("--expires: %s is over", a.expires)
	case t.After(s.Closes):
		return t, fmt.Errorf("--expires: %s closes before %s; leave it out", s.ID, a.expires)
	}
	return t, nil
}

// publicHost is where shoppers find the shop. Who tries things out with
// certificates of our own may have no name for it, and a port.
func publicHost(cfg *configs.Config) (string, error) {
	trying := cfg.TLS.Mode == configs.TLSInternal
	names := cfg.TLS.Domains
	if trying && len(names) == 0 {
		names = []string{"localhost"}
	}
	i := slices.IndexFunc(names, func(name string) bool { return !strings.HasPrefix(name, "*.") })
	if i < 0 {
		return "", fmt.Errorf("tls.domains in %s: a link needs a whole name, not %s", cfg.File, names[0])
	}
	if _, port, _ := net.SplitHostPort(cfg.Listen.HTTPS); trying && port != "443" {
		return net.JoinHostPort(names[i], port), nil
	}
	return names[i], nil
}
