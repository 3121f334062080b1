/**
 * Keeps the fleet up to date: loads summary and snapshot, applies events, and polls details that events do not have.
 */
import { MAX_IDS } from '../net/api.js';
import { readSnapshot } from './snapshot.js';
import { FleetStore, STATUSES } from './store.js';

const REFRESH_MS = 10_000;
const LOOK_MS = 1000;
const AGAIN_MS = 3000;
const RELOAD_MS = 5000;
const HEARTBEATS_MS = 60_000;
const FLUSH_MS = 4;
const MAX_PENDING = 200_000;

export class LiveFleet {
  /**
   * @param {object} needs
   * @param {typeof import('../net/api.js').call} needs.call
   * @param {import('../net/stream.js').Stream} needs.stream
   * @param {import('../net/link.js').Link} needs.link
   */
  constructor({ call, stream, link }) {
    this.call = call;
    this.stream = stream;
    this.link = link;
    this.store = new FleetStore();
    this.summary = null;
    this.isLoaded = false;
    /** Whether the snapshot, which may be old, was followed by all events up to a later sign of the server. */
    this.isCurrent = false;
    /** When the latest snapshot was loaded, by `performance.now()`. */
    this.loadedAt = -Infinity;
    /** When the last heartbeats of all rows were read. */
    this.heardAt = -Infinity;
    /** Why the snapshot could not be loaded; null after success. */
    this.failure = null;
    this.pending = [];
    this.position = 0;
    this.visible = () => [];
    /** Whether the page needs the last heartbeats of all rows, which no event has. */
    this.needsHeartbeats = () => false;
    /** Ids of workspaces to read: that only the server knows, or whose restart may be over, which no event says. */
    this.toRead = new Set();
    /** How many refreshes are under way; the last of them reads what is to be read meanwhile. */
    this.refreshing = 0;
    /** When each row was read that was visible, by `performance.now()`. */
    this.readAt = new Map();
    this.listeners = new Set();
    this.mismatches = { seq: -1, times: 0 };
    this.isStopped = false;
    const shown = () => {
      this.#schedule();
      this.isLoaded && this.refresh();
    };
    document.addEventListener('visibilitychange', shown);
    this.stops = [stream.subscribe((batch) => this.#take(batch)),
      link.onState((state) => state === 'live' && this.isLoaded && this.refresh()),
      () => document.removeEventListener('visibilitychange', shown)];
  }

  /**
   * @param {(touched: ?number[]) => void} fn called with the rows that changed; null for all
   * @returns {() => void} removes the listener
   */
  onChange(fn) {
    this.listeners.add(fn);
    return () => this.listeners.delete(fn);
  }

  #notify(touched) {
    this.listeners.forEach((fn) => fn(touched));
  }

  /**
   * Loads the fleet. The summary is smaller than the snapshot, so it usually arrives first, with the workspaces of the
   * highest urgency.
   */
  async start() {
    this.failure = null;
    const snapshot = this.#ask('GET', '/console/fleet', { as: 'bytes' });
    this.#summarise().catch(() => {});
    try {
      const { bytes } = await snapshot;
      this.#load(bytes);
    } catch (error) {
      this.failure = error.detail ?? error.message;
      this.#notify(null);
      if (!this.isStopped && error.status !== 401) {
        setTimeout(() => this.isStopped || this.start(), 5000 * (0.75 + Math.random() / 2));
      }
    }
  }

