package express_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"

	"golang.org/x/net/http2"

	"github.com/waitroom/waitroom/proxy/express"
)

func newEncoder() *client {
	c := &client{}
	c.encoder = newHpack(&c.block)
	return c
}

// fuzzServer lets a server write what steps say, in pieces, while the client has room for
// what is said between.
func fuzzServer(t *testing.T, steps, sizes []byte) {
	const streams = 3
	in := &steered{}
	var b bytes.Buffer
	b.WriteString(http2.ClientPreface)
	fr, c := http2.NewFramer(&b, nil), newEncoder()
	_ = fr.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 24})
	ask := func(id uint32, path string) {
		_ = fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: c.fields("GET", path), EndStream: true, EndHeaders: true})
	}
	ask(1, "/ready/60000")
	for id := uint32(3); id < 3+2*streams; id += 2 {
		ask(id, "/other")
	}
	in.left = b.Bytes()
	h := benchLane().HTTP2(in, "shop.example.com", most, func(string) {}, func(h *express.HTTP2) express.Place { return nobody{h} })
	if err := h.Await(); err != nil {
		t.Fatal(err)
	}
	drain := func() { _, _ = io.ReadAll(h) }
	drain()
	room, believes := 65535-60000, 65535
	sent := map[uint32][]byte{}
	var out bytes.Buffer
	server := http2.NewFramer(&out, nil)
	piece := 0
	flush := func() {
		for out.Len() > 0 {
			n := out.Len()
			if len(sizes) > 0 {
				n = min(n, 1+int(sizes[piece%len(sizes)]))
				piece++
			}
			if _, err := h.Write(out.Next(n)); err != nil {
				t.Fatal(err)
			}
		}
	}
	mark := byte(0)
	held := 0
	for _, s := range steps[:min(len(steps), 60)] {
		id := uint32(3 + 2*(int(s)%streams))
		n := int(s) * 60
		switch {
		case s%5 == 4: // the client gives room, of which the server hears what is left
			b.Reset()
			_ = fr.WriteWindowUpdate(0, uint32(n)+1)
			in.left = bytes.Clone(b.Bytes())
			got, _ := io.ReadAll(h)
			for len(got) >= 13 {
				believes += int(binary.BigEndian.Uint32(got[9:]))
				got = got[13:]
			}
			room += n + 1
			continue
		case s%5 == 3:
			_ = server.WritePing(true, [8]byte{s})
		default:
			n = min(n, believes, 16384)
			if held+n > 60<<10 {
				continue // it would wait
			}
			mark++
			body := bytes.Repeat([]byte{mark}, n)
			_ = server.WriteData(id, false, body)
			sent[id] = append(sent[id], body...)
			believes -= n
			held += n
		}
		flush()
	}
	got := map[uint32][]byte{}
	total := 0
	client := http2.NewFramer(nil, &in.wrote)
	for {
		f, err := client.ReadFrame()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("read frame: %v", err)
		}
		if d, ok := f.(*http2.DataFrame); ok && d.StreamID > 1 {
			got[d.StreamID] = append(got[d.StreamID], d.Data()...)
			total += len(d.Data())
		}
	}
	all := 0
	for id, want := range sent {
		all += len(want)
		if !bytes.HasPrefix(want, got[id]) {
			t.Errorf("stream %d: the bytes are others", id)
		}
	}
	if want := min(all, room); total != want {
		t.Errorf("the client got %d bytes, of %d with room for %d", total, all, room)
	}
}

// steered is a connection in memory that gets more to read.
type steered struct{ pieces }
