/*
Counting down. The server's clock is the only one: instants are compared with an
instant of the same answer, and from then on counted with performance.now(), so
that a phone with a wrong clock counts right.
*/
let clock, ends, ticking;

// Takes up the countdown of the view that is shown, if it has one.
function wind() {
  clearTimeout(ticking);
  clock = document.querySelector('[data-seconds]');
  if (!clock) return;
  ends = now() + clock.dataset.seconds * 1000;
  tick();
}
function left() { return clock ? Math.max(0, (ends - now()) / 1000) : Infinity; }
function two(n) { return (n < 10 ? '0' : '') + n; }

function tick() {
  if (!clock) return;
  const s = Math.ceil(left()), day = Math.floor(s / 86400), h = Math.floor(s / 3600) % 24, m = Math.floor(s / 60) % 60;
  const asks = data.asks && clock.id !== 'act';
  if (asks) clock.nextElementSibling.hidden = s === 0;
  if (s === 0 && asks) clock.textContent = live.moment;
  else {
    const small = (day || h ? h + ':' + two(m) : m) + ':' + two(s % 60);
    clock.textContent = day ? text('pair', { large: count('day', day), small }) : small;
  }
  clearTimeout(ticking);
  if (s > 0) ticking = setTimeout(tick, (ends - now()) % 1000 + 5);
  else if (asks) later(AGE + spread());
  else {
    clock.parentNode.parentNode.hidden = true;
    clock = null;
  }
}

// Sets the clock by the server's, unless that only moves it by a blink, or by a
// lifetime.
function reset(seconds) {
  const to = Math.max(0, seconds);
  if (!clock || !(to < 1e9) || Math.abs(to - left()) < 2) return;
  ends = now() + to * 1000;
  tick();
}
