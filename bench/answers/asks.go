package main

import "slices"

const shop = "shop.example.com"

// ask is one kind of request, and the status that its answer has.
type ask struct {
	name, what   string
	method, path string
	page         bool   // as a browser asks for a page, else as a script does
	shopper      bool   // with the ticket of who waits
	account      string // that is signed in to the shop
	status       int
}

// flooding is the account that has used up what it may ask.
const flooding = "flood"

// asks are all kinds.
var asks = []ask{
	{name: "page", what: "product page", method: "GET", path: "/waiting", page: true, status: 200},
	{name: "wait", what: "waiting page", method: "GET", path: "/.waitroom/waiting/line", page: true, shopper: true, status: 200},
	{name: "soldout", what: "sold out", method: "POST", path: "/held/buy", status: 409},
	{name: "slowdown", what: "slow down", method: "GET", path: "/.waitroom/held/me", account: flooding, status: 429},
	{name: "status", what: "shared status", method: "GET", path: "/.waitroom/waiting/status", status: 200},
	{name: "me", what: "`me` with a valid ticket", method: "GET", path: "/.waitroom/waiting/me", shopper: true, status: 200},
	{name: "pass", what: "passed on to a local origin", method: "GET", path: "/account", page: true, status: 200},
}

func asked(name string) ask {
	return asks[slices.IndexFunc(asks, func(a ask) bool { return a.name == name })]
}

// fields are what a request carries besides its line and its host, in lower case.
func (a ask) fields(ticket string) [][2]string {
	accept := "application/json"
	if a.page {
		accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	}
	all := [][2]string{
		{"user-agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"},
		{"accept", accept},
		{"accept-language", "en-GB,en;q=0.7"},
		{"accept-encoding", "gzip"},
	}
	if a.shopper && ticket != "" {
		all = append(all, [2]string{"cookie", ticket})
	}
	if a.account != "" {
		all = append(all, [2]string{"cookie", accountCookie + "=" + a.account})
	}
	if a.method == "POST" {
		all = append(all, [2]string{"content-length", "0"})
	}
	return all
}

// expecting is the same with another status.
func (a ask) expecting(status int) ask {
	a.status = status
	return a
}
