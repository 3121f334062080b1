/** Shows the state of the event stream in the top bar, and a banner while the stream is interrupted. */
import { html, nothing, render } from 'lit-html';
import * as clock from '../net/clock.js';
import { clockTime, number, zone } from '../text/time.js';

const seconds = (stream) => Math.max(0, Math.ceil((stream.retryAt - Date.now()) / 1000));

/** State → label. @type {Record<import('../net/stream.js').State, (stream: object) => string>} */
const WORDS = {
  live: () => 'Live',
  behind: (stream) => `Behind (${number(stream.behind)})`,
  reconnecting: () => 'Reconnecting',
  signed_out: () => 'Signed out',
  database_away: () => 'Muster cannot reach its database',
};

/**
 * Shows the state of a stream until the returned function is called.
 *
 * @param {import('../net/stream.js').Stream} stream
 * @param {() => ?HTMLElement} place returns the element in the top bar; null while there is none
 * @param {(kind: 'connection', text: ?string, action?: {label: string, run: () => void}) => void} banner
 * @returns {() => void} removes the banner and the listeners
 */
export function showConnection(stream, place, banner) {
  let lostAt = 0;
  let lastWords = '';

  function show() {
    const state = stream.state();
    const isGood = state === 'live' || state === 'behind';
    lostAt = isGood ? 0 : lostAt || Date.now();
    document.documentElement.classList.toggle('stale', clock.frozen() && stream.receivedAt > 0);
    const element = place();
    if (element) {
      element.dataset.state = state;
      render(
        html`<span class="dot" aria-hidden="true"></span><span class="word">${WORDS[state](stream)}</span>${
          isGood ? html`<span aria-hidden="true" class="soft"> · ${clockTime(clock.now())} ${zone()}</span>` : nothing
        }`,
        element,
      );
    }
    const words = state === 'signed_out' || isGood || stream.receivedAt === 0 ? null : bannerWords(state);
    if (words !== lastWords) {
      lastWords = words;
      banner('connection', words, words === null ? undefined : { label: 'Try now', run: () => stream.now() });
    }
  }

  function bannerWords(state) {
    const asOf = `data as of ${clockTime(stream.receivedAt)}`;
    if (state === 'database_away') {
      return `Muster cannot reach its database — ${asOf}. It goes on by itself when the database is back.`;
    }
    const wait = seconds(stream);
    return `Connection lost ${clockTime(lostAt)} — ${asOf} — ${wait > 0 ? `trying again in ${wait} s` : 'trying again'}`;
  }

  const stops = [stream.onState(show), clock.onTick(show)];
  show();
  return () => {
    stops.forEach((stop) => stop());
    banner('connection', null);
  };
}
