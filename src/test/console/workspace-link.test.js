import { render } from 'lit-html';
import { followFleet, workspaceLink } from '/src/parts/workspace-link.js';
import { FleetStore } from '/src/fleet/store.js';
import { readSnapshot } from '/src/fleet/snapshot.js';
import { equal, until } from './assert.js';
import { fleet, msf1, uuid } from './fixtures.js';

/** T1: a link that is open for hours says the status of now. */
export async function followsTheLiveFleet() {
  const store = new FleetStore();
  store.load(readSnapshot(msf1(fleet(2))));
  const listeners = new Set();
  followFleet({ isLoaded: true, store, onChange: fn => (listeners.add(fn), () => listeners.delete(fn)) });
  const { fetch } = globalThis;
  let asked = 0;
  globalThis.fetch = async () => (asked++, new Response('[]'));
  const root = document.createElement('div');
  document.body.append(root);
  try {
    render(workspaceLink(uuid(1)), root);
    const said = () => [root.textContent, root.querySelector('svg')?.getAttribute('aria-label') ?? ''];
    equal(said(), ['Agent 1', '']);
    const apply = event => (store.apply({ w: uuid(1), at: '2026-11-25T02:16:09Z', ...event }), listeners.forEach(fn => fn([1])));
    apply({ e: 'WORKSPACE_OFFLINE', status: 'offline', since: '2026-11-25T02:16:09Z' });
    await until(() => said()[1] === 'offline', 'the status');
    apply({ e: 'WORKSPACE_UPDATED', name: 'Renamed' });
    await until(() => said()[0] === 'Renamed', 'the name');
    apply({ e: 'WORKSPACE_REMOVED' });
    await until(() => said()[1] === 'removed', 'the end');
    equal(asked, 0, 'nothing is read');
  } finally {
    globalThis.fetch = fetch;
    followFleet(null);
  }
  equal(listeners.size, 0);
}
