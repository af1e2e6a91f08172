/*
Where a shopper stands, from the shared status and the page's own number alone,
by the rules by which an edge answers `me`.
*/
function given(value) { return value === undefined ? null : +value; }

var number = given(data.number), place = given(data.place), drawnBy = '', speed = 0, seen = null;

// What the draw of a status is made of; undefined before it was held.
function drawOf(s) {
  if (!s.seed || typeof s.drawn !== 'number') return undefined;
  return { seed: s.seed, sale: s.run || s.sale, count: s.drawn, mixed: s.mix ? s.mixed : undefined };
}

// Finds the place, once for each draw. A room has no draw: there the number is
// the place. Without means to compute it, it stays as the page was told.
function locate(s) {
  var draw = drawOf(s), name = JSON.stringify(draw);
  if (!s.commitment && place === null) place = number;
  if (!draw || number === null || name === drawnBy || !canDraw) return Promise.resolve();
  return placeOf(draw, number).then(function (found) { place = found; drawnBy = name; });
}

// The name of the view to show; 'called' when something private begins; empty
// when it cannot be told from here.
function standing(s) {
  if (among('paused sold_out ended', s.state)) return s.state;
  if (s.state === 'doors') return number === null ? '' : 'lottery';
  if (place === null || !among('open all_held', s.state)) return '';
  if (place < s.head || s.armed === false) return s.state === 'open' ? 'called' : s.state;
  if (typeof s.hopeless_ahead === 'number' && place - s.head >= s.hopeless_ahead) return 'hopeless';
  return s.state === 'open' ? 'waiting' : s.state;
}

function aheadOf(s) { return Math.max(0, place - s.head); }

// The head may move faster than the rate, because many do not come: its speed is
// watched from one status to the next.
function watch(s) {
  if (seen && s.now > seen.now) speed += ((s.head - seen.head) / (s.now - seen.now) * 1000 - speed) / 2;
  seen = s;
}

// Seconds until called, [at the soonest, at the latest]: at the speed of the head,
// and when everyone ahead takes their turn.
function estimate(s) {
  var ahead = aheadOf(s), open = Math.max(0, (s.closes - s.now) / 1000) || Infinity;
  if (!(s.rate > 0)) return [0, 0];
  return [Math.min(ahead / Math.max(s.rate, speed), open), Math.min((ahead + 1) / s.rate, open)];
}
