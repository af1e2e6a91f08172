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
  const draw = drawOf(s), seal = sealOf(s);
  const sum = await commitmentOf(draw.seed), found = behind ? draw.count + number : await placeOf(draw, number);
  const sealed = sum === (seal || s.commitment), fits = found === place;
  const holes = {
    seal: seal || s.commitment, seed: draw.seed, sum, mix: s.mix, mixed: draw.mixed,
    count: numbers.format(draw.count), number: numbers.format(number), place: numbers.format(found),
    head: numbers.format(s.head), ahead: count('say', aheadOf(s)),
  };
  const names = [seal ? 'seal' : 'unseen', !sealed ? 'broken' : seal ? 'seed' : 'fits'];
  if (s.mix) names.push('mix');
  names.push('count', behind ? 'behind' : late(s) ? 'late' : 'place', fits ? 'ahead' : 'differs');
  return {
    steps: names.map(name => item(live['proof.' + name], holes)),
    verdict: text('proof.' + (!sealed || !fits ? 'wrong' : seal ? 'right' : 'partly')),
  };
}

// Shows the steps while they are unfolded, from the status last read; what has not
// changed stays as it is.
async function prove() {
  const s = seen, fold = at('proof');
  fold.hidden = number === null || (s !== null && !s.commitment);
  at('proof-command').textContent = fillPlain(live['proof.command'], { shop: location.origin, sale: data.sale, number });
  if (!fold.open || fold.hidden || !canDraw) return;
  const list = at('proof-steps'), verdict = at('proof-verdict');
  if (!s || !drawOf(s)) {
    verdict.textContent = live.moment;
    return;
  }
  const found = await check(s);
  if (at('proof') !== fold) return; // another view was shown meanwhile
  if (verdict.textContent !== found.verdict) say(found.verdict, true);
  verdict.textContent = found.verdict;
  const same = list.children.length === found.steps.length && found.steps.every((step, i) => step.isEqualNode(list.children[i]));
  if (!same) list.replaceChildren(...found.steps);
}

// One step. What is there to be compared letter by letter has a line of its own.
function item(words, holes) {
  const li = document.createElement('li');
  for (const part of words.split(/(\{\w+\})/)) {
    const name = part.slice(1, -1);
    if (!part.startsWith('{') || !among('seal seed sum mixed', name)) {
      li.append(fill(part, holes));
      continue;
    }
    const code = document.createElement('code');
    code.textContent = holes[name];
    li.append(code);
  }
  return li;
}

// The event of a fold does not rise, but it can be caught on its way down. Who
// unfolds it before anything was told does not wait for the page's own question.
document.addEventListener('toggle', () => {
  if (!at('proof')) return;
  prove();
  if (!seen && at('proof').open) ask();
}, true);
