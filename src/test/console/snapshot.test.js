import { readSnapshot } from '/src/fleet/snapshot.js';
import { equal, fails } from './assert.js';
import { fleet, msf1 } from './fixtures.js';

export function readsTheHeadAndTheColumns() {
  const snapshot = readSnapshot(msf1(fleet(3, i => ({ parent: i ? 'k0' : null, tasks: i })), { seq: 42 }));
  equal([snapshot.seq, snapshot.n, snapshot.at], [42, 3, Date.parse('2026-11-25T02:16:09Z')]);
  equal(snapshot.columns.parent, [-1, 0, 0]);
  equal(snapshot.columns.tasks, [0, 1, 2]);
}

export function readsAnEmptyFleet() {
  equal(readSnapshot(msf1([])).n, 0);
}

export function refusesWhatIsNoWholeSnapshot() {
  fails(() => readSnapshot(new ArrayBuffer(2)), /not MSF1/);
  fails(() => readSnapshot(new TextEncoder().encode('{"title":"no"}').buffer), /not MSF1/);
  const whole = msf1(fleet(50));
  fails(() => readSnapshot(whole.slice(0, 60)), /cut/);
  fails(() => readSnapshot(whole.slice(0, whole.byteLength - 40)), /cut within its column/);
}
