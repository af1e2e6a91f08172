// Package cachetests runs the public tests for HTTP caches (npm package
// http-cache-tests, in the version that testdata/package.json names) against
// waitroom, and against nginx and Varnish beside it.
//
// It owns the processes: the suite's own origin and client, and the caches in
// between, all on loopback. It changes nothing of the suite, and judges as the
// suite's own page does: a behaviour whose premise did not come about, or that
// builds on one that did not pass, is neither shown nor refuted.
//
// The suite knows three kinds. What is required, RFC 9111 demands; what is
// optimal only makes a cache more useful; and a check only asks how a cache does
// it, so that neither answer is better.
package cachetests
