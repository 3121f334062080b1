/** Draws the band of the time machine: a chart of the fleet over time that is also a slider. */
import { html, nothing, svg } from 'lit-html';
import { clockTime, exact, number } from '../text/time.js';

/** Label → length of the band, in ms. */
export const SPANS = { '1 h': 3_600_000, '6 h': 21_600_000, '24 h': 86_400_000, '7 d': 604_800_000,
  '30 d': 2_592_000_000 };

/** The statuses in the chart, from the bottom to the top. */
const SHOWN = ['failed', 'offline', 'degraded'];
const HEIGHT = 100;
/** Height of the smallest count, so that one workspace of 100,000 is visible. */
const MIN_HEIGHT = 7;
/** A minute is written when it has ended; until then it is drawn as recorded. */
const LAG_S = 120;
/** Page keys move by this fraction of the band: 1/12. */
const PAGE = 12;

/**
 * @param {number} count
 * @param {number} total
 * @returns {number} height by the square root of the share, so that small shares are visible
 */
const heightOf = (count, total) => (count === 0
  ? 0 : Math.max(MIN_HEIGHT, HEIGHT * Math.sqrt(count / Math.max(total, count))));

/**
 * Returns the stacked outlines of the statuses as SVG paths; the result is cached per response.
 *
 * @param {object} minutes response of `/console/fleet/minutes`
 * @returns {{status: string, path: string}[]} in the order of drawing, the first is `recorded`: the time of which the
 *   statuses are known; one step of time is 1 wide
 */
export function outlines(minutes) {
  if (!outlined.has(minutes)) {
    outlined.set(minutes, outline(minutes));
  }
  return outlined.get(minutes);
}

const outlined = new WeakMap();

function outline(minutes) {
  const from = Date.parse(minutes.from) / 1000;
  const totals = minutes.at.map((_, i) => Object.values(minutes.status).reduce((sum, counts) => sum + counts[i], 0));
  const below = minutes.at.map(() => 0);
  const pathOf = (yOf, lag = 0) => {
    let path = '';
    let before = -1;
    minutes.at.forEach((at, i) => {
      const x = Math.round((at - from) / minutes.step_s);
      if (x !== before) {
        path += before < 0 ? `M${x} ${HEIGHT}` : `V${HEIGHT}M${x} ${HEIGHT}`;
      }
      path += `V${yOf(i).toFixed(1)}H${x + 1}`;
      before = x + 1;
    });
    return path === '' ? '' : `${path}${lag === 0 ? '' : `H${before + lag}`}V${HEIGHT}Z`;
  };
  const drawn = SHOWN.map((status) => {
    minutes.status[status].forEach((count, i) => (below[i] += count));
    return { status, path: pathOf((i) => HEIGHT - heightOf(below[i], totals[i])) };
  });
  return [{ status: 'recorded', path: pathOf(() => 0, LAG_S / minutes.step_s) }, ...drawn.reverse()];
}

/**
 * @param {object} minutes
 * @param {number} ms
 * @returns {string} the counts at that time in words, the worst status first
 */
function wordsAt(minutes, ms) {
  const place = minutes.at.findLastIndex((at) => at * 1000 <= ms);
  if (place < 0) {
    return 'nothing is known';
  }
  const words = SHOWN.toReversed().map((status) => [minutes.status[status][place], status])
    .filter(([count]) => count > 0);
  return words.length === 0 ? 'all well' : words.map(([count, status]) => `${number(count)} ${status}`).join(', ');
}

/**
 * Returns the nearest step of time with a status transition.
 *
 * @param {object} minutes
 * @param {number} ms
 * @param {number} direction -1 searches before `ms`, 1 after it
 * @returns {?number} in ms; null without one
 */
export function changed(minutes, ms, direction) {
  const has = (at, i) => minutes.transitions[i] > 0 && (at * 1000 - ms) * direction > 0;
  const i = direction < 0 ? minutes.at.findLastIndex(has) : minutes.at.findIndex(has);
  return i < 0 ? null : minutes.at[i] * 1000;
}

/**
 * Returns the chart.
 *
 * @param {object} state times in ms
 * @param {?object} state.minutes response of `/console/fleet/minutes`; null while it is being read
 * @param {number} state.from start of the band
 * @param {number} state.to end of the band
 * @param {?number} state.at the time that is shown; null for now
 * @param {(ms: number) => void} state.scrub called when the user selects a time
 */
export function band({ minutes, from, to, at, scrub }) {
  if (minutes === null) {
    return html`<div class="band-chart" aria-hidden="true"></div>`;
  }
  const clamp = (ms) => Math.min(to, Math.max(from, ms));
  const stepMs = minutes.step_s * 1000;
  const place = at ?? to;
  const keys = {
    ArrowLeft: -stepMs, ArrowDown: -stepMs, ArrowRight: stepMs, ArrowUp: stepMs,
    PageUp: (to - from) / PAGE, PageDown: (from - to) / PAGE, Home: from - place, End: to - place,
  };
  const key = (event) => {
    if (event.key in keys && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      scrub(clamp(Math.round(place + keys[event.key])));
    }
  };
  const pointed = (event) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    scrub(clamp(Math.round(from + ((event.clientX - left) / width) * (to - from))));
  };
  const down = (event) => {
    if (event.button === 0) {
      event.currentTarget.setPointerCapture(event.pointerId);
      pointed(event);
    }
  };
  const moved = (event) => event.currentTarget.hasPointerCapture(event.pointerId) && pointed(event);
  const points = Math.max(1, Math.round((to - from) / stepMs));
  return html`<div class="band-chart" role="slider" tabindex="0" aria-label="Time that is shown"
      aria-valuemin=${Math.round(from / 1000)}
      aria-valuemax=${Math.round(to / 1000)} aria-valuenow=${Math.round(place / 1000)}
      aria-valuetext=${at === null ? `now, ${wordsAt(minutes, place)}` : `${exact(at)}, ${wordsAt(minutes, at)}`}
      aria-keyshortcuts="t" @keydown=${key} @pointerdown=${down} @pointermove=${moved}>
    <svg viewBox=${`0 0 ${points} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      ${outlines(minutes).map(({ status, path }) => svg`<path class=${`band-${status}`} d=${path}></path>`)}
      ${at === null || at < from || at > to
        ? nothing : svg`<line class="band-cursor" x1=${((at - from) / stepMs).toFixed(2)}
            x2=${((at - from) / stepMs).toFixed(2)} y1="0" y2=${HEIGHT}></line>`}
    </svg>
    ${unrecorded(minutes)}</div>
  <div class="band-scale meta"
      aria-hidden="true"><span>${shortTime(from, to - from)}</span><span>${shortTime((from + to) / 2, to
        - from)}</span><span>${shortTime(to, to - from)}</span></div>`;
}

/** Returns a sentence when nothing is recorded of the first half or more, as after the first start of a server. */
function unrecorded(minutes) {
  const { at } = minutes;
  const [from, to] = [Date.parse(minutes.from), Date.parse(minutes.to)]; // the band may be of another span by now
  const first = at.length === 0 ? to : at[0] * 1000;
  return first - from < (to - from) / 2 ? nothing
    : html`<span class="band-unrecorded meta">${at.length === 0
      ? 'Nothing is recorded yet' : `Recorded since ${shortTime(first, to - from)}`}</span>`;
}

/** Returns the time of day, with the date when the band is longer than 25 hours. */
const shortTime = (ms, span) => (span > 90_000_000 ? exact(ms).slice(5, 16) : clockTime(ms).slice(0, 5));
