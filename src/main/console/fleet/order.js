/** Urgency of workspaces, and sorting of rows. */
import { STATUS } from './store.js';

/** Status number → urgency; the highest comes first. */
export const URGENCY = new Uint8Array(16);
[
  'online', 'hibernated', 'hibernating', 'provisioning', 'paused', 'awaiting_agent', '', 'degraded', 'offline', '',
  'failed',
].forEach(
  (status, urgency) => status && (URGENCY[STATUS[status]] = urgency),
);
/** Urgency of a workspace that is stalled, unless that of its status is higher. */
export const STALLED = 6;
/**
 * Urgency of a wedged workspace. It is higher than offline, since a wedged agent still receives messages but answers
 * none.
 */
export const WEDGED = 9;
export const MAX_URGENCY = 10;

export const isWedged = (store, row) => store.status[row] === STATUS.degraded
  && store.word('reason', row) === 'runtime_wedged';

/** @returns {number} 0 (online) to 10 (failed) */
export const urgency = (store, row) => urgencyOf(store.status[row], store.word('reason', row), store.isStalled(row));

/** @param {number} status @param {string} reason @param {boolean} isStalled @returns {number} as {@link urgency} */
export function urgencyOf(status, reason, isStalled) {
  if (status === STATUS.degraded && reason === 'runtime_wedged') {
    return WEDGED;
  }
  return isStalled ? Math.max(URGENCY[status], STALLED) : URGENCY[status];
}

/**
 * @param {{urgency: number, count: number}} group
 * @returns {number} how much its trouble weighs: its size, times 8 for what has failed or is wedged, 4 for what is
 *   offline or degraded, 2 for what is stalled
 */
export const weightOf = ({ urgency: its, count }) =>
  count * (its >= WEDGED ? 8 : its === URGENCY[STATUS.offline] || its === URGENCY[STATUS.degraded] ? 4 : 2);

/** Sorts groups by weight, then by urgency and time, all descending. */
export const byWeight = (a, b) => weightOf(b) - weightOf(a) || b.urgency - a.urgency || b.since - a.since;

/** Most rows whose number and sort key fit in one double. */
const ROWS = 2 ** 17;

/**
 * Sorts rows: the most urgent, the first names, those whose state is the newest or the oldest heartbeats first.
 *
 * @param {import('./store.js').FleetStore} store
 * @param {Int32Array | number[]} rows
 * @param {'severity' | 'name' | 'since' | 'heard'} [sort]
 * @param {'asc' | 'desc'} [direction] desc reverses the order
 * @returns {Int32Array} the same rows
 */
export function ordered(store, rows, sort = 'severity', direction = 'asc') {
  const sorted = sort === 'name' ? byName(store, rows) : byNumber(rows, NUMBERS[sort] ?? NUMBERS.severity, store);
  return direction === 'desc' ? sorted.reverse() : sorted;
}

const NUMBERS = {
  severity: (store, row) => (MAX_URGENCY - urgency(store, row)) * 2 ** 32 + (0xffffffff - store.sinceOf(row)),
  since: (store, row) => 0xffffffff - store.sinceOf(row),
  heard: (store, row) => store.heard[row],
};

/**
 * Moves changed rows to their places in a sorted list. The other rows are not compared, so this is much faster than
 * {@link ordered}.
 *
 * @param {import('./store.js').FleetStore} store
 * @param {Int32Array} rows the sorted list before the change
 * @param {Uint8Array} isMoved by row: 1 for a changed row, which is removed from the list
 * @param {number[]} moved the changed rows to insert
 * @param {'severity' | 'since' | 'heard'} sort not by name, which has no numeric sort key
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
  // Inserts from the last one on, so that each kept row moves once, within the same array.
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
 * Returns the sort key of a sort.
 *
 * @param {'severity' | 'name' | 'since' | 'heard'} sort
 * @returns {(store: object, row: number) => number} a number that changes when the row's place may change; constant for
 *   names
 */
export const placeBy = (sort) => (sort === 'name' ? () => 0 : (NUMBERS[sort] ?? NUMBERS.severity));

function byName(store, rows) {
  return Int32Array.from(rows).sort((a, b) => {
    const [x, y] = [store.lower(a), store.lower(b)];
    return x < y ? -1 : x > y ? 1 : a - b;
  });
}

/** Sorts by key, then by row. Key and row are packed into one double, since sorting plain numbers is fast. */
function byNumber(rows, number, store) {
  if (store.n > ROWS) {
    return Int32Array.from(rows).sort((a, b) => number(store, a) - number(store, b) || a - b);
  }
  const keys = Float64Array.from(rows, (row) => number(store, row) * ROWS + row).sort();
  return Int32Array.from(keys, (key) => key % ROWS);
}
