/*
The draw, as docs/draw.md tells it: where a number stands among count, by the
secret that was published and, where one was named, by the public value that
was mixed in. Everything here is the same for every shopper but the number.
*/
const canDraw = !!(window.crypto && crypto.subtle && window.TextEncoder);

async function sha256(bytes) { return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)); }
function utf8(words) { return new TextEncoder().encode(words); }
function join(...parts) { return new Uint8Array([].concat(...parts.map(part => [...part]))); }
function fromHex(digits) { return Uint8Array.from(digits.match(/../g) || [], pair => parseInt(pair, 16)); }

// Big-endian, in so many bytes. A script's numbers hold 53 bits, a draw has 48.
function big(value, size) {
  return Uint8Array.from({ length: size }, (_, i) => Math.floor(value / 256 ** (size - 1 - i)) % 256);
}

// The place of number, from {seed, sale, count, mixed}; mixed is undefined where
// nothing was named to be mixed in.
async function placeOf(draw, number) {
  const n = draw.count, rows = Math.ceil(Math.sqrt(n)), columns = Math.ceil(n / rows);
  if (!(number < n)) return number;
  const parts = [utf8('waitroom draw 1'), fromHex(draw.seed), utf8(draw.sale), big(n, 8)];
  if (draw.mixed) parts.push(utf8(draw.mixed));
  const key = await sha256(join(...parts.map(part => join(big(part.length, 4), part))));
  let x = number;
  do {
    let row = Math.floor(x / columns), column = x % columns;
    for (let round = 0; round < 8; round++) {
      const hash = await sha256(join(key, [round], big(round % 2 ? row : column, 8)));
      const f = hash.slice(0, 6).reduce((v, b) => v * 256 + b, 0);
      if (round % 2) column = (column + f) % columns;
      else row = (row + f) % rows;
    }
    x = row * columns + column;
  } while (x >= n);
  return x;
}
