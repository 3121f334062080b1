/** The fleet as columns of typed arrays, filled from a snapshot, from events, and from records of single workspaces. */
import { idText, IdIndex, putId } from './ids.js';
import { FLAGS, NONE } from './snapshot.js';

/** The statuses; a position in this list is the number in the column `status`. */
export const STATUSES = [
  'awaiting_agent', 'online', 'degraded', 'offline', 'paused', 'failed',
  'removed', 'provisioning', 'hibernating', 'hibernated',
];
export const STATUS = Object.fromEntries(STATUSES.map((word, number) => [word, number]));

/** Interns strings: numbers them in the order of their first use; '' is 0. */
class Words {
  constructor() {
    this.list = [''];
    this.numbers = new Map([['', 0]]);
  }

  number(word) {
    const text = word ?? '';
    let number = this.numbers.get(text);
    if (number === undefined) {
      number = this.list.length;
      this.list.push(text);
      this.numbers.set(text, number);
    }
    return number;
  }
}

/** The numeric columns. Times are in seconds since 1970; 0 means never, or unknown. */
const COLUMNS = {
  parent: Int32Array, since: Uint32Array, heard: Uint32Array, role: Uint32Array, runtime: Uint32Array,
  error: Uint32Array, reason: Uint16Array, tasks: Uint16Array, tier: Uint16Array, status: Uint8Array,
  flags: Uint8Array, alive: Uint8Array, version: Uint32Array, stalledAt: Uint32Array,
};

/** Transitions that are no end of a stall, as on the server. */
const KEEP_STALL = new Set(['WORKSPACE_ONLINE', 'WORKSPACE_DEGRADED']);

/** One fleet. A workspace keeps its row number until the next snapshot is loaded. */
export class FleetStore {
  /** @param {{isPast?: boolean}} [options] whether it holds a past time, of which less is recorded */
  constructor({ isPast = false } = {}) {
    this.isPast = isPast;
    this.words = { role: new Words(), runtime: new Words(), error: new Words(), reason: new Words() };
    this.seq = -1;
    this.shape = 0;
    this.#clear(0);
  }

