/*
Shows what is asked (the puzzles, the check, some patience), posts it for
a ticket, and goes to the line. Nothing here decides anything: what is not shown
costs the place in the draw, at most.
*/
const form = document.getElementById('prove'), data = form.dataset, fields = form.elements;
const bar = form.querySelector('progress');
const base = '/.waitroom/' + encodeURIComponent(document.body.dataset.sale) + '/';
let asked = { challenge: fields.challenge.value, bits: +data.bits, puzzles: +data.puzzles, after_ms: +data.after }, since = performance.now();
let checked = {}, renewed = 0, lost = 0;

function pause(ms) { return new Promise(done => setTimeout(done, ms)); }
// To those who look, and to those who listen.
function tell(words) {
  for (const id of ['told', 'say']) document.getElementById(id).textContent = words;
}
function progress(solved) { if (bar) bar.value = solved; }

// In a worker, or, where there is none or it does not come, here, a little at a time.
async function solve({ challenge: text, bits, puzzles }) {
  if (!bits) return '';
  tell(data.solving);
  progress(0);
  return await inWorker(text, bits, puzzles).catch(() => inSlices(text, bits, puzzles));
}

function inWorker(text, bits, puzzles) {
  return new Promise((done, fail) => {
    const worker = new Worker(data.worker);
    worker.onerror = fail;
    worker.onmessage = ({ data: { solved, solution } }) => {
      if (solved) progress(solved);
      if (!solution) return;
      worker.terminate();
      done(solution);
    };
    worker.postMessage({ text, bits, puzzles });
  });
}

// Twelve milliseconds of work, then whatever the page has to do.
async function inSlices(text, bits, puzzles) {
  const prove = prover(await seedOf(text), bits, puzzles);
  let solved = 0, tries = 256;
  while (solved < puzzles) {
    const begun = performance.now();
    solved = prove.step(tries);
    tries = Math.max(64, Math.min(16384, tries * 12 / Math.max(1, performance.now() - begun)));
    progress(solved);
    await pause(4);
  }
  return prove.solution();
}

// The check of somebody else's, which calls back. Where it does not come, that is
// not for the shopper to wait for.
function check() {
  if (!data.check) return Promise.resolve('');
  return new Promise(done => {
    const script = document.createElement('script');
    checked.done = done;
    window.waitroomChecked = answer => checked.done(answer);
    window.waitroomUnchecked = script.onerror = () => checked.done('');
    script.src = data.check;
    script.async = true;
    document.body.append(script);
    setTimeout(offerToSkip, 30000);
  });
}

// After half a minute it is the shopper's choice to go on without.
function offerToSkip() {
  const button = form.querySelector('button');
  button.textContent = data.skip;
  button.hidden = false;
  form.classList.add('slow');
}
form.addEventListener('submit', press => {
  press.preventDefault();
  if (checked.done) checked.done('');
});

// Another answer of the check: each is good once.
function checkAgain() {
  const widget = window.turnstile || window.hcaptcha;
  if (!data.check || !widget) return Promise.resolve('');
  return new Promise(done => { checked.done = done; widget.reset(); });
}

async function fresh() {
  const answer = await fetch(base + 'challenge', { headers: { Accept: 'application/json' } });
  if (!answer.ok) throw new Error(answer.status);
  asked = await answer.json();
  since = performance.now();
}

async function post(shown) {
  const stop = window.AbortController && new AbortController();
  const how = { method: 'POST', body: JSON.stringify(shown), headers: { 'Accept': 'application/json', 'Content-Type': 'application/json' } };
  if (stop) how.signal = stop.signal;
  const limit = setTimeout(() => { if (stop) stop.abort(); }, 15000);
  try {
    return await fetch(base + 'ticket', how);
  } finally {
    clearTimeout(limit);
  }
}

// By itself the form says what became of it, on a page of its own.
function leave(shown) {
  for (const name in shown) fields[name].value = shown[name];
  form.submit();
}

async function enter(first) {
  const [solution, answer] = await Promise.all([solve(asked), first ? check() : checkAgain()]);
  const shown = { challenge: asked.challenge, solution: solution, check: answer };
  tell(data.entering);
  await pause(since + asked.after_ms - performance.now());
  for (;;) {
    const got = await post(shown).catch(() => ({ status: 0, headers: new Headers() }));
    const wait = +got.headers.get('Retry-After');
    if (got.ok) return location.replace(base + 'line?joined');
    if (got.status === 409 && renewed++ < 3) return again();
    if (got.status && got.status < 500 && got.status !== 429) return leave(shown);
    lost++;
    tell(data.waiting);
    await pause(1000 * Math.max(wait, Math.min(60, 2 ** lost)) * (1 + Math.random() / 4));
  }
}

// Too old, or used: with the next one.
async function again() {
  try {
    await fresh();
  } catch (e) {
    return location.replace(base + 'line');
  }
  await enter(false);
}

document.documentElement.classList.add('js');
addEventListener('pageshow', show => { if (show.persisted) location.replace(base + 'line'); });
// What this page cannot do is not for the shopper to wait for.
enter(true).catch(() => leave({}));
