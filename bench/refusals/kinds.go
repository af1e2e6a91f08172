package main

import (
	"fmt"
	"strings"
)

// kind is one kind of request.
type kind struct {
	name    string
	status  int
	request request
	anew    bool // on a connection of its own each time
	http1   bool // there is no such thing over HTTP/2
	nginx   bool // asked of nginx
	peer    bool // what others are measured against
}

// request is what is sent.
type request struct {
	method, path, host string
	fields             []string // name and value
	raw                string   // instead of all that
}

func (r request) text() string {
	if r.raw != "" {
		return r.raw
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", r.method, r.path, r.host)
	for i := 0; i < len(r.fields); i += 2 {
		fmt.Fprintf(&b, "%s: %s\r\n", r.fields[i], r.fields[i+1])
	}
	if r.method == "POST" {
		b.WriteString("Content-Length: 0\r\n")
	}
	b.WriteString("\r\n")
	return b.String()
}

// kinds are all that are measured, what is passed on before all others.
func (st *stage) kinds() []kind {
	script := []string{"Accept", "application/json", "Accept-Encoding", "gzip", "User-Agent", "Mozilla/5.0"}
	page := []string{"Accept", "text/html", "Sec-Fetch-Mode", "navigate", "Accept-Encoding", "gzip", "User-Agent", "Mozilla/5.0"}
	get := func(path string, fields ...string) request {
		return request{method: "GET", path: path, host: shop, fields: append(fields, script...)}
	}
	post := func(path string, fields ...string) request {
		r := get(path, fields...)
		r.method = "POST"
		return r
	}
	asPage := post("/held/buy")
	asPage.fields = page
	elsewhere := get("/login")
	elsewhere.host = "other.example.com"
	as := func(s *shopper) []string { return []string{"Cookie", s.cookie()} }
	refused := append(as(st.waiting), "Cookie", "session="+flooding)
	all := []kind{
		{name: "passed on to the shop", status: 200, request: get("/login"), peer: true},
		{name: "sold out", status: 409, request: post("/held/buy")},
		{name: "sold out, with a ticket", status: 409, request: post("/held/buy", as(st.held)...)},
		{name: "sold out, as a page", status: 409, request: asPage},
		{name: "above a limit", status: 429, request: get("/.waitroom/waiting/me", refused...)},
		{name: "`me`, waiting", status: 200, request: get("/.waitroom/waiting/me", as(st.waiting)...)},
		{name: "`me`, hopeless", status: 200, request: get("/.waitroom/hopeless/me", as(st.hopeless)...)},
		{name: "a buy with a ticket, before its turn", status: 429, request: post("/waiting/buy", as(st.waiting)...)},
		{name: "a ticket that nobody asked for (`Sec-Purpose`)", status: 429, request: post("/.waitroom/waiting/ticket", "Sec-Purpose", "prefetch")},
		{name: "another shop's name", status: 421, request: elsewhere},
		{name: "the shared status", status: 200, request: get("/.waitroom/waiting/status")},
	}
	if st.nginx != "" {
		all = append(all, kind{name: "nginx, `return 429`", status: 429, request: get("/login"), nginx: true})
	}
	all = append(all,
		kind{name: "passed on to the shop, on a new connection", status: 200, request: get("/login"), anew: true, http1: true, peer: true},
		kind{name: "two lengths of a body, on a new connection", status: 400, anew: true, http1: true,
			request: request{raw: "POST /login HTTP/1.1\r\nHost: " + shop + "\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"}})
	if st.nginx != "" {
		all = append(all, kind{name: "nginx, `return 429`, on a new connection", status: 429, request: get("/login"), anew: true, http1: true, nginx: true})
	}
	return all
}
