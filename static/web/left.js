/*
How many units are left, on a page of the shop's own: the text of each element
with data-waitroom-left="SALE" becomes the number, and its data-waitroom-state the
state, for the shop's style. The sale is the one that the script is loaded from. It
asks for the shared status and nothing else, without cookies; how often,
docs/shoppers.md says. While the number cannot be known, the shop's own text stands.
Shorter than a kilobyte, so that no page minds it.
*/
(doc => {
  const url = new URL('status', doc.currentScript.src), own = new Map();
  let timer, asked = 0, lost = 0;

  function show(s) {
    for (const e of doc.querySelectorAll(`[data-waitroom-left="${url.href.split('/')[4]}"]`)) {
      if (!own.has(e)) own.set(e, e.textContent);
      e.textContent = s.state ? s.stock_left : own.get(e);
      e.dataset.waitroomState = s.state;
    }
  }

  async function ask() {
    clearTimeout(timer);
    if (doc.hidden) return;
    // Whoever looks again and again is told no sooner.
    const least = Math.min(300, 5 * 2 ** lost), age = (Date.now() - asked) / 1e3;
    let wait;
    if (age >= 0 && age < least) return timer = setTimeout(ask, (least - age) * 1e3);
    asked = Date.now();
    try {
      const got = await fetch(url, { credentials: 'omit' }), s = await got.json();
      if (!/^\d+$/.test(s.stock_left)) throw 0;
      show(s);
      lost = 0;
      wait = Math.max(
        /max-age=(\d+)|$/.exec(got.headers.get('cache-control'))[1],
        /open|held/.test(s.state) ? 5 : 20, Math.min(60, s.entered / 2e4));
    } catch (e) {
      if (++lost > 2) show({ state: '' });
      wait = 5 * 2 ** lost;
    }
    clearTimeout(timer);
    timer = setTimeout(ask, Math.min(300, wait || 20) * (1e3 + 500 * Math.random()));
  }

  doc.addEventListener('visibilitychange', ask);
  if (doc.readyState != 'loading') ask();
  else addEventListener('DOMContentLoaded', ask);
})(document);
