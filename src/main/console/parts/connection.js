/** Shows the state of the event stream in the top bar, and a banner while the stream is interrupted. */
import { html, nothing, render } from 'lit-html';
import * as clock from '../net/clock.js';
import { clockTime, dated, number, zone } from '../text/time.js';

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
 * @param {(kind: 'connection', text: ?string, more?: {action: {label: string, run: () => void}, countdown: string}) =>
 *   void} banner
 * @returns {() => void} removes the banner and the listeners
 */
export function showConnection(stream, place, banner) {
  let lostAt = 0;
  let lastWords = '';
  let lastCountdown = '';

  function show() {
    const state = stream.state();
    const isGood = state === 'live' || state === 'behind';
    lostAt = isGood ? 0 : lostAt || clock.estimate();
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
    const countdown = words === null || state === 'database_away' ? '' : countdownWords();
    if (words !== lastWords || countdown !== lastCountdown) {
      [lastWords, lastCountdown] = [words, countdown];
      banner('connection', words, { action: { label: 'Try now', run: () => stream.now() }, countdown });
    }
  }

  function bannerWords(state) {
    const [since, asOf] = [lostAt, stream.receivedAt].map((ms) => dated(ms, clock.estimate()));
    return state === 'database_away'
      ? `Muster cannot reach its database since ${since} — data as of ${asOf}. `
        + 'It goes on by itself when the database is back.'
      : `Connection lost ${since} — data as of ${asOf}`;
  }

  function countdownWords() {
    const wait = seconds(stream);
    return wait > 0 ? ` — trying again in ${wait} s` : ' — trying again';
  }

  const stops = [stream.onState(show), clock.onTick(show)];
  show();
  return () => {
    stops.forEach((stop) => stop());
    banner('connection', null);
  };
}
