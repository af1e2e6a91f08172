package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"

	"github.com/waitroom/waitroom/internal/testserver"
)

// pageLength is that of the shop's pages.
const pageLength = 2400

// openOrigin starts a shop that gives the same page for every address as fast as it can:
// one that may be kept for everybody, and below /account one that is somebody's own. It
// understands requests without a body, in HTTP/1.1, whole.
func openOrigin(t testserver.Owner) (address string, err error) {
	var config net.ListenConfig
	l, err := config.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("open origin: %w", err)
	}
	t.Cleanup(func() { _ = l.Close() })
	noise := make([]byte, pageLength/2)
	_, _ = rand.Read(noise) // never fails
	body := "<!doctype html><title>Golden toy</title>" + hex.EncodeToString(noise)[:pageLength-40]
	answer := func(control string) []byte {
		return fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nCache-Control: %s\r\nContent-Length: %d\r\n\r\n%s", control, len(body), body)
	}
	kept, own := answer("public, max-age=3600, no-transform"), answer("private, no-store")
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return // it was closed
			}
			go serve(conn, kept, own)
		}
	}()
	return l.Addr().String(), nil
}

func serve(conn net.Conn, kept, own []byte) {
	defer conn.Close()
	buf, have := make([]byte, 16<<10), 0
	for {
		n, err := conn.Read(buf[have:])
		if err != nil {
			return
		}
		for have += n; ; {
			end := bytes.Index(buf[:have], []byte("\r\n\r\n"))
			if end < 0 {
				break
			}
			answer := kept
			if bytes.HasPrefix(buf, []byte("GET /account ")) {
				answer = own
			}
			if _, err := conn.Write(answer); err != nil {
				return
			}
			have = copy(buf, buf[end+4:have])
		}
	}
}