  /** Removes all rows, and allocates columns for `n` rows and some more. */
  #clear(n) {
    this.n = n;
    this.capacity = Math.max(1024, Math.ceil(n * 1.1));
    this.ids = new Uint8Array(16 * this.capacity);
    for (const [name, Numbers] of Object.entries(COLUMNS)) {
      this[name] = new Numbers(this.capacity);
    }
    this.counts = new Int32Array(STATUSES.length);
    this.stalled = 0;
    this.names = [];
    this.lowered = [];
    this.details = new Map();
    this.shape++;
    this.index = new IdIndex(this.ids, 0);
  }

  /** @param {string} id @returns {number} its row; -1 without one, and for a removed workspace */
  rowOf(id) {
    const row = this.index.find(id);
    return row >= 0 && this.alive[row] ? row : -1;
  }

  id(row) {
    return idText(this.ids, row);
  }

  name(row) {
    return this.names[row];
  }

  /** @returns {string} the name in lower case; computed at first use */
  lower(row) {
    return (this.lowered[row] ??= this.names[row].toLowerCase());
  }

  word(column, row) {
    return this.words[column].list[this[column][row]];
  }

  statusOf(row) {
    return STATUSES[this.status[row]];
  }

  isStalled(row) {
    return (this.flags[row] & FLAGS.stalled) !== 0;
  }

  /** @returns {?string} when a restart was asked for that is pending, as far as it is known; null without one */
  restartAsked(row) {
    return this.details.get(row)?.restart_requested_at ?? null;
  }

  /** @returns {number[]} the rows with a pending restart whose time is not known */
  restarting() {
    return [...this.flags.subarray(0, this.n).keys()]
      .filter((row) => this.flags[row] & FLAGS.restartAsked && this.alive[row] && !this.details.has(row));
  }

  /**
   * @returns {number} since when it has the state that its mark shows, which is the stall of one that is online; 0 when
   *   that is unknown
   */
  sinceOf(row) {
    return this.isStalled(row) && this.status[row] === STATUS.online ? this.stalledAt[row] : this.since[row];
  }

  total() {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }

  /** @returns {Record<string, number>} the number of workspaces by reason, without those that have none */
  reasons() {
    const found = {};
    for (let row = 0; row < this.n; row++) {
      if (this.alive[row] && this.reason[row] !== 0) {
        const word = this.word('reason', row);
        found[word] = (found[word] ?? 0) + 1;
      }
    }
    return found;
  }

  /** Replaces all rows. @param {import('./snapshot.js').Snapshot} snapshot */
  load(snapshot) {
    const { n, base, dict, columns } = snapshot;
    this.#clear(n);
    this.seq = snapshot.seq;
    this.ids.set(columns.id);
    const statuses = dict.status.map((word) => STATUS[word] ?? STATUS.online);
    const numbers = (name) => dict[name].map((word) => this.words[name].number(word));
    const [roles, runtimes, errors, reasons] = ['role', 'runtime', 'error', 'reason'].map(numbers);
    for (let row = 0; row < n; row++) {
      this.parent[row] = columns.parent[row];
      this.since[row] = base + columns.since[row];
      this.heard[row] = columns.heard[row] === NONE.time ? 0 : base + columns.heard[row];
      this.role[row] = roles[columns.role[row]] ?? 0;
      this.runtime[row] = runtimes[columns.runtime[row]] ?? 0;
      this.error[row] = errors[columns.error[row]] ?? 0;
      this.reason[row] = reasons[columns.reason[row]] ?? 0;
      this.tasks[row] = columns.tasks[row];
      this.tier[row] = columns.tier[row];
      this.flags[row] = columns.flags[row];
      this.alive[row] = columns.status[row] === NONE.smallWord ? 0 : 1;
      this.status[row] = statuses[columns.status[row]] ?? 0;
      this.counts[this.status[row]] += this.alive[row];
      this.stalled += columns.flags[row] & FLAGS.stalled;
    }
    columns.stall_row?.forEach((row, i) => (this.stalledAt[row] = base + columns.stall_at[i]));
    this.#names(columns.names, columns.name_end);
    this.index = new IdIndex(this.ids, n);
  }

  /**
   * Takes over the times of the last heartbeats alone, unless a later one is known.
   *
   * @param {import('./snapshot.js').Snapshot} snapshot
   * @returns {number[]} the changed rows
   */
  hear({ n, base, columns }) {
    const touched = [];
    for (let i = 0; i < n; i++) {
      const row = columns.heard[i] === NONE.time ? -1 : this.index.findAt(columns.id, i);
      if (row >= 0 && base + columns.heard[i] > this.heard[row]) {
        this.heard[row] = base + columns.heard[i];
        this.version[row]++;
        touched.push(row);
      }
    }
    return touched;
  }

  /**
   * Decodes the names. When all are ASCII, byte and character positions are the same, so one decoded string is
   * sliced.
   */
  #names(bytes, ends) {
    const decoder = new TextDecoder();
    const all = decoder.decode(bytes);
    const isPlain = all.length === bytes.length;
    for (let row = 0, start = 0; row < this.n; start = ends[row], row++) {
      this.names.push(isPlain ? all.slice(start, ends[row]) : decoder.decode(bytes.subarray(start, ends[row])));
    }
  }

  /** Adds a row for an id that has none. @returns {number} its row; -1 for an invalid id */
  #add(id) {
    if (this.n === this.capacity) {
      this.#grow();
    }
    const row = this.n;
    if (!putId(id, this.ids, row)) {
      return -1;
    }
    this.n++;
    this.names[row] = id;
    this.parent[row] = -1;
    this.index.add(row);
    return row;
  }

  #grow() {
    this.capacity *= 2;
    for (const [name, Numbers] of [['ids', Uint8Array], ...Object.entries(COLUMNS)]) {
      const larger = new Numbers(name === 'ids' ? 16 * this.capacity : this.capacity);
      larger.set(this[name]);
      this[name] = larger;
    }
    this.index.rebuild(this.ids, this.n);
  }

  /** Returns the row of a workspace, and adds or revives it if needed. Returns -1 for an invalid id. */
  #row(id) {
    let row = this.index.find(id);
    row = row < 0 ? this.#add(id) : row;
    if (row >= 0 && !this.alive[row]) {
      this.#revive(row);
    }
    return row;
  }

  #revive(row) {
    this.alive[row] = 1;
    this.status[row] = STATUS.awaiting_agent;
    this.flags[row] = 0;
    this.counts[STATUS.awaiting_agent]++;
    this.shape++;
  }

  /** Sets the status of a row, and updates the counts. */
  #setStatus(row, status) {
    this.counts[this.status[row]]--;
    this.counts[status]++;
    this.status[row] = status;
  }

  /** @param {?(string | number)} since when the stall began; null when that is unknown */
  #stall(row, is, since = null) {
    if (this.isStalled(row) !== is) {
      this.flags[row] ^= FLAGS.stalled;
      this.stalled += is ? 1 : -1;
    }
    this.stalledAt[row] = is ? seconds(since ?? 0) : 0;
  }

  #flag(row, flag, is) {
    this.flags[row] = is ? this.flags[row] | flag : this.flags[row] & ~flag;
  }

  /**
   * Sets a row to its state at a past time, for a replay.
   *
   * @param {number} row
   * @param {number} status its number; -1 when the workspace did not exist
   * @param {number} since in seconds
   * @param {number} reason number of its word
   * @param {number} error number of its word
   */
  setPast(row, status, since, reason, error) {
    const is = status < 0 ? 0 : 1;
    this.counts[this.status[row]] -= this.alive[row];
    this.shape += is === this.alive[row] ? 0 : 1;
    this.alive[row] = is;
    this.status[row] = Math.max(0, status);
    this.counts[this.status[row]] += is;
    this.since[row] = since;
    this.reason[row] = reason;
    this.error[row] = error;
    this.version[row]++;
  }

  /**
   * Applies an event. Applying it again has no further effect.
   *
   * @param {object} event of the console's stream
   * @returns {number} the changed row; -1 for none; -2 when the workspace has no row, so its record must be read
   */
  apply(event) {
    const { e: type, w: id } = event;
    if (!id || !type.startsWith('WORKSPACE_')) {
      return -1;
    }
    if (type === 'WORKSPACE_REMOVED') {
      return this.#remove(id);
    }
    let row = this.rowOf(id);
    if (row < 0 && type !== 'WORKSPACE_AWAITING_AGENT') {
      return -2;
    }
    row = row < 0 ? this.#row(id) : row;
    if (row >= 0) {
      this.#set(row, event, type);
    }
    return row;
  }

  #remove(id) {
    const row = this.rowOf(id);
    if (row >= 0) {
      this.#stall(row, false);
      this.counts[this.status[row]]--;
      this.alive[row] = 0;
      this.shape++;
      this.version[row]++;
    }
    return row;
  }

  #set(row, event, type) {
    if (event.status in STATUS) {
      this.#setStatus(row, STATUS[event.status]);
      this.reason[row] = this.words.reason.number(event.reason);
      if (type === 'WORKSPACE_STALLED') {
        this.#stall(row, true, event.stalled ?? event.at);
      } else if (!KEEP_STALL.has(type)) {
        this.#stall(row, false);
      }
      if (event.since !== undefined) {
        this.since[row] = seconds(event.since);
      }
      // these transitions are caused by a heartbeat
      const isHeard = type === 'WORKSPACE_ONLINE' || type === 'WORKSPACE_DEGRADED';
      this.heard[row] = Math.max(this.heard[row], seconds((isHeard ? event.at : event.heard) ?? 0));
    }
    if (typeof event.tasks === 'number') {
      this.tasks[row] = event.tasks;
    }
    if (event.error !== undefined) {
      this.error[row] = this.words.error.number(event.error);
    }
    if (type === 'WORKSPACE_RESTART_REQUESTED') {
      this.details.set(row, { ...this.details.get(row), restart_requested_at: event.at });
    }
    this.#describe(row, event);
    this.version[row]++;
  }

  #describe(row, from) {
    if (typeof from.name === 'string' && from.name !== this.names[row]) {
      this.names[row] = from.name;
      this.lowered[row] = undefined;
    }
    for (const column of ['role', 'runtime']) {
      if (from[column] !== undefined) {
        this[column][row] = this.words[column].number(from[column]);
      }
    }
    if (typeof from.tier === 'number') {
      this.tier[row] = from.tier;
    }
    const mode = from.mode ?? from.delivery_mode;
    if (mode !== undefined) {
      this.#flag(row, FLAGS.push, mode === 'push');
    }
    const parent = from.parent ?? from.parent_id ?? ('parent' in from || 'parent_id' in from ? null : undefined);
    if (parent !== undefined) {
      const above = parent === null ? -1 : this.rowOf(parent);
      if (above !== this.parent[row]) {
        this.parent[row] = above;
        this.shape++;
      }
    }
  }

  /**
   * Sets rows from records, which have more fields than events.
   *
   * @param {object[]} records of `/console/rows`, or the `worst` of a summary
   * @returns {number[]} their rows; -1 for a removed workspace without a row, and for an invalid id
   */
  detail(records) {
    return records.map((record) => {
      if (record.removed_at) {
        return this.#remove(record.id);
      }
      const row = this.#row(record.id);
      if (row < 0) {
        return row;
      }
      const since = seconds(record.status_since);
      if (since >= this.since[row]) {
        // otherwise an event newer than this response was applied before
        this.#setStatus(row, STATUS[record.status] ?? STATUS.online);
        this.since[row] = since;
        this.reason[row] = this.words.reason.number(record.degraded_reason);
      }
      this.heard[row] = record.last_heartbeat_at ? seconds(record.last_heartbeat_at) : 0;
      this.error[row] = this.words.error.number(record.last_sample_error?.slice(0, 160));
      this.tasks[row] = record.active_tasks;
      this.#stall(row, record.stalled, record.stalled_since);
      this.#flag(row, FLAGS.queued, record.queued ?? record.queue_depth > 0);
      this.#describe(row, record);
      this.details.set(row, record);
      this.version[row]++;
      return row;
    });
  }
}

/** @param {string | number} time ISO, or ms @returns {number} whole seconds */
function seconds(time) {
  return Math.floor((typeof time === 'number' ? time : Date.parse(time)) / 1000) || 0;
}
