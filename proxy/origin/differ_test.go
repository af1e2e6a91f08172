package origin_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/proxy/origin"
)

// script is what a server does on a connection once the head of a request has come. It
// reports whether it takes another request there.
type script func(c net.Conn) bool

// say writes pieces, a moment apart, and goes on; sayAndEnd closes behind them.
func say(pieces ...string) script {
	return func(c net.Conn) bool {
		for i, p := range pieces {
			if i > 0 {
				time.Sleep(time.Millisecond)
			}
			if _, err := io.WriteString(c, p); err != nil {
				return false
			}
		}
		return true
	}
}

func sayAndEnd(pieces ...string) script {
	return func(c net.Conn) bool { say(pieces...)(c); return false }
}

// bytewise writes a text byte by byte.
func bytewise(text string) script { return say(strings.Split(text, "")...) }

func reset(c net.Conn) bool {
	_ = c.(*net.TCPConn).SetLinger(0)
	return false
}

func mute(c net.Conn) bool {
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
	_, _ = c.Read(make([]byte, 1))
	return false
}

// head is the start of an answer with fields.
func head(fields ...string) string {
	return "HTTP/1.1 200 OK\r\n" + strings.Join(append(fields, ""), "\r\n") + "\r\n"
}

const chunked = "Transfer-Encoding: chunked"

