/**
 * Parses and compiles filters of the fleet. `filter-cases.json` tests this parser and the server's with the same cases.
 */
import { FLAGS } from './snapshot.js';
import { STATUS, STATUSES } from './store.js';

const KEYS = [
  'status', 'reason', 'runtime', 'role', 'tier', 'mode', 'parent', 'under', 'name', 'error', 'task', 'is',
  'silent', 'since',
];
const DURATIONS = ['30s', '5m', '2h', '1d'];
const WORDS = {
  status: STATUSES,
  reason: ['runtime_wedged', 'error_rate', 'none'],
  mode: ['push', 'poll'],
  is: ['stalled', 'bad', 'queued'],
  tier: ['1', '2', '3'],
  parent: ['none', 'the id of a workspace'],
  silent: DURATIONS,
  since: [...DURATIONS, '02:00'],
};
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DURATION = /^(\d{1,6})([smhd])$/;
const TIME = /^([01]?\d|2[0-3]):([0-5]\d)$/;
const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 };

/** A word that the filter does not know; `words` are the expected ones. */
export class FilterError extends Error {
  constructor(word, words, text = sentence(word, words)) {
    super(text);
    this.word = word;
    this.words = words;
  }
}

const sentence = (word, words) => (words.length === 0
  ? `${word} has no value (expected: a text, such as ${word}abc)`
  : `“${word}” is no word of the filter (expected: ${words.join(', ')}; a text with a colon goes into quotes)`);

/** Splits at the separators outside quotes, without empty parts; an unclosed quote extends to the end. */
function split(text, separators, keepsQuotes) {
  const parts = [''];
  let isQuoted = false;
  for (const c of text) {
    isQuoted = c === '"' ? !isQuoted : isQuoted;
    if (!isQuoted && separators.includes(c)) {
      parts.push('');
    } else if (c !== '"' || keepsQuotes) {
      parts[parts.length - 1] += c;
    }
  }
  return parts.filter((part) => part !== '');
}

/**
 * Parses a filter.
 *
 * @param {string} query
 * @returns {{isNegated: boolean, key: string, operator: string, values: string[]}[]} values in lower case
 * @throws {FilterError}
 */
export function readTerms(query) {
  const terms = split(query, ' \t\r\n', true).map((word) => {
    const isNegated = word.startsWith('-');
    const text = isNegated ? word.slice(1) : word;
    const [whole, key, operator] = /^([A-Za-z_]+)([:<>])/.exec(text) ?? ['', '', ':'];
    const values = split(text.slice(whole.length), ',', false).map((value) => value.toLowerCase());
    return { isNegated, key: key.toLowerCase(), operator, values };
  });
  terms.forEach(check);
  return terms.filter(({ key, values }) => key !== '' || values.length > 0);
}

function check({ key, operator, values }) {
  if (key === '') {
    return;
  }
  if (!KEYS.includes(key)) {
    throw new FilterError(key, KEYS);
  }
  const isCompared = key === 'silent' || key === 'since';
  if (isCompared === (operator === ':')) {
    throw new FilterError(key + operator, isCompared ? [`${key}>`, `${key}<`] : [`${key}:`]);
  }
  const words = WORDS[key] ?? [];
  if (values.length === 0) {
    throw new FilterError(key + operator, words);
  }
  const unknown = values.find((value) => !isKnown(key, value, words));
  if (unknown !== undefined) {
    throw new FilterError(unknown, words);
  }
  if (key === 'since') {
    const isTime = TIME.test(values[0]);
    const other = values.find((value) => TIME.test(value) !== isTime);
    if (other !== undefined) {
      throw new FilterError(other, isTime ? ['02:00'] : DURATIONS);
    }
  }
}

function isKnown(key, value, words) {
  switch (key) {
    case 'status':
    case 'reason':
    case 'mode':
    case 'is':
      return words.includes(value);
    case 'tier':
      return /^\d{1,9}$/.test(value);
    case 'parent':
      return value === 'none' || ID.test(value);
    case 'silent':
      return DURATION.test(value);
    case 'since':
      return DURATION.test(value) || TIME.test(value);
    default:
      return true;
  }
}

/**
 * Compiles a filter.
 *
 * @param {string} query
 * @param {import('./store.js').FleetStore} store
 * @param {number} now the server's time in ms, from which `silent` and `since` are measured
 * @returns {(row: number) => boolean} a test of rows that are alive
 * @throws {FilterError} also for `task:`, since the page does not have all tasks, and in the past for what is not
 *   recorded
 */
