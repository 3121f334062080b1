/** The fleet at a past time, with the same interface as LiveFleet for the page of the fleet. */
import { Replay } from './replay.js';
import { readChanges, readSnapshot } from './snapshot.js';
import { FleetStore, STATUS } from './store.js';

/** Period before and after a time that is loaded with it, so that seeking within it needs no request. */
const AROUND_MS = 12 * 3_600_000;
/** Limit of changes per response of the server. */
const MAX_CHANGES = 500_000;
/** Distance to the oldest history, which the server deletes while the page is open. */
const OLDEST_MARGIN_MS = 60_000;
/** Delay after the last seek until the rows are sorted again; they keep their places while the user scrubs. */
const SETTLE_MS = 150;

export class PastFleet {
  /** Tells the page of the fleet that nothing can be changed. */
  isPast = true;
  summary = null;
  isLoaded = false;
  loadedAt = -Infinity;
  /** Why the time could not be loaded; null after success. */
  failure = null;
  visible = () => [];
  store = new FleetStore({ isPast: true });
  /** The time that is shown, in ms. */
  at = NaN;
  /** Start of the stored history, in ms. */
  oldest = -Infinity;
  /** @type {?Replay} */
  #replay = null;
  #isLoading = false;
  #isClosed = false;
  #timer = 0;
  #listeners = new Set();
  #ticks = new Set();
  #call;

  /** @param {typeof import('../net/api.js').call} call */
  constructor(call) {
    this.#call = call;
  }

  /** Whether the time that is shown is the one that was asked for. */
  get isCurrent() {
    return this.isLoaded && !this.#isLoading;
  }

  onChange(fn) {
    this.#listeners.add(fn);
    return () => this.#listeners.delete(fn);
  }

  /** Ticks when another time is shown, in place of each second. */
  onTick(fn) {
    this.#ticks.add(fn);
    return () => this.#ticks.delete(fn);
  }

  start() {
    return this.seek(this.at);
  }

  refresh() {}

  /**
   * Shows another time: at once if it is loaded, otherwise after loading it. Of several calls during loading, the last
   * one counts.
   *
   * @param {number} ms
   */
  async seek(ms) {
    this.at = ms;
    if (this.#isLoading) {
      return;
    }
    if (!this.#covers(ms)) {
      await this.#loadRequested();
      return;
    }
    this.failure = null;
    this.#notify(this.#replay.seek(ms));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#settle(), SETTLE_MS);
  }

  #covers(ms) {
    return this.#replay !== null && ms >= this.#replay.from && ms <= this.#replay.to;
  }

  #notify(touched) {
    this.#listeners.forEach((fn) => fn(touched));
  }

  #settle() {
    this.#notify(null);
    this.#ticks.forEach((fn) => fn());
  }

  async #loadRequested() {
    this.#isLoading = true;
    let requested;
    do {
      requested = this.at;
      await this.#load(requested);
    } while (!this.#isClosed && this.at !== requested && !this.#covers(this.at));
    this.#isLoading = false;
    if (!this.#isClosed) {
      if (this.#covers(this.at)) { // a time of the period that was loaded before may have been asked for last
        this.#replay.seek(this.at);
        this.failure = null;
      }
      this.#settle();
    }
  }

  async #load(ms) {
    const from = Math.min(ms, Math.max(ms - AROUND_MS, this.oldest + OLDEST_MARGIN_MS));
    try {
      let [fleet, changes] = await this.#read(from, ms + AROUND_MS);
      if (changes.to < ms && changes.n >= MAX_CHANGES) {
        [fleet, changes] = await this.#read(ms, ms + AROUND_MS);
      }
      const endsThere = changes.to < ms + AROUND_MS && changes.n < MAX_CHANGES;
      if (this.at === ms || (endsThere && this.at > changes.to)) {
        this.at = Math.min(Math.max(this.at, changes.from), changes.to); // limit it to the stored history
      }
      if (this.at < changes.from || this.at > changes.to) {
        return; // another time is loaded next; until then the page goes on showing the fleet that it has drawn
      }
      this.store.load(fleet);
      this.#replay = new Replay(this.store, changes);
      this.#replay.seek(this.at);
      this.failure = null;
      this.isLoaded = true;
      this.loadedAt = performance.now();
    } catch (failure) {
      this.failure = failure.detail ?? failure.message;
    }
  }

  async #read(from, to) {
    const iso = (ms) => new Date(ms).toISOString();
    const read = async (path, query) => (await this.#call('GET', path, { query, as: 'bytes' })).bytes;
    const [fleet, changes] = await Promise.all([
      read('/console/fleet/at', { t: iso(from), until: iso(to) }),
      read('/console/fleet/changes', { from: iso(from), to: iso(to) }),
    ]);
    return [readSnapshot(fleet), readChanges(changes)];
  }

  /** @param {number} ms @returns {?number} time of the next change within the loaded period, in ms; null without one */
  next(ms) {
    return this.#replay?.next(ms) ?? null;
  }

  /** @param {number} ms @returns {?number} time of the change before, in ms; null without one */
  previous(ms) {
    return this.#replay?.previous(ms) ?? null;
  }

  /**
   * Compares with the present fleet.
   *
   * @param {import('./store.js').FleetStore} today
   * @returns {Record<string, number>} number of workspaces whose status has changed, by present status; also `new` and
   *   `removed`
   */
  comparedWith(today) {
    const { store } = this;
    const found = {};
    const count = (word) => (found[word] = (found[word] ?? 0) + 1);
    for (let row = 0; row < today.n; row++) {
      if (today.alive[row]) {
        const then = store.index.findAt(today.ids, row);
        if (then < 0 || !store.alive[then]) {
          count('new');
        } else if (store.status[then] !== today.status[row]) {
          count(today.statusOf(row));
        }
      }
    }
    for (let row = 0; row < store.n; row++) {
      if (store.alive[row]) {
        const now = today.index.findAt(store.ids, row);
        if (now < 0 || !today.alive[now]) {
          count('removed');
        }
      }
    }
    return found;
  }

  /** @returns {Record<string, number>} number of workspaces by status: failed, offline, degraded; without zeros */
  trouble() {
    return Object.fromEntries(['failed', 'offline', 'degraded']
      .map((status) => [status, this.store.counts[STATUS[status]]]).filter(([, count]) => count > 0));
  }

  close() {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }
}
