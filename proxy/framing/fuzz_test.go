package framing_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/proxy/framing"
)

// FuzzReader: what is cleared as a message, net/http reads as the same one; and it
// does not matter in which pieces the bytes come.
func FuzzReader(f *testing.F) {
	for _, texts := range corpus(f) {
		for _, text := range texts {
			f.Add([]byte(text), uint8(3))
		}
	}
	f.Add([]byte(get+post("Transfer-Encoding: chunked", "3;x\r\nabc\r\n0\r\nX: y\r\n\r\n")+"\r\n"+get), uint8(7))
	f.Add(browser, uint8(200))
	f.Fuzz(func(t *testing.T, text []byte, piece uint8) {
		whole, no := messages(text, len(text)+1)
		pieces, noPieces := messages(text, int(piece)+1)
		if no != noPieces || strings.Join(whole, "\x00") != strings.Join(pieces, "\x00") {
			t.Fatalf("at once %q and %q, in pieces %q and %q", whole, string(no), pieces, string(noPieces))
		}
		source := bytes.NewReader(text)
		second := bufio.NewReader(source)
		for _, want := range whole {
			discardBlank(second)
			at := len(text) - source.Len() - second.Buffered()
			r, err := http.ReadRequest(second)
			if err != nil {
				return // it refuses more, and then nobody gets it
			}
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				return
			}
			if got := text[at : len(text)-source.Len()-second.Buffered()]; string(got) != want {
				t.Fatalf("cleared is %q, net/http reads %q", want, got)
			}
		}
	})
}

// messages are the whole messages that are cleared.
func messages(text []byte, piece int) (all []string, no framing.Refusal) {
	r := framing.NewReader(1 << 10)
	var held, message []byte
	for {
		n, no := r.Next(held)
		if no != "" {
			return all, no
		}
		message, held = append(message, held[:n]...), held[n:]
		if n > 0 && r.Between() {
			all = append(all, strings.TrimPrefix(string(message), "\r\n"))
			message = nil
		}
		if n == 0 {
			if len(text) == 0 {
				return all, ""
			}
			n = min(piece, len(text))
			held, text = append(held, text[:n]...), text[n:]
		}
	}
}

// discardBlank passes over the empty line that is tolerated before a message.
func discardBlank(in *bufio.Reader) {
	if b, _ := in.Peek(2); string(b) == "\r\n" {
		_, _ = in.Discard(2)
	}
}
