/** Orders the nodes of a trace as a tree, and finds the longest wait. Pure. */

/**
 * Orders nodes depth first: each delegation is followed by its messages, runs and delegations, by time.
 *
 * @param {Array<{kind: string, id: string, parent_id: string | null, at: string}>} nodes
 * @returns {Array<{node: object, depth: number}>}
 */
export function treeOf(nodes) {
  const known = new Set(nodes.filter(({ kind }) => kind === 'delegation').map(({ id }) => id));
  const below = new Map();
  for (const node of nodes) {
    const parent = known.has(node.parent_id) && node.parent_id !== node.id ? node.parent_id : null;
    below.set(parent, [...(below.get(parent) ?? []), node]);
  }
  const rows = [];
  const seen = new Set();
  const visit = (node, depth) => {
    if (seen.has(node)) {
      return;
    }
    seen.add(node);
    rows.push({ node, depth });
    if (node.kind === 'delegation') {
      (below.get(node.id) ?? []).sort(byTime).forEach((child) => visit(child, depth + 1));
    }
  };
  (below.get(null) ?? []).sort(byTime).forEach((node) => visit(node, 0));
  nodes.forEach((node) => visit(node, 0)); // nodes in a cycle have no root
  return rows;
}

const byTime = (a, b) => Date.parse(a.at) - Date.parse(b.at);

/**
 * Returns the period from the first start to the last end.
 *
 * @param {object[]} nodes
 * @param {number} now in ms; counts as the end of nodes that have not ended
 * @returns {{from: number, to: number}} in ms, at least one second long
 */
export function spanOf(nodes, now) {
  const from = Math.min(...nodes.map((node) => Date.parse(node.at)));
  const to = Math.max(...nodes.map((node) => endOf(node, now)));
  return { from, to: Math.max(to, from + 1000) };
}

/** Returns the end of a node in ms. Without an end, that of a message is its start, that of other nodes is now. */
export function endOf(node, now) {
  if (node.ended_at) {
    return Date.parse(node.ended_at);
  }
  return node.kind === 'message' ? Date.parse(node.at) : Math.max(now, Date.parse(node.at));
}

/**
 * Returns how long a node took, or takes until now, in ms. Null for a message without an end, and for a run that ended
 * and whose agent did not say it: a run's start and end may be reported together.
 */
export function tookOf(node, now) {
  const isKnown = node.ended_at ? node.kind !== 'run' : node.kind !== 'message';
  return node.duration_ms ?? (isKnown ? endOf(node, now) - Date.parse(node.at) : null);
}

/**
 * Returns the delegation whose callee worked on it for longest, not counting the time of the callee's own delegations.
 *
 * @param {object[]} nodes
 * @param {number} now in ms
 * @returns {{node: object, ms: number} | null} null without delegations
 */
export function longestWait(nodes, now) {
  const delegations = nodes.filter(({ kind }) => kind === 'delegation');
  let longest = null;
  for (const node of delegations) {
    const [from, to] = [Date.parse(node.at), endOf(node, now)];
    const others = delegations.filter((child) => child.parent_id === node.id)
      .map((child) => [Math.max(from, Date.parse(child.at)), Math.min(to, endOf(child, now))])
      .sort((a, b) => a[0] - b[0]);
    let ms = to - from;
    let covered = from;
    for (const [begin, end] of others) {
      ms -= Math.max(0, end - Math.max(covered, begin));
      covered = Math.max(covered, end);
    }
    if (longest === null || ms > longest.ms) {
      longest = { node, ms };
    }
  }
  return longest;
}
