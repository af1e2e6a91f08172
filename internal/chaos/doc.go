// Package chaos plays short sales on real stores that are broken on purpose, and
// balances gate and books afterwards.
//
// A round has the gate, two workers and buyers in one process, a Redis (single,
// watched by Sentinels, or a Cluster) and a Postgres of its own, and relays
// between them. At the end one balance is drawn: start stock = left + in transit +
// held + sold, in Redis and in Postgres, every yes has its order or its refusal,
// and every payment its outcome. What Redis was made to forget is the only excuse
// for a lost yes, and never one for a unit that was sold twice.
//
// Every choice of a round comes from its seed, which a failing round prints with
// the last hundred things that happened in it. WAITROOM_SEED begins with that
// round, WAITROOM_ROUNDS says how many are played.
package chaos
