import { Branches } from '/src/fleet/branches.js';
import { FleetStore } from '/src/fleet/store.js';
import { readSnapshot } from '/src/fleet/snapshot.js';
import { equal, ok } from './assert.js';
import { fleet, msf1, uuid } from './fixtures.js';

/** Two teams of two leads of three: rows 0 and 7 are the teams, 1 and 4, 8 and 11 the leads. */
const PARENTS = [, 0, 1, 1, 0, 4, 4, , 7, 8, 8, 7, 11, 11];
const load = (fields = () => ({})) => {
  const store = new FleetStore();
  store.load(readSnapshot(msf1(fleet(14, i => ({ parent: PARENTS[i] === undefined ? undefined : `k${PARENTS[i]}`, ...fields(i) })))));
  return { store, branches: new Branches(store) };
};
const all = store => Array.from({ length: store.n }, (_, row) => row).filter(row => store.alive[row]);
const order = ({ store, branches }, rows = all(store), sort = 'severity', direction = 'asc') =>
  [...branches.arrangement.order(store, rows, sort, direction)];
const bad = (...rows) => i => (rows.includes(i) ? { status: 'degraded' } : {});

export function isClosedWhereAllIsWell() {
  equal(order(load()), [0, 7]);
}

export function opensTheWayToTroubleAndPutsItFirst() {
  const tree = load(bad(12));
  equal(order(tree), [7, 11, 12, 13, 8, 0]);
  equal([7, 11, 12, 8].map(row => tree.branches.depth[row]), [0, 1, 2, 1]);
  equal([tree.branches.trouble(7), tree.branches.size[7], tree.branches.trouble(8)], [1, 6, 0]);
  equal([7, 0, 12, 13].map(row => [tree.branches.position[row], tree.branches.siblings(row)]), [[1, 2], [2, 2], [1, 2], [2, 2]]);
}

export function keepsTheAncestorsOfMatches() {
  equal(order(load(), [5, 9]), [0, 4, 5, 7, 8, 9]);
  equal(order(load(), [9, 5], 'name', 'desc'), [7, 8, 9, 0, 4, 5]);
}

export function opensAndClosesAsAsked() {
  const { store, branches } = load(bad(12));
  order({ store, branches });
  branches.open(7, false);
  branches.open(0, true);
  equal([...branches.flat()], [7, 0, 1, 4]);
  const rows = fleet(14, i => ({ parent: PARENTS[i] === undefined ? undefined : `k${PARENTS[i]}` }));
  store.load(readSnapshot(msf1([...rows.slice(7), ...rows.slice(0, 7)]))); // the same fleet with other row numbers
  equal(order({ store, branches }).map(row => store.name(row)), ['Agent 7', 'Agent 0', 'Agent 1', 'Agent 4']);
}

export function countsWithEachChange() {
  const tree = load(bad(12));
  order(tree);
  const before = tree.branches.version[7];
  const row = tree.store.apply({ e: 'WORKSPACE_OFFLINE', w: uuid(9), status: 'offline', at: 0, since: 0 });
  equal(tree.branches.arrangement.affected([row]).sort((a, b) => a - b), [7, 8, 9]);
  equal([tree.branches.below[4][7], tree.branches.trouble(7), tree.branches.trouble(8)], [1, 2, 1]);
  ok(tree.branches.version[7] > before, 'it is drawn anew');
  equal(order(tree), [7, 8, 9, 10, 11, 12, 13, 0]);
}

export function followsWhatComesGoesAndMoves() {
  const tree = load(bad(12));
  order(tree);
  tree.store.apply({ e: 'WORKSPACE_REMOVED', w: uuid(12), at: 0 });
  const fresh = tree.store.apply({ e: 'WORKSPACE_AWAITING_AGENT', w: uuid(99), status: 'awaiting_agent', parent: uuid(1), name: 'new', at: 0, since: 0 });
  tree.store.apply({ e: 'WORKSPACE_UPDATED', w: uuid(5), parent: null, at: 0 });
  equal(tree.branches.arrangement.affected([fresh]), [fresh], 'counted with the next order');
  equal(order(tree), [0, 5, 7]);
  equal([tree.branches.size[0], tree.branches.size[7], tree.branches.trouble(7)], [6, 5, 0]);
}

export function circlesEndNothing() {
  const tree = load();
  tree.store.parent[0] = 3;
  tree.store.shape++;
  equal(order(tree), [7]);
}

export function tenTimesAsManyTakeNotMuchMoreThanTenTimesAsLong() {
  const shortest = n => {
    const store = new FleetStore();
    store.load(readSnapshot(msf1(Array.from({ length: n }, (_, i) => ({
      id: uuid(i), name: `Agent ${i}`, role: 'worker', status: i % 50 === 49 ? 'degraded' : 'online', since: '2026-11-25T02:00:00Z', heard: null })))));
    for (let i = 1; i < n; i++) {
      store.parent[i] = Math.floor((i - 1) / 40);
    }
    return Math.min(...Array.from({ length: 4 }, () => {
      const branches = new Branches(store);
      const start = performance.now();
      const rows = branches.arrangement.order(store, all(store), 'severity', 'asc');
      const ms = performance.now() - start;
      ok(rows.length > n / 100, `${rows.length} rows`);
      return ms;
    }));
  };
  const ratio = shortest(100_000) / shortest(10_000);
  console.info(`ten times as many rows take ${ratio.toFixed(1)} times as long`);
  ok(ratio < 50, ratio);
}
