/** Groups workspaces in trouble by their probable common cause. */
import { isByGap, isRestarting, MANY } from '../text/advice.js';
import { isBad } from './filter.js';
import { byWeight, STALLED, URGENCY, urgencyOf } from './order.js';
import { STATUS, STATUSES } from './store.js';

/** Workspaces of one group got their status at most this long after the first of them. */
const WINDOW_S = 120;
/** Last heartbeats at most this far apart, in either direction, count as falling silent together. */
const TOGETHER_S = 30;
/**
 * Factors that pack the number of a reason or a runtime and another value into one number; above the number of distinct
 * words.
 */
const [REASONS, RUNTIMES] = [2 ** 16, 2 ** 20];

/**
 * @typedef {object} TroubleGroup workspaces whose trouble has one cause and began at about the same time
 * @property {string} status
 * @property {string} reason
 * @property {boolean} stalled whether the stall is their trouble
 * @property {How} how
 * @property {string} runtime the runtime of all its workspaces; '' when they differ
 * @property {number} since when the first of them got its status or began to stall, in seconds; 0 when that is unknown
 * @property {number} last when the last of them did, in seconds
 * @property {number} count number of workspaces
 * @property {number} urgency 0 to 10, see order.js
 * @property {number} kind packed pattern of the error, reason, status, `stalled`, and whether a restart is pending
 *
 * @typedef {string} How what else advice.js has a cause for, as a part of the key of a group. How its offline
 *   workspaces fell silent: `never` heard of or not known when, by a `gap` of Muster, many `together`, or `alone`; ''
 *   for other statuses. Where a restart is pending: `restarting` while it is waited for, and later how they fell silent
 *   with ` late` after it.
 */

/**
 * Returns the pattern of an error: ids, numbers and quoted texts are replaced by #, so that it is equal for all agents.
 *
 * @param {string} error
 * @returns {string}
 */
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
 * The groups of one fleet, updated incrementally: a row that changes is removed from its group and added to another, so
 * that a change needs no pass over all rows.
 */
export class TroubleGroups {
  /** By row: the kind of trouble, 0 for none; and the start of its status packed with its runtime. */
  #kind = new Float64Array(0);
  #when = new Float64Array(0);
  /** By row: the last heartbeat of an offline workspace, in seconds; 0 for others. */
  #heard = new Uint32Array(0);
  /** Kind → start and runtime → number of rows. @type {Map<number, Map<number, number>>} */
  #kinds = new Map();
  /** Second → number of offline workspaces whose last heartbeat it was. @type {Map<number, number>} */
  #silent = new Map();
  /** Number of an error → number of its pattern; and text of a pattern → its number. */
  #patterns = [];
  #known = new Map();
  /** Changes with each number of workspaces that fell silent together. */
  silences = 0;
  /** Second → the workspaces that fell silent at about that time, as of a value of `silences`. */
  #counted = new Map();
  #countedOf = -1;

  /** @param {import('./store.js').FleetStore} store */
  constructor(store) {
    this.store = store;
  }

  /** Groups all rows. @param {(row: number) => boolean} test which rows to include */
  reset(test) {
    const { store } = this;
    this.#kind = new Float64Array(store.capacity);
    this.#when = new Float64Array(store.capacity);
    this.#heard = new Uint32Array(store.capacity);
    this.#kinds.clear();
    this.#silent.clear();
    this.silences++;
    for (let row = 0; row < store.n; row++) {
      if (isBad(store, row)) {
        this.#touch(row, test); // the arrays are zero for the others
      }
    }
  }

  /**
   * Updates the groups of changed rows.
   *
   * @param {number[]} rows
   * @param {(row: number) => boolean} test which rows to include; the same as in the calls before
   */
  touch(rows, test) {
    if (this.#kind.length < this.store.n) {
      this.reset(test); // rows were added beyond the arrays' length
    }
    for (const row of rows) {
      this.#touch(row, test);
    }
  }

  #touch(row, test) {
    const { store } = this;
    const isAlive = store.alive[row] === 1;
    const heard = isAlive && store.status[row] === STATUS.offline ? store.heard[row] : 0;
    if (heard !== this.#heard[row]) {
      this.#heard[row] && count(this.#silent, this.#heard[row], -1);
      heard && count(this.#silent, heard, 1);
      this.#heard[row] = heard;
      this.silences++;
    }
    const kind = isAlive && isBad(store, row) && test(row) ? this.#kindOf(row) : 0;
    const when = kind === 0 ? 0 : store.sinceOf(row) * RUNTIMES + store.runtime[row];
    if (kind !== this.#kind[row] || when !== this.#when[row]) {
      this.#group(this.#kind[row], this.#when[row], -1);
      this.#group(kind, when, 1);
      this.#kind[row] = kind;
      this.#when[row] = when;
    }
  }

