package proxy

import (
	"io"
	"net/http"
	"strings"
	"sync"
)

// answerBody is an answer's body, whose trailer says nothing that is not for the
// shopper: nobody reads a command there, and a cookie would come past all that decides
// about cookies.
type answerBody struct {
	io.ReadCloser
	resp *http.Response
	once sync.Once
	err  error // of its end
}

// newAnswerBody takes over the body of an answer.
func newAnswerBody(resp *http.Response) *answerBody {
	b := &answerBody{ReadCloser: resp.Body, resp: resp}
	cleanTrailer(resp.Trailer) // what is announced
	resp.Body = b
	return b
}

// Close ends the answer, once. By then its trailer is there.
func (b *answerBody) Close() error {
	b.once.Do(func() { b.err = b.ReadCloser.Close() })
	cleanTrailer(b.resp.Trailer)
	return b.err
}

func cleanTrailer(h http.Header) {
	for name := range h {
		switch folded := foldField(name); {
		case strings.HasPrefix(folded, strings.ToLower(ownFields)), strings.HasPrefix(folded, "set-cookie"):
			delete(h, name)
		}
	}
}
