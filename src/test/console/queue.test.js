import { equal } from './assert.js';
import { waitOf } from '/src/pages/queue.js';

const NOW = Date.parse('2026-11-21T20:16:00Z');
const target = (more) => ({ name: 'Backfill Worker', delivery_mode: 'push', url: 'http://agent/', status: 'online', status_since: '2026-11-21T20:00:00Z',
  active_tasks: 0, max_concurrent_tasks: 2, ...more });
const wait = (more, kind = 'message') => waitOf(target(more), kind, NOW);

export function saysWhatATargetHasToDoBeforeItGetsMessages() {
  for (const [status, expected] of [
    ['online', ''], ['degraded', ''],
    ['offline', 'is back (offline 16 m)'], ['failed', 'is back (failed 16 m)'],
    ['paused', 'is resumed (paused 16 m)'], ['awaiting_agent', 'connects (awaiting agent 16 m)'],
  ]) {
    equal(wait({ status }), expected, status);
    equal(wait({ status, delivery_mode: 'poll' }), '', 'of an agent that polls:');
  }
  equal(wait({ url: '' }), 'has an address');
}

export function saysThatAllSlotsAreInUse() {
  equal(wait({ active_tasks: 2 }), 'has a free slot (2 of 2 in use)');
  equal(wait({ active_tasks: 2 }, 'delegation'), 'has a free slot (2 of 2 in use)');
  equal(wait({ active_tasks: 2 }, 'result'), '', 'results need none:');
}
