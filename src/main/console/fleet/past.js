/** The fleet as it was, for the page that shows the fleet: the same shape as what is live, and nothing to change. */
import { STATUS } from './columns.js';
import { Replay } from './replay.js';
import { readChanges, readSnapshot } from './snapshot.js';
import { FleetStore } from './store.js';

/** So much before and after a time is loaded with it, so that scrubbing there asks nothing of the server. */
const AROUND_MS = 12 * 3_600_000;
/** The most changes that the server sends at once. */
const MAX_CHANGES = 500_000;
/** What is kept becomes less while one looks. */
const OLDEST_MOVES_MS = 60_000;
/** While one scrubs, rows keep their places; they are put in order after a rest. */
const SETTLED_MS = 150;

export class PastFleet {
  /** What the page of the fleet asks: whether there is anything to act upon. */
  isPast = true;
  summary = null;
  isLoaded = false;
  loadedAt = -Infinity;
  /** Why it cannot be shown: the server's own sentence. */
  failure = null;
  visible = () => [];
  store = new FleetStore();
  /** The time that is shown, in ms. */
  at = NaN;
  /** Nothing is known of what was before. */
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

  onChange(fn) {
    this.#listeners.add(fn);
    return () => this.#listeners.delete(fn);
  }

  /** Its clock stands still; it ticks when another time is shown. */
  onTick(fn) {
    this.#ticks.add(fn);
    return () => this.#ticks.delete(fn);
  }

  start() {
    return this.seek(this.at);
  }

  refresh() {}

  /** Shows another time. Within what is loaded it does so at once; while something is loaded, the last one that was asked for. @param {number} ms */
  async seek(ms) {
    this.at = ms;
    if (this.#isLoading) {
      return;
    }
    if (!this.#covers(ms)) {
      await this.#loadWhatIsAsked();
      return;
    }
    this.failure = null;
    this.#tell(this.#replay.seek(ms));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#settle(), SETTLED_MS);
  }

  #covers(ms) {
    return this.#replay !== null && ms >= this.#replay.from && ms <= this.#replay.to;
  }

  #tell(touched) {
    this.#listeners.forEach((fn) => fn(touched));
  }

  #settle() {
    this.#tell(null);
    this.#ticks.forEach((fn) => fn());
  }

  async #loadWhatIsAsked() {
    this.#isLoading = true;
    let asked;
    do {
      asked = this.at;
      await this.#load(asked);
    } while (!this.#isClosed && this.at !== asked && !this.#covers(this.at));
    this.#isLoading = false;
    if (!this.#isClosed) {
      this.#settle();
    }
  }

  async #load(ms) {
    const from = Math.min(ms, Math.max(ms - AROUND_MS, this.oldest + OLDEST_MOVES_MS));
    try {
      let [fleet, changes] = await this.#read(from, ms + AROUND_MS);
      if (changes.to < ms && changes.n >= MAX_CHANGES) {
        [fleet, changes] = await this.#read(ms, ms + AROUND_MS);
      }
      this.store.load(fleet);
      this.#replay = new Replay(this.store, changes);
      if (this.at === ms) {
        this.at = Math.min(Math.max(ms, changes.from), changes.to); // the history goes only so far
      }
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

  /** @param {number} ms @returns {?number} when the next change is, within what is loaded */
  next(ms) {
    return this.#replay?.next(ms) ?? null;
  }

  previous(ms) {
    return this.#replay?.previous(ms) ?? null;
  }

  /**
   * Compares with the fleet of today.
   *
   * @param {import('./store.js').FleetStore} today
   * @returns {Record<string, number>} of what is another one today, how many have which status; `new` and `removed` ones
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

  /** @returns {Record<string, number>} how many have each status that is not well */
  trouble() {
    return Object.fromEntries(['failed', 'offline', 'degraded'].map((status) => [status, this.store.counts[STATUS[status]]]).filter(([, count]) => count > 0));
  }

  close() {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }
}
