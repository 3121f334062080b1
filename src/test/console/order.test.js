import { FleetStore } from '/src/fleet/store.js';
import { groups } from '/src/fleet/groups.js';
import { TroubleGroups, pattern } from '/src/fleet/trouble-groups.js';
import { inserted, ordered } from '/src/fleet/order.js';
import { readSnapshot } from '/src/fleet/snapshot.js';
import { equal } from './assert.js';
import { fleet, msf1 } from './fixtures.js';

const load = rows => {
  const store = new FleetStore();
  store.load(readSnapshot(msf1(rows)));
  return store;
};
const all = store => Array.from({ length: store.n }, (_, row) => row);
const troubleGroups = (store, test = () => true) => {
  const found = new TroubleGroups(store);
  found.reset(test);
  return found.list({ now: Date.parse('2026-11-25T02:16:09Z') });
};
const minute = m => `2026-11-25T02:${String(m).padStart(2, '0')}:00Z`;

export function theWorstComeFirstAndOfTheseTheNewest() {
  const statuses = ['online', 'degraded', 'offline', 'failed', 'paused', 'awaiting_agent', 'offline', 'online'];
  const store = load(fleet(8, i => ({ status: statuses[i], since: minute(i), stalled: i === 7 })));
  equal(ordered(store, all(store)), [3, 6, 2, 1, 7, 5, 4, 0]);
  equal(ordered(store, all(store), 'severity', 'desc'), [0, 4, 5, 7, 1, 2, 6, 3]);
}

export function aStallIsOrderedByItsOwnBegin() {
  const store = load(fleet(3, i => ({ since: minute(i), stalled: [minute(9), minute(7), minute(8)][i] })));
  equal(ordered(store, all(store)), [0, 2, 1]);
  equal(ordered(store, all(store), 'since'), [0, 2, 1]);
}

export function wedgesComeBeforeWhatIsOffline() {
  const reason = i => (i % 2 ? 'runtime_wedged' : 'error_rate');
  const store = load(fleet(5, i => (i === 4 ? { status: 'offline' } : { status: 'degraded', reason: reason(i), since: minute(10 - i) })));
  equal(ordered(store, all(store)), [1, 3, 4, 0, 2]);
}

export function sortsByNameChangeAndSilence() {
  const store = load(fleet(3, i => ({ name: ['b', 'C', 'a'][i], since: minute(i), heard: minute([2, 1, 3][i]) })));
  equal(ordered(store, all(store), 'name'), [2, 0, 1]);
  equal(ordered(store, all(store), 'since'), [2, 1, 0]);
  equal(ordered(store, all(store), 'heard'), [1, 0, 2]);
}

export function replacesWhatDiffersFromAgentToAgent() {
  equal(pattern('Request 4711 to "host-7" failed: 0xdeadbeef'), 'request # to # failed: #');
  equal(pattern('id 6f0e2a52-8c1e-4b0c-9a44-000000000001 gone'), 'id # gone');
  equal(pattern('Control request timeout: initialize'), 'control request timeout: initialize');
}

export function groupsWhatBeganTogetherWithOneReason() {
  const wedged = { status: 'degraded', reason: 'runtime_wedged', error: 'Control request timeout: initialize' };
  const quota = i => ({ status: 'degraded', reason: 'error_rate', error: `429 from upstream ${i}: quota` });
  const store = load(fleet(412, i => i < 371 ? { ...wedged, since: minute(14) } : i < 409 ? { ...quota(i), since: minute(50 - 40) } : { ...quota(i), since: minute(1) }));
  const found = troubleGroups(store);
  equal(found.map(group => [group.count, group.reason, group.runtime]), [[371, 'runtime_wedged', 'claude'], [38, 'error_rate', 'claude'], [3, 'error_rate', 'claude']]);
}

export function keepsApartWhatBeganLater() {
  const store = load(fleet(4, i => ({ status: 'offline', since: minute(i * 2), error: `old ${i}`, runtime: i % 2 ? 'codex' : 'claude' })));
  equal(troubleGroups(store).map(group => [group.count, group.runtime, group.how]), [[2, '', 'alone'], [2, '', 'alone']]);
}

export function leavesOutWhoIsWell() {
  equal(troubleGroups(load(fleet(3))), []);
}

export function groupsTroubleByParentAndRuntime() {
  const store = load(fleet(9, i => ({ parent: i > 1 ? `k${i % 2}` : undefined, runtime: i < 5 ? 'claude' : 'codex', status: i > 5 ? 'offline' : i === 3 ? 'degraded' : 'online', stalled: i === 8 || i === 2 })));
  const summary = by => groups(store, all(store), by).map(({ name, term, bad, of, kinds }) => [name, term, bad, of, kinds]);
  equal(summary('parent'), [
    ['Agent 0', `parent:${store.id(0)}`, 3, 4, { stalled: 1, offline: 2 }],
    ['Agent 1', `parent:${store.id(1)}`, 2, 3, { degraded: 1, offline: 1 }],
  ]);
  equal(summary('runtime'), [['codex', 'runtime:"codex"', 3, 4, { offline: 3 }], ['claude', 'runtime:"claude"', 2, 5, { stalled: 1, degraded: 1 }]]);
}
