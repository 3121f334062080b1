/**
 * Shows banners while statuses are not reliable: after an uptime gap, and during a mass-offline hold. The banner for a
 * lost server or database is in `parts/connection.js`.
 */

import * as clock from '../net/clock.js';
import { dated, zone } from '../text/time.js';

/**
 * Returns the period of a banner in the latest summary.
 *
 * @param {import('./live.js').LiveFleet} fleet
 * @param {'own_absence' | 'mass_silence'} kind
 * @returns {?{downSince: number, since: number, until: number}} in ms; null without such a banner
 */
function banner(fleet, kind) {
  const one = fleet.summary?.banners.find((candidate) => candidate.kind === kind);
  return one
    ? { downSince: Date.parse(one.down_since), since: Date.parse(one.since), until: Date.parse(one.until) } : null;
}

/**
 * Returns what the advice for each workspace depends on besides its own state.
 *
 * @param {import('./live.js').LiveFleet} fleet
 * @param {?{stale_after_s: number}} session
 * @param {number} now server time in ms
 * @returns {import('../text/advice.js').Surroundings}
 */
export function surroundings(fleet, session, now) {
  const [uptimeGap, massSilence] = [banner(fleet, 'own_absence'), banner(fleet, 'mass_silence')];
  return { now, staleAfterS: session?.stale_after_s ?? 180, uptimeGap, massSilence };
}

/** @returns {?string} the text of a banner; null without one, and after its end */
function bannerWords(fleet, kind, now) {
  const one = banner(fleet, kind);
  if (one === null || one.until < now) {
    return null;
  }
  const until = minute(one.until, now);
  return kind === 'own_absence'
    ? `Muster itself was away from ${minute(one.downSince, now)} to ${minute(one.since, now)}: `
      + `statuses may be from before, until ${until} at the latest.`
    : `Too many fell silent at once: none is taken offline until ${until}. Look at the network first.`;
}

/**
 * Updates the banners every second until the returned function is called.
 *
 * @param {import('./live.js').LiveFleet} fleet
 * @param {(kind: 'absence' | 'mass-silence', text: ?string) => void} show
 * @returns {() => void} removes the banners
 */
export function showBanners(fleet, show) {
  const stop = clock.onTick(() => {
    show('absence', bannerWords(fleet, 'own_absence', clock.now()));
    show('mass-silence', bannerWords(fleet, 'mass_silence', clock.now()));
  });
  return () => {
    stop();
    show('absence', null);
    show('mass-silence', null);
  };
}

const minute = (ms, now) => `${dated(ms, now).slice(0, -3)} ${zone()}`;
