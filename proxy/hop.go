package proxy

import (
	"net/http"
	"strings"
)

// hopFields are meant for one hop only (RFC 9110, 7.6.1).
var hopFields = []string{
	"Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authorization",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// removeHopFields removes them and what Connection nominates. The standard
// proxy does so with requests and final answers, but not with interim ones.
func removeHopFields(h http.Header) {
	for _, line := range h.Values("Connection") {
		for name := range strings.SplitSeq(line, ",") {
			h.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range hopFields {
		h.Del(name)
	}
}
