/** The order of rows. */
import { STATUS } from './columns.js';

/** How urgent a status is; the highest comes first. */
export const URGENCY = new Uint8Array(16);
['online', 'hibernated', 'hibernating', 'provisioning', 'paused', 'awaiting_agent', '', 'degraded', 'offline', '', 'failed'].forEach(
  (status, urgency) => status && (URGENCY[STATUS[status]] = urgency),
);
export const STALLED = 6;
/** More than offline: a wedged agent still takes its messages, and answers none. */
const WEDGED = 9;
export const MAX_URGENCY = 10;

/** @returns {number} 0 (well) to 10 (failed) */
export function urgency(store, row) {
  const status = store.status[row];
  if (status === STATUS.degraded && store.word('reason', row) === 'runtime_wedged') {
    return WEDGED;
  }
  return store.isStalled(row) ? Math.max(URGENCY[status], STALLED) : URGENCY[status];
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
