package origin

import (
	"bufio"
	"bytes"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
)

// plainAnswer reads the head of an answer that is written as nearly all are: it has come
// whole, every line of it ends in CR LF, and the length of the body is said once (RFC
// 9112, 6.3). Any other one, or one with a field that means something to the connection,
// is left where it is, for http.ReadResponse to judge: then there is none.
func plainAnswer(in *bufio.Reader) *http.Response {
	buffered, _ := in.Peek(in.Buffered())
	end := bytes.Index(buffered, []byte("\r\n\r\n"))
	if end < 0 {
		return nil
	}
	head := string(buffered[:end+2])
	line, rest, _ := strings.Cut(head, "\r\n")
	status, ok := plainStatus(line)
	if !ok {
		return nil
	}
	resp := &http.Response{
		Status: line[len("HTTP/1.1 "):], StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1,
	}
	if !readFields(resp, rest) || resp.ContentLength < 0 {
		return nil
	}
	if resp.Close {
		delete(resp.Header, "Connection") // as http.ReadResponse does
	}
	_, _ = in.Discard(end + 4) // it is there
	return resp
}

// plainStatus is that of a status line which has one and an answer with a body to it.
func plainStatus(line string) (int, bool) {
	const version = "HTTP/1.1 "
	if !isFieldValue(line) || len(line) < len(version)+3 || line[:len(version)] != version || len(line) > len(version)+3 && line[len(version)+3] != ' ' {
		return 0, false
	}
	status, err := strconv.ParseUint(line[len(version):len(version)+3], 10, 16)
	if err != nil || status < 200 || status == http.StatusNoContent || status == http.StatusNotModified {
		return 0, false
	}
	return int(status), true
}

// readFields reads the lines of a head, each with its end.
func readFields(resp *http.Response, lines string) bool {
	n := strings.Count(lines, "\r\n")
	resp.Header = make(http.Header, n)
	values := make([]string, n) // one piece of memory for all fields that come once
	for lines != "" {
		var line string
		line, lines, _ = strings.Cut(lines, "\r\n")
		name, value, ok := strings.Cut(line, ":")
		if !ok || name == "" || !isFieldValue(value) {
			return false
		}
		if name, ok = canonical(name); !ok {
			return false
		}
		value = strings.Trim(value, " \t")
		if !noteField(resp, name, value) {
			return false
		}
		if before, again := resp.Header[name]; again {
			resp.Header[name] = append(before, value)
			continue
		}
		values[0] = value
		resp.Header[name], values = values[:1:1], values[1:]
	}
	return true
}

// noteField takes what a field means for the connection. It reports whether that is
// plain.
func noteField(resp *http.Response, name, value string) bool {
	switch name {
	case "Content-Length":
		n, err := strconv.ParseUint(value, 10, 63)
		if err != nil || resp.ContentLength >= 0 {
			return false
		}
		resp.ContentLength = int64(n)
	case "Connection":
		resp.Close = strings.EqualFold(value, "close")
		return (resp.Close || strings.EqualFold(value, "keep-alive")) && resp.Header[name] == nil
	case "Transfer-Encoding", "Trailer", "Pragma", "Upgrade":
		return false
	}
	return true
}

// canonical is a field's name as http.Header has it. Most servers write it so.
func canonical(name string) (string, bool) {
	upper, is := true, true
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z':
			is = is && !upper
		case c >= 'A' && c <= 'Z':
			is = is && upper
		case c >= '0' && c <= '9', c == '-', c == '_':
		default:
			return "", false // no letter, or none that is usual
		}
		upper = c == '-'
	}
	if is {
		return name, true
	}
	return textproto.CanonicalMIMEHeaderKey(name), true
}

// isFieldValue reports whether all of a value may stand there (RFC 9110, 5.5).
func isFieldValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
