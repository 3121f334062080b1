/** Lays out the map: one rectangle per family of workspaces, and in it one square cell per workspace. */

/**
 * Rectangles at most. Beyond it, families are whole branches instead of siblings; if that is not enough, the smallest
 * are merged.
 */
const MAX_FAMILIES = 60;
/** Size of a cell, in px. */
const [MIN_SIZE, MAX_SIZE] = [1, 96];
const PADDING = 3;
const LABEL = 18;
/** Size in px from which a rectangle has a label. */
const LABELLED = { width: 48, height: 44 };
const [ALONE, OTHERS] = [-1, -2];
/** Limit when following parents, in case they form a cycle. */
const MAX_DEPTH = 1000;

/**
 * @typedef {{key: number, rows: number[]}} Family `key` is the row of the parent or root; -1 for workspaces without
 *   relatives, -2 for the merged small families
 * @typedef {{x: number, y: number, width: number, height: number, label: number, columns: number, family: Family}}
 *   Block in px
 */

/**
 * Groups rows into families: by parent, or by root when there are more than {@link MAX_FAMILIES} parents.
 *
 * @param {import('./store.js').FleetStore} store
 * @param {Iterable<number>} rows
 * @returns {Family[]} the largest first
 */
export function familiesOf(store, rows) {
  const isParent = new Uint8Array(store.n);
  const above = (row) => (store.parent[row] >= 0 && store.alive[store.parent[row]] ? store.parent[row] : -1);
  for (const row of rows) {
    if (above(row) >= 0) {
      isParent[above(row)] = 1;
    }
  }
  const own = (row) => (isParent[row] ? row : ALONE);
  const byParent = grouped(rows, (row) => (above(row) >= 0 ? above(row) : own(row)));
  const found = byParent.length <= MAX_FAMILIES ? byParent : grouped(rows, (row) => topOf(row, above, own));
  found.sort((a, b) => b.rows.length - a.rows.length || a.key - b.key);
  if (found.length > MAX_FAMILIES) {
    const rest = found.splice(MAX_FAMILIES - 1);
    found.push({ key: OTHERS, rows: rest.flatMap((family) => family.rows) });
  }
  return found;
}

function topOf(row, above, own) {
  let top = row;
  for (let steps = 0; above(top) >= 0 && steps < MAX_DEPTH; steps++) {
    top = above(top);
  }
  return top === row ? own(row) : top;
}

function grouped(rows, keyOf) {
  const found = new Map();
  for (const row of rows) {
    const key = keyOf(row);
    (found.get(key) ?? found.set(key, []).get(key)).push(row);
  }
  return [...found].map(([key, members]) => ({ key, rows: members }));
}

export class Cells {
  /**
   * @param {Family[]} families the largest first
   * @param {number} width px
   * @param {number} height px
   */
  constructor(families, width, height) {
    Object.assign(this, { width, height });
    this.blocks = squarified(families, width, height);
    this.size = this.#largest();
    for (const block of this.blocks) {
      block.columns = this.#columns(block);
    }
  }

  /** Returns the largest size at which all cells fit. */
  #largest() {
    let [low, high] = [MIN_SIZE, MAX_SIZE];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      this.size = middle;
      if (this.blocks.every((block) => this.#columns(block) * this.#lines(block) >= block.family.rows.length)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  #columns({ width }) {
    return Math.max(1, Math.floor((width - 2 * PADDING) / this.size));
  }

  #lines({ height, label }) {
    return Math.floor((height - 2 * PADDING - label) / this.size);
  }

  /** Calls `fn(row, x, y)` for each cell; `x, y` is its upper left corner, in px. */
  each(fn) {
    for (const block of this.blocks) {
      const { family, columns } = block;
      const [left, top] = corner(block);
      for (let i = 0; i < family.rows.length; i++) {
        fn(family.rows[i], left + (i % columns) * this.size, top + Math.floor(i / columns) * this.size);
      }
    }
  }

  /** @returns {number} the row of the cell at a point in px; -1 without one */
  at(x, y) {
    const block = this.blocks.find((one) =>
      x >= one.x && x < one.x + one.width && y >= one.y && y < one.y + one.height);
    if (!block) {
      return -1;
    }
    const [left, top] = corner(block);
    const [column, line] = [Math.floor((x - left) / this.size), Math.floor((y - top) / this.size)];
    if (column < 0 || column >= block.columns || line < 0) {
      return -1;
    }
    return block.family.rows[line * block.columns + column] ?? -1;
  }

  /** @returns {number} the row of the next cell in a direction, across gaps between families; -1 without one */
  beside([x, y], dx, dy) {
    const middle = this.size / 2;
    const step = Math.max(1, Math.min(this.size, LABEL / 2));
    let [px, py] = [x + middle + dx * (middle + 1), y + middle + dy * (middle + 1)];
    while (px >= 0 && py >= 0 && px < this.width && py < this.height) {
      const row = this.at(px, py);
      if (row >= 0) {
        return row;
      }
      px += dx * step;
      py += dy * step;
    }
    return -1;
  }
}

const corner = ({ x, y, label }) => [x + PADDING, y + PADDING + label];

/**
 * Squarified treemap (Bruls, Huizing, van Wijk): rectangles with areas about proportional to the families' sizes, as
 * square as possible.
 */
function squarified(families, width, height) {
  const whole = families.reduce((sum, { rows }) => sum + rows.length, 0);
  const least = whole / 150; // extra area, since small families need space for border and label
  const weights = families.map(({ rows }) => rows.length + least);
  const unit = (width * height) / weights.reduce((sum, weight) => sum + weight, 0);
  const free = { x: 0, y: 0, width, height };
  const blocks = [];
  for (let from = 0; from < families.length; ) {
    const isWide = free.width >= free.height;
    const side = isWide ? free.height : free.width;
    let [to, area, worst] = [from, 0, Infinity];
    while (to < families.length) {
      const next = area + weights[to] * unit;
      const ratio = worstOf(weights, from, to, next / side, side, unit);
      if (ratio > worst) {
        break;
      }
      [area, worst, to] = [next, ratio, to + 1];
    }
    const depth = area / side;
    for (let i = from, at = 0; i < to; i++) {
      const length = (weights[i] * unit) / depth;
      blocks.push(isWide
        ? block(families[i], free.x, free.y + at, depth, length)
        : block(families[i], free.x + at, free.y, length, depth));
      at += length;
    }
    if (isWide) {
      free.x += depth;
      free.width -= depth;
    } else {
      free.y += depth;
      free.height -= depth;
    }
    from = to;
  }
  return blocks;
}

function worstOf(weights, from, to, depth, side, unit) {
  let worst = 0;
  for (let i = from; i <= to; i++) {
    const length = (weights[i] * unit) / depth;
    worst = Math.max(worst, length / depth, depth / length);
  }
  return worst;
}

function block(family, x, y, width, height) {
  const [left, top] = [Math.round(x), Math.round(y)];
  const [w, h] = [Math.round(x + width) - left, Math.round(y + height) - top];
  const label = w >= LABELLED.width && h >= LABELLED.height ? LABEL : 0;
  return { x: left, y: top, width: w, height: h, label, columns: 1, family };
}