// nasty are servers, most of which do what none should.
var nasty = map[string]script{
	"nothing":                         sayAndEnd(),
	"a reset":                         reset,
	"silence":                         mute,
	"a byte":                          sayAndEnd("H"),
	"half a line":                     sayAndEnd("HTTP/1.1 20"),
	"half a head":                     sayAndEnd("HTTP/1.1 200 OK\r\nContent-Le"),
	"half a head, and silence":        func(c net.Conn) bool { say("HTTP/1.1 200 OK\r\nContent-Le")(c); return mute(c) },
	"garbage":                         sayAndEnd("\x00\x01\x02\x03\r\n\r\n"),
	"TLS":                             sayAndEnd("\x15\x03\x01\x00\x02\x02\x46"),
	"lines before":                    sayAndEnd("\r\n\r\n" + ok),
	"another protocol":                sayAndEnd("SSH-2.0-OpenSSH\r\n\r\n"),
	"lower case":                      sayAndEnd("http/1.1 200 OK\r\n\r\n"),
	"HTTP/1.1 alone":                  sayAndEnd("HTTP/1.1\r\n\r\n"),
	"HTTP/1.2":                        sayAndEnd("HTTP/1.2 200 OK\r\nContent-Length: 2\r\n\r\nok"),
	"HTTP/0.9":                        sayAndEnd("HTTP/0.9 200 OK\r\nContent-Length: 2\r\n\r\nok"),
	"no reason":                       say("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok"),
	"an empty reason":                 say("HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok"),
	"blanks in the line":              sayAndEnd("HTTP/1.1  200  OK\r\nContent-Length: 2\r\n\r\nok"),
	"a tab in the line":               sayAndEnd("HTTP/1.1\t200 OK\r\nContent-Length: 2\r\n\r\nok"),
	"LF in the line":                  say("HTTP/1.1 200 OK\nX: y\r\nContent-Length: 2\r\n\r\nok"),
	"CR in the line":                  say("HTTP/1.1 200 OK\rX: y\r\nContent-Length: 2\r\n\r\nok"),
	"LF alone":                        say("HTTP/1.1 200 OK\nContent-Length: 2\n\nok"),
	"status 000":                      sayAndEnd("HTTP/1.1 000 No\r\nContent-Length: 2\r\n\r\nok"),
	"status 099":                      sayAndEnd("HTTP/1.1 099 No\r\nContent-Length: 2\r\n\r\nok"),
	"status 600":                      say("HTTP/1.1 600 No\r\nContent-Length: 2\r\n\r\nok"),
	"status 999":                      say("HTTP/1.1 999 No\r\nContent-Length: 2\r\n\r\nok"),
	"status -20":                      sayAndEnd("HTTP/1.1 -20 No\r\nContent-Length: 2\r\n\r\nok"),
	"status 2e2":                      sayAndEnd("HTTP/1.1 2e2 No\r\nContent-Length: 2\r\n\r\nok"),
	"status 20":                       sayAndEnd("HTTP/1.1 20 No\r\nContent-Length: 2\r\n\r\nok"),
	"status 2000":                     sayAndEnd("HTTP/1.1 2000 No\r\nContent-Length: 2\r\n\r\nok"),
	"101 unasked":                     sayAndEnd("HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nhello"),
	"204 with a body":                 say("HTTP/1.1 204 No\r\nContent-Length: 2\r\n\r\nok"),
	"304 with a length":               say("HTTP/1.1 304 No\r\nContent-Length: 2\r\n\r\n"),
	"304 in chunks":                   say("HTTP/1.1 304 No\r\n" + chunked + "\r\n\r\n"),
	"205 with a body":                 say("HTTP/1.1 205 Reset\r\nContent-Length: 2\r\n\r\nok"),
	"a length":                        say(ok),
	"a length byte by byte":           bytewise(ok),
	"no bytes":                        say(head("Content-Length: 0")),
	"a body that comes":               say(head("Content-Length: 6"), "ok", "ok", "ok"),
	"a long body":                     say(head("Content-Length: 200000") + strings.Repeat("x", 200_000)),
	"as much as is read at once":      say(head("Content-Length: 16341") + strings.Repeat("x", 16_341)),
	"a little more":                   say(head("Content-Length: 16346") + strings.Repeat("x", 16_346)),
	"a short body":                    sayAndEnd(head("Content-Length: 9") + "ok"),
	"a body that breaks off":          func(c net.Conn) bool { say(head("Content-Length: 9")+"ok", "ok")(c); return reset(c) },
	"no body":                         sayAndEnd(head("Content-Length: 9")),
	"more than the length":            say(ok + "more"),
	"more, later":                     say(ok, "more"),
	"two answers":                     say(ok + ok),
	"an answer and a piece":           say(ok + "HTTP/1.1 200 OK\r\nContent-"),
	"no length, and more":             say(head("Content-Length: 0") + ok),
	"the length +2":                   sayAndEnd(head("Content-Length: +2") + "ok"),
	"the length -2":                   sayAndEnd(head("Content-Length: -2") + "ok"),
	"the length 0x2":                  sayAndEnd(head("Content-Length: 0x2") + "ok"),
	"the length 2, 2":                 sayAndEnd(head("Content-Length: 2, 2") + "ok"),
	"the length 002":                  say(head("Content-Length: 002") + "ok"),
	"an empty length":                 sayAndEnd(head("Content-Length: ") + "ok"),
	"a length beyond measure":         sayAndEnd(head("Content-Length: 99999999999999999999") + "ok"),
	"a huge length":                   sayAndEnd(head("Content-Length: 9223372036854775807") + "ok"),
	"the same length twice":           say(head("Content-Length: 2", "Content-Length: 2") + "ok"),
	"two lengths":                     sayAndEnd(head("Content-Length: 2", "Content-Length: 3") + "ok"),
	"a length in lower case":          say(head("content-length: 2") + "ok"),
	"a length without a blank":        say(head("Content-Length:2") + "ok"),
	"a length between blanks":         say(head("Content-Length: \t 2 \t ") + "ok"),
	"a length with a form feed":       sayAndEnd(head("Content-Length: \f2") + "ok"),
	"to the end":                      sayAndEnd(head("X: y") + "ok"),
	"to the end, byte by byte":        func(c net.Conn) bool { bytewise(head("X: y") + "ok")(c); return false },
	"to the end, and a reset":         func(c net.Conn) bool { say(head("X: y") + "ok")(c); return reset(c) },
	"HTTP/1.0":                        sayAndEnd("HTTP/1.0 200 OK\r\n\r\nok"),
	"HTTP/1.0, kept":                  say("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok"),
	"HTTP/1.0 with a length":          say("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok"),
	"HTTP/1.0 in chunks":              sayAndEnd("HTTP/1.0 200 OK\r\n" + chunked + "\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
	"its end is announced":            say(head("Connection: close", "Content-Length: 2") + "ok"),
	"its end is announced loudly":     say(head("Connection: Close", "Content-Length: 2") + "ok"),
	"its end is announced among more": say(head("Connection: x, close", "Content-Length: 2") + "ok"),
	"its end twice":                   say(head("Connection: close", "Connection: close", "Content-Length: 2") + "ok"),
	"kept, and closed":                say(head("Connection: keep-alive", "Connection: close", "Content-Length: 2") + "ok"),
	"kept":                            say(head("Connection: keep-alive", "Content-Length: 2") + "ok"),
	"chunks":                          say(head(chunked) + "2\r\nok\r\n0\r\n\r\n"),
	"chunks byte by byte":             bytewise(head(chunked) + "2\r\nok\r\n0\r\n\r\n"),
	"chunks, and more":                say(head(chunked) + "2\r\nok\r\n0\r\n\r\nmore"),
	"chunks and a length":             say(head(chunked, "Content-Length: 7") + "2\r\nok\r\n0\r\n\r\n"),
	"a length and chunks":             say(head("Content-Length: 7", chunked) + "2\r\nok\r\n0\r\n\r\n"),
	"chunks twice":                    sayAndEnd(head(chunked, chunked) + "2\r\nok\r\n0\r\n\r\n"),
	"CHUNKED":                         say(head("Transfer-Encoding: CHUNKED") + "2\r\nok\r\n0\r\n\r\n"),
	"gzip, chunked":                   sayAndEnd(head("Transfer-Encoding: gzip, chunked") + "2\r\nok\r\n0\r\n\r\n"),
	"identity":                        sayAndEnd(head("Transfer-Encoding: identity") + "ok"),
	"xchunked":                        sayAndEnd(head("Transfer-Encoding: xchunked") + "ok"),
	"chunks with a trailer":           say(head(chunked, "Trailer: X-Sum") + "2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n"),
	"chunks with a secret trailer":    say(head(chunked) + "2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n"),
	"a trailer that may not be":       sayAndEnd(head(chunked, "Trailer: Content-Length") + "2\r\nok\r\n0\r\n\r\n"),
	"a trailer without chunks":        say(head("Trailer: X-Sum", "Content-Length: 2") + "ok"),
	"chunks with an extension":        say(head(chunked) + "2;a=b\r\nok\r\n0;c\r\n\r\n"),
	"a chunk of no size":              sayAndEnd(head(chunked) + "\r\nok\r\n0\r\n\r\n"),
	"a chunk of size -2":              sayAndEnd(head(chunked) + "-2\r\nok\r\n0\r\n\r\n"),
	"a chunk of size x":               sayAndEnd(head(chunked) + "x\r\nok\r\n0\r\n\r\n"),
	"a chunk beyond measure":          sayAndEnd(head(chunked) + "FFFFFFFFFFFFFFFFF\r\nok\r\n0\r\n\r\n"),
	"a chunk that is short":           sayAndEnd(head(chunked) + "5\r\nok\r\n0\r\n\r\n"),
	"a chunk that is long":            sayAndEnd(head(chunked) + "1\r\nok\r\n0\r\n\r\n"),
	"chunks that break off":           sayAndEnd(head(chunked) + "2\r\nok\r\n"),
	"a chunk that breaks off":         sayAndEnd(head(chunked) + "5\r\nok"),
	"chunks without the last line":    sayAndEnd(head(chunked) + "2\r\nok\r\n0\r\n"),
	"chunks with LF":                  say(head(chunked) + "2\nok\n0\n\n"),
	"a long line of a chunk":          sayAndEnd(head(chunked) + "2;" + strings.Repeat("x", 10_000) + "\r\nok\r\n0\r\n\r\n"),
	"many tiny chunks with much":      sayAndEnd(head(chunked) + strings.Repeat("1;"+strings.Repeat("x", 1000)+"\r\nx\r\n", 100) + "0\r\n\r\n"),
	"no name":                         sayAndEnd(head(": x", "Content-Length: 2") + "ok"),
	"no colon":                        sayAndEnd(head("x", "Content-Length: 2") + "ok"),
	"a blank before the colon":        sayAndEnd(head("X : y", "Content-Length: 2") + "ok"),
	"a blank in a name":               sayAndEnd(head("X Y: y", "Content-Length: 2") + "ok"),
	"a folded line":                   say(head("X: y", " z", "Content-Length: 2") + "ok"),
	"a folded line at first":          sayAndEnd(head(" X: y", "Content-Length: 2") + "ok"),
	"a length in two lines":           sayAndEnd(head("Content-Length:", " 2") + "ok"),
	"NUL in a value":                  sayAndEnd(head("X: a\x00b", "Content-Length: 2") + "ok"),
	"DEL in a value":                  sayAndEnd(head("X: a\x7fb", "Content-Length: 2") + "ok"),
	"CR in a value":                   sayAndEnd(head("X: a\rb", "Content-Length: 2") + "ok"),
	"LF in a value":                   say(head("X: a\nB: c", "Content-Length: 2") + "ok"),
	"LF and the end in a value":       say(head("X: a\n\nB: c", "Content-Length: 2") + "ok"),
	"letters of other scripts":        say(head("X: ä\xff", "Content-Length: 2") + "ok"),
	"a name in other letters":         sayAndEnd(head("Ä: x", "Content-Length: 2") + "ok"),
	"names with marks":                say(head("x_y: 1", "x.y: 2", "X-*: 3", "x-YZ-a: 4", "ETag: 5", "WWW-Authenticate: 6", "Content-Length: 2") + "ok"),
	"empty values":                    say(head("X:", "Y: ", "Content-Length: 2") + "ok"),
	"cookies":                         say(head("Set-Cookie: a=b", "Set-Cookie: c=d", "set-cookie: e=f", "Content-Length: 2") + "ok"),
	"Pragma":                          say(head("Pragma: no-cache", "Content-Length: 2") + "ok"),
	"Upgrade":                         say(head("Upgrade: h2c", "Connection: Upgrade", "Content-Length: 2") + "ok"),
	"a long head":                     sayAndEnd(head("X: "+strings.Repeat("x", 300<<10), "Content-Length: 2") + "ok"),
	"a head of some length":           say(head("X: "+strings.Repeat("x", 100<<10), "Content-Length: 2") + "ok"),
	"many fields":                     sayAndEnd("HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", 60<<10) + "\r\n"),
	"a head without an end": func(c net.Conn) bool {
		for say(strings.Repeat("x", 4<<10))(c) {
		}
		return false
	},
	"100":               say("HTTP/1.1 100 Continue\r\n\r\n" + ok),
	"103":               say("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok),
	"103, and a moment": say("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", ok),
	"103 with a length": say("HTTP/1.1 103 Early Hints\r\nContent-Length: 2\r\n\r\n" + ok),
	"103 in chunks":     sayAndEnd("HTTP/1.1 103 Early Hints\r\n" + chunked + "\r\n\r\n" + ok),
	"some 1xx":          say(strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 500) + ok),
	"a storm of 1xx":    say(strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 10_000) + ok),
	"1xx to the end":    sayAndEnd(strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 3)),
	"1xx without an end": func(c net.Conn) bool {
		for say(strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 100))(c) {
		}
		return false
	},
	"199": say("HTTP/1.1 199 What\r\n\r\n" + ok),
}