  #load(bytes) {
    if (this.isStopped) {
      return;
    }
    const snapshot = readSnapshot(bytes);
    this.store.load(snapshot);
    this.readAt.clear();
    this.store.restarting().forEach((row) => this.toRead.add(this.store.id(row)));
    this.link.loaded(snapshot.at);
    this.pending = [];
    this.position = 0;
    this.isLoaded = true;
    this.isCurrent = false;
    this.loadedAt = this.heardAt = performance.now();
    this.stream.open(snapshot.seq);
    [this.timer, this.looking].forEach(clearInterval);
    this.timer = setInterval(() => this.refresh(), REFRESH_MS);
    this.looking = setInterval(() => this.look(), LOOK_MS);
    this.#notify(null);
    this.refresh();
  }

  stop() {
    this.isStopped = true;
    this.stops.forEach((stop) => stop());
    [this.timer, this.looking].forEach(clearInterval);
    clearTimeout(this.again);
    this.stream.close();
  }

  /** Sends a request, and tells the link whether the server reaches its database. */
  async #ask(method, path, options) {
    try {
      const answer = await this.call(method, path, options);
      this.link.databaseAway(false);
      return answer;
    } catch (error) {
      if (error.status === 503) {
        this.link.databaseAway(true);
      }
      throw error;
    }
  }

  async #summarise() {
    const summary = await this.#ask('GET', '/console/summary');
    if (this.isStopped) {
      return;
    }
    this.summary = summary;
    if (!this.isLoaded) {
      this.store.detail(summary.worst);
    } else {
      this.#reached(summary.seq);
      this.#compare(summary);
    }
    this.#notify(this.isLoaded ? [] : null);
  }

  /** Notes that the server has had events up to a number. */
  #reached(seq) {
    if (!this.isCurrent && this.isLoaded && this.store.seq >= seq) {
      this.isCurrent = true;
      this.#notify([]);
    }
  }

  /**
   * Reloads when the total, or the count of a status or a reason, or of stalled workspaces, differs from the server's
   * twice at the same `seq`: then events were lost, or there was a change that has no event.
   */
  #compare({ seq, total, status, reason = {}, stalled = 0 }) {
    if (seq !== this.store.seq || this.pending.length > 0) {
      return;
    }
    const { store, mismatches } = this;
    const reasons = store.reasons();
    const different = [...STATUSES.filter((word, number) => (status[word] ?? 0) !== store.counts[number]),
      ...[...new Set([...Object.keys(reason), ...Object.keys(reasons)])]
        .filter((word) => (reason[word] ?? 0) !== (reasons[word] ?? 0)),
      ...(stalled === store.stalled ? [] : ['stalled'])];
    const differs = store.total() !== total || different.length > 0;
    mismatches.times = differs ? (mismatches.seq === seq ? mismatches.times + 1 : 1) : 0;
    mismatches.seq = seq;
    if (mismatches.times >= 2) {
      mismatches.times = 0; // the next snapshot is compared twice again
      const what = different.join(', ') || 'the total';
      this.reload(`The page counted ${store.total()} workspaces, the server ${total}; different: ${what}`);
    }
  }

  /** Loads a new snapshot. @param {string} reason for the browser's log */
  reload(reason) {
    console.info(`${reason}: a new snapshot is loaded.`);
    this.pending = [];
    this.position = 0;
    this.stream.close();
    // The server caches a snapshot for up to half a minute, so reloads are at least RELOAD_MS apart.
    setTimeout(() => this.isStopped || this.start(), this.loadedAt + RELOAD_MS - performance.now());
  }

  /** Refreshes when a row came into view that is old: no event has its last heartbeat, its queue and its task. */
  look() {
    const oldest = performance.now() - REFRESH_MS - LOOK_MS;
    if (this.visible().slice(0, MAX_IDS).some((row) => (this.readAt.get(row) ?? this.loadedAt) < oldest)) {
      this.refresh();
    }
  }

  /** Reads the summary, and the records of visible rows and of all that are to be read. */
  async refresh() {
    if (this.isStopped || document.hidden || this.link.state() === 'signed_out') {
      return;
    }
    const asked = [this.#summarise(), this.#readRows()];
    if (this.needsHeartbeats() && performance.now() > this.heardAt + HEARTBEATS_MS) {
      this.heardAt = performance.now();
      asked.push(this.#ask('GET', '/console/fleet', { as: 'bytes' })
        .then(({ bytes }) => this.#notify(this.store.hear(readSnapshot(bytes)))));
    }
    this.refreshing++;
    try {
      await Promise.all(asked);
      while (this.toRead.size > 0 && !this.isStopped) {
        await this.#readRows();
      }
    } catch (error) {
      if (error.status === undefined) {
        throw error;
      }
      clearTimeout(this.again);
      if (error.status === 503) {
        this.again = setTimeout(() => this.refresh(), AGAIN_MS * (0.75 + Math.random() / 2));
      }
    } finally {
      this.refreshing--;
    }
  }

  async #readRows() {
    const asked = [...this.toRead].slice(0, MAX_IDS);
    const rows = this.visible().slice(0, MAX_IDS - asked.length);
    const ids = [...asked, ...rows.map((row) => this.store.id(row))];
    if (ids.length === 0) {
      return;
    }
    asked.forEach((id) => this.toRead.delete(id));
    rows.forEach((row) => this.readAt.set(row, performance.now()));
    try {
      const records = await this.#ask('GET', '/console/rows', { query: { ids: ids.join(',') } });
      this.#notify(this.store.detail(records).filter((row) => row >= 0));
    } catch (error) {
      asked.forEach((id) => this.toRead.add(id));
      throw error;
    }
  }

  #take(batch) {
    if (batch.events.some(({ e }) => e === 'REPLAY_GAP')) {
      this.reload('Events since the last one are not available any more');
      return;
    }
    for (const event of batch.events) {
      this.pending.push(event);
    }
    this.lastSeq = batch.seq;
    if (this.pending.length === 0) {
      this.store.seq = batch.seq;
      this.#reached(batch.seq);
    }
    if (this.pending.length - this.position > MAX_PENDING) {
      this.reload('The page is too far behind');
      return;
    }
    this.#schedule();
  }

  #schedule() {
    if (this.isScheduled || this.position >= this.pending.length) {
      return;
    }
    this.isScheduled = true;
    const flush = () => {
      this.isScheduled = false;
      this.#flush();
    };
    if (document.hidden) {
      setTimeout(flush, 1000);
    } else {
      requestAnimationFrame(flush);
    }
  }

  /** Applies events for {@link FLUSH_MS} at most, to keep the frame rate; in a hidden document it applies all. */
  #flush() {
    const end = performance.now() + FLUSH_MS;
    const known = this.toRead.size;
    const touched = [];
    while (this.position < this.pending.length) {
      const event = this.pending[this.position++];
      const row = this.store.apply(event);
      if (row >= 0) {
        touched.push(row);
        if (event.e !== 'WORKSPACE_RESTART_REQUESTED' && this.store.restartAsked(row) !== null) {
          this.toRead.add(event.w);
        }
      } else if (row === -2) {
        this.toRead.add(event.w);
      }
      if ((this.position & 63) === 0 && performance.now() > end && !document.hidden) {
        break;
      }
    }
    if (this.position >= this.pending.length) {
      this.pending = [];
      this.position = 0;
      this.store.seq = this.lastSeq;
      this.#reached(this.lastSeq);
    }
    this.link.waiting(this.pending.length - this.position);
    this.#notify(touched);
    this.#schedule();
    if (this.toRead.size > known && this.refreshing === 0) {
      this.refresh();
    }
  }
}
