/**
 * Filters and sorts the rows of the fleet. Changes are collected in `moved` until the order is updated, so that rows do
 * not move in use.
 */
import { TroubleGroups } from './trouble-groups.js';
import { filter, FilterError } from './filter.js';
import { inserted, ordered, placeBy } from './order.js';

const NOT_SHOWN = -1;

/**
 * How a view selects and sorts the rows that it draws.
 *
 * @typedef {object} Arrangement
 * @property {(store: object, found: number[], sort: string, direction: string) => Int32Array} order
 * @property {typeof inserted} [insert] moves single rows; without it all rows are sorted again
 * @property {(sort: string) => (store: object, row: number) => number} place returns the sort key: a number that
 *   changes when the row's place may change
 * @property {(touched: number[]) => number[]} affected returns the changed rows and those whose place depends on them
 */

/** @type {Arrangement} */
export const TABLE = { order: ordered, insert: inserted, place: placeBy, affected: (touched) => touched };

export class FleetView {
  /** @param {import('./store.js').FleetStore} store @param {() => number} now server time in ms */
  constructor(store, now) {
    this.store = store;
    this.now = now;
    this.query = '';
    this.sort = 'severity';
    this.direction = 'asc';
    this.rows = new Int32Array(0);
    /**
     * The rows that match the filter. A tree also draws their ancestors, and hides rows below closed ones.
     *
     * @type {number[] | Int32Array}
     */
    this.matched = [];
    this.arrangement = TABLE;
    /** Rows whose place has changed since the last sort. */
    this.moved = new Set();
    this.places = new Float64Array(0);
    /** The groups in trouble of the rows that match. */
    this.troubleGroups = new TroubleGroups(store);
    this.test = () => true;
    /** The last valid filter. */
    this.valid = '';
    /** @type {?FilterError} */
    this.error = null;
  }

  /**
   * Sets filter, sort and arrangement, and applies them. An invalid filter sets `error` and keeps the last valid one.
   */
  show({ query = '', sort = 'severity', direction = 'asc', arrangement = TABLE }) {
    Object.assign(this, { query, sort, direction, arrangement });
    this.apply();
  }

  /** Filters and sorts all rows. */
  apply() {
    const { store } = this;
    this.#retest();
    const place = this.arrangement.place(this.sort);
    const places = new Float64Array(store.capacity).fill(NOT_SHOWN);
    const found = [];
    for (let row = 0; row < store.n; row++) {
      if (store.alive[row] && this.test(row)) {
        found.push(row);
      }
    }
    this.rows = this.arrangement.order(store, found, this.sort, this.direction);
    for (const row of found) {
      places[row] = place(store, row);
    }
    this.places = places;
    this.matched = found;
    this.moved.clear();
    this.troubleGroups.reset(this.test);
  }

  /** Moves the rows in `moved` to their places. Filters and sorts all rows when that is not enough. */
  settle() {
    const { store, moved, sort } = this;
    const { insert, place } = this.arrangement;
    if (!insert || sort === 'name' || this.dependsOnOthers() || this.dependsOnTime() || this.places.length < store.n) {
      this.apply();
      return;
    }
    const placeOf = place(sort);
    const isMoved = new Uint8Array(store.n);
    const shown = [];
    for (const row of moved) {
      const isShown = store.alive[row] === 1 && this.test(row);
      isMoved[row] = 1;
      this.places[row] = isShown ? placeOf(store, row) : NOT_SHOWN;
      if (isShown) {
        shown.push(row);
      }
    }
    this.rows = this.matched = insert(store, this.rows, isMoved, shown, sort, this.direction);
    moved.clear();
  }

  /**
   * Adds rows whose place has changed to `moved`, and removes rows whose place is the old one again.
   *
   * @param {number[]} touched
   */
  touch(touched) {
    if (this.shape !== this.store.shape && this.dependsOnOthers()) {
      this.#retest();
    }
    this.troubleGroups.touch(touched, this.test);
    const place = this.arrangement.place(this.sort);
    for (const row of this.arrangement.affected(touched)) {
      const is = this.store.alive[row] && this.test(row) ? place(this.store, row) : NOT_SHOWN;
      const was = row < this.places.length ? this.places[row] : NOT_SHOWN;
      if (is === was) {
        this.moved.delete(row);
      } else {
        this.moved.add(row);
      }
    }
  }

  #retest() {
    const { query, store } = this;
    this.shape = store.shape;
    try {
      this.test = filter(query, store, this.now());
      [this.valid, this.error] = [query, null];
    } catch (error) {
      if (!(error instanceof FilterError)) {
        throw error;
      }
      this.error = error;
      this.test = filter(this.valid, store, this.now());
    }
  }

  /** @returns {boolean} whether a change of one row may change whether others match the filter */
  dependsOnOthers() {
    return /\b(under|parent):/i.test(this.valid);
  }

  /** @returns {boolean} whether filter or order depend on the last heartbeats */
  dependsOnHeartbeats() {
    return this.sort === 'heard' || /\bsilent[<>]/i.test(this.valid);
  }

  /** @returns {boolean} whether the filter depends on the current time */
  dependsOnTime() {
    return /\b(silent|since)[<>]/i.test(this.valid);
  }
}
