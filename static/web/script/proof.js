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

// Gives {steps, verdict}: what was done, and what came of it.
async function check(s) {
  const draw = drawOf(s), seal = sealOf(s), late = number >= draw.count;
  const sum = await commitmentOf(draw.seed), found = await placeOf(draw, number);
  const sealed = sum === (seal || s.commitment), fits = found === place;
  const holes = {
    seal: seal || s.commitment, seed: draw.seed, sum, mix: s.mix, mixed: draw.mixed,
    count: numbers.format(draw.count), number: numbers.format(number), place: numbers.format(found),
    head: numbers.format(s.head), ahead: count('say', aheadOf(s)),
  };
  const names = [seal ? 'seal' : 'unseen', sealed ? 'seed' : 'broken'];
  if (s.mix) names.push('mix');
  names.push('count', late ? 'late' : 'place', fits ? 'ahead' : 'differs');
  return {
    steps: names.map(name => text('proof.' + name, holes)),
    verdict: text('proof.' + (!sealed || !fits ? 'wrong' : seal ? 'right' : 'partly')),
  };
}

// Shows the steps while they are unfolded; what has not changed stays as it is.
async function prove(s) {
  at('proof').hidden = !s.commitment || number === null;
  at('proof-command').textContent = text('proof.command', { shop: location.origin, sale: data.sale, number });
  if (!at('proof').open || !drawOf(s) || number === null || !canDraw) return;
  const found = await check(s);
  if (!at('proof')) return; // another view was shown meanwhile
  const list = at('proof-steps'), old = Array.from(list.children, li => li.textContent);
  if (at('proof-verdict').textContent !== found.verdict) say(found.verdict, true);
  at('proof-verdict').textContent = found.verdict;
  if (old.join('\n') !== found.steps.join('\n')) list.replaceChildren(...found.steps.map(item));
}

function item(words) {
  const li = document.createElement('li');
  li.textContent = words;
  return li;
}

// The event of a fold does not rise, but it can be caught on its way down.
document.addEventListener('toggle', () => { if (seen && at('proof')) prove(seen); }, true);
