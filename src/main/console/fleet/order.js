/** The order of rows. */
import { STATUS } from './columns.js';

/** How urgent a status is; the highest comes first. */
export const URGENCY = new Uint8Array(16);
['online', 'hibernated', 'hibernating', 'provisioning', 'paused', 'awaiting_agent', '', 'degraded', 'offline', '', 'failed'].forEach(
  (status, urgency) => status && (URGENCY[STATUS[status]] = urgency),
);
export const STALLED = 6;
/** More than offline: a wedged agent still takes its messages, and answers none. */
export const WEDGED = 9;
export const MAX_URGENCY = 10;

/** @returns {boolean} */
export const isWedged = (store, row) => store.status[row] === STATUS.degraded && store.word('reason', row) === 'runtime_wedged';

/** @returns {number} 0 (well) to 10 (failed) */
export const urgency = (store, row) => urgencyOf(store.status[row], store.word('reason', row), store.isStalled(row));

/** @param {number} status @param {string} reason @param {boolean} isStalled @returns {number} as {@link urgency} */
export function urgencyOf(status, reason, isStalled) {
  if (status === STATUS.degraded && reason === 'runtime_wedged') {
    return WEDGED;
  }
  return isStalled ? Math.max(URGENCY[status], STALLED) : URGENCY[status];
}

const ROWS = 2 ** 17;

/**
 * @param {import('./store.js').FleetStore} store
 * @param {Int32Array | number[]} rows
 * @param {'severity' | 'name' | 'since' | 'heard'} [sort]
 * @param {'asc' | 'desc'} [direction] each sort has its own natural one, which asc is
 * @returns {Int32Array} the same rows: the worst, the first names, the newest changes, the longest silent first
 */
export function ordered(store, rows, sort = 'severity', direction = 'asc') {
  const sorted = sort === 'name' ? byName(store, rows) : byNumber(rows, NUMBERS[sort] ?? NUMBERS.severity, store);
  return direction === 'desc' ? sorted.reverse() : sorted;
}

const NUMBERS = {
  severity: (store, row) => (MAX_URGENCY - urgency(store, row)) * 2 ** 32 + (0xffffffff - store.since[row]),
  since: (store, row) => 0xffffffff - store.since[row],
  heard: (store, row) => store.heard[row],
};

/**
 * Puts rows that have moved into their places. The others stay as they are, so this takes a small part of the time of {@link ordered}.
 *
 * @param {import('./store.js').FleetStore} store
 * @param {Int32Array} rows in their order before
 * @param {Uint8Array} isMoved by row
 * @param {number[]} moved those of them that are shown from now on
 * @param {'severity' | 'since' | 'heard'} sort names have no number to compare
 * @param {'asc' | 'desc'} direction
 * @returns {Int32Array}
 */
export function inserted(store, rows, isMoved, moved, sort, direction) {
  const number = NUMBERS[sort] ?? NUMBERS.severity;
  const sign = direction === 'desc' ? -1 : 1;
  const isAfter = (a, b) => sign * (number(store, a) - number(store, b) || a - b) > 0;
  const found = new Int32Array(rows.length + moved.length);
  let kept = 0;
  for (let i = 0; i < rows.length; i++) {
    found[kept] = rows[i];
    kept += isMoved[rows[i]] ? 0 : 1;
  }
  // From the last one on, so that what stays moves within the array, and only once.
  const sorted = ordered(store, moved, sort, direction);
  for (let i = sorted.length - 1, end = kept; i >= 0; i--) {
    let [low, high] = [0, end];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isAfter(found[middle], sorted[i])) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    found.copyWithin(low + i + 1, low, end);
    found[low + i] = sorted[i];
    end = low;
  }
  return found.subarray(0, kept + sorted.length);
}

/**
 * @param {'severity' | 'name' | 'since' | 'heard'} sort
 * @returns {(store: object, row: number) => number} changes when the row's place may have changed
 */
export const placeBy = (sort) => (sort === 'name' ? () => 0 : (NUMBERS[sort] ?? NUMBERS.severity));

function byName(store, rows) {
  return Int32Array.from(rows).sort((a, b) => {
    const [x, y] = [store.lower(a), store.lower(b)];
    return x < y ? -1 : x > y ? 1 : a - b;
  });
}

/** The row's place in the same double as its number makes the sort one of plain numbers, which is fast. */
function byNumber(rows, number, store) {
  if (store.n > ROWS) {
    return Int32Array.from(rows).sort((a, b) => number(store, a) - number(store, b) || a - b);
  }
  const keys = Float64Array.from(rows, (row) => number(store, row) * ROWS + row).sort();
  return Int32Array.from(keys, (key) => key % ROWS);
}
