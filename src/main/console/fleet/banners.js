/**
 * Shows banners while statuses are not reliable: after an uptime gap, and during a mass-offline hold. The banner for a
 * lost server or database is in `parts/connection.js`.
 */

import * as clock from '../net/clock.js';
import { dated, zone } from '../text/time.js';

/** Of a gap that is shorter, minutes alone would not say when it was. */
const SHORT_MS = 600_000;

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
 * @param {import('./live.js').LiveFleet | import('./past.js').PastFleet} fleet
 * @param {?import('../net/session.js').Session} session
 * @param {number} now server time in ms
 * @returns {import('../text/advice.js').Surroundings & {self: ?string, version: string}} `self` is the workspace of an
 *   agent's session; `version` changes when the advice may change, apart from ages
 */
export function surroundings(fleet, session, now) {
  const isPast = fleet.isPast === true;
  const isEarly = fleet.summary === null && !isPast;
  const [uptimeGap, massSilence] = ['own_absence', 'mass_silence'].map((kind) => banner(fleet, kind))
    .map((one) => (one !== null && now < one.until ? one : null));
  return { now, staleAfterS: session?.stale_after_s ?? 180, heartbeatS: session?.heartbeat_interval_s, isPast, isEarly,
    self: session?.role === 'agent' ? session.workspace_id : null, uptimeGap, massSilence,
    version: [isEarly, uptimeGap?.until, massSilence?.until].join() };
}

/** @returns {?string} the text of a banner; null without one, and after its end */
function bannerWords(fleet, kind, now) {
  const one = banner(fleet, kind);
  if (one === null || one.until < now) {
    return null;
  }
  if (kind === 'mass_silence') {
    return `Too many fell silent at once: none is taken offline until ${minute(one.until, now)}. `
      + 'Look at the network first.';
  }
  const time = one.since - one.downSince < SHORT_MS ? second : minute;
  return `Muster itself was away from ${time(one.downSince, now)} to ${time(one.since, now)}: `
    + `statuses may be from before, until ${time(one.until, now)} at the latest.`;
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

const second = (ms, now) => `${dated(ms, now)} ${zone()}`;

const minute = (ms, now) => `${dated(ms, now).slice(0, -3)} ${zone()}`;
