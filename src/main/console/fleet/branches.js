/** The fleet as a tree: counts of the descendants of each workspace, and the order of the rows that are drawn. */
import { isWedged, MAX_URGENCY, ordered, placeBy, STALLED, URGENCY, urgency, WEDGED } from './order.js';
import { STATUS } from './store.js';

/** The kinds of workspaces that are counted below each row, from the best to the worst. */
export const KINDS = ['other', 'online', 'stalled', 'degraded', 'offline', 'wedged', 'failed'];
const KIND_URGENCY = KINDS.map((kind) => ({ stalled: STALLED, wedged: WEDGED })[kind] ?? URGENCY[STATUS[kind]] ?? 0);
const KIND = Object.fromEntries(KINDS.map((word, kind) => [word, kind]));
const TROUBLE = new Map(['degraded', 'offline', 'failed'].map((word) => [STATUS[word], KIND[word]]));
/** Limit when following parents, in case they form a cycle. */
const MAX_DEPTH = 1000;
const NONE = -1;

export class Branches {
  /** @param {import('./store.js').FleetStore} store */
  constructor(store) {
    this.store = store;
    /** Row → whether the user has opened or closed it. @type {Map<number, {id: string, is: boolean}>} */
    this.asked = new Map();
    this.ids = store.ids;
    this.isFiltered = false;
    this.shape = -1;
    this.#allocate(0);
    /** @type {import('./view.js').Arrangement} */
    this.arrangement = {
      order: (_, found, sort, direction) => this.#order(found, sort, direction),
      place: (sort) => (sort === 'severity' ? (_, row) => MAX_URGENCY - this.worst(row) : placeBy(sort)),
      affected: (touched) => this.#touch(touched),
    };
  }

