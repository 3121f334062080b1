import { equal } from './assert.js';
import { longestWait, spanOf, tookOf, treeOf } from '/src/pages/trace-model.js';

const at = (second) => new Date(Date.UTC(2026, 10, 21, 20, 0, second)).toISOString();
const delegation = (id, parent, from, to) => ({ kind: 'delegation', id, parent_id: parent, at: at(from), ended_at: to === null ? null : at(to) });
const NOW = Date.parse(at(50));

export function putsEachBelowWhatCausedIt() {
  const nodes = [delegation('a', null, 0, 30), delegation('c', 'a', 9, 20), delegation('b', 'a', 5, 6), { kind: 'message', id: 'm', parent_id: 'b', at: at(5) }];
  equal(treeOf(nodes).map(({ node, depth }) => [node.id, depth]), [['a', 0], ['b', 1], ['m', 2], ['c', 1]]);
}

export function losesNothingThatHasNoBeginning() {
  const nodes = [delegation('a', 'b', 0, 1), delegation('b', 'a', 1, 2), delegation('c', 'c', 2, 3), delegation('d', 'gone', 3, 4)];
  equal(treeOf(nodes).map(({ node }) => node.id).sort(), ['a', 'b', 'c', 'd']);
}

export function findsWhereTheTimeGoes() {
  const nodes = [delegation('a', null, 0, 40), delegation('b', 'a', 5, 30), delegation('c', 'a', 20, 35)];
  equal(longestWait(nodes, NOW).node.id, 'b');
  equal(longestWait([delegation('a', null, 0, 40), delegation('b', 'a', 5, 10)], NOW).ms, 35_000);
  equal(longestWait([], NOW), null);
}

export function countsWhatHasNotEndedUntilNow() {
  equal(longestWait([delegation('a', null, 10, null)], NOW).ms, 40_000);
  equal(spanOf([delegation('a', null, 10, null)], NOW), { from: Date.parse(at(10)), to: NOW });
  equal(spanOf([delegation('a', null, 10, 10)], NOW), { from: Date.parse(at(10)), to: Date.parse(at(11)) });
}

export function saysNoTimeThatIsNotKnown() {
  equal(tookOf({ kind: 'run', at: at(5), ended_at: at(5), duration_ms: null }, NOW), null);
  equal(tookOf({ kind: 'run', at: at(5), ended_at: at(5), duration_ms: 4200 }, NOW), 4200);
  equal(tookOf({ kind: 'run', at: at(5), ended_at: null }, NOW), 45_000);
  equal(tookOf(delegation('a', null, 5, 8), NOW), 3000);
  equal(tookOf({ kind: 'message', at: at(5) }, NOW), null);
}
