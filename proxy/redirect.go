package proxy

import (
	"net"
	"net/http"
)

// redirect sends plain HTTP to HTTPS, under the same name, if it is one of ours:
// nobody is led to strangers. Only GET and HEAD are sent on: a posted body must
// not travel in the clear twice.
func redirect(https net.Addr, ours func() hosts) http.Handler {
	port := ""
	if _, p, err := net.SplitHostPort(https.String()); err == nil && p != "443" {
		port = ":" + p
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := foldHost(r.Host)
		if host == "" {
			http.Error(w, "no host", http.StatusBadRequest)
			return
		}
		w.Header().Set("Connection", "close")
		if !ours().serve(host) {
			http.Error(w, "unknown host", http.StatusMisdirectedRequest)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.Error(w, "use https", http.StatusForbidden)
			return
		}
		if net.ParseIP(host) != nil && net.ParseIP(host).To4() == nil {
			host = "[" + host + "]"
		}
		w.Header().Set("Location", "https://"+host+port+r.URL.RequestURI())
		w.WriteHeader(http.StatusMovedPermanently)
	})
}
