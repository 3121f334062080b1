/** Draws 24 hours of a workspace's statuses as a bar, with the share of time that it was online. */
import { html, nothing, svg } from 'lit-html';
import { statusMark, statusWord, toneOf } from '../parts/status-mark.js';
import { clockTime, duration } from '../text/time.js';

export const RIBBON_MS = 86_400_000;
const WIDTH = 1000;
const MAX_TROUBLES = 3;
const UNWELL = new Set(['degraded', 'offline', 'failed']);

/**
 * Returns the parts of the periods within the 24 hours before `now`, in ms.
 *
 * @param {object[]} periods of `/console/history/{id}`
 * @param {number} now in ms
 * @returns {{status: string, from: number, to: number}[]}
 */
export function pieces(periods, now) {
  return periods
    .map(({ status, since, until }) => ({ status, from: Math.max(now - RIBBON_MS, Date.parse(since)),
      to: until === null ? now : Math.min(now, Date.parse(until)) }))
    .filter(({ from, to }) => to > from);
}

/** @returns {?number} percentage of the recorded time that it was online; null without any */
export function onlineShare(found) {
  const length = (of) => of.reduce((sum, { from, to }) => sum + to - from, 0);
  const known = length(found);
  return known === 0 ? null : (100 * length(found.filter(({ status }) => status === 'online'))) / known;
}

/** Rounds down, so that only 100 itself is shown as 100. */
const percent = (share) => `${share === 100 ? '100' : (Math.floor(share * 10) / 10).toFixed(1)} %`;

/**
 * Returns the bar. It is as high before the periods are known, so that what is below it keeps its place.
 *
 * @param {object[] | undefined} periods undefined while they are not known
 * @param {number} now end of the 24 hours, in ms
 * @param {(iso: string) => string} timelineAt returns the url of the timeline at a time
 * @param {string} [name] label of these hours
 */
export function ribbon(periods, now, timelineAt, name = 'The last 24 hours') {
  const found = pieces(periods ?? [], now);
  const share = onlineShare(found);
  const words = share !== null ? `${percent(share)} online` : periods === undefined ? '–' : 'nothing is recorded';
  const x = (ms) => (WIDTH * (ms - now + RIBBON_MS)) / RIBBON_MS;
  const unwell = found.filter(({ status }) => UNWELL.has(status)).reverse();
  const label =
    `${name}: ${words}${unwell.map(({ status, from, to }) =>
      `, ${statusWord(status)} ${duration((to - from) / 1000)} from ${clockTime(from)}`).slice(0, 10).join('')}`;
  return html`<section class="ribbon" aria-label=${name}>
    <span class="meta">24 h</span>
    <svg viewBox="0 0 ${WIDTH} 10" preserveAspectRatio="none" role="img" aria-label=${label}>
      ${found.map(({ status, from, to }) => svg`<rect class=${toneOf(status)} x=${x(from).toFixed(1)}
          y=${UNWELL.has(status) ? 0 : 3} width=${Math.max(UNWELL.has(status) ? 3 : 0, x(to) - x(from)).toFixed(1)}
          height=${UNWELL.has(status) ? 10 : 4}></rect>`)}
    </svg>
    <b class="ribbon-share">${words}</b>
    ${unwell.length === 0
      ? nothing : html`<ul class="ribbon-troubles">${unwell.slice(0, MAX_TROUBLES).map(({ status, from, to }) =>
      html`<li><a href=${timelineAt(new Date(from + 1000).toISOString())}>${statusMark(status,
        { words: `${clockTime(from).slice(0, 5)}, ${duration((to - from) / 1000)}` })}</a></li>`)}
      ${unwell.length > MAX_TROUBLES
        ? html`<li class="meta">${unwell.length - MAX_TROUBLES} more</li>` : nothing}</ul>`}
  </section>`;
}
