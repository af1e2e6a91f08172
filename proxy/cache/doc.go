// Package cache keeps what the origin says may be kept for everybody, within
// a bound of bytes, and answers from it as RFC 9111 and RFC 5861 say.
//
// It knows HTTP and nothing else: no sale, no cookie's meaning, no listener.
//
// What holds at every moment:
//
//   - What is one client's is never another's: an answer that is private, sets a
//     cookie, or was given to who showed something of their own without being
//     declared public, is not kept.
//   - What is kept and what is on its way into it take no more bytes than the
//     bound, but for pages (see Page), which stay.
//   - An answer that can be kept is fetched once for all who ask at that moment.
//     Who asked first may leave, and an origin that stands still holds nobody
//     for longer than a stated time.
//   - What nobody declared cachable is passed on as if there were no cache.
package cache
