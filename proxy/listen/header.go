package listen

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/pires/go-proxyproto"
)

// errNoHeader is a proxy that did not say who its client is.
var errNoHeader = errors.New("no PROXY header from a trusted proxy")

// speaks reports whether connections from an address begin with a PROXY header.
func speaks(proxies []netip.Prefix, from net.Addr) bool {
	at, err := netip.ParseAddrPort(from.String())
	if err != nil {
		return false
	}
	for _, p := range proxies {
		if p.Contains(at.Addr().Unmap()) {
			return true
		}
	}
	return false
}

// readHeader reads a PROXY header, of version 1 or 2, up to the first byte behind
// it. What a proxy says for itself (LOCAL), or of a client without an address of
// the Internet, leaves the connection its own.
func readHeader(c *conn) error {
	ahead := bufio.NewReader(c)
	header, err := proxyproto.Read(ahead)
	switch {
	case errors.Is(err, proxyproto.ErrNoProxyProtocol):
		return errNoHeader
	case err != nil:
		return fmt.Errorf("read PROXY header: %w", err)
	}
	c.ahead = ahead
	if header.Command.IsLocal() {
		return nil
	}
	switch header.TransportProtocol {
	case proxyproto.UNSPEC, proxyproto.UnixStream:
		return nil
	case proxyproto.TCPv4, proxyproto.TCPv6:
		c.client = header.SourceAddr
		return nil
	}
	return errors.New("read PROXY header: it is of no stream")
}