// deed is what came of one request.
type deed struct {
	failed, timeout bool
	status          int
	proto           string
	header          http.Header
	length          int64
	coding          []string
	close           bool
	body            string
	cut, late       bool // the body
	trailer         http.Header
	interim         int64
}

// try sends a request and reads its answer.
func try(t *testing.T, p *origin.Pool, method string, patient bool) deed {
	t.Helper()
	body := ""
	if method == http.MethodPost {
		body = "a=b"
	}
	req := request(t, method, "/a?b", body)
	trace, interim := &httptrace.ClientTrace{}, atomic.Int64{}
	if patient {
		trace.Got1xxResponse = func(int, textproto.MIMEHeader) error {
			if interim.Add(1) > 2000 {
				return fmt.Errorf("enough")
			}
			return nil
		}
	}
	ctx, cancel := context.WithTimeout(req.Context(), 4*time.Second) // some bodies never end
	defer cancel()
	req = req.WithContext(httptrace.WithClientTrace(ctx, trace))
	resp, err := p.RoundTrip(req)
	if err != nil {
		return deed{failed: true, timeout: isTimeout(err)} // an answer of the 1xx kind may still come in
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return deed{status: resp.StatusCode} // which nobody asked for, so nobody reads on
	}
	text, err := io.ReadAll(resp.Body)
	return deed{
		status: resp.StatusCode, proto: resp.Proto, header: resp.Header, length: resp.ContentLength,
		coding: resp.TransferEncoding, close: resp.Close, body: string(text), cut: err != nil, late: isTimeout(err),
		trailer: resp.Trailer, interim: interim.Load(),
	}
}

