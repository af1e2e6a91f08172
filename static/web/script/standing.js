/*
Where a shopper stands, from the shared status and the page's own number alone,
by the rules by which an edge answers `me`.
*/
function given(value) { return value === undefined ? null : +value; }

let number = given(data.number), place = given(data.place), behind = 'behind' in data, drawnBy = '', speed = 0, seen = null;

// Whether this page has told that it is hopeless: in line again, it is not as if nothing had been.
let shed = among('hopeless chance', data.page);

// What the draw of a status is made of; undefined before it was held.
function drawOf(s) {
  if (!s.seed || s.drawn === null) return undefined;
  return { seed: s.seed, sale: s.run || s.sale, count: s.drawn, mixed: s.mix ? s.mixed : undefined };
}

// Finds the place, once for each draw. A room has no draw: there the number is
// the place, and so it is behind a draw, where those follow first who were put
// there. Without means to compute it, it stays as the page was told.
async function locate(s) {
  const draw = drawOf(s), name = JSON.stringify(draw);
  if (late(s)) place = behind ? s.drawn + number : number;
  else if (inRoom && place === null) place = number;
  if (!draw || number === null || late(s) || name === drawnBy || !canDraw) return;
  place = await placeOf(draw, number);
  drawnBy = name;
}

// The name of the view to show; 'called' when something private begins; empty
// when it cannot be told from here.
function standing(s) {
  if (among('paused sold_out ended', s.state)) return s.state;
  if (s.state === 'doors') return number === null ? '' : unheld(s);
  if (place === null || !among('open all_held', s.state)) return '';
  if (called(s) || s.armed === false) return s.state === 'open' ? 'called' : s.state;
  if (hopeless(s)) return 'hopeless';
  return s.state !== 'open' ? s.state : inLine(s);
}

// Nearly there is who is called within a minute, at the latest. It stays so unless
// the line stops, or all but stops: nobody is sent back and forth.
function inLine(s) {
  const ahead = aheadOf(s), { fast, slow } = pace(s);
  const near = slow > 0 && (!untold(s) && (ahead + 1) / slow <= 60 || data.page === 'near' && ahead / fast <= 300);
  return near ? 'near' : shed ? 'chance' : 'waiting';
}

function called(s) { return place !== null && place < s.head; }
// The chance in one word, as far as it is told: the words hold for so many people
// ahead and fewer, or for so many and more.
function odds(s) {
  if (!s.odds || place === null || called(s)) return '';
  const ahead = aheadOf(s), [good, better, less, small] = s.odds;
  const upTo = n => n !== null && ahead <= n, from = n => n !== null && ahead >= n;
  const word = upTo(good) ? 0 : upTo(better) ? 1 : from(small) ? 3 : from(less) ? 2 : 4;
  return live['odds.' + (ODDS[word] || 'uncertain')];
}

function hopeless(s) { return s.hopeless_ahead !== null && aheadOf(s) >= s.hopeless_ahead; }
function aheadOf(s) { return Math.max(0, place - s.head); }

// A draw whose lottery is closed waits for the public value that is mixed in.
function overdue(s) { return !!s.mix && !s.mixed && s.drawn !== null; }

// Who was put there, or entered after the lottery was closed, stands behind the draw.
function late(s) { return number !== null && s.drawn !== null && (behind || number >= s.drawn); }

// The view of one who has a number in a draw that is not held.
function unheld(s) { return overdue(s) ? late(s) ? 'late' : 'overdue' : behind ? 'behind' : 'lottery'; }

// The head may move faster than the rate, because many do not come: its speed is
// watched from one status to the next.
function watch(s) {
  if (seen && s.now > seen.now) speed += ((s.head - seen.head) / (s.now - seen.now) * 1000 - speed) / 2;
  seen = s;
}

// Seconds until called, none where that cannot be told, [at the soonest, at the latest]: at the speed of the head,
// and when everyone ahead takes their turn. A room's head may have to wait until
// somebody leaves, so there the flow of late tells, a third faster or slower, but
// never more than the rate of now gives: as an edge says it. Where nobody can tell the
// latest, it is 0: with so many ahead one waits for others to let their passes end.
function estimate(s) {
  const ahead = aheadOf(s), open = Math.max(0, (s.closes - s.now) / 1000) || Infinity, { fast, slow } = pace(s);
  if (!(slow > 0)) return [0, 0];
  return [Math.min(ahead / fast, open), untold(s) ? 0 : Math.min((ahead + 1) / slow, open)];
}

function pace(s) {
  const flow = s.flow || Infinity;
  return { fast: Math.min(Math.max(s.rate, speed), flow * 4 / 3), slow: Math.min(s.rate, flow * 2 / 3) };
}
function untold(s) { return s.eta_ahead !== null && aheadOf(s) >= s.eta_ahead; }
