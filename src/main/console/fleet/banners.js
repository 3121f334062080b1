/** Muster's own troubles: why statuses may not be what they seem. */

import { clockTime, zone } from '../text/time.js';

/**
 * @param {import('./live.js').LiveFleet} fleet
 * @param {'own_absence' | 'mass_silence'} kind
 * @returns {?{since: number, until: number}} in ms
 */
export function banner(fleet, kind) {
  const one = fleet.summary?.banners.find((candidate) => candidate.kind === kind);
  return one ? { since: Date.parse(one.since), until: Date.parse(one.until) } : null;
}

/** @returns {?string} the sentence of a banner; null where there is none, or none any more */
export function bannerWords(fleet, kind, now) {
  const one = banner(fleet, kind);
  if (one === null || one.until < now) {
    return null;
  }
  const until = minute(one.until);
  return kind === 'own_absence'
    ? `Muster itself was away until ${minute(one.since)}: statuses may be from before, until ${until} at the latest.`
    : `Too many fell silent at once: nobody is taken offline until ${until}. Look at the network first.`;
}

const minute = (ms) => `${clockTime(ms).slice(0, 5)} ${zone()}`;
