import { equal, ok } from './assert.js';
import { linesOf } from '/src/pages/timeline-lanes.js';

const entry = (kind, id, cause) => ({ kind, id, cause });

export function joinsWhatIsShown() {
  const entries = [entry('run', 'r', { kind: 'delegation', id: 'd', sure: false }), entry('message', 'm', { kind: 'delegation', id: 'd', sure: true }), entry('delegation', 'd', null)];
  equal(linesOf(entries), [{ from: 2, to: 0, sure: false }, { from: 2, to: 1, sure: true }]);
}

export function leavesOutCausesThatAreNotShown() {
  equal(linesOf([entry('run', 'r', { kind: 'delegation', id: 'gone', sure: true })]), []);
}

export function takesAMissingCertaintyForAGuess() {
  const [line] = linesOf([entry('run', 'r', { kind: 'delegation', id: 'd' }), entry('delegation', 'd')]);
  ok(line.sure === false);
}
