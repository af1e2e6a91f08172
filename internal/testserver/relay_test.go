package testserver_test

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
)

// parrot answers every request with what it was, and remembers it.
type parrot struct {
	net.Listener
	mu    sync.Mutex
	heard []string
}

func newParrot(t *testing.T) *parrot {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	p := &parrot{Listener: l}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go p.talk(conn)
		}
	}()
	return p
}

func (p *parrot) talk(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	buffer := make([]byte, 100)
	for {
		n, err := conn.Read(buffer)
		if err != nil {
			return
		}
		p.mu.Lock()
		p.heard = append(p.heard, string(buffer[:n]))
		p.mu.Unlock()
		if _, err := conn.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// all is what was heard, once it is what is wanted or a while is over.
func (p *parrot) all(want string) (heard string) {
	for end := time.Now().Add(5 * time.Second); heard != want && time.Now().Before(end); {
		p.mu.Lock()
		heard = strings.Join(p.heard, " ")
		p.mu.Unlock()
	}
	return heard
}

// ask says one thing and returns the answer: "cut" when the connection ended
// instead, "silence" when nothing came.
func ask(t *testing.T, conn net.Conn, text string, patience time.Duration) string {
	t.Helper()
	if _, err := conn.Write([]byte(text)); err != nil {
		return "cut"
	}
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, len(text))
	n, err := io.ReadFull(conn, answer)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return "silence" + string(answer[:n])
	}
	if err != nil {
		return "cut" + string(answer[:n])
	}
	return string(answer)
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestRelay_DecidesEachRequest(t *testing.T) {
	t.Parallel()
	const late = 150 * time.Millisecond
	for _, test := range []struct {
		name            string
		fate            testserver.Fate
		answers, server string // to and of "one", "four" and "five"; the fate is that of "four"
	}{
		{"pass", testserver.Fate{}, "one four five", "one four five"},
		{"cut before", testserver.Fate{Trick: testserver.CutBefore}, "one cut cut", "one"},
		{"cut half", testserver.Fate{Trick: testserver.CutHalf}, "one cut cut", "one fo"},
		{"swallow", testserver.Fate{Trick: testserver.Swallow}, "one silence five", "one five"},
		{"lose reply", testserver.Fate{Trick: testserver.LoseReply}, "one cut cut", "one four"},
		{"half reply", testserver.Fate{Trick: testserver.HalfReply}, "one cutfo cut", "one four"},
		{"hide reply", testserver.Fate{Trick: testserver.HideReply}, "one silence silence", "one four five"},
		{"delay", testserver.Fate{Trick: testserver.Delay, Late: late}, "one four five", "one four five"},
		{"delay reply", testserver.Fate{Trick: testserver.DelayReply, Late: late}, "one four five", "one four five"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := newParrot(t)
			relay := testserver.NewRelay(t, server.Addr().String())
			relay.Judge(func(request []byte) testserver.Fate {
				if string(request) == "four" {
					return test.fate
				}
				return testserver.Fate{}
			})
			conn := dial(t, relay.Addr)
			patience := 5 * time.Second
			if strings.Contains(test.answers, "silence") {
				patience = 100 * time.Millisecond
			}
			var answers []string
			began := time.Now()
			for _, text := range []string{"one", "four", "five"} {
				answer := ask(t, conn, text, patience)
				answers = append(answers, answer)
			}
			took := time.Since(began)
			if got := strings.Join(answers, " "); got != test.answers {
				t.Errorf("answers: got %q, want %q", got, test.answers)
			}
			if got := server.all(test.server); got != test.server {
				t.Errorf("the server heard %q, want %q", got, test.server)
			}
			if took < test.fate.Late {
				t.Errorf("took %v, want at least %v", took, test.fate.Late)
			}
		})
	}
}

func TestRelay_CutsAndShuts(t *testing.T) {
	t.Parallel()
	relay := testserver.NewRelay(t, newParrot(t).Addr().String())
	want := func(conn net.Conn, text, answer string) {
		t.Helper()
		if got := ask(t, conn, text, 5*time.Second); got != answer {
			t.Errorf("%s: got %q, want %q", text, got, answer)
		}
	}
	first := dial(t, relay.Addr)
	want(first, "a", "a")
	relay.Cut()
	want(first, "b", "cut")

	second := dial(t, relay.Addr)
	want(second, "c", "c")
	relay.Shut()
	want(second, "d", "cut")
	want(dial(t, relay.Addr), "e", "cut")
	relay.Open()

	want(dial(t, relay.Addr), "f", "f")
}
