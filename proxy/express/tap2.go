package express

import (
	"encoding/binary"
	"time"

	"github.com/waitroom/waitroom/proxy/framing"
)

// tap2 is what framing knows of an HTTP2.
type tap2 struct{ *HTTP2 }

// Head answers a stream, if that can be.
func (t tap2) Head(h framing.HeadHTTP2) (taken bool, err error) {
	switch {
	case h.First:
		t.begun = h.Stream
		if t.settled && h.Ends && !h.Bound && h.Stream%2 == 1 && t.answers(h) {
			return true, nil
		}
		t.pass(h.Stream)
		t.answered = true // it is not idle
	case h.Stream > t.passed:
		return false, t.closed()
	}
	return false, nil
}

// Refused notes a stream that the server refuses.
func (t tap2) Refused(stream uint32) {
	t.begun = max(t.begun, stream)
	t.pass(stream)
}

// answers is Head for a stream that is whole.
func (t tap2) answers(h framing.HeadHTTP2) bool {
	if !t.mayAnswer() {
		return false
	}
	s := t.lane.sheet()
	defer t.lane.done(s)
	if !s.readHTTP2(h.Fields, t.most+headerListMore) {
		return false
	}
	s.ServerName, s.Conn = t.server, t.place
	a := t.lane.desk.Answer(&s.Request)
	if a == nil {
		return false
	}
	body := a.Body
	if s.Method == "HEAD" {
		body = nil
	}
	var date []byte
	if !a.Dated {
		date = t.lane.clock.at(time.Now()).field
	}
	if !t.answer(h.Stream, a.Head2, date, body) {
		t.lane.desk.Done(&s.Request, a, -1)
		return false
	}
	t.answered = true
	t.lane.desk.Done(&s.Request, a, len(body))
	if t.muchWaits() {
		_ = t.flush() // who reads finds out
	}
	return true
}

// past reports whether a stream was answered here.
func (t tap2) past(stream uint32) bool { return t.passed < stream && stream <= t.begun }

// closed is the end of who goes on where the stream has ended on both sides (RFC 9113, 5.1).
func (t tap2) closed() error { return t.broken(errStreamClosed, errOver) }

// broken ends the connection.
func (t tap2) broken(why uint32, err error) error {
	t.answered = false // it gets no time for more
	t.end(why)
	return err
}

// Frame takes what is for the lane. All that is not as it should be is the server's to
// see.
func (t tap2) Frame(b []byte) (on []byte, err error) {
	f := frame(b)
	if !t.settled && f.kind() != typeSettings {
		return b, nil // which has to come first
	}
	switch f.kind() {
	case typeData:
		if t.past(f.stream()) {
			return nil, t.closed()
		}
		return b, nil
	case typeSettings:
		return t.readSettings(f), nil
	case typeWindowUpdate:
		return t.update(f)
	case typeReset:
		return t.reset(f), nil
	}
	if t.served {
		return b, nil
	}
	return t.idle(f), nil
}

// idle takes frames that ask nothing of who has no server.
func (t tap2) idle(f frame) (on []byte) {
	switch kind := f.kind(); {
	case len(f) < frameHead+f.length():
		return f
	case kind == typePing && f.stream() == 0 && f.length() == 8:
		if !f.has(flagAck) {
			t.add(appendFrame(nil, 8, typePing, flagAck, 0), f.payload())
		}
	case kind == typePriority && f.stream() != 0 && f.length() == 5 && f.number()&windowMost != f.stream():
	case kind == typeGoAway && f.stream() == 0 && f.length() >= 8:
	case kind > typeContinuation:
	default:
		return f
	}
	return nil
}

// readSettings reads those of the client.
func (t tap2) readSettings(f frame) (on []byte) {
	switch {
	case f.has(flagAck) && f.length() == 0 && f.stream() == 0 && t.unheard > 0:
		t.unheard--
		return nil
	case f.has(flagAck) && t.takesAck():
		return nil
	case f.has(flagAck), f.stream() != 0, !t.note(f.payload()):
		return f
	case t.served:
		t.owe()
		return f
	}
	t.settled, t.answered = true, true // and has its time anew
	t.add(appendFrame(nil, 0, typeSettings, flagAck, 0), nil)
	return nil
}

// note keeps the settings that are in force; false: some are not as they should be.
func (t tap2) note(all []byte) bool {
	if len(all)%setting != 0 || !framing.ValidSettings(all) {
		return false
	}
	for ; len(all) > 0; all = all[setting:] {
		one := all[:setting]
		switch id, value := binary.BigEndian.Uint16(one), binary.BigEndian.Uint32(one[2:]); {
		case id == settingWindow:
			t.setStream(int64(value))
		case id == settingTable && value < tableSize:
			t.silence() // a block would have to say that the table is smaller (RFC 7541, 4.2)
		}
		if !t.served && !t.replace(one) {
			return false
		}
	}
	return true
}

// mostSettings bounds those that a server is told of.
const mostSettings = 32

// replace keeps a setting; false: there are too many of them.
func (t tap2) replace(one []byte) bool {
	for i := 0; i < len(t.settings); i += setting {
		if string(t.settings[i:i+2]) == string(one[:2]) {
			copy(t.settings[i:], one)
			return true
		}
	}
	t.settings = append(t.settings, one...)
	return len(t.settings) <= mostSettings*setting
}

// update takes room that the client gives. Of that of the connection, the server gets
// what is left when what the lane has used of it is made good.
func (t tap2) update(f frame) (on []byte, err error) {
	if f.length() != 4 {
		return f, nil
	}
	by := int64(f.number() & windowMost)
	switch {
	case f.stream() == 0 && by > 0:
		if by, err = t.more(by); err != nil {
			return nil, t.broken(errFlowControl, err)
		}
		if by == 0 || !t.served {
			return nil, nil
		}
		return appendUpdate(nil, by), nil
	case t.past(f.stream()):
		return nil, nil
	}
	return f, nil
}

// reset takes the end of a stream.
func (t tap2) reset(f frame) (on []byte) {
	switch {
	case f.length() != 4:
	case t.past(f.stream()):
		return nil
	default:
		t.dropNow(f.stream())
	}
	return f
}
