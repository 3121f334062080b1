import { frame } from '/src/frame.js';
import * as clock from '/src/net/clock.js';
import { showConnection } from '/src/parts/connection.js';
import { equal, ok } from './assert.js';

const LOST = Date.parse('2026-11-25T02:16:12Z');

/** Shows a stream in the frame, which received something last three seconds before `LOST`. */
function shown(state) {
  const root = document.createElement('div');
  document.body.append(root);
  const shell = frame(root);
  clock.thaw();
  clock.sync(LOST, 0);
  let tick = () => {};
  const stream = { receivedAt: LOST - 3000, retryAt: 0, state: () => state, onState: fn => (tick = fn, () => {}), now() {} };
  clock.freeze(stream.receivedAt);
  const stop = showConnection(stream, () => null, shell.banner);
  const banner = root.querySelector('#banner');
  const spoken = () => {
    const copy = banner.cloneNode(true);
    copy.querySelectorAll('[aria-hidden]').forEach(hidden => hidden.remove());
    return copy.textContent.trim();
  };
  return { banner, spoken, stop, after: seconds => ((stream.retryAt = Date.now() + 1000 * seconds), tick()) };
}

export function countsDownWithoutBeingSpoken() {
  const { banner, spoken, stop, after } = shown('reconnecting');
  after(5);
  ok(banner.textContent.includes('trying again in 5 s'), banner.textContent);
  const words = spoken();
  ok(/^Connection lost 02:16:1[23] — data as of 02:16:09\s*Try now$/.test(words), words);
  for (const left of [4, 3, 2]) {
    after(left);
    ok(banner.textContent.includes(`trying again in ${left} s`), banner.textContent);
    equal(spoken(), words);
  }
  stop();
  ok(banner.hidden, 'hidden');
}

export function saysSinceWhenTheDatabaseIsAway() {
  const { banner, stop } = shown('database_away');
  ok(/its database since 02:16:1[23] — data as of 02:16:09\./.test(banner.textContent), banner.textContent);
  ok(!banner.textContent.includes('trying again'), 'no countdown');
  stop();
}
