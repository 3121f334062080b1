/** Says in the top bar whether what one sees is live, and in the banner when it is not. */
import { html, nothing, render } from 'lit-html';
import * as clock from '../net/clock.js';
import { clockTime, number, zone } from '../text/time.js';

const seconds = (stream) => Math.max(0, Math.ceil((stream.retryAt - Date.now()) / 1000));

/** What the states are called. @type {Record<import('../net/stream.js').State, (stream: object) => string>} */
const WORDS = {
  live: () => 'Live',
  behind: (stream) => `Behind (${number(stream.behind)})`,
  reconnecting: () => 'Reconnecting',
  signed_out: () => 'Signed out',
  database_away: () => 'Muster cannot reach its database',
};

/**
 * @param {import('../net/stream.js').Stream} stream
 * @param {() => ?HTMLElement} place of the top bar
 * @param {(kind: 'connection', text: ?string, action?: {label: string, run: () => void}) => void} banner
 * @returns {() => void} stops it
 */
export function showConnection(stream, place, banner) {
  let lostAt = 0;
  let lastWords = '';

  function show() {
    const state = stream.state();
    const isGood = state === 'live' || state === 'behind';
    lostAt = isGood ? 0 : lostAt || Date.now();
    document.documentElement.classList.toggle('stale', clock.frozen() && stream.heardAt > 0);
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
    const words = state === 'signed_out' || isGood || stream.heardAt === 0 ? null : bannerWords(state);
    if (words !== lastWords) {
      lastWords = words;
      banner('connection', words, words === null ? undefined : { label: 'Try now', run: () => stream.now() });
    }
  }

  function bannerWords(state) {
    const asOf = `data as of ${clockTime(stream.heardAt)}`;
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