export function filter(query, store, now) {
  const tests = readTerms(query).map((term) => {
    if (store.isPast) {
      checkRecorded(term);
    }
    const test = compile(term, store, now / 1000);
    return term.isNegated ? (row) => !test(row) : test;
  });
  return (row) => tests.every((test) => test(row));
}

function checkRecorded({ key, operator, values }) {
  const value = key === 'silent' ? values[0] : key === 'is' ? values.find((one) => one !== 'bad') : undefined;
  if (value !== undefined) {
    throw new FilterError(value, [], `${key}${operator}${value} cannot be asked of the past: it is not recorded`);
  }
}

function compile({ key, operator, values }, store, now) {
  switch (key) {
    case 'status': {
      const numbers = values.map((value) => STATUS[value]);
      return (row) => numbers.includes(store.status[row]);
    }
    case 'reason':
    case 'runtime':
      return byWord(key, store, (word) => values.includes(word === '' && key === 'reason' ? 'none' : word));
    case 'role':
    case 'error':
      return byWord(key, store, (word) => values.some((value) => word.includes(value)));
    case 'name':
      return (row) => values.some((value) => store.lower(row).includes(value));
    case 'tier':
      return (row) => values.some((value) => Number(value) === store.tier[row]);
    case 'mode':
      return (row) => values.includes((store.flags[row] & FLAGS.push) === 0 ? 'poll' : 'push');
    case 'is':
      return (row) => values.some((value) => CONDITIONS[value](store, row));
    case 'parent': {
      const rows = values.map((value) => (value === 'none' ? -1 : store.rowOf(value)))
        .filter((row, i) => row >= 0 || values[i] === 'none');
      return (row) => rows.includes(store.parent[row]);
    }
    case 'under':
      return under(values, store);
    case 'silent':
    case 'since':
      return compared(key, operator, values, store, now);
    case 'task':
      throw new FilterError('task', KEYS.filter((word) => word !== 'task'));
    default: {
      const isRole = byWord('role', store, (word) => values.some((value) => word.includes(value)));
      return (row) => isRole(row) || values.some((value) => store.lower(row).includes(value));
    }
  }
}

const CONDITIONS = {
  stalled: (store, row) => store.isStalled(row),
  bad: (store, row) => isBad(store, row),
  queued: (store, row) => (store.flags[row] & FLAGS.queued) !== 0,
};

/** @returns {boolean} whether the row is in trouble: degraded, offline, failed or stalled */
export function isBad(store, row) {
  const status = store.status[row];
  return status === STATUS.degraded || status === STATUS.offline || status === STATUS.failed || store.isStalled(row);
}

/** Tests each distinct word once instead of each row. */
function byWord(column, store, test) {
  const found = store.words[column].list.map((word) => test(word.toLowerCase()));
  return (row) => found[store[column][row]] ?? test(store.word(column, row).toLowerCase());
}

/** Matches the descendants of the workspaces with these names or ids. */
function under(tops, store) {
  const isTop = new Uint8Array(store.n);
  for (let row = 0; row < store.n; row++) {
    isTop[row] = store.alive[row] && (tops.includes(store.lower(row)) || tops.includes(store.id(row))) ? 1 : 0;
  }
  return (row) => {
    let parent = store.parent[row];
    for (let depth = 0; parent >= 0 && depth < 1000; depth++) {
      if (isTop[parent]) {
        return true;
      }
      parent = store.parent[parent];
    }
    return false;
  };
}

/** Of several values the one that matches the most rows counts. A time of day means its last occurrence, in UTC. */
function compared(key, operator, values, store, now) {
  const isTime = TIME.test(values[0]);
  const moments = values.map((value) => (isTime ? last(value, now) : now - duration(value)));
  const isBefore = (operator === '<') === isTime;
  const bound = isBefore ? Math.max(...moments) : Math.min(...moments);
  const timeOf = key === 'silent' ? (row) => store.heard[row] : (row) => store.sinceOf(row);
  return (row) => {
    const time = timeOf(row);
    return time !== 0 && (isBefore ? time < bound : time > bound);
  };
}

function duration(value) {
  const [, amount, unit] = DURATION.exec(value);
  return Number(amount) * SECONDS[unit];
}

function last(value, now) {
  const [, hours, minutes] = TIME.exec(value);
  const midnight = Math.floor(now / 86_400) * 86_400;
  const moment = midnight + Number(hours) * 3600 + Number(minutes) * 60;
  return moment > now ? moment - 86_400 : moment;
}