func isTimeout(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}

// serveScript opens a server that follows one, and counts.
func serveScript(t *testing.T, does script) (addr string, seen func() (conns, requests int)) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	conns, requests := 0, 0
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns++
			mu.Unlock()
			go func() {
				defer func() { _ = c.Close() }()
				for reads(c) {
					mu.Lock()
					requests++
					mu.Unlock()
					if !does(c) {
						return
					}
				}
			}()
		}
	}()
	return l.Addr().String(), func() (int, int) {
		mu.Lock()
		defer mu.Unlock()
		return conns, requests
	}
}

// reads reads a request: those of try end with a blank line or with "=".
func reads(c net.Conn) bool {
	var text string
	piece := make([]byte, 4096)
	for {
		n, err := c.Read(piece)
		if err != nil {
			return false
		}
		text += string(piece[:n])
		if head, body, ok := strings.Cut(text, "\r\n\r\n"); ok && (!strings.Contains(head, "Content-Length: 3") || len(body) == 3) {
			return true
		}
	}
}

// TestBothAlike: what comes of a request to a server that does what it likes is the same
// over direct connections and over those of standard clients.
func TestBothAlike(t *testing.T) {
	t.Parallel()
	for name, does := range nasty {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all sync.WaitGroup
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
				for _, patient := range []bool{false, true} {
					all.Go(func() {
						for last := range 3 { // on a busy machine, what comes in time for one may be late for the other
							if found := differing(t, does, method, patient); found == "" {
								return
							} else if last == 2 {
								t.Error(found)
							}
						}
					})
				}
			}
			all.Wait()
		})
	}
}

