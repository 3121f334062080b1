/** Moves a fleet forward and back in time by applying and undoing status changes. */
import { NONE } from './snapshot.js';
import { STATUS } from './store.js';

/** Status number of a workspace that does not exist at that time. */
const GONE = -1;

export class Replay {
  /**
   * @param {import('./store.js').FleetStore} store the fleet at the start of the changes
   * @param {import('./snapshot.js').Changes} changes every workspace in them must have a row in `store`
   */
  constructor(store, changes) {
    const { n, dict, columns } = changes;
    this.store = store;
    this.from = changes.from;
    this.to = changes.to;
    this.n = n;
    /** Time of each change, in ms after `from`; ascending. */
    this.times = columns.at;
    /** Number of changes that are applied. */
    this.position = 0;
    const known = Int32Array.from({ length: columns.id.length / 16 }, (_, i) => store.index.findAt(columns.id, i));
    const statuses = dict.status.map((word) => (word === 'removed' ? GONE : STATUS[word] ?? STATUS.online));
    const numbers = (name) => dict[name].map((word) => store.words[name].number(word));
    const [reasons, errors] = [numbers('reason'), numbers('error')];
    this.rows = Int32Array.from(columns.row, (place) => known[place]);
    this.statuses = Int8Array.from(columns.now, (number) => statuses[number]);
    this.reasons = Uint16Array.from(columns.reason, (number) => (number === NONE.smallWord ? 0 : reasons[number]));
    this.errors = Uint32Array.from(columns.error, (number) => (number === NONE.word ? 0 : errors[number]));
    // The values that each applied change has replaced, for undoing it.
    this.was = { status: new Int8Array(n), since: new Uint32Array(n), reason: new Uint16Array(n),
      error: new Uint32Array(n) };
  }

  /**
   * Moves the fleet to a time. The result does not depend on the time before.
   *
   * @param {number} ms
   * @returns {number[]} the rows that changed
   */
  seek(ms) {
    const after = ms - this.from;
    const touched = [];
    while (this.position < this.n && this.times[this.position] <= after) {
      this.#apply(this.position++, touched);
    }
    while (this.position > 0 && this.times[this.position - 1] > after) {
      this.#undo(--this.position, touched);
    }
    return touched;
  }

  #apply(i, touched) {
    const { store, was } = this;
    const row = this.rows[i];
    was.status[i] = store.alive[row] ? store.status[row] : GONE;
    was.since[i] = store.since[row];
    was.reason[i] = store.reason[row];
    was.error[i] = store.error[row];
    store.setPast(row, this.statuses[i], Math.floor((this.from + this.times[i]) / 1000),
      this.reasons[i], this.errors[i]);
    touched.push(row);
  }

  #undo(i, touched) {
    const { was } = this;
    const row = this.rows[i];
    this.store.setPast(row, was.status[i], was.since[i], was.reason[i], was.error[i]);
    touched.push(row);
  }

  /** @param {number} ms @returns {?number} time of the first change after `ms`; null without one */
  next(ms) {
    const place = this.#place(ms - this.from);
    return place < this.n ? this.from + this.times[place] : null;
  }

  /** @param {number} ms @returns {?number} time of the last change before `ms`; null without one */
  previous(ms) {
    const place = this.#place(ms - this.from - 1);
    return place > 0 ? this.from + this.times[place - 1] : null;
  }

  /** Returns the number of changes at or before a time, which is in ms after `from`. */
  #place(after) {
    let [low, high] = [0, this.n];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= after) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
