/** The server's clock. It stands still while nothing is known of the server, so that ages do not lie. */

let offset = 0;
let best = Infinity;
let frozenAt = null;
const listeners = new Set();

/**
 * Learns the server's time. Of many answers the quickest counts, since its time is the least old.
 *
 * @param {string | number} server ISO or ms
 * @param {number} [tookMs] how long the answer took
 */
export function sync(server, tookMs = 0) {
  const ms = typeof server === 'number' ? server : Date.parse(server);
  best += 5; // clocks drift, so an old measurement counts less with every new one
  if (!Number.isNaN(ms) && tookMs <= best) {
    best = tookMs;
    offset = ms + tookMs / 2 - Date.now();
  }
}

/** @returns {number} the server's time in ms; while frozen, that of the freezing */
export const now = () => frozenAt ?? Date.now() + offset;

/** @returns {boolean} */
export const frozen = () => frozenAt !== null;

/** Stops the clock. @param {number} [at] the last moment that is known of the server, in ms */
export function freeze(at = now()) {
  if (frozenAt === null) {
    frozenAt = at;
    tell();
  }
}

/** Lets the clock go on. */
export function thaw() {
  if (frozenAt !== null) {
    frozenAt = null;
    tell();
  }
}

/**
 * @param {() => void} fn called every second, and when the clock stops or goes on
 * @returns {() => void} stops it
 */
export function onTick(fn) {
  listeners.add(fn);
  if (listeners.size === 1) {
    timer = setInterval(tell, 1000);
  }
  return () => {
    listeners.delete(fn);
    if (listeners.size === 0) {
      clearInterval(timer);
    }
  };
}

let timer = 0;

function tell() {
  listeners.forEach((fn) => fn());
}
