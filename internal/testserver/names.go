package testserver

import (
	"io"
	"net"
	"sync"

	"golang.org/x/net/dns/dnsmessage"
)

// startNames starts a name server, over TCP alone, at which every name is this
// machine. It gives its address and ends with the test.
func startNames(t Owner) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer func() { _ = conn.Close() }()
				for answerName(conn) == nil {
				}
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		all.Wait() // who asks hangs up
	})
	return listener.Addr().String()
}

// answerName reads one question and answers it (RFC 1035, 4.2.2).
func answerName(conn io.ReadWriter) error {
	var size [2]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil {
		return err
	}
	text := make([]byte, int(size[0])<<8|int(size[1]))
	if _, err := io.ReadFull(conn, text); err != nil {
		return err
	}
	var m dnsmessage.Message
	if err := m.Unpack(text); err != nil {
		return err
	}
	m.Response = true
	m.Additionals = nil
	for _, q := range m.Questions {
		if q.Type == dnsmessage.TypeA {
			m.Answers = append(m.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 1},
				Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
			})
		}
	}
	text, err := m.Pack()
	if err != nil {
		return err
	}
	_, err = conn.Write(append([]byte{byte(len(text) >> 8), byte(len(text))}, text...))
	return err
}