  #group(kind, when, by) {
    if (kind !== 0) {
      const times = this.#kinds.get(kind) ?? this.#kinds.set(kind, new Map()).get(kind);
      count(times, when, by);
      if (times.size === 0) {
        this.#kinds.delete(kind);
      }
    }
  }

  /**
   * Includes the error only for degraded and failed workspaces; that of others is from an earlier time. Includes a
   * stall only where it is the trouble, because advice.js says the cause of a worse status instead.
   */
  #kindOf(row) {
    const { store } = this;
    const status = store.status[row];
    const error = status === STATUS.degraded || status === STATUS.failed ? this.#patternOf(store.error[row]) : 0;
    const isForItsStall = store.isStalled(row) && URGENCY[status] < STALLED;
    return (((error * REASONS + store.reason[row]) * 16 + status) * 2 + Number(isForItsStall)) * 2
      + Number(store.restartAsked(row) !== null);
  }

  #patternOf(word) {
    if (this.#patterns[word] === undefined) {
      const text = pattern(this.store.words.error.list[word]);
      this.#patterns[word] = this.#known.get(text) ?? this.#known.set(text, this.#known.size).get(text);
    }
    return this.#patterns[word];
  }

  /**
   * @param {{uptimeGap?: object, now: number}} around as for advice.js
   * @returns {TroubleGroup[]} by weight
   */
  list(around) {
    const found = [];
    for (const [kind, all] of this.#kinds) {
      for (const [how, times] of this.#split(kind, all, around)) {
        let last = null;
        for (const when of Float64Array.from(times.keys()).sort()) {
          const since = Math.floor(when / RUNTIMES);
          const runtime = this.store.words.runtime.list[when % RUNTIMES];
          if (last === null || since - last.since > WINDOW_S) {
            last = { kind, how, since, last: since, runtime, count: 0, ...this.#meaning(kind) };
            found.push(last);
          }
          last.count += times.get(when);
          last.last = since;
          last.runtime = runtime === last.runtime ? runtime : '';
        }
      }
    }
    return found.sort(byWeight);
  }

  /** Splits a kind by what depends on others or on the time, so that it is not kept. */
  #split(kind, all, around) {
    if (statusOf(kind) !== STATUS.offline && !isAsked(kind)) {
      return [['', all]];
    }
    const split = new Map();
    for (let row = 0; row < this.store.n; row++) {
      if (this.#kind[row] === kind) {
        const how = this.#how(row, around);
        count(split.get(how) ?? split.set(how, new Map()).get(how), this.#when[row], 1);
      }
    }
    return split;
  }

  #how(row, around) {
    const silent = this.store.status[row] === STATUS.offline ? this.#howSilent(row, around) : '';
    if (!isAsked(this.#kind[row])) {
      return silent;
    }
    const subject = { restartAskedMs: Date.parse(this.store.restartAsked(row)) };
    return isRestarting(subject, around) ? 'restarting' : `${silent} late`;
  }

  #howSilent(row, { uptimeGap, now }) {
    const heard = this.#heard[row];
    const subject = { lastHeartbeatMs: heard * 1000, sinceMs: this.store.since[row] * 1000 };
    return heard === 0 ? 'never' : isByGap(subject, uptimeGap, now) ? 'gap'
      : this.together(row) >= MANY ? 'together' : 'alone';
  }

  #meaning(kind) {
    const [status, stalled, reason] = [statusOf(kind), Math.floor(kind / 2) % 2 === 1,
      this.store.words.reason.list[Math.floor(kind / 64) % REASONS]];
    return { status: STATUSES[status], stalled, reason, urgency: urgencyOf(status, reason, stalled) };
  }

  /**
   * Scans all rows.
   *
   * @param {TroubleGroup[]} groups
   * @param {{uptimeGap?: object, now: number}} around as for the list
   * @param {number} [most]
   * @returns {number[]} the rows of the groups
   */
  rowsOf(groups, around, most = Infinity) {
    const rows = [];
    const byKind = new Map();
    groups.forEach((group) => byKind.set(group.kind, [...(byKind.get(group.kind) ?? []), group]));
    for (let row = 0; row < this.store.n && rows.length < most; row++) {
      const since = this.store.sinceOf(row);
      const isOf = (group) => since >= group.since && since <= group.last
        && (group.how === '' || group.how === this.#how(row, around));
      if (byKind.get(this.#kind[row])?.some(isOf)) {
        rows.push(row);
      }
    }
    return rows;
  }

  /**
   * Counts the offline workspaces that fell silent at about the same time as a row, itself included.
   *
   * @param {number} row
   * @returns {number} 0 for a row that is not offline, and for one that was never heard of
   */
  together(row) {
    const heard = this.#heard[row] ?? 0;
    if (heard === 0) {
      return 0;
    }
    if (this.#countedOf !== this.silences) {
      [this.#countedOf, this.#counted] = [this.silences, new Map()];
    }
    let together = this.#counted.get(heard) ?? 0;
    if (together === 0) {
      for (let second = heard - TOGETHER_S; second < heard + TOGETHER_S; second++) {
        together += this.#silent.get(second) ?? 0;
      }
      this.#counted.set(heard, together);
    }
    return together;
  }
}

const statusOf = (kind) => Math.floor(kind / 4) % 16;

const isAsked = (kind) => kind % 2 === 1;

/**
 * Counts the offline workspaces that fell silent at about a time, by a pass over all rows. With 100,000 rows it
 * takes half a millisecond, so the page of a workspace, which has no groups, calls it at each draw.
 *
 * @param {import('./store.js').FleetStore} store
 * @param {number} heard time of a last heartbeat, in seconds
 * @returns {number} as {@link TroubleGroups#together}
 */
export function silentTogether(store, heard) {
  let together = 0;
  for (let row = 0; row < store.n; row++) {
    const isOffline = store.alive[row] === 1 && store.status[row] === STATUS.offline;
    together += Number(isOffline && store.heard[row] >= heard - TOGETHER_S && store.heard[row] < heard + TOGETHER_S);
  }
  return together;
}

/** Adds to the count of a number, and removes a count that becomes 0. */
function count(counts, number, by) {
  const now = (counts.get(number) ?? 0) + by;
  if (now > 0) {
    counts.set(number, now);
  } else {
    counts.delete(number);
  }
}
