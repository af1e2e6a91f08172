/*
What was told, made sound before anything is done with it: a document may come
from another version, or by the hands of others. What cannot be meant is as if it
were not there; without what it has to say at least it is no answer at all.
*/
function whole(x) { return Number.isSafeInteger(x) && x >= 0 ? x : null; }
function amount(x) { return Number.isFinite(x) && x > 0 ? x : 0; }
function instant(x) { return Number.isSafeInteger(x) ? x : NaN; }
function words(x) { return typeof x === 'string' ? x : ''; }
function hash(x) { return /^[0-9a-f]{64}$/.test(words(x)) ? x : ''; }

const ODDS = ['good', 'better_than_even', 'less_than_even', 'small'];

// What went wrong outside of this page: nothing came, or nothing that can be meant.
const unheard = new Error();
function need(good) { if (!good) throw unheard; }

function toldStatus(doc) {
  need(doc && words(doc.state) && whole(doc.head) !== null);
  const s = { state: doc.state, head: doc.head, armed: doc.armed, entered: whole(doc.entered) || 0 };
  for (const name of ['now', 'doors', 'opens', 'closes']) s[name] = instant(doc[name]);
  for (const name of ['drawn', 'hopeless_ahead', 'eta_ahead', 'stock_left', 'stock_held']) s[name] = whole(doc[name]);
  for (const name of ['rate', 'flow']) s[name] = amount(doc[name]);
  for (const name of ['sale', 'run', 'mix', 'mixed', 'message']) s[name] = words(doc[name]);
  for (const name of ['seed', 'commitment']) s[name] = hash(doc[name]);
  s.odds = doc.odds_ahead && ODDS.map(word => whole(doc.odds_ahead[word]));
  return s;
}

function toldMe(doc) {
  need(doc && words(doc.state));
  const wait = amount(doc.poll_after_ms) / 1000;
  return { state: doc.state, invited: doc.invited === true, behind: doc.behind === true, number: whole(doc.number), place: whole(doc.place), wait };
}
