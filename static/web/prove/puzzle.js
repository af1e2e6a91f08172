/*
The puzzles of a proof: find for each a nonce, so that the SHA-256 of the seed, the
puzzle's index and the nonce begins with so many bits of zero. What is hashed fits
into one block of SHA-256 (FIPS 180-4). The browser's own SHA-256 answers a promise
for every hash, which takes longer than the hash.
*/
const K = new Int32Array(64), W = new Int32Array(64);

// The constants are the first bits behind the point of the cube roots of primes.
for (let n = 2, found = 0; found < 64; n++) {
  let prime = true;
  for (let d = 2; d * d <= n; d++) if (n % d === 0) prime = false;
  if (prime) K[found++] = (Math.cbrt(n) % 1) * 4294967296;
}

// The first 32 bits of the hash of what stands in W[0..9].
function first() {
  W[10] = 0x80000000;
  W[11] = W[12] = W[13] = W[14] = 0;
  W[15] = 320;
  for (let i = 16; i < 64; i++) {
    const x = W[i - 15], y = W[i - 2];
    W[i] = W[i - 16] + W[i - 7]
      + ((x >>> 7 | x << 25) ^ (x >>> 18 | x << 14) ^ x >>> 3)
      + ((y >>> 17 | y << 15) ^ (y >>> 19 | y << 13) ^ y >>> 10);
  }
  let a = 0x6a09e667, b = 0xbb67ae85 | 0, c = 0x3c6ef372, d = 0xa54ff53a | 0;
  let e = 0x510e527f, f = 0x9b05688c | 0, g = 0x1f83d9ab, h = 0x5be0cd19;
  for (let i = 0; i < 64; i++) {
    const t = h + ((e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7)) + (e & f ^ ~e & g) + K[i] + W[i] | 0;
    const s = ((a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10)) + (a & b ^ a & c ^ b & c) | 0;
    h = g; g = f; f = e; e = d + t | 0;
    d = c; c = b; b = a; a = t + s | 0;
  }
  return 0x6a09e667 + a | 0;
}

// The seed is eight numbers of 32 bits, the hash of the challenge's text.
async function seedOf(text) {
  const sum = new DataView(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return Array.from({ length: 8 }, (none, i) => sum.getInt32(4 * i));
}

// One proof in the making: step() tries so many nonces, and tells how many puzzles
// are solved.
function prover(seed, bits, puzzles) {
  const nonces = new DataView(new ArrayBuffer(4 * puzzles));
  let index = 0, nonce = 0;
  return {
    step(tries) {
      for (let i = 0; i < 8; i++) W[i] = seed[i];
      for (; tries > 0 && index < puzzles; tries--) {
        W[8] = index;
        W[9] = nonce;
        if (first() >>> 32 - bits === 0) {
          nonces.setInt32(4 * index++, nonce);
          nonce = 0;
        } else nonce++;
      }
      return index;
    },
    solution() {
      const bytes = String.fromCharCode(...new Uint8Array(nonces.buffer));
      return btoa(bytes).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
    }
  };
}
