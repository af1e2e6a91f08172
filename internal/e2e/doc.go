// Package e2e plays whole sales against the two programs as processes of their
// own, with a real Redis and a real Postgres, and looks at the books afterwards.
//
// It knows the programs as a shop does: by their files, their addresses, their
// exit codes and the tables that others may read. Every random choice comes from
// a seed, which a failing round prints; WAITROOM_SEED plays it again.
// WAITROOM_ROUNDS plays more, and every failover on every topology.
//
// And it puts an edge in front of a shop that runs today (see package shop), and
// has curl, Chromium, WebSockets and others do there what they do all day.
// WAITROOM_CLIENTS=whole does what takes long in full: 1 GiB each way, streams and
// silences of minutes, a hundred thousand names.
package e2e
