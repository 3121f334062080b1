import { render } from 'lit-html';
import { counts } from '/src/fleet/counts.js';
import { FleetStore } from '/src/fleet/store.js';
import { filter, FilterError } from '/src/fleet/filter.js';
import { readSnapshot } from '/src/fleet/snapshot.js';
import { equal, fails } from './assert.js';
import { fleet, msf1 } from './fixtures.js';

const load = rows => {
  const store = new FleetStore();
  store.load(readSnapshot(msf1(rows)));
  return store;
};
const matches = (query, store, now) => {
  const test = filter(query, store, now);
  return Array.from({ length: store.n }, (_, row) => row).filter(row => store.alive[row] && test(row));
};

export async function agreesWithTheServersCases() {
  const file = await (await fetch('/cases/filter-cases.json')).json();
  const store = load(file.workspaces);
  const now = Date.parse(file.now);
  const wrong = [];
  for (const { query, matches: expected, error, browser } of file.cases) {
    if (browser === false) continue;
    let found;
    try {
      found = matches(query, store, now).map(row => file.workspaces[row].key);
    } catch (e) {
      found = e instanceof FilterError ? { word: e.word, words: e.words } : String(e);
    }
    if (JSON.stringify(found) !== JSON.stringify(expected ?? error)) {
      wrong.push(`${query}\n expected ${JSON.stringify(expected ?? error)}\n but was ${JSON.stringify(found)}`);
    }
  }
  equal(wrong, []);
}

export function saysThatTasksAreForTheServer() {
  fails(() => filter('task:review', load(fleet(1)), 0), /task/);
}

/** T3: of what is not recorded, nothing may be said, not even that nothing matches. */
export function saysWhatIsNotRecordedOfThePast() {
  const store = new FleetStore({ isPast: true });
  store.load(readSnapshot(msf1(fleet(2, i => ({ status: ['online', 'offline'][i] })))));
  for (const query of ['is:stalled', '-is:stalled', 'is:bad,queued', 'silent>5m', 'silent<5m']) {
    fails(() => filter(query, store, 0), /cannot be asked of the past/);
  }
  equal(matches('is:bad', store, 0), [1]);
}

/** Stalls of the past are not recorded, so they are not counted as none. */
export function countsNoStallsOfThePast() {
  const store = load(fleet(2, i => ({ stalled: i === 1 })));
  const counted = isPast => {
    const root = document.createElement('div');
    render(counts({ store, summary: null, isLoaded: true, isPast }, '', () => {}), root);
    return [...root.querySelectorAll('button')].filter(one => /stalled/i.test(one.textContent)).map(one => one.textContent.trim().slice(-1));
  };
  equal([counted(false), counted(true)], [['1'], []]);
}

export function doesNotLoopInACircleOfParents() {
  const store = load(fleet(3, i => ({ parent: `k${(i + 1) % 3}` })));
  equal(matches('under:unknown', store, 0), []);
  equal(matches('under:"agent 1"', store, 0), [0, 1, 2]);
}

export function readsEachWorkspaceOnce() {
  const shortest = size => {
    const store = load(fleet(size, i => ({ name: i % 7 ? `Agent ${i}` : `Réviseur ${i}` })));
    return Math.min(...Array.from({ length: 7 }, () => {
      const start = performance.now();
      const found = matches('réviseur -status:offline silent<1d', store, Date.parse('2026-11-25T02:16:09Z'));
      const took = performance.now() - start;
      equal(found.length, Math.ceil(size / 7));
      return took;
    }));
  };
  const ratio = shortest(40_000) / shortest(2_000);
  if (ratio > 100) throw new Error(`20 times as many workspaces take ${ratio} times as long`);
}
