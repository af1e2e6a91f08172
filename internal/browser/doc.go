// Package browser has the tests that only a real browser can answer: what the
// pages of package static do while they are open. It starts one Chromium for all
// of them, and gives each test a window of its own.
package browser
