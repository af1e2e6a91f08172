package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// flood is what strangers do.
type flood struct {
	At, Kind     string
	hellos, load int
	long         time.Duration
}

// felt is what a flood has seen of its doing, in its time.
type felt struct {
	Begun    int64 // handshakes, or requests
	Answered int64
}

// run floods for as long as a situation is measured, and says what it felt.
func (f *flood) run(ctx context.Context, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, f.long)
	defer cancel()
	var seen felt
	if f.Kind == "requests" {
		f.ask(ctx, &seen)
	} else {
		f.greet(ctx, &seen)
	}
	return json.NewEncoder(out).Encode(&seen)
}

// hello is the first word of a client, which is the same each time: it costs nothing to
// say, and what it costs to answer is the server's.
func hello() []byte {
	near, far := net.Pipe()
	go func() { _ = tls.Client(near, &tls.Config{ServerName: shop, InsecureSkipVerify: true}).Handshake() }() // nobody answers
	b := make([]byte, 16<<10)
	n, _ := far.Read(b)
	_ = far.Close()
	return b[:n]
}

// greet begins handshakes at a fixed rate, and leaves each once it is answered, or not
// in two seconds.
func (f *flood) greet(ctx context.Context, seen *felt) {
	word := hello()
	const tick = 5 * time.Millisecond
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	var all sync.WaitGroup
	places := make(chan struct{}, 6000) // as files go
	begun, n := time.Now(), 0
	for ctx.Err() == nil {
		for due := int(time.Since(begun).Seconds() * float64(f.hellos)); n < due; n++ {
			select {
			case places <- struct{}{}:
			default:
				continue // it has as many open as it can have
			}
			all.Go(func() {
				defer func() { <-places }()
				f.one(ctx, n, word, seen)
			})
		}
		<-ticker.C
	}
	all.Wait()
}

func (f *flood) one(ctx context.Context, n int, word []byte, seen *felt) {
	from := net.IPv4(127, 66, 0, 1)
	if f.Kind == "many" {
		from = net.IPv4(127, byte(67+n>>16&15), byte(n>>8), byte(n))
	}
	c, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: from}, Timeout: 2 * time.Second}).DialContext(ctx, "tcp", f.At)
	if err != nil {
		return
	}
	defer func() { _ = c.(*net.TCPConn).SetLinger(0); _ = c.Close() }() //nolint:errcheck // it is one
	_ = c.SetDeadline(time.Now().Add(2 * time.Second))
	atomic.AddInt64(&seen.Begun, 1)
	if _, err := c.Write(word); err != nil {
		return
	}
	if n, _ := c.Read(make([]byte, 4096)); n > 0 {
		atomic.AddInt64(&seen.Answered, 1)
	}
}

// ask asks for the page on many connections, on each again as soon as it is there.
func (f *flood) ask(ctx context.Context, seen *felt) {
	var all sync.WaitGroup
	few := make(chan struct{}, 32) // in the handshake
	for i := range f.load {
		all.Go(func() {
			few <- struct{}{}
			c, err := dial(ctx, f.At, net.IPv4(127, 90, byte(i>>8), byte(i)))
			<-few
			if err != nil {
				return
			}
			defer func() { _ = c.Close() }()
			defer context.AfterFunc(ctx, func() { _ = c.Close() })()
			in := bufio.NewReader(c)
			for ctx.Err() == nil {
				atomic.AddInt64(&seen.Begun, 1)
				if fetch(c, in) != nil {
					return
				}
				atomic.AddInt64(&seen.Answered, 1)
			}
		})
	}
	all.Wait()
}

func dial(ctx context.Context, at string, from net.IP) (net.Conn, error) {
	c, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: from}}).DialContext(ctx, "tcp", at)
	if err != nil {
		return nil, err
	}
	secure := tls.Client(c, &tls.Config{ServerName: shop, InsecureSkipVerify: true}) // the certificate is this program's
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = c.Close()
		return nil, err
	}
	return secure, nil
}

func fetch(c net.Conn, in *bufio.Reader) error {
	if _, err := io.WriteString(c, "GET "+page+" HTTP/1.1\r\nHost: "+shop+"\r\n\r\n"); err != nil {
		return err
	}
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return http.ErrNotSupported
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
