/*
Keeps a page true while it is open: counts down, follows the shared status, and
goes on when the shopper's standing has changed. Everything it does is a
convenience; without it the page renews itself or waits for a click.

The server's clock is the only one. Instants are compared with an instant of
the same answer, and from then on counted with performance.now(), so that a
phone with a wrong clock counts right.
*/
(function () {
  'use strict';

  var body = document.body, data = body.dataset;
  var live = JSON.parse(data.live), lang = document.documentElement.lang;
  var numbers = new Intl.NumberFormat(lang), plurals = new Intl.PluralRules(lang);
  var base = '/.waitroom/' + encodeURIComponent(data.sale) + '/';
  var place = data.place === undefined ? null : +data.place;

  // Milliseconds since the page was loaded.
  function now() { return performance.now(); }
  function at(id) { return document.getElementById(id); }
  function among(list, word) { return list.split(' ').indexOf(word) >= 0; }
  function clamp(low, x, high) { return Math.max(low, Math.min(high, x)); }

  // --- texts, by the same rules as words.go ---

  function text(name, holes) {
    return (live[name] || '').replace(/\{(\w+)\}/g, function (hole, key) { return key in holes ? holes[key] : hole; });
  }
  function count(name, n) {
    var form = name + '.' + plurals.select(n);
    return text(form in live ? form : name + '.other', { n: numbers.format(n) });
  }
  function span(low, high) {
    var unit = high > 5400 ? 3600 : 60, name = unit === 60 ? 'minute' : 'hour';
    if (!(high > 0)) return '';
    if (high <= 60) return live.soon;
    var from = Math.floor(low / unit), to = Math.ceil(high / unit);
    return text(from < 1 ? 'upto' : from === to ? 'about' : 'between', { from: numbers.format(from), to: count(name, to) });
  }

  // --- what a screen reader is told: milestones, or every half minute ---

  var said = '', saidAt = 0, band = 0;

  function say(words, milestone) {
    if (words === said || (!milestone && now() - saidAt < 30000)) return;
    said = words;
    saidAt = now();
    at('say').textContent = words;
  }

  // --- counting down ---

  var clock = document.querySelector('[data-seconds]');
  var ends = clock && now() + clock.dataset.seconds * 1000;

  function left() { return clock ? Math.max(0, (ends - now()) / 1000) : Infinity; }

  function two(n) { return (n < 10 ? '0' : '') + n; }

  function tick() {
    var s = Math.ceil(left()), day = Math.floor(s / 86400), h = Math.floor(s / 3600) % 24, m = Math.floor(s / 60) % 60;
    clock.textContent = (day ? count('day', day) + ' ' : '') + (day || h ? h + ':' + two(m) : m) + ':' + two(s % 60);
    if (s > 0) setTimeout(tick, (ends - now()) % 1000 + 5);
    else if (data.asks) later(spread());
    else clock.parentNode.parentNode.hidden = true;
  }

  // Sets the clock by the server's, unless that only moves it by a blink.
  function reset(seconds) {
    if (!clock || isNaN(seconds) || Math.abs(seconds - left()) < 2) return;
    var stopped = left() === 0;
    ends = now() + seconds * 1000;
    if (stopped && seconds > 0) tick();
  }

  // A crowd that waits for one instant does not come at one instant.
  var crowd = 0;

  function spread() { return Math.random() * 1000 * clamp(1, crowd / 50000, 8); }

  // --- asking ---

  var timer = 0, asked = -1e9, failures = 0, gone = false, busy = false, state, rate = 0, next = 0;

  // Only what is the shopper's own is asked with cookies, so that everybody's
  // question for the shared status is the same.
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
      .then(function (answer) { return data.asks === 'order' ? order(answer) : shared(answer.doc, privately); })
      .then(found, lost)
      .then(function () {
        busy = false;
        later(distance());
      });
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

  function later(wait) {
    clearTimeout(timer);
    if (data.asks) timer = setTimeout(ask, wait);
  }

  // How long until the next question: the nearer the change, the sooner, and
  // never in step with others.
  function distance() {
    var s = next || (failures ? 2 * Math.pow(2, failures) : 0);
    if (!s && data.page === 'finishing') s = 2;
    if (!s && data.page === 'waiting' && rate > 0) s = clamp(2, ahead() / rate / 8, 20);
    if (!s) s = left() === 0 ? 3 : clamp(3, left() / 8, 15);
    next = 0;
    return clamp(1, s, 60) * (750 + 500 * Math.random());
  }

  // --- the shared status, the shopper's own standing, the order ---

  var head = 0;

  function ahead() { return Math.max(0, place - head); }

  function shared(s, privately) {
    var changed = state === undefined ? !among(data.shared, s.state) : s.state !== state;
    crowd = s.entered || 0;
    head = s.head || 0;
    rate = s.rate || 0;
    note(s.message);
    if (at('doors')) reset((s.doors - s.now) / 1000);
    if (at('draw')) reset((s.opens - s.now) / 1000);
    if (at('entered') && s.entered) at('entered').textContent = numbers.format(s.entered);
    if (!data.own) return among(data.shared, s.state) ? undefined : go(s.state);
    var mine = data.page === 'waiting' && (place === null || place < head);
    if (changed || mine || privately) {
      return pause(changed ? spread() : 0)
        .then(function () { return get('me'); })
        .then(function (answer) {
          // Where the page has to change and may not yet, this is asked again.
          if (me(answer.doc)) state = s.state;
        });
    }
    state = s.state;
    if (data.page === 'waiting') follow(rate > 0 ? span(ahead() / rate * 0.8, ahead() / rate * 1.3) : '');
  }

  // Says whether the page is still the right one.
  function me(m) {
    next = (m.poll_after_ms || 0) / 1000;
    if (!among(data.own, m.state)) return go(m.state);
    if (typeof m.place !== 'number' || data.page !== 'waiting') return true;
    if (!at('ahead')) return go('placed');
    place = m.place;
    if (typeof m.ahead === 'number') head = place - m.ahead;
    follow(span(m.eta_low_s, m.eta_high_s));
    return true;
  }

  function order(answer) {
    var o = answer.doc;
    if (!among(data.own, o.status)) return go(o.status);
    reset((o.pay_before - answer.date) / 1000);
  }

  function pause(wait) { return new Promise(function (done) { setTimeout(done, wait); }); }

  // --- changing the page in place ---

  function note(words) {
    var n = at('note');
    if (n.textContent === (words || '')) return;
    n.textContent = words || '';
    n.hidden = !words;
    if (words) say(words, true);
  }

  function follow(wait) {
    var n = ahead(), figure = at('ahead'), meter = at('meter');
    var digits = numbers.format(n).length;
    if (figure) {
      figure.textContent = numbers.format(n);
      at('ahead-label').textContent = count('ahead', n);
    }
    if (meter) meter.value = clamp(0, meter.max - n, meter.max);
    if (at('wait') && wait) at('wait').textContent = wait;
    document.title = text('title', { n: numbers.format(n), sale: data.name });
    say(count('say', n) + (wait ? ' ' + text('say.wait', { wait: wait }) : ''), band && band !== digits);
    band = digits;
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

  // --- buying: one press, one form ---

  var form = at('buy'), button = form && form.querySelector('button'), label = button && button.textContent, sent = false;

  function release() {
    if (!button) return;
    sent = false;
    button.removeAttribute('aria-disabled');
    button.textContent = label;
  }

  if (form) form.addEventListener('submit', function (press) {
    if (sent) return press.preventDefault();
    sent = true;
    button.setAttribute('aria-disabled', 'true');
    button.textContent = button.dataset.busy;
    setTimeout(release, 15000);
  });

  // --- coming back ---

  var shown = now();

  document.addEventListener('visibilitychange', function () {
    if (document.hidden) clearTimeout(timer);
    else if (now() - asked > 1000) ask();
  });
  addEventListener('online', function () { ask(); });
  addEventListener('pageshow', function (show) {
    if (!show.persisted) return;
    gone = false;
    shown = now();
    release();
    ask(true);
  });

  document.documentElement.classList.add('js');
  if (clock) tick();
  if (at('alarm')) setTimeout(function () { at('alarm').textContent = at('alarm').dataset.say; }, 500);
  if (data.asks) later(1000 + 2000 * Math.random());
  else if (data.refresh) renewIn(data.refresh * (1000 + 300 * Math.random()));
})();
