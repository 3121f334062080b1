/** The fleet as columns of typed arrays, with methods that read them. store.js adds the methods that write them. */
import { idText, IdIndex, putId } from './ids.js';
import { FLAGS } from './snapshot.js';

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

/** The numeric columns. Times are in seconds since 1970; 0 means never. */
const COLUMNS = {
  parent: Int32Array, since: Uint32Array, heard: Uint32Array, role: Uint32Array, runtime: Uint32Array,
  error: Uint32Array, reason: Uint16Array, tasks: Uint16Array, tier: Uint16Array, status: Uint8Array,
  flags: Uint8Array, alive: Uint8Array, version: Uint32Array,
};

/** One fleet. A workspace keeps its row number until the next snapshot is loaded. */
export class FleetColumns {
  constructor() {
    this.words = { role: new Words(), runtime: new Words(), error: new Words(), reason: new Words() };
    this.seq = -1;
    this.shape = 0;
    this.clear(0);
  }

  /** Removes all rows, and allocates columns for `n` rows and some more. */
  clear(n) {
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

  /** Adds a row for an id that has none. @returns {number} its row; -1 for an invalid id */
  add(id) {
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

  total() {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }
}
