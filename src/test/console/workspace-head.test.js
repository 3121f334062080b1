// The top of a workspace's page: T6 of docs/internals/console.md.
import { render } from 'lit-html';
import * as clock from '/src/net/clock.js';
import { head } from '/src/pages/workspace-head.js';
import { equal } from './assert.js';

const statusLine = record => {
  const root = document.createElement('div');
  document.body.append(root); // times are elements, which draw themselves when they are in a document
  render(head({ id: 'a', record: { name: 'A', ...record }, removed: false }, { mayAct: false, session: {} }), root);
  const text = root.querySelector('.status-line').textContent.replace(/\s+/g, ' ').trim();
  root.remove();
  return text;
};

/** T6: a status and a stall each have their own time. */
export function aStallHasItsOwnTime() {
  clock.thaw();
  clock.sync(Date.parse('2026-11-25T02:16:09Z'));
  const degraded = { status: 'degraded', status_since: '2026-11-25T02:10:09Z' };
  equal(statusLine(degraded), 'degraded since 02:10:09 (6 m)');
  equal(statusLine({ ...degraded, stalled: true, stalled_since: '2026-11-25T02:15:09Z' }), 'degraded since 02:10:09 (6 m) stalled since 02:15:09 (1 m)');
  equal(statusLine({ ...degraded, status: 'online', stalled: true, stalled_since: null }), 'online since 02:10:09 (6 m) stalled');
}
