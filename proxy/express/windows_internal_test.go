package express

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// TestWriting_Held: what a server writes comes in an order in which its heads mean what
// they meant, and whole, whatever is held and dropped meanwhile.
func TestWriting_Held(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		write  func(w *written)
		at     int64 // room that is given in the end
		before string
		behind string
	}{
		"a trailer before the head of another stream": {func(w *written) {
			w.head(1, false, "x-one", "1")
			w.data(1, 200, false)
			w.head(1, true, "x-sum", "one")
			w.head(3, true, "x-sum", "one", "x-two", "2")
		}, 1000, "1 x-one=1. 1 +100.", "1 +100. 1 x-sum=one end. 3 x-sum=one x-two=2 end."},
		"a trailer of who has left": {func(w *written) {
			w.head(1, false, "x-one", "1")
			w.data(1, 200, false)
			w.head(1, true, "x-sum", "one")
			w.dropNow(1)
			w.head(3, true, "x-sum", "one", "x-two", "2")
		}, 1000, "1 x-one=1. 1 +100. 1 x-sum=one end. 3 x-sum=one x-two=2 end.", ""},
		"others behind who has left": {func(w *written) {
			w.head(1, false, "x-one", "1")
			w.data(1, 200, false)
			w.head(1, true, "x-sum", "one")
			w.head(3, false, "x-sum", "one")
			w.data(3, 50, true)
			w.dropNow(1)
		}, 20, "1 x-one=1. 1 +100. 1 x-sum=one end. 3 x-sum=one.", "3 +20."},
		"a whole answer, and that its request need not go on": {func(w *written) {
			w.head(1, false, "x-one", "1")
			w.data(1, 200, true)
			w.reset(1)
		}, 1000, "1 x-one=1. 1 +100.", "1 +100 end. 1 reset."},
		"half an answer, and its end": {func(w *written) {
			w.head(1, false, "x-one", "1")
			w.data(1, 200, false)
			w.data(3, 10, true)
			w.reset(1)
		}, 1000, "1 x-one=1. 1 +100. 1 reset.", "3 +10 end."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWritten(100)
			test.write(w)
			if got := w.said(); got != test.before {
				t.Errorf("before there is room: got  %s\nwant %s", got, test.before)
			}
			if _, err := w.more(test.at); err != nil {
				t.Fatal(err)
			}
			if got := w.said(); got != test.behind {
				t.Errorf("behind that: got  %s\nwant %s", got, test.behind)
			}
		})
	}
}

// TestWriting_Works: a body that waits for room is not idle, though its server is done.
func TestWriting_Works(t *testing.T) {
	t.Parallel()
	w := newWritten(100)
	w.pass(1)
	w.head(1, false, "x-one", "1")
	w.data(1, 200, true)
	if !w.works(0) {
		t.Error("it is idle, and half of an answer waits")
	}
	if _, err := w.more(1000); err != nil {
		t.Fatal(err)
	}
	if w.works(0) {
		t.Error("it works, and all is written")
	}
}

// TestAppendUpdate: more room than one frame can give is given in two.
func TestAppendUpdate(t *testing.T) {
	t.Parallel()
	for _, by := range []int64{1, windowMost, windowMost + 1, windowMost + 500_000} {
		got := int64(0)
		for b := frame(appendUpdate(nil, by)); len(b) > 0; b = b[frameHead+4:] {
			if n := b.number(); n == 0 || n > windowMost {
				t.Errorf("%d: a frame gives %d", by, n)
			}
			got += int64(b.number())
		}
		if got != by {
			t.Errorf("%d bytes are given, want %d", got, by)
		}
	}
}

// written is what a server writes, and what its client hears.
type written struct {
	writing
	block   bytes.Buffer
	encoder *hpack.Encoder
	pipe    bytes.Buffer
	client  *http2.Framer
}

func newWritten(room int64) *written {
	w := &written{}
	w.out.lane = New(nil, Times{}, 0, nil)
	w.free.L = &w.mu
	w.window, w.stream = room, windowBegin
	w.encoder = hpack.NewEncoder(&w.block)
	w.client = http2.NewFramer(nil, &w.pipe)
	w.client.ReadMetaHeaders = hpack.NewDecoder(tableSize, nil)
	return w
}

// head writes one, or a trailer.
func (w *written) head(stream uint32, ends bool, fields ...string) {
	w.block.Reset()
	for i := 0; i < len(fields); i += 2 {
		_ = w.encoder.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	flags := byte(flagEndHeaders)
	if ends {
		flags |= flagEndStream
	}
	w.take(append(appendFrame(nil, w.block.Len(), typeHeaders, flags, stream), w.block.Bytes()...))
}

func (w *written) data(stream uint32, n int, ends bool) {
	f := append(appendFrame(nil, n, typeData, 0, stream), make([]byte, n)...)
	if ends {
		f[4] = flagEndStream
	}
	w.take(f)
}

func (w *written) reset(stream uint32) {
	w.take(append(appendFrame(nil, 4, typeReset, 0, stream), 0, 0, 0, 0))
}

// said is what the client hears of what is to be written by now.
func (w *written) said() string {
	if w.out.buf == nil {
		return ""
	}
	w.pipe.Write(*w.out.take().buf)
	var all []string
	for w.pipe.Len() > 0 {
		f, err := w.client.ReadFrame()
		if err != nil {
			return fmt.Sprint(all, " ", err)
		}
		text, ends := fmt.Sprint(f.Header().StreamID), f.Header().Flags.Has(http2.FlagDataEndStream)
		switch f := f.(type) {
		case *http2.MetaHeadersFrame:
			for _, field := range f.Fields {
				text += " " + field.Name + "=" + field.Value
			}
		case *http2.DataFrame:
			text += fmt.Sprint(" +", len(f.Data()))
		case *http2.RSTStreamFrame:
			text += " reset"
		}
		if ends {
			text += " end"
		}
		all = append(all, text+".")
	}
	return strings.Join(all, " ")
}
