package listen

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/pires/go-proxyproto"
)

// errNoHeader is a proxy that did not say who its client is.
var errNoHeader = errors.New("no PROXY header from a trusted proxy")

// unspecified is how a header of version 2 begins that is for a client (PROXY), but of
// no family (UNSPEC).
const unspecified = "\r\n\r\n\x00\r\nQUIT\n\x21\x00"

const (
	mostLine  = 107  // bytes of a header of version 1, with its end
	mostBlock = 4096 // of what follows the first 16 of version 2
)

// readHeader reads a PROXY header, of version 1 or 2, up to the first byte behind
// it. What a proxy says for itself (LOCAL), or of a client without an address of
// the Internet, leaves the connection its own.
func readHeader(c *conn) error {
	ahead := bufio.NewReader(c)
	awaitLine(ahead)
	if none, err := skipUnspecified(ahead); none {
		c.ahead, c.own = ahead, true
		return err
	}
	header, err := proxyproto.Read(ahead)
	switch {
	case errors.Is(err, proxyproto.ErrNoProxyProtocol):
		return errNoHeader
	case err != nil:
		return fmt.Errorf("read PROXY header: %w", err)
	}
	c.ahead = ahead
	if header.Command.IsLocal() {
		c.own = true
		return nil
	}
	switch header.TransportProtocol {
	case proxyproto.UNSPEC, proxyproto.UnixStream:
		c.own = true
		return nil
	case proxyproto.TCPv4, proxyproto.TCPv6:
		c.client = header.SourceAddr
		return nil
	}
	return errors.New("read PROXY header: it is of no stream")
}

// awaitLine waits until a header of version 1 is there to its end, in however many
// pieces it comes: it is read in one. Anything else is left as it is.
func awaitLine(ahead *bufio.Reader) {
	for n := 1; n <= mostLine; n++ {
		b, err := ahead.Peek(n)
		if err != nil || b[n-1] == '\n' || n <= len(proxyproto.SIGV1) && b[n-1] != proxyproto.SIGV1[n-1] {
			return
		}
	}
}

// skipUnspecified reads a header of version 2 of a client that has no address at all,
// if it is one, which the library refuses.
func skipUnspecified(ahead *bufio.Reader) (is bool, err error) {
	if b, err := ahead.Peek(1); err != nil || b[0] != unspecified[0] {
		return false, nil //nolint:nilerr // the library says so
	}
	b, err := ahead.Peek(len(unspecified) + 2)
	if err != nil || !bytes.HasPrefix(b, []byte(unspecified)) {
		return false, nil //nolint:nilerr // the library says so
	}
	block := int(binary.BigEndian.Uint16(b[len(unspecified):]))
	if block > mostBlock {
		return true, errors.New("read PROXY header: it is too long")
	}
	_, err = ahead.Discard(len(b) + block)
	return true, err
}
