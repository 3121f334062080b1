/** Lays out a small directed graph in columns, callers left of their callees. Pure. */

// in px: distance of columns, curve of lines, distance of rows, width of a node
const COLUMN = 280;
const BOW = 22;
const ROW = 36;
const NODE = 150;

/**
 * Returns the positions of nodes and lines, in px.
 *
 * @param {Array<{from: string, to: string}>} edges
 * @returns {{
 *   nodes: Array<{id: string, x: number, y: number}>,
 *   lines: Array<{edge: object, d: string, x: number, y: number}>,
 *   width: number,
 *   height: number,
 * }} `x, y` of a line is its end
 */
export function layoutOf(edges) {
  const column = columnsOf(edges);
  const columns = [];
  for (const [id, at] of column) {
    (columns[at] ??= []).push(id);
  }
  const place = new Map();
  columns.forEach((ids, at) => {
    const callers =
      new Map(ids.map((id) => [id, middle(edges.filter((edge) => edge.to === id && place.has(edge.from))
        .map((edge) => place.get(edge.from).y))]));
    ids.sort((a, b) => callers.get(a) - callers.get(b) || (a < b ? -1 : 1));
    ids.forEach((id, index) => place.set(id, { id, x: 8 + at * COLUMN, y: 24 + index * ROW }));
  });
  const lines = edges.filter((edge) => edge.from !== edge.to).map((edge) => {
    const a = place.get(edge.from);
    const b = place.get(edge.to);
    const x1 = a.x + NODE;
    const bend = b.x > a.x ? (b.x - x1) / 2 : COLUMN / 2;
    // a line across other columns, or backwards, is bent downwards to pass below nodes
    const bow = b.x - a.x === COLUMN ? 0 : BOW;
    return { edge, d: `M${x1} ${a.y} C${x1 + bend} ${a.y + 2 * bow} ${b.x - bend} ${b.y + 2 * bow} ${b.x} ${b.y}`,
      x: b.x, y: b.y };
  });
  return {
    nodes: [...place.values()],
    lines,
    width: 16 + Math.max(1, columns.length) * COLUMN - (COLUMN - NODE),
    height: 24 + BOW + Math.max(1, ...columns.map((ids) => ids.length)) * ROW,
  };
}

/**
 * Returns node → column: the length of the longest path from a node without callers. A cycle is broken at the first
 * node visited.
 */
function columnsOf(edges) {
  const callees = new Map();
  const called = new Set();
  for (const { from, to } of edges) {
    if (from !== to) {
      callees.set(from, [...(callees.get(from) ?? []), to]);
      called.add(to);
    }
  }
  const ids = [...new Set(edges.flatMap(({ from, to }) => [from, to]))];
  const order = [];
  const seen = new Set();
  const visit = (id) => {
    if (seen.has(id)) {
      return;
    }
    seen.add(id);
    (callees.get(id) ?? []).forEach(visit);
    order.unshift(id);
  };
  [...ids.filter((id) => !called.has(id)), ...ids].forEach(visit);
  const at = new Map(order.map((id, index) => [id, index]));
  const column = new Map(order.map((id) => [id, 0]));
  for (const id of order) {
    for (const to of callees.get(id) ?? []) {
      if (at.get(to) > at.get(id)) {
        column.set(to, Math.max(column.get(to), column.get(id) + 1));
      }
    }
  }
  return column;
}

const middle = (values) => values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
