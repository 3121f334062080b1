import { frame } from '/src/frame.js';
import * as clock from '/src/net/clock.js';
import { showConnection } from '/src/parts/connection.js';
import { title } from '/src/parts/title.js';
import { equal, ok } from './assert.js';

const LOST = Date.parse('2026-11-25T02:16:12Z');

/** Shows a link in the frame, which received something last three seconds before `LOST`. */
function shown(state) {
  const root = document.createElement('div');
  document.body.append(root);
  const shell = frame(root);
  clock.thaw();
  clock.sync(0);
  clock.sync(LOST);
  let tick = () => {};
  const link = { receivedAt: LOST - 3000, since: LOST, retryAt: 0, state: () => state, onState: fn => (tick = fn, () => {}), now() {} };
  clock.freeze(link.receivedAt);
  const stop = showConnection(link, () => null, shell.banner);
  const banner = root.querySelector('#banner');
  const spoken = () => {
    const copy = banner.cloneNode(true);
    copy.querySelectorAll('[aria-hidden]').forEach(hidden => hidden.remove());
    return copy.textContent.trim();
  };
  return { link, banner, spoken, stop, is: next => ((state = next), tick()), after: seconds => ((link.retryAt = Date.now() + 1000 * seconds), tick()) };
}

export function countsDownWithoutBeingSpoken() {
  for (const [state, begin] of [['reconnecting', 'Connection lost 02:16:12'], ['not_answering', 'Not answering since 02:16:12']]) {
    const { banner, spoken, stop, after } = shown(state);
    after(5);
    ok(banner.textContent.includes('trying again in 5 s'), banner.textContent);
    const words = spoken();
    ok(new RegExp(`^${begin} — data as of 02:16:09\\s*Try now$`).test(words), words);
    for (const left of [4, 3, 2]) {
      after(left);
      ok(banner.textContent.includes(`trying again in ${left} s`), banner.textContent);
      equal(spoken(), words);
    }
    stop();
    ok(banner.hidden, 'hidden');
  }
}

export function saysSinceWhenTheDatabaseIsAway() {
  const { banner, stop } = shown('database_away');
  ok(/its database since 02:16:12 — data as of 02:16:09\./.test(banner.textContent), banner.textContent);
  ok(!banner.textContent.includes('trying again'), 'no countdown');
  stop();
}

/** T1: one who does not look at the page, but at its tab, sees it too. */
export function theTitleDoubtsWhatIsNotOfNow() {
  const { is, stop } = shown('live');
  title('Fleet · Muster');
  const titles = ['live', 'behind', 'connecting', 'checking', 'not_answering', 'reconnecting', 'database_away'].map(state => (is(state), document.title));
  equal(titles, [...Array(3).fill('Fleet · Muster'), ...Array(4).fill('? Fleet · Muster')]);
  title('Queue · Muster');
  equal(document.title, '? Queue · Muster');
  stop();
  equal(document.title, 'Queue · Muster');
}

/** T3: without data there is none of which it could be said how old it is. */
export function saysNothingOfDataThatItDoesNotHave() {
  const { link, is, spoken, stop } = shown('not_answering');
  link.receivedAt = 0;
  is('not_answering');
  equal(spoken().replace(/\s*Try now/, ''), 'Not answering since 02:16:12');
  stop();
}
