/**
 * Estimates the server's time. The clock is frozen while the server is unreachable, so that ages do not grow past the
 * last known state.
 */

/** For how long the best measurement decides, in ms; then the clocks may have drifted. */
const KEPT_MS = 30_000;
/** A difference to the estimate in ms that no delay explains: one of the two clocks was set. */
const JUMP_MS = 5000;

let offset = 0;
/** The best measurements of the present period and of the one before. */
let [best, before] = [0, 0];
let begun = -Infinity;
let frozenAt = null;
const listeners = new Set();

/**
 * Takes over the server's time from what it has just sent, which must not be from a cache. It can only arrive late, so
 * of several measurements the one that is furthest ahead is right.
 *
 * @param {string | number | undefined} server the server's time, ISO or ms; an invalid one is ignored
 */
export function sync(server) {
  const measured = (typeof server === 'number' ? server : Date.parse(server)) - Date.now();
  if (Number.isNaN(measured)) {
    return;
  }
  const age = performance.now() - begun;
  if (Math.abs(measured - offset) > JUMP_MS || age > 2 * KEPT_MS) {
    [best, before, begun] = [measured, measured, performance.now()];
  } else if (age > KEPT_MS) {
    [best, before, begun] = [measured, best, performance.now()];
  } else {
    best = Math.max(best, measured);
  }
  offset = Math.max(best, before);
}

/** @returns {number} the server's time in ms by the last estimate, also while frozen */
export const estimate = () => Date.now() + offset;

/** @returns {number} the server's time in ms; while frozen, the time at which the clock was frozen */
export const now = () => frozenAt ?? estimate();

/** @returns {boolean} */
export const frozen = () => frozenAt !== null;

/** Freezes the clock, or sets the frozen clock. @param {number} at server time of the last sign of the server, in ms */
export function freeze(at) {
  if (frozenAt !== at) {
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
