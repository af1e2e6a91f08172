/*
The draw, as docs/draw.md tells it: where a number stands among count, by the
secret that was published and, where one was named, by the public value that
was mixed in. Everything here is the same for every shopper but the number.
*/
var canDraw = !!(window.crypto && crypto.subtle && window.TextEncoder);

function sha256(bytes) {
  return crypto.subtle.digest('SHA-256', bytes).then(function (sum) { return new Uint8Array(sum); });
}
function utf8(words) { return new TextEncoder().encode(words); }
function fromHex(digits) {
  return Uint8Array.from(digits.match(/../g) || [], function (pair) { return parseInt(pair, 16); });
}
function toHex(bytes) {
  return Array.from(bytes, function (b) { return (b < 16 ? '0' : '') + b.toString(16); }).join('');
}

// Big-endian, in so many bytes. A script's numbers hold 53 bits, a draw has 48.
function big(value, size) {
  var bytes = new Uint8Array(size);
  for (var i = size - 1; i >= 0; i--, value = Math.floor(value / 256)) bytes[i] = value % 256;
  return bytes;
}
function join(parts) {
  var bytes = new Uint8Array(parts.reduce(function (n, p) { return n + p.length; }, 0)), end = 0;
  parts.forEach(function (p) { bytes.set(p, end); end += p.length; });
  return bytes;
}

// The commitment that belongs to a seed; both in hexadecimal.
function commitmentOf(seed) { return sha256(fromHex(seed)).then(toHex); }

// The place of number, from {seed, sale, count, mixed}; mixed is undefined where
// nothing was named to be mixed in. Gives a promise.
function placeOf(draw, number) {
  var n = draw.count, rows = Math.ceil(Math.sqrt(n)), columns = Math.ceil(n / rows), key;
  var parts = [utf8('waitroom draw 1'), fromHex(draw.seed), utf8(draw.sale), big(n, 8)];
  if (draw.mixed !== undefined) parts.push(utf8(draw.mixed));

  function distance(round, stays) {
    return sha256(join([key, [round], big(stays, 8)])).then(function (sum) {
      return sum.slice(0, 6).reduce(function (v, b) { return v * 256 + b; }, 0);
    });
  }
  function rounds(round, row, column) {
    if (round === 8) return row * columns + column;
    return distance(round, round % 2 ? row : column).then(function (f) {
      return round % 2 ? rounds(round + 1, row, (column + f) % columns) : rounds(round + 1, (row + f) % rows, column);
    });
  }
  function walk(x) {
    return Promise.resolve(rounds(0, Math.floor(x / columns), x % columns)).then(function (y) { return y < n ? y : walk(y); });
  }

  if (!(number < n)) return Promise.resolve(number);
  return sha256(join(parts.map(function (p) { return join([big(p.length, 4), p]); }))).then(function (sum) {
    key = sum;
    return walk(number);
  });
}
