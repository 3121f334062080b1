/**
 * Estimates the server's time. The clock is frozen while the server is unreachable, so that ages do not grow past the
 * last known state.
 */

let offset = 0;
let best = Infinity;
let frozenAt = null;
const listeners = new Set();

/**
 * Updates the offset to the server's time. Keeps the measurement with the shortest round trip, which has the
 * smallest error.
 *
 * @param {string | number} server the server's time, ISO or ms
 * @param {number} [tookMs] duration of the request
 */
export function sync(server, tookMs = 0) {
  const ms = typeof server === 'number' ? server : Date.parse(server);
  best += 5; // clocks drift, so a newer measurement may replace an older one that was a little faster
  if (!Number.isNaN(ms) && tookMs <= best) {
    best = tookMs;
    offset = ms + tookMs / 2 - Date.now();
  }
}

/** @returns {number} the server's time in ms by the last estimate, also while frozen */
export const estimate = () => Date.now() + offset;

/** @returns {number} the server's time in ms; while frozen, the time at which the clock was frozen */
export const now = () => frozenAt ?? estimate();

/** @returns {boolean} */
export const frozen = () => frozenAt !== null;

/** Freezes the clock. @param {number} [at] server time of the last response or event, in ms */
export function freeze(at = now()) {
  if (frozenAt === null) {
    frozenAt = at;
    notify();
  }
}

export function thaw() {
  if (frozenAt !== null) {
    frozenAt = null;
    notify();
  }
}

/**
 * @param {() => void} fn called every second, and when the clock is frozen or thawed
 * @returns {() => void} removes the listener
 */
export function onTick(fn) {
  listeners.add(fn);
  if (listeners.size === 1) {
    timer = setInterval(notify, 1000);
  }
  return () => {
    listeners.delete(fn);
    if (listeners.size === 0) {
      clearInterval(timer);
    }
  };
}

let timer = 0;

function notify() {
  listeners.forEach((fn) => fn());
}
