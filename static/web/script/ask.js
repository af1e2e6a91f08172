/*
Asking. The shared status is the same question and the same answer for
everybody. Only when something private begins (one's own turn, an order) is the
shopper's own standing asked for, and the page loaded anew.
*/
const base = '/.waitroom/' + encodeURIComponent(data.sale) + '/';
let timer = 0, asked = -1e9, failures = 0, busy = false, state, next = 0, atHand = false;

// What a page that is no common one makes of an answer.
let own = null;

// Only what is the shopper's own is asked with cookies.
async function get(path) {
  const stop = window.AbortController && new AbortController() || { abort() {} };
  const credentials = path === 'status' ? 'omit' : 'same-origin';
  const hear = async () => {
    const answer = await fetch(base + path, { signal: stop.signal, credentials, headers: { Accept: 'application/json' } });
    need(answer.ok);
    return { doc: await answer.json(), date: Date.parse(answer.headers.get('Date')) };
  };
  try {
    return await Promise.race([hear(), pause(10000).then(need)]);
  } catch (e) {
    throw unheard;
  } finally {
    stop.abort();
  }
}

// A page that nobody looks at asks nothing, but for the one that has promised to
// call back, and who asked to be told.
function away() { return document.hidden && !bell && data.page !== 'hopeless'; }

async function ask(privately) {
  clearTimeout(timer);
  if (!data.asks || busy || gone || away()) return;
  // Whatever set it off, a page asks nothing to which it would be told the same again.
  if (asked + AGE > now()) return later(asked + AGE - now(), privately);
  busy = true;
  asked = now();
  try {
    const answer = await get(data.asks);
    await (own || shared)(answer, privately);
    found();
  } catch (e) {
    // What this page cannot do itself, it has to be given.
    if (e !== unheard) return renewIn(1000 * (+data.refresh || 10));
    lost();
  }
  busy = false;
  later(distance());
}

function later(wait, privately) {
  clearTimeout(timer);
  if (data.asks) timer = setTimeout(() => ask(privately), wait);
}

async function askMe() {
  const m = toldMe((await get('me')).doc);
  next = m.wait;
  atHand = next > 0 && next < 1; // a unit that comes back is theirs before others'
  return m;
}

function found() {
  if (failures > 1) say(live.found, true);
  failures = 0;
  at('lost').hidden = true;
}

// One lost answer is nothing to tell; a second one is.
function lost() {
  if (++failures < 2) return;
  at('lost').hidden = false;
  say(live.lost, true);
}

function look(answer) {
  const s = toldStatus(answer.doc);
  watch(s);
  keepSeal(s);
  return s;
}

async function shared(answer, privately) {
  const s = look(answer);
  await locate(s);
  const view = standing(s), changed = view !== data.page;
  // Who was called may have got one in another window: "sold out" is not for them.
  const theirs = changed && called(s) && among('sold_out ended', view);
  // A unit that comes back is gone before everybody has a new status.
  const first = view === 'all_held' && called(s) && (changed || state === undefined || atHand);
  const isPrivate = !view || view === 'called' || theirs || first || privately;
  if (!isPrivate) {
    if (!changed) fits();
    show(view, s);
  }
  else if (due && view === 'called') return; // has been told, and waits for somebody to look
  else if (view === 'called' && inRoom) go(view); // the page itself comes in, or says when to try again
  else {
    if (changed && view !== 'called' && state !== undefined) await pause(spread());
    me(await askMe(), s);
  }
  state = s.state;
}

// What the edge says of this shopper outranks what the page has found out.
function me(m, s) {
  let view = m.state;
  if (number === null) [number, behind] = [m.number, m.behind];
  if (m.place !== null) place = m.place;
  if (view === 'sold_out' && s.state !== 'sold_out') view = 'all_held';
  // The edge has one word for all who wait for a draw, and the status tells the rest.
  else if (number !== null && overdue(s) && among('lottery waiting', view)) view = unheld(s);
  else if (view === 'waiting' && place !== null) view = inLine(s);
  // Who is invited takes no part in the draw, and has a page of their own for it.
  if (!common(view) || (m.invited && view === 'lottery')) go(m.state);
  else show(view, s);
}
