// Package shop is a storefront as they run today, for the tests that put waitroom
// in front of it: people log in with a form that has a CSRF field, send and fetch
// files, listen to event streams and WebSockets, come back from a payment
// provider on another site, and scripts call its API.
//
// It knows nothing of waitroom. What it can check itself it checks as frameworks
// do, by Host, Origin and X-Forwarded-Proto, so that a request which a proxy has
// bent is refused; and it remembers every request as it arrived.
package shop
