package framing

import "bytes"

const (
	maxFields  = 1000    // of one head
	maxChunk   = 256     // bytes of the line before a chunk, its extension included
	maxTrailer = 4 << 10 // bytes of a trailer section, so that a reader with that buffer sees it whole
)

// Reader follows the messages of one connection, one after the other. It keeps
// where it is, and no bytes.
type Reader struct {
	most  int // bytes of a head
	phase phase
	head  head
	left  int64 // bytes of the body, or of the chunk, that are to come
	line  int   // where the line begins that is read now, in the bytes of Next
	seen  int   // how far it was searched for its end
	no    Refusal
}

type phase uint8

const (
	inHead phase = iota
	inBody
	inSize    // the line before a chunk
	inData    // of a chunk
	inDataEnd // the CR LF behind it
	inTrailer
)

// NewReader is at the beginning of a first message. A head may have so many bytes,
// its line ends included.
func NewReader(most int) *Reader { return &Reader{most: most} }

// Next says how many of the bytes in b are clean as they stand. b begins where
// the last ones ended, and is given again with more behind it as long as the
// answer is 0: a head, the line of a chunk and a trailer section are cleared as a
// whole, a body as it comes, and never more than to the end of a message. A head
// may begin with an empty line. A Refusal is final.
func (r *Reader) Next(b []byte) (n int, no Refusal) {
	if r.no == "" {
		n, r.no = r.next(b)
	}
	return n, r.no
}

func (r *Reader) next(b []byte) (int, Refusal) {
	switch r.phase {
	case inHead:
		return r.readHead(b)
	case inBody, inData:
		n := int(min(int64(len(b)), r.left))
		r.forward(n)
		return n, ""
	case inSize:
		return r.readSize(b)
	case inDataEnd:
		return r.readDataEnd(b)
	default:
		return r.readTrailer(b)
	}
}

// forward goes over bytes of a body.
func (r *Reader) forward(n int) {
	if r.left -= int64(n); r.left > 0 {
		return
	}
	if r.phase == inBody {
		r.enter(inHead)
	} else {
		r.enter(inDataEnd)
	}
}

func (r *Reader) enter(p phase) { r.phase, r.line, r.seen = p, 0, 0 }

// nextLine finds the line that is read now, without its end; false when it is not
// there whole.
func (r *Reader) nextLine(b []byte) (line []byte, ok bool, no Refusal) {
	end := bytes.IndexByte(b[r.seen:], '\n')
	if end < 0 {
		r.seen = len(b)
		return nil, false, ""
	}
	end += r.seen
	line = b[r.line:end]
	r.line, r.seen = end+1, end+1
	if len(line) == 0 || line[len(line)-1] != '\r' {
		return nil, false, LineEnd
	}
	line = line[:len(line)-1]
	if bytes.IndexByte(line, '\r') >= 0 || bytes.IndexByte(line, 0) >= 0 {
		return nil, false, LineEnd
	}
	return line, true, ""
}

func (r *Reader) readHead(b []byte) (int, Refusal) {
	if r.seen == 0 && len(b) > 0 {
		r.head = head{switches: r.head.switches}
		if classes[b[0]]&inToken == 0 && b[0] != '\r' {
			return 0, RequestLine // it never becomes one
		}
	}
	for {
		at := r.line
		line, ok, no := r.nextLine(b)
		switch {
		case r.seen > r.most:
			return 0, Large
		case no != "":
			return 0, no
		case !ok:
			return 0, ""
		case len(line) > 0 && !r.head.begun:
			no = r.head.readLine(line, at)
		case len(line) > 0:
			no = r.head.readField(line, at)
		case r.head.begun:
			return r.endHead(b)
		case at > 0 || r.head.switches:
			no = RequestLine
		default:
			r.head.blank = r.line // tolerated once before a request (RFC 9112, 2.2)
		}
		if no != "" {
			return 0, no
		}
	}
}

// endHead is at the empty line behind the fields.
func (r *Reader) endHead(b []byte) (int, Refusal) {
	if no := r.head.judge(b); no != "" {
		return 0, no
	}
	n := r.line
	switch {
	case r.head.chunked:
		r.enter(inSize)
	case r.head.length > 0:
		r.enter(inBody)
		r.left = r.head.length
	default:
		r.enter(inHead)
	}
	return n, ""
}
