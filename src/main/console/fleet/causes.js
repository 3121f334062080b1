/** Groups what is wrong by its cause: the first look at night is at causes, not at rows. */
import { STATUS } from './columns.js';
import { isBad } from './filter.js';
import { urgency } from './order.js';

/** What began within this many seconds may have one cause. */
const WINDOW_S = 120;

/**
 * @typedef {object} Cause
 * @property {string} key the same for the same cause, as long as it lasts
 * @property {string} status
 * @property {string} reason
 * @property {boolean} stalled
 * @property {string} error one of the errors, as it was said
 * @property {string} runtime where all have the same, else ''
 * @property {number} since when the first of them began, in seconds
 * @property {number[]} rows
 */

/** @param {string} error @returns {string} without what differs from agent to agent: ids, numbers, quoted texts */
export function pattern(error) {
  return error
    .toLowerCase()
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '#')
    .replace(/(["'`“‘]).*?(["'`”’])/g, '#')
    .replace(/\b0x[0-9a-f]+\b|\b(?=[0-9a-f]*\d)[0-9a-f]{6,}\b/g, '#')
    .replace(/\d+([.,:]\d+)*/g, '#')
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * @param {import('./store.js').FleetStore} store
 * @param {Iterable<number>} rows
 * @returns {Cause[]} the most urgent first, of these the one with the most rows
 */
export function causes(store, rows) {
  const kinds = new Map();
  const patterns = new Map();
  for (const row of rows) {
    if (isBad(store, row)) {
      const key = kindOf(store, row, patterns);
      const kind = kinds.get(key) ?? kinds.set(key, []).get(key);
      kind.push(row);
    }
  }
  return [...kinds]
    .flatMap(([key, members]) => inWindows(store, key, members))
    .sort((a, b) => b.urgency - a.urgency || b.rows.length - a.rows.length || b.since - a.since);
}

/** The error counts only where it says something of the present: an offline agent's is from before. */
function kindOf(store, row, patterns) {
  const status = store.statusOf(row);
  const word = store.error[row];
  let error = '';
  if (status === 'degraded' || status === 'failed') {
    error = patterns.get(word) ?? patterns.set(word, pattern(store.word('error', row))).get(word);
  }
  return `${status}|${store.isStalled(row)}|${store.word('reason', row)}|${error}`;
}

function inWindows(store, key, members) {
  members.sort((a, b) => store.since[a] - store.since[b]);
  const found = [];
  for (const row of members) {
    const last = found[found.length - 1];
    if (last && store.since[row] - last.since <= WINDOW_S) {
      last.rows.push(row);
      last.runtime = store.word('runtime', row) === last.runtime ? last.runtime : '';
    } else {
      found.push(cause(store, key, row));
    }
  }
  return found;
}

function cause(store, key, row) {
  const status = store.statusOf(row);
  return {
    key: `${key}|${store.since[row]}`,
    status,
    stalled: store.isStalled(row),
    reason: store.word('reason', row),
    error: status === 'degraded' || status === 'failed' ? store.word('error', row) : '',
    runtime: store.word('runtime', row),
    since: store.since[row],
    urgency: urgency(store, row),
    rows: [row],
  };
}

/**
 * Counts which agents fell silent together.
 *
 * @param {import('./store.js').FleetStore} store
 * @returns {(row: number) => ?{together: number, of: number}} for one that is offline: how many fell silent within a minute of it
 */
export function silentTogether(store) {
  const times = [];
  for (let row = 0; row < store.n; row++) {
    if (store.alive[row] && store.status[row] === STATUS.offline) {
      times.push(store.heard[row]);
    }
  }
  const sorted = Float64Array.from(times).sort();
  const of = store.total();
  return (row) => {
    if (store.status[row] !== STATUS.offline || store.heard[row] === 0) {
      return null;
    }
    const heard = store.heard[row];
    return { together: below(sorted, heard + 30) - below(sorted, heard - 30), of };
  };
}

/** How many of the sorted numbers are below a bound. */
function below(sorted, bound) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < bound) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
