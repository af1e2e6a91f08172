package proxy

import (
	"strconv"
)

// said is what JSON says, at the end of what is there. Answers that are given by the
// million are written so; what they say needs no escapes.
type said interface{ appendTo(b []byte) []byte }

func (m *me) appendTo(b []byte) []byte { return append(m.appendFields(append(b, '{')), '}') }

func (m *me) appendFields(b []byte) []byte {
	b = append(append(append(b, `"state":"`...), m.State...), '"')
	b = appendNumber(b, `,"number":`, m.Number, m.HasNumber)
	if m.Invited {
		b = append(b, `,"invited":true`...)
	}
	if m.Behind {
		b = append(b, `,"behind":true`...)
	}
	b = appendNumber(b, `,"place":`, m.Place, m.HasPlace)
	b = appendNumber(b, `,"ahead":`, m.Ahead, m.HasAhead)
	b = appendNumber(b, `,"eta_low_s":`, uint64(m.standing.Low.Seconds()), m.ETA)
	b = appendNumber(b, `,"eta_high_s":`, uint64(m.standing.High.Seconds()), m.ETA)
	if m.Odds == "" {
		b = append(b, `,"odds":null`...)
	} else {
		b = append(append(append(b, `,"odds":"`...), m.Odds...), '"')
	}
	if m.HasLeft {
		b = strconv.AppendInt(append(b, `,"stock_left":`...), int64(m.Left), 10)
		b = strconv.AppendInt(append(b, `,"stock_held":`...), int64(m.Held), 10)
	}
	return strconv.AppendInt(append(b, `,"poll_after_ms":`...), m.poll.Milliseconds(), 10)
}

// appendNumber appends a field; null: it is not known.
func appendNumber(b []byte, name string, n uint64, known bool) []byte {
	if b = append(b, name...); known {
		return strconv.AppendUint(b, n, 10)
	}
	return append(b, "null"...)
}

// appendText appends a field whose text needs no escapes.
func appendText(b []byte, name, text string) []byte {
	return append(append(append(b, name...), text...), '"')
}

func (a *asked) appendTo(b []byte) []byte {
	return append(appendText(a.appendFields(append(b, '{')), `,"challenge":"`, a.Challenge), '}')
}

func (s *stoodBehind) appendTo(b []byte) []byte {
	return append(appendText(s.appendFields(append(b, '{')), `,"reason":"`, string(s.Reason)), '}')
}

func (p *passGiven) appendTo(b []byte) []byte {
	b = strconv.AppendInt(append(p.appendFields(append(b, '{')), `,"admitted_at":`...), p.AdmittedAt, 10)
	if p.Again {
		b = append(b, `,"again":true`...)
	}
	return append(b, '}')
}
