// Mounts the page of the fleet without a server, for the unit tests.
import { open } from '/src/pages/fleet.js';
import { FleetStore } from '/src/fleet/store.js';
import { readSnapshot } from '/src/fleet/snapshot.js';
import * as clock from '/src/net/clock.js';
import { answerOf, changed } from './answers.js';
import { msf1 } from './fixtures.js';

export const NOW = '2026-11-25T02:16:09Z';

/**
 * Opens the page with a fleet of `rows`. `answer` returns the responses to its requests, which are collected in `calls`;
 * the queries of the urls that it opens are collected in `urls`, the paths of other pages in `left`. `live.load` loads a new snapshot.
 */
export function mount(rows, { query = '', role = 'operator', answer = async () => null } = {}) {
  const app = document.createElement('div');
  app.id = 'app';
  const root = document.createElement('div');
  root.className = 'page';
  const main = document.createElement('main');
  main.append(root);
  app.append(document.createElement('header'), document.createElement('div'), main);
  document.body.append(app);
  clock.thaw();
  clock.sync(0);
  clock.sync(Date.parse(NOW));
  const store = new FleetStore();
  store.load(readSnapshot(msf1(rows)));
  const listeners = new Set();
  const calls = [];
  const live = {
    store, isLoaded: true, isCurrent: true, failure: null, summary: changed(answerOf('fleetSummary'), { total: rows.length, status: {}, delegations: {}, queue: { waiting: 0, oldest_s: 0 } }), visible: () => [], refresh() {}, start() {},
    onChange: fn => (listeners.add(fn), () => listeners.delete(fn)),
    notify: touched => listeners.forEach(fn => fn(touched)),
    load: rows => (store.load(readSnapshot(msf1(rows))), live.notify(null)),
    apply: (...events) => live.notify(events.map(event => store.apply({ at: NOW, since: NOW, ...event })).filter(row => row >= 0)),
  };
  const place = text => ({ path: '/ui/fleet', segments: ['fleet'], query: new URLSearchParams(text) });
  const [urls, left] = [[], []];
  const context = {
    fleet: live,
    clock,
    session: { current: () => ({ role, stale_after_s: 180 }), mayChange: () => role !== 'viewer' },
    call: async (method, path) => (calls.push(`${method} ${path}`), answer(method, path)),
    navigate: (path, params) => {
      if (path !== '/ui/fleet') {
        left.push(path);
        return;
      }
      const kept = new URLSearchParams([...params].filter(([, value]) => value));
      urls.push(kept.toString());
      handle.update(place(kept));
    },
  };
  const handle = open(root, place(query), context);
  return { root, live, store, calls, urls, left, handle, rows: () => shown(root) };
}

/** @param {HTMLElement} root @returns {HTMLElement[]} the elements of the visible rows, in order */
export const shown = root => [...root.querySelectorAll('.fleet-space .fleet-row:not([hidden])')]
  .sort((a, b) => a.getAttribute('aria-rowindex') - b.getAttribute('aria-rowindex'));

/** Calls `act`, and returns the body of the first request that it leads to. */
export async function firstBody(act) {
  const { fetch } = globalThis;
  try {
    return await new Promise((resolve) => {
      globalThis.fetch = async (_, { body }) => (resolve(JSON.parse(body)), new Response('{}', { status: 503 }));
      act();
    });
  } finally {
    globalThis.fetch = fetch;
    document.querySelector('dialog')?.remove();
  }
}
