import { FleetStore, STATUS } from '/src/fleet/store.js';
import { readSnapshot } from '/src/fleet/snapshot.js';
import { equal, ok } from './assert.js';
import { fleet, msf1, uuid } from './fixtures.js';

const storeOf = rows => {
  const store = new FleetStore();
  store.load(readSnapshot(msf1(rows)));
  return store;
};
const at = '2026-11-25T02:20:00Z';
const degraded = (i, more = {}) => ({ s: 8, e: 'WORKSPACE_DEGRADED', w: uuid(i), at, status: 'degraded', since: at, reason: 'runtime_wedged', error: 'init', ...more });

export function findsEveryRowByItsId() {
  const store = storeOf(fleet(5000));
  for (let i = 0; i < 5000; i++) {
    if (store.rowOf(uuid(i)) !== i || store.id(i) !== uuid(i)) throw new Error(`row ${i}`);
  }
  equal([store.rowOf(uuid(5000)), store.rowOf('no id'), store.rowOf(uuid(7).toUpperCase())], [-1, -1, 7]);
}

export function readsNamesThatAreNotAscii() {
  const names = ['Éclair', '審査 🙂', '', 'plain'];
  const store = storeOf(fleet(4, i => ({ name: names[i] })));
  equal([0, 1, 2, 3].map(row => store.name(row)), names);
  equal(store.lower(0), 'éclair');
}

export function setsWhatAnEventSays() {
  const store = storeOf(fleet(3));
  equal(store.apply(degraded(1)), 1);
  equal([store.statusOf(1), store.word('reason', 1), store.word('error', 1)], ['degraded', 'runtime_wedged', 'init']);
  equal(store.since[1], Date.parse(at) / 1000);
  equal([store.counts[STATUS.online], store.counts[STATUS.degraded], store.total()], [2, 1, 3]);
}

export function endsTheSameWhenEventsAreRepeated() {
  const store = storeOf(fleet(3));
  const events = [degraded(1), { e: 'WORKSPACE_REMOVED', w: uuid(2), at, status: 'removed' }, degraded(0),
    { e: 'WORKSPACE_ONLINE', w: uuid(1), at, status: 'online', since: at, reason: null, error: '' }];
  events.forEach(event => store.apply(event));
  const once = JSON.stringify([store.counts, store.status.slice(0, 3), store.reason.slice(0, 3), store.total()]);
  events.forEach(event => store.apply(event));
  equal(JSON.stringify([store.counts, store.status.slice(0, 3), store.reason.slice(0, 3), store.total()]), once);
  equal(store.total(), 2);
  equal(store.word('reason', 1), '');
}

export function addsANewWorkspaceAndGrows() {
  const store = storeOf(fleet(1020));
  for (let i = 1020; i < 3000; i++) {
    store.apply({ e: 'WORKSPACE_AWAITING_AGENT', w: uuid(i), at, status: 'awaiting_agent', since: at, name: `New ${i}`, parent: uuid(3), mode: 'push' });
  }
  equal([store.total(), store.n], [3000, 3000]);
  equal([store.name(2999), store.parent[2999], store.rowOf(uuid(2999)), store.rowOf(uuid(5))], ['New 2999', 3, 2999, 5]);
}

export function saysOfWhomItDoesNotKnow() {
  const store = storeOf(fleet(1));
  equal(store.apply(degraded(9)), -2);
  equal(store.apply({ e: 'DELEGATION_SENT', w: uuid(0) }), -1);
  equal(store.total(), 1);
}

export function countsStalledOnes() {
  const store = storeOf(fleet(3, i => ({ stalled: i === 0 })));
  store.apply({ e: 'WORKSPACE_STALLED', w: uuid(1), at, status: 'online', since: '2026-11-25T02:00:00Z' });
  equal(store.stalled, 2);
  store.apply(degraded(1));
  equal(store.stalled, 2, 'a stalled workspace can be degraded:');
  store.apply({ e: 'WORKSPACE_STALL_ENDED', w: uuid(1), at, status: 'degraded', since: at, reason: 'runtime_wedged' });
  store.apply({ e: 'WORKSPACE_REMOVED', w: uuid(0), at });
  equal(store.stalled, 0);
}

export function knowsSinceWhenEachIsStalled() {
  const known = '2026-11-25T02:10:00Z';
  const store = storeOf(fleet(4, i => ({ stalled: [known, true, null, known][i], status: i === 3 ? 'degraded' : 'online' })));
  const shown = row => store.sinceOf(row) && new Date(store.sinceOf(row) * 1000).toISOString().slice(11, 16);
  equal([0, 1, 2, 3].map(shown), ['02:10', 0, '02:00', '02:00'], 'of one that is degraded, its status:');
  store.apply({ e: 'WORKSPACE_STALLED', w: uuid(2), at: '2026-11-25T02:20:07Z', status: 'online', since: '2026-11-25T02:00:00Z', stalled: at });
  equal(shown(2), '02:20');
  store.apply({ e: 'WORKSPACE_STALL_ENDED', w: uuid(2), at: '2026-11-25T02:30:00Z', status: 'online', since: '2026-11-25T02:00:00Z', stalled: at });
  equal([shown(2), store.isStalled(2)], ['02:00', false]);
  store.apply({ e: 'WORKSPACE_OFFLINE', w: uuid(0), at, status: 'offline', since: at });
  store.apply({ e: 'WORKSPACE_ONLINE', w: uuid(0), at, status: 'online', since: at });
  equal([shown(0), store.isStalled(0)], ['02:20', false]);
  const record = { id: uuid(1), name: 'Other', status: 'online', status_since: at, last_heartbeat_at: at, active_tasks: 1, stalled: true,
    stalled_since: '2026-11-25T02:21:00Z' };
  store.detail([record]);
  equal(shown(1), '02:21');
  store.detail([{ ...record, stalled: false, stalled_since: null }]);
  equal(shown(1), '02:20');
}

export function takesWhatTheServerSaysOfSingleRows() {
  const store = storeOf(fleet(2));
  const record = { id: uuid(0), name: 'Other', status: 'paused', status_since: at, last_heartbeat_at: at, degraded_reason: null,
    last_sample_error: '', active_tasks: 4, stalled: false, queue_depth: 2, parent_id: null, role: null, runtime: 'codex' };
  equal(store.detail([record]), [0]);
  equal([store.statusOf(0), store.name(0), store.tasks[0], store.word('runtime', 0)], ['paused', 'Other', 4, 'codex']);
  store.apply({ ...degraded(0), since: '2026-11-25T02:21:00Z' });
  store.detail([record]);
  equal(store.statusOf(0), 'degraded', 'a late answer does not undo a newer event:');
  equal(store.detail([{ ...record, removed_at: at }]), [0]);
  equal(store.rowOf(uuid(0)), -1);
  ok(store.total() === 1);
}

export function showsTheWorstBeforeTheSnapshot() {
  const store = new FleetStore();
  store.detail([{ id: uuid(5), name: 'Bad', status: 'offline', status_since: at, last_heartbeat_at: null, active_tasks: 0, stalled: false,
    runtime: 'x', role: 'r', tier: 1, parent_id: uuid(77) }]);
  equal([store.n, store.statusOf(0), store.parent[0]], [1, 'offline', -1]);
}
