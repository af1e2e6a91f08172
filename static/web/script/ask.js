/*
Asking. The shared status is the same question and the same answer for
everybody. Only when something private begins (one's own turn, an order) is the
shopper's own standing asked for, and the page loaded anew.
*/
var base = '/.waitroom/' + encodeURIComponent(data.sale) + '/';
var timer = 0, asked = -1e9, failures = 0, gone = false, busy = false, state, next = 0, shown = now();

// Only what is the shopper's own is asked with cookies.
function get(path) {
  var stop = new AbortController(), limit = setTimeout(function () { stop.abort(); }, 10000);
  var credentials = path === 'status' ? 'omit' : 'same-origin';
  return fetch(base + path, { signal: stop.signal, credentials: credentials, headers: { Accept: 'application/json' } })
    .then(read)
    .finally(function () { clearTimeout(limit); });
}

function read(answer) {
  if (!answer.ok) throw new Error(answer.status);
  return answer.json().then(function (doc) {
    return { doc: doc, date: Date.parse(answer.headers.get('Date')) };
  });
}

function ask(privately) {
  clearTimeout(timer);
  if (!data.asks || busy || gone || document.hidden) return;
  busy = true;
  asked = now();
  get(data.asks)
    .then(function (answer) { return data.asks === 'order' ? order(answer) : shared(answer.doc, privately === true); })
    .then(found, lost)
    .then(function () {
      busy = false;
      later(distance());
    });
}

function later(wait) {
  clearTimeout(timer);
  if (data.asks) timer = setTimeout(ask, wait);
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

function shared(s, privately) {
  watch(s);
  keepSeal(s);
  if (!common(data.page)) return alone(s, privately);
  return locate(s).then(function () {
    var view = standing(s), mine = place !== null && place < s.head && among('sold_out ended', view);
    var changed = view !== data.page;
    // Who was called may have got one in another window: "sold out" is not for them.
    if (view && view !== 'called' && !privately && !(mine && changed)) return show(view, s);
    return pause(changed && view !== 'called' && state !== undefined ? spread() : 0)
      .then(function () { return get('me'); })
      .then(function (answer) { return me(answer.doc, s); });
  }).then(function () { state = s.state; });
}

// The pages that stand for one thing only: until the doors open, and one's turn.
function alone(s, privately) {
  var changed = state === undefined ? !among(data.shared, s.state) : s.state !== state;
  dress(s);
  if (!data.own) return among(data.shared, s.state) ? undefined : go(s.state);
  if (!changed && !privately) return undefined;
  return pause(changed ? spread() : 0)
    .then(function () { return get('me'); })
    .then(function (answer) {
      next = (answer.doc.poll_after_ms || 0) / 1000;
      // Where the page has to change and may not yet, this is asked again.
      if (among(data.own, answer.doc.state)) state = s.state;
      else go(answer.doc.state);
    });
}

// What the edge says of this shopper outranks what the page has found out.
function me(m, s) {
  var view = m.state === 'sold_out' && s.state !== 'sold_out' ? 'all_held' : m.state;
  next = (m.poll_after_ms || 0) / 1000;
  // Who is invited takes no part in the draw, and has a page of their own for it.
  if (!common(view) || (m.invited && view === 'lottery')) return go(m.state);
  if (typeof m.place === 'number') place = m.place;
  show(view, s);
}

function order(answer) {
  var o = answer.doc;
  if (!among(data.own, o.status)) return go(o.status);
  reset((o.pay_before - answer.date) / 1000);
}

// Goes to the page of the new standing, once. Should the same page come back
// for the same reason (an edge may be a moment behind), each further attempt
// waits longer, and without a memory of attempts every one waits.
function go(why) {
  if (gone) return;
  var key = 'waitroom ' + data.sale, reason = data.page + ' ' + why, last, wait = 15000;
  try {
    last = JSON.parse(sessionStorage.getItem(key)) || {};
    last = { reason: reason, times: last.reason === reason ? last.times + 1 : 0 };
    wait = last.times && Math.min(60000, 4000 * Math.pow(2, last.times));
  } catch (e) { last = null; }
  if (now() - shown < wait) return;
  try { if (last) sessionStorage.setItem(key, JSON.stringify(last)); } catch (e) { /* counts as no memory */ }
  renew();
}

// Asks for the page anew, always with GET: where it may be the answer to a
// posted form, data.again leads to the line.
function renew() {
  gone = true;
  if (data.again) location.replace(data.again);
  else location.reload();
}

// For the pages that ask nothing and were told to renew themselves.
function renewIn(wait) {
  setTimeout(function () {
    if (document.hidden || !navigator.onLine) renewIn(1000);
    else renew();
  }, wait);
}
