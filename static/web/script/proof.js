/*
"Check my place": computed here, from what was published, step by step. Whether
the secret was fixed beforehand can only be told if this browser saw its seal
before the draw, so the seal is kept as soon as it is shown.
*/
const seals = {};

function sealName(s) { return 'waitroom seal ' + (s.run || s.sale) + ' ' + s.opens; }

// The seal that was seen before the draw; empty if none was.
function sealOf(s) {
  const name = sealName(s);
  try { return seals[name] || sessionStorage.getItem(name) || ''; } catch (e) { return seals[name] || ''; }
}

// The first one seen stays: a seal that changes later is what it is there to tell.
function keepSeal(s) {
  if (!s.commitment || s.seed || sealOf(s)) return;
  seals[sealName(s)] = s.commitment;
  try { sessionStorage.setItem(sealName(s), s.commitment); } catch (e) { /* this page remembers */ }
}

// Shows the steps while they are unfolded, from the status last read; what has not
// changed stays as it is.
async function prove() {
  const s = seen, fold = at('proof');
  fold.hidden = number === null || (s !== null && !s.commitment) || !among('waiting near hopeless chance', data.page);
  at('proof-command').textContent = fillPlain(fold.dataset.command, { shop: location.origin, sale: data.sale, number });
  if (!fold.open || fold.hidden || !canDraw) return;
  const list = at('proof-steps'), verdict = at('proof-verdict');
  if (!s || !drawOf(s) || !window.waitroomProof) {
    verdict.textContent = live.moment;
    return fetchScript(fold.dataset.steps, prove);
  }
  const kit = {
    s, seal: sealOf(s), draw: drawOf(s), number, place, behind, late: late(s), ahead: count('say', aheadOf(s)),
    sha256, fromHex, placeOf, fill, numbers
  };
  const found = await window.waitroomProof(kit);
  if (fold.hidden) return; // another view was shown meanwhile
  if (verdict.textContent !== found.verdict) say(found.verdict, true);
  verdict.textContent = found.verdict;
  const same = list.children.length === found.steps.length && found.steps.every((step, i) => step.isEqualNode(list.children[i]));
  if (same) return;
  list.textContent = '';
  list.append(...found.steps);
}

// What few ask for comes to those who do, once.
const fetched = {};
function fetchScript(src, then) {
  if (fetched[src]) return;
  const script = fetched[src] = document.createElement('script');
  script.onload = then;
  script.onerror = () => { fetched[src] = null; };
  script.src = src;
  body.append(script);
}

// The event of a fold does not rise, but it can be caught on its way down. Who
// unfolds it before anything was told does not wait for the page's own question.
document.addEventListener('toggle', () => {
  if (!at('proof')) return;
  prove();
  if (!seen && at('proof').open) ask();
}, true);