  #allocate(n) {
    this.kind = new Uint8Array(n);
    this.below = KINDS.map(() => new Int32Array(n));
    this.size = new Int32Array(n);
    /** Incremented for a row when its counts change. */
    this.version = new Uint32Array(n);
    for (const name of ['first', 'next', 'depth', 'position', 'children']) {
      this[name] = new Int32Array(n);
    }
  }

  /** @returns {number} the row of the parent; -1 without a parent that exists */
  above(row) {
    const parent = this.store.parent[row];
    return parent >= 0 && this.store.alive[parent] ? parent : NONE;
  }

  #kindOf(row) {
    const { store } = this;
    if (isWedged(store, row)) {
      return KIND.wedged;
    }
    return TROUBLE.get(store.status[row]) ?? (store.isStalled(row) ? KIND.stalled
      : store.status[row] === STATUS.online ? KIND.online : KIND.other);
  }

  /** Counts the descendants of all rows: after a snapshot, and after workspaces were added, removed or moved. */
  #count() {
    const { store } = this;
    if (this.kind.length < store.n) {
      this.#allocate(store.capacity);
    }
    this.#renumber();
    this.shape = store.shape;
    this.size.fill(0);
    this.below.forEach((counts) => counts.fill(0));
    for (let row = 0; row < store.n; row++) {
      if (store.alive[row]) {
        const kind = (this.kind[row] = this.#kindOf(row));
        const counts = this.below[kind];
        for (let up = this.above(row), steps = 0; up >= 0 && steps < MAX_DEPTH; up = this.above(up), steps++) {
          this.size[up]++;
          counts[up]++;
        }
      }
      this.version[row]++;
    }
  }

  /** Updates the row numbers of `asked` after a snapshot, which may give a workspace another row. */
  #renumber() {
    if (this.ids !== this.store.ids) {
      this.ids = this.store.ids;
      this.asked = new Map([...this.asked.values()].map((one) => [this.store.rowOf(one.id), one]));
    }
  }

  #touch(touched) {
    if (this.shape !== this.store.shape) {
      return touched; // #order will count all rows
    }
    const ancestors = [];
    for (const row of touched) {
      const [was, is] = [this.kind[row], this.#kindOf(row)];
      if (was !== is) {
        this.kind[row] = is;
        for (let up = this.above(row), steps = 0; up >= 0 && steps < MAX_DEPTH; up = this.above(up), steps++) {
          this.below[was][up]--;
          this.below[is][up]++;
          this.version[up]++;
          ancestors.push(up);
        }
      }
    }
    return ancestors.length === 0 ? touched : touched.concat(ancestors);
  }

  /** @returns {number} the highest urgency of the row and its descendants */
  worst(row) {
    let kind = KINDS.length - 1;
    while (kind > KIND.online && !(this.below[kind][row] > 0)) {
      kind--;
    }
    return Math.max(KIND_URGENCY[kind], urgency(this.store, row));
  }

  /** @returns {number} number of descendants in trouble */
  trouble(row) {
    return this.below.reduce((sum, counts, kind) => (kind > KIND.online ? sum + counts[row] : sum), 0);
  }

  #order(found, sort, direction) {
    const { store } = this;
    if (this.shape !== store.shape || this.kind.length < store.n) {
      this.#count();
    } else {
      for (let row = 0; row < store.n; row++) {
        if (store.alive[row] && this.kind[row] !== this.#kindOf(row)) {
          this.#touch([row]); // changed without a call of #touch
        }
      }
    }
    this.isFiltered = found.length < store.total();
    const kept = this.isFiltered ? this.#withAncestors(found) : found;
    const sorted = sort === 'severity' ? this.#byWorst(kept) : ordered(store, kept, sort);
    this.#link(direction === 'desc' ? sorted.reverse() : sorted);
    return this.flat();
  }

  #withAncestors(found) {
    const isKept = new Uint8Array(this.store.n);
    const kept = [];
    for (const row of found) {
      for (let one = row; one >= 0 && !isKept[one]; one = this.above(one)) {
        isKept[one] = 1;
        kept.push(one);
      }
    }
    return kept.sort((a, b) => a - b);
  }

  /** Orders by the worst descendant, then by row number, which follows creation and so keeps the tree stable. */
  #byWorst(rows) {
    const buckets = Array.from({ length: MAX_URGENCY + 1 }, () => []);
    for (const row of rows) {
      buckets[MAX_URGENCY - this.worst(row)].push(row);
    }
    return buckets.flat();
  }

  /** Links the siblings of each parent in the order of `sorted`. */
  #link(sorted) {
    this.first.fill(NONE);
    this.children.fill(0);
    this.top = NONE;
    this.tops = 0;
    for (let i = sorted.length - 1; i >= 0; i--) {
      const row = sorted[i];
      const up = this.above(row);
      this.next[row] = up < 0 ? this.top : this.first[up];
      if (up < 0) {
        this.top = row;
        this.tops++;
      } else {
        this.first[up] = row;
        this.children[up]++;
      }
    }
  }

  /**
   * @returns {boolean} whether its children are drawn: as the user chose, otherwise when a filter is set or a
   *   descendant is in trouble
   */
  isOpen(row) {
    return this.first[row] >= 0 && (this.asked.get(row)?.is ?? (this.isFiltered || this.trouble(row) > 0));
  }

  /** Opens or closes a row on request of the user. */
  open(row, is) {
    this.asked.set(row, { id: this.store.id(row), is });
  }

  /** Sets `depth` and `position` of the rows that are drawn. @returns {Int32Array} these rows, from top to bottom */
  flat() {
    const rows = [];
    const later = [];
    let [row, depth, position] = [this.top, 0, 1];
    while (row >= 0 || later.length > 0) {
      if (row < 0) {
        row = later.pop();
        depth--;
        position = this.position[row] + 1;
        row = this.next[row];
        continue;
      }
      rows.push(row);
      this.depth[row] = depth;
      this.position[row] = position;
      if (this.isOpen(row)) {
        later.push(row);
        depth++;
        [row, position] = [this.first[row], 1];
      } else {
        [row, position] = [this.next[row], position + 1];
      }
    }
    return Int32Array.from(rows);
  }

  /** @returns {number} number of siblings of a drawn row, itself included */
  siblings(row) {
    const up = this.above(row);
    return up < 0 ? this.tops : this.children[up];
  }
}
