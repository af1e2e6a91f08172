// A page in a world of its own: a clock that the test moves on, and a door that
// answers what the test says.
window.world = (() => {
  const turns = new MessageChannel(), waiting = [];
  turns.port1.onmessage = () => waiting.shift()();
  const turn = () => new Promise(done => { waiting.push(done); turns.port2.postMessage(0); });
  const digest = crypto.subtle.digest.bind(crypto.subtle);
  const world = { answers: {}, asked: {}, faults: [], now: 0 };
  let timers = [], names = 0, digesting = 0;

  performance.now = () => world.now;
  window.setTimeout = (act, wait) => {
    if (!(wait >= 0)) world.faults.push('a timer of ' + wait);
    timers.push({ name: ++names, at: world.now + (wait > 0 ? wait : 0), act });
    return names;
  };
  window.clearTimeout = name => { timers = timers.filter(timer => timer.name !== name); };
  crypto.subtle.digest = async (...args) => {
    digesting++;
    try { return await digest(...args); } finally { digesting--; }
  };
  window.fetch = async address => {
    const name = address.split('/').pop();
    (world.asked[name] = world.asked[name] || []).push(world.now);
    return { ok: true, headers: new Headers({ Date: new Date(1e12).toUTCString() }), json: async () => JSON.parse(world.answers[name]) };
  };
  addEventListener('error', fault => world.faults.push(fault.message));
  addEventListener('unhandledrejection', fault => world.faults.push(String(fault.reason)));

  const settle = async () => {
    for (let calm = 0; calm < 3; calm = digesting ? 0 : calm + 1) await turn();
  };

  // Lets so many milliseconds go by.
  world.pass = async span => {
    await settle();
    for (const end = world.now + span; ;) {
      const next = timers.reduce((first, timer) => !first || timer.at < first.at ? timer : first, null);
      if (!next || next.at > end) {
        world.now = end;
        return;
      }
      timers.splice(timers.indexOf(next), 1);
      world.now = Math.max(world.now, next.at);
      next.act();
      await settle();
    }
  };

  // How long a page may be in the midst of one question before it asks the next one:
  // 8 s of a crowd's spread, and 2.5 s as it is told in answers.me.
  const longest = 11;

  // Answers a question with a text, has somebody look, and says what is wrong then.
  world.tell = async (name, answer, seconds) => {
    world.answers[name] = answer;
    world.asked = {};
    document.dispatchEvent(new Event('visibilitychange'));
    await world.pass(1000 * seconds);
    if (!world.asked[name]) {
      for (let more = 0; !world.asked[name] && more < longest; more++) await world.pass(1000);
      await world.pass(1000 * seconds);
    }
    for (const asked in world.asked) {
      world.asked[asked].forEach((at, i, all) => {
        if (i && at - all[i - 1] < 999.999) world.faults.push(asked + ' asked again after ' + (at - all[i - 1]) + ' ms');
      });
    }
    if (!world.asked[name]) world.faults.push(name + ' was not asked');
    const said = document.title + '\n' + document.body.innerText + '\n' + document.getElementById('say').textContent;
    const odd = said.match(/.*(NaN|undefined|null|Infinity|\[object|\{\w+\}|[-−]\d|\de[+-]?\d|(\d,?){17}).*/);
    if (odd) world.faults.push('it says ' + odd[0]);
    const bar = document.getElementById('meter');
    if (bar && !bar.hidden && !(bar.position >= 0 && bar.position <= 1)) world.faults.push('the bar is at ' + bar.position);
    const faults = world.faults;
    world.faults = [];
    return faults;
  };

  // Tells each odd answer, then the right one; gives what was wrong.
  world.tour = async (name, right, odds) => {
    const wrong = [], lost = () => !document.getElementById('lost').hidden;
    for (const { answer, sound } of odds) {
      const faults = await world.tell(name, answer, 25);
      if (sound && lost()) faults.push('it is as if there were no answer');
      faults.push(...(await world.tell(name, right, 3)).map(fault => 'after it: ' + fault));
      if (lost()) faults.push('after it: the right answer is lost');
      if (faults.length) wrong.push(answer + ': ' + faults.join('; '));
    }
    return JSON.stringify(wrong);
  };
  return world;
})();
