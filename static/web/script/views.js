/*
Changing the page in place. What everybody may be shown lies in the page as
templates, made by the same layout; the one for where the shopper stands takes
the place of the one before. Nothing is loaded, the scroll stays where it is,
and the focus only moves if what had it is gone.
*/
function common(name) { return !!at('view-' + name); }

function show(name, s) {
  const changed = name !== data.page;
  if (changed) swap(name);
  const words = dress(s);
  if (changed) say(title() + '. ' + words.said, true);
  else if (words.said) say(words.said, words.milestone);
}

function title() { return document.querySelector('h1').textContent; }

function swap(name) {
  shed = shed || name === 'hopeless';
  due = '';
  const view = at('view'), ready = at('view-' + name), focused = view.contains(document.activeElement);
  const holes = { sale: data.name, opens: opening() }, icon = document.querySelector('link[rel=icon]');
  view.textContent = '';
  view.append(ready.content.cloneNode(true));
  view.querySelectorAll('.sale, .lead, li').forEach(part => {
    part.textContent = fill(part.textContent, holes);
  });
  view.querySelectorAll('a.shop').forEach(link => { link.href = data.href; });
  body.className = ready.dataset.tone;
  data.page = name;
  document.title = fill(ready.dataset.title, holes);
  icon.href = icon.href.replace(/%23[0-9a-f]{6}/, '%23' + ready.dataset.colour);
  at('note').textContent = '';
  band = '';
  offer();
  if (name === 'chance') ring(title());
  wind();
  if (focused) {
    view.querySelector('h1').tabIndex = -1;
    view.querySelector('h1').focus({ preventScroll: true });
  }
}

// A value, hidden with its label where there is none.
function put(id, value) {
  const part = at(id);
  if (!part) return;
  part.textContent = value;
  if (part.tagName === 'DD') part.parentNode.hidden = value === '';
}

function note(words) {
  const n = at('note');
  if (n.textContent === (words || '')) return;
  n.textContent = words || '';
  n.hidden = !words;
  if (words) say(words, true);
}

// What is a milestone once it is another: how long the number is, and the chance.
let band = '';

// Fills the view in with what the status says, and tells what is worth saying.
function dress(s) {
  note(s.message);
  if (at('doors')) reset((s.doors - s.now) / 1000);
  if (at('closes')) reset((s.closes - s.now) / 1000);
  if (at('draw') || at('opening')) reset((s.opens - s.now) / 1000);
  if (at('opening')) document.querySelector('.figure').hidden = overdue(s);
  put('number', number === null ? '' : numbers.format(number));
  const drawn = s.drawn === null ? s.entered : s.drawn;
  put('entered', drawn ? numbers.format(drawn) : '');
  put('drawn', numbers.format(drawn));
  put('drawn-label', count('drawn', drawn));
  put('left', s.stock_left > 0 ? numbers.format(s.stock_left) : '');
  put('held', s.stock_held > 0 ? numbers.format(s.stock_held) : '');
  put('odds', odds(s));
  explain(s);
  put('mix', s.mix);
  put('awaits', overdue(s) ? s.mix : '');
  if (at('proof')) prove();
  if (data.page === 'hopeless') put('ahead', place === null ? '' : numbers.format(aheadOf(s)));
  return among('waiting near chance late', data.page) ? follow(s) : { said: '' };
}

// Why the place is where it is.
function explain(s) {
  const because = at('because');
  if (!because) return;
  because.textContent = place === null ? '' : live['why.' + (behind ? 'behind' : late(s) ? 'late' : 'drawn')];
  because.hidden = place === null;
}

// The line as it comes nearer.
function follow(s) {
  const figure = document.querySelector('.figure'), meter = at('meter');
  if (figure) figure.hidden = place === null;
  if (place === null) return { said: '' };
  const moves = data.page !== 'late', wait = moves ? span(...estimate(s)) : '', chance = moves && !inRoom ? odds(s) : '';
  const n = aheadOf(s), now = numbers.format(n).length + chance, known = band;
  put('ahead', numbers.format(n));
  put('ahead-label', count('ahead', n));
  put('wait', wait);
  if (meter) {
    const first = start(s, n);
    meter.hidden = !first;
    meter.max = first || 1;
    meter.value = clamp(0, first - n, meter.max);
  }
  if (data.page === 'waiting') document.title = text('title', { n: numbers.format(n), sale: data.name });
  band = now;
  return {
    said: count('say', n) + (wait ? ' ' + text('say.wait', { wait: wait }) : '') + (chance ? ' ' + text('say.odds', { odds: chance }) : ''),
    milestone: known && known !== now,
  };
}

// How many were ahead at first: for who was drawn, all before the own place; for
// who came while the line was moving, as many as this browser saw first.
const starts = {};

function start(s, n) {
  if (s.drawn !== null && !late(s)) return place;
  const name = 'waitroom start ' + (s.run || s.sale) + ' ' + place;
  try {
    starts[name] = Math.max(starts[name] || 0, sessionStorage.getItem(name), n);
    sessionStorage.setItem(name, starts[name]);
  } catch (e) {
    starts[name] = Math.max(starts[name] || 0, n);
  }
  return starts[name];
}
