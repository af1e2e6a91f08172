/*
The page and its texts. The pages' texts are chosen by the server; what changes
while a page is open is said here, by the same rules as words.go.
*/
const body = document.body, data = body.dataset;
const live = JSON.parse(document.getElementById('live').dataset.live), lang = document.documentElement.lang;
// Older phones have none: there it is one, or more.
const plurals = window.Intl && Intl.PluralRules ? new Intl.PluralRules(lang) : { select: n => n === 1 ? 'one' : 'day.other' in live ? 'other' : 'many' };

// By the same few facts as the server, so that no browser's own habits change the digits
// under the reader.
const groups = live.lakhs ? /\B(?=(\d\d)*\d{3}$)/g : /\B(?=(\d{3})+$)/g;
const numbers = { format: n => n < +live.least ? String(n) : String(n).replace(groups, live.group) };

// Milliseconds since the page was loaded.
function now() { return performance.now(); }
function at(id) { return document.getElementById(id); }
function among(list, word) { return list.split(' ').includes(word); }
function clamp(low, x, high) { return Math.max(low, Math.min(high, x)); }
function pause(wait) { return new Promise(done => setTimeout(done, wait)); }

// What stands in a hole is set apart where it may be written in another direction than
// the text around it: in a text from right to left each.
const apart = document.documentElement.dir === 'rtl' ? /./ : /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;
function isolate(value) { return apart.test(value) ? '\u2068' + value + '\u2069' : value; }
function fillPlain(words, holes, dress) {
  return words.replace(/\{(\w+)\}/g, (hole, key) => !(key in holes) ? hole : dress ? dress(holes[key]) : holes[key]);
}
function fill(words, holes) { return fillPlain(words, holes, isolate); }
function text(name, holes) { return fill(live[name] || '', holes || {}); }
function count(name, n) {
  const form = name + '.' + plurals.select(n);
  return text(form in live ? form : name + '.other', { n: numbers.format(n) });
}
function span(low, high) {
  if (!(high > 0 && high <= 30 * 86400)) return '';
  if (high <= 60) return live.soon;
  const [unit, name] = high > 172800 ? [86400, 'day'] : high > 5400 ? [3600, 'hour'] : [60, 'minute'];
  const from = Math.floor(low / unit), to = Math.ceil(high / unit);
  return text(from < 1 ? 'upto' : from === to ? 'about' : 'between', { from: numbers.format(from), to: count(name, to) });
}

// What a screen reader is told: milestones, or every half minute.
let said = '', saidAt = 0;

function say(words, milestone) {
  if (words === said || (!milestone && now() - saidAt < 30000)) return;
  said = words;
  saidAt = now();
  at('say').textContent = words;
}
