/** Puts the nodes of a trace in the order of the tree, and finds where the time goes. Pure. */

/**
 * @param {Array<{kind: string, id: string, parent_id: string | null, at: string}>} nodes
 * @returns {Array<{node: object, depth: number}>} each delegation with its messages, runs and delegations below it, by time
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
  nodes.forEach((node) => visit(node, 0)); // those in a circle have no beginning
  return rows;
}

const byTime = (a, b) => Date.parse(a.at) - Date.parse(b.at);

/**
 * The time that all of it took.
 *
 * @param {object[]} nodes
 * @param {number} now ms, the end of what has not ended
 * @returns {{from: number, to: number}} never of no length
 */
export function spanOf(nodes, now) {
  const from = Math.min(...nodes.map((node) => Date.parse(node.at)));
  const to = Math.max(...nodes.map((node) => endOf(node, now)));
  return { from, to: Math.max(to, from + 1000) };
}

/** The end of a node: of a delegation or a run its end or now, of a message without an end its beginning. */
export function endOf(node, now) {
  if (node.ended_at) {
    return Date.parse(node.ended_at);
  }
  return node.kind === 'message' ? Date.parse(node.at) : Math.max(now, Date.parse(node.at));
}

/**
 * The delegation whose callee has had the work for longest, without waiting for others meanwhile.
 *
 * @param {object[]} nodes
 * @param {number} now ms
 * @returns {{node: object, ms: number} | null}
 */
export function longestWait(nodes, now) {
  const delegations = nodes.filter(({ kind }) => kind === 'delegation');
  let longest = null;
  for (const node of delegations) {
    const [from, to] = [Date.parse(node.at), endOf(node, now)];
    const others = delegations.filter((child) => child.parent_id === node.id)
      .map((child) => [Math.max(from, Date.parse(child.at)), Math.min(to, endOf(child, now))]).sort((a, b) => a[0] - b[0]);
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