// differing compares what comes of two requests in a row, and says what differs.
func differing(t *testing.T, does script, method string, patient bool) string {
	t.Helper()
	var deeds [2][2]deed
	var counts [2][2]int
	var both sync.WaitGroup
	for i := range 2 {
		addr, seen := serveScript(t, does)
		p := poolOf(t, configs.Origin{Timeout: 2 * time.Second}, addr).Direct()
		if i == 1 {
			p.Standard()
		}
		both.Go(func() {
			for n := range 2 {
				deeds[i][n] = try(t, p, method, patient)
				time.Sleep(30 * time.Millisecond) // until what stands behind an answer has come
			}
			counts[i][0], counts[i][1] = seen()
		})
	}
	both.Wait()
	if !reflect.DeepEqual(deeds[0], deeds[1]) {
		return fmt.Sprintf("%s: direct:\n%s\nstandard:\n%s", method, shortened(deeds[0]), shortened(deeds[1]))
	}
	if counts[0] != counts[1] {
		return fmt.Sprintf("%s: direct: connections and requests %v, standard %v", method, counts[0], counts[1])
	}
	return ""
}

// shortened is what happened, for who reads it.
func shortened(deeds [2]deed) string {
	s := fmt.Sprintf("%+v", deeds)
	return s[:min(len(s), 1500)]
}
