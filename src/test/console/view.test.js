// Compares incremental updates of the groups in trouble and of the order of rows with new calculations.
import { TroubleGroups } from '/src/fleet/trouble-groups.js';
import { FleetStore } from '/src/fleet/store.js';
import { readSnapshot } from '/src/fleet/snapshot.js';
import { FleetView } from '/src/fleet/view.js';
import { equal, ok } from './assert.js';
import { fleet, msf1, uuid } from './fixtures.js';

const NOW = Date.parse('2026-11-25T02:16:09Z');
const ERRORS = ['', 'Control request timeout: initialize', '429 from upstream 17: quota', '429 from upstream 4711: quota', 'disk full'];

/** Returns a pseudo-random generator of integers below a limit, with the same numbers in each run. */
function randomly(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function load(n, random) {
  const store = new FleetStore();
  store.load(readSnapshot(msf1(fleet(n, i => ({
    name: `Agent ${random(50)}`, status: ['online', 'online', 'degraded', 'offline'][random(4)], runtime: ['claude', 'codex', 'other'][random(3)],
    error: ERRORS[random(ERRORS.length)], stalled: random(9) === 0, parent: i > 9 ? `k${i % 10}` : undefined,
    heard: random(20) === 0 ? null : new Date(NOW - random(900) * 1000).toISOString(), since: new Date(NOW - random(900) * 1000).toISOString(),
  })))));
  return store;
}

/** Applies a random event or record, also to new and removed workspaces. Returns the changed rows. */
function change(store, random) {
  const at = new Date(NOW + random(300_000)).toISOString();
  const w = uuid(random(store.n + 2));
  switch (random(12)) {
    case 0:
      return [store.apply({ e: 'WORKSPACE_REMOVED', w, at })];
    case 1:
      return [store.apply({ e: 'WORKSPACE_AWAITING_AGENT', w, at, since: at, status: 'awaiting_agent', name: `New ${random(50)}`, parent: uuid(random(10)) })];
    case 2:
      return [store.apply({ e: 'WORKSPACE_STALLED', w, at, status: 'online', since: at })];
    case 3:
      return [store.apply({ e: 'WORKSPACE_UPDATED', w, at, name: `Agent ${random(50)}`, runtime: 'codex', parent: uuid(random(10)) })];
    case 4:
      return store.rowOf(w) < 0 ? [] : store.detail([{ id: w, name: 'Asked about', status: 'offline', status_since: at, last_heartbeat_at: at,
        degraded_reason: null, last_sample_error: '', active_tasks: 0, stalled: false, queue_depth: 0, role: 'worker', runtime: 'claude' }]);
    default: {
      const [status, reason] = [['online', null], ['degraded', 'runtime_wedged'], ['degraded', 'error_rate'], ['offline', null], ['failed', null]][random(5)];
      return [store.apply({ e: `WORKSPACE_${status.toUpperCase()}`, w, at, since: at, status, reason, error: ERRORS[random(ERRORS.length)] })];
    }
  }
}

const AROUND = { now: NOW, uptimeGap: { downSince: NOW - 500_000, since: NOW - 300_000, until: NOW + 300_000 } };

/** Makes lists of groups comparable: sorted by their first row, without their kind, which is numbered by use. */
const comparable = troubleGroups => troubleGroups.list(AROUND)
  .map(({ kind, ...group }) => ({ ...group, rows: troubleGroups.rowsOf([{ kind, ...group }], AROUND) }))
  .sort((a, b) => a.rows[0] - b.rows[0]);

function follow(query, sort, direction, seed) {
  const random = randomly(seed);
  const store = load(200, random);
  const view = new FleetView(store, () => NOW);
  view.show({ query, sort, direction });
  let shown = 0;
  for (let round = 0; round < 60; round++) {
    const touched = Array.from({ length: random(30) }, () => change(store, random)).flat().filter(row => row >= 0);
    view.touch(touched);
    view.settle();
    shown += view.rows.length;
    const [what, rows, groups] = [`${query} ${sort} ${direction}, round ${round}`, [...view.rows], comparable(view.troubleGroups)];
    const fresh = new FleetView(store, () => NOW);
    fresh.show({ query, sort, direction });
    equal(rows, [...fresh.rows], what);
    equal([...view.matched].sort((a, b) => a - b), fresh.matched, what);
    equal(groups, comparable(fresh.troubleGroups), what);
    equal(rows.map(row => view.troubleGroups.together(row)), rows.map(row => fresh.troubleGroups.together(row)), what);
  }
  ok(shown > 0, 'something was shown');
}

export function whatIsKeptIsTheSameAsWhatIsMadeAnew() {
  let seed = 1;
  for (const query of ['', 'status:degraded,offline', 'agent -is:stalled', `under:${uuid(3)}`]) {
    for (const [sort, direction] of [['severity', 'asc'], ['severity', 'desc'], ['since', 'asc'], ['heard', 'desc'], ['name', 'asc']]) {
      follow(query, sort, direction, seed++);
    }
  }
}

export function countsWhoFellSilentTogether() {
  const heard = ['02:10:00', '02:10:29', '02:10:59', '02:09:30', '02:09:29'];
  const store = new FleetStore();
  store.load(readSnapshot(msf1(fleet(7, i => ({ status: 'offline', heard: heard[i] ? `2026-11-25T${heard[i]}Z` : null, ...(i === 6 ? { status: 'online' } : {}) })))));
  const troubleGroups = new TroubleGroups(store);
  troubleGroups.reset(() => false);
  equal([0, 5, 6].map(row => troubleGroups.together(row)), [3, 0, 0]);
}

export function countsThoseThatFallSilentWhileThePageIsOpen() {
  const store = new FleetStore();
  store.load(readSnapshot(msf1(fleet(3, i => ({ heard: `2026-11-25T0${i}:00:00Z` }))))); // at different times, long before
  for (const row of [0, 1, 2]) {
    store.apply({ e: 'WORKSPACE_OFFLINE', w: uuid(row), at: '2026-11-25T09:03:00Z', status: 'offline', since: '2026-11-25T09:03:00Z', heard: `2026-11-25T09:00:0${row}.5Z` });
  }
  const troubleGroups = new TroubleGroups(store);
  troubleGroups.reset(() => false);
  equal(troubleGroups.together(0), 3);
  store.apply({ e: 'WORKSPACE_OFFLINE', w: uuid(0), at: '2026-11-25T08:03:00Z', status: 'offline', heard: '2026-11-25T08:00:00Z' }); // an older event again
  equal(store.heard[0], Date.parse('2026-11-25T09:00:00Z') / 1000);
}

/** The worst case: 100,000 workspaces in trouble, almost all since different times. */
export function aThousandChangesTakeLessThanAllAnew() {
  const random = randomly(7);
  const store = new FleetStore();
  const n = 100_000;
  store.load(readSnapshot(msf1(Array.from({ length: n }, (_, i) => ({ id: uuid(i), name: `Agent ${i}`, status: 'degraded', reason: 'runtime_wedged',
    error: `error ${i % 400}`, since: new Date(NOW - random(90_000) * 1000).toISOString(), heard: null })))));
  const view = new FleetView(store, () => NOW);
  const timed = fn => {
    const start = performance.now();
    fn();
    return performance.now() - start;
  };
  const anew = timed(() => view.show({}));
  const rounds = Array.from({ length: 3 }, () => {
    const touched = Array.from({ length: 1000 }, () => change(store, random)).flat().filter(row => row >= 0);
    return [() => view.touch(touched), () => view.troubleGroups.list(AROUND), () => view.settle()].map(timed);
  });
  const [touch, list, settle] = [0, 1, 2].map(i => Math.min(...rounds.map(took => took[i])));
  console.info(`anew ${anew.toFixed(1)} ms; 1,000 changes ${touch.toFixed(1)}, groups ${list.toFixed(1)}, order ${settle.toFixed(1)}`);
  ok(touch + list + settle < 5 * anew, `${touch} + ${list} + ${settle} ms, all anew ${anew} ms`);
}
