/**
 * Shows the state of the link in the top bar and in the title, and a banner while what the page shows is not of now.
 */
import { html, nothing, render } from 'lit-html';
import * as clock from '../net/clock.js';
import { clockTime, dated, number, zone } from '../text/time.js';
import { doubt } from './title.js';

const secondsTo = (link) => Math.max(0, Math.ceil((link.retryAt - Date.now()) / 1000));

/** State → label. @type {Record<import('../net/link.js').State, (link: object) => string>} */
const WORDS = {
  connecting: () => 'Connecting',
  live: () => 'Live',
  behind: (link) => `Behind (${number(link.behind)})`,
  reconnecting: () => 'Reconnecting',
  checking: () => 'Checking',
  not_answering: () => 'Not answering',
  signed_out: () => 'Signed out',
  database_away: () => 'Muster cannot reach its database',
};

/** State → text of the banner, after which follows how old the data is. */
const BANNERS = {
  reconnecting: (since) => `Connection lost ${since}`,
  checking: () => 'Asking whether Muster answers',
  not_answering: (since) => `Not answering since ${since}`,
  database_away: (since) => `Muster cannot reach its database since ${since}`,
};

/** The states in which the page tries again by itself, at a time that it can say. */
const TRIES = new Set(['reconnecting', 'not_answering']);

/**
 * Shows the state of a link until the returned function is called.
 *
 * @param {import('../net/link.js').Link} link
 * @param {() => ?HTMLElement} place returns the element in the top bar; null while there is none
 * @param {(kind: 'connection', text: ?string, more?: {action: {label: string, run: () => void}, countdown: string}) =>
 *   void} banner
 * @returns {() => void} removes the banner and the listeners
 */
export function showConnection(link, place, banner) {
  let lastWords = null;
  let lastCountdown = '';

  function show() {
    const state = link.state();
    const isGood = state === 'live' || state === 'behind';
    doubt(state in BANNERS);
    document.documentElement.classList.toggle('stale', clock.frozen());
    const element = place();
    if (element) {
      element.dataset.state = state;
      render(
        html`<span class="dot" aria-hidden="true"></span><span class="word">${WORDS[state](link)}</span>${
          isGood ? html`<span aria-hidden="true" class="soft"> · ${clockTime(clock.now())} ${zone()}</span>` : nothing
        }`,
        element,
      );
    }
    const words = state in BANNERS ? bannerWords(state) : null;
    const countdown = TRIES.has(state) ? countdownWords() : '';
    if (words !== lastWords || countdown !== lastCountdown) {
      [lastWords, lastCountdown] = [words, countdown];
      banner('connection', words, { action: { label: 'Try now', run: () => link.now() }, countdown });
    }
  }

  function bannerWords(state) {
    const [since, asOf] = [link.since, link.receivedAt].map((ms) => dated(ms, clock.estimate()));
    const words = BANNERS[state](since) + (link.receivedAt > 0 ? ` — data as of ${asOf}` : '');
    return state === 'database_away' ? `${words}. It goes on by itself when the database is back.` : words;
  }

  function countdownWords() {
    const left = secondsTo(link);
    return left > 0 ? ` — trying again in ${left} s` : ' — trying again';
  }

  const stops = [link.onState(show), clock.onTick(show)];
  show();
  return () => {
    stops.forEach((stop) => stop());
    document.documentElement.classList.remove('stale');
    doubt(false);
    banner('connection', null);
  };
}
