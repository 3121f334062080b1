// Measures frame times of the fleet as table, tree or map under many events, and counts what is sorted and changed.
import { open } from '/src/pages/fleet.js';
import { LiveFleet } from '/src/fleet/live.js';
import * as clock from '/src/net/clock.js';
import { fleet, msf1, uuid } from './fixtures.js';

const WORDS = [
  { e: 'WORKSPACE_ONLINE', status: 'online', reason: null, error: '' },
  { e: 'WORKSPACE_DEGRADED', status: 'degraded', reason: 'runtime_wedged', error: 'Control request timeout: initialize' },
  { e: 'WORKSPACE_OFFLINE', status: 'offline', reason: null },
];

const quantile = (values, q) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))];
const frame = () => new Promise((resolve) => original(resolve));
const original = requestAnimationFrame.bind(window);
const interval = setInterval.bind(window);

/**
 * Measures the page's callbacks of requestAnimationFrame and setInterval. Each call of the returned function appends the
 * time since the last call to `scripts`, and to `changes` how many nodes, texts and attributes below `root` have changed,
 * but for those that an interval changes; the time of each interval's callback is appended to `ticks`. In ms.
 */
function timed(root, { scripts, changes, ticks }) {
  let [time, changed] = [0, 0];
  const observer = new MutationObserver((records) => (changed += records.length));
  observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
  const measured = (fn) => (...args) => {
    const start = performance.now();
    fn(...args);
    const took = performance.now() - start;
    time += took;
    return took;
  };
  window.requestAnimationFrame = (fn) => original(measured(fn));
  window.setInterval = (fn, ms) => {
    const tick = measured(fn);
    return interval(() => {
      changed += observer.takeRecords().length;
      ticks.push(tick());
      observer.takeRecords();
    }, ms);
  };
  return () => {
    changed += observer.takeRecords().length;
    scripts.push(time);
    changes.push(changed);
    [time, changed] = [0, 0];
  };
}

const FRAMES_PER_SECOND = 60;
const PAINTS = 3;

const SORTING = [Array, Int32Array, Float64Array].map(({ prototype }) => ({ prototype, sort: prototype.sort }));

/** Counts the elements of all arrays that are sorted, until `stop`. */
function countSorted() {
  const counted = { elements: 0, stop: () => SORTING.forEach(({ prototype, sort }) => (prototype.sort = sort)) };
  for (const { prototype, sort } of SORTING) {
    prototype.sort = function sorted(...compare) {
      counted.elements += this.length;
      return sort.apply(this, compare);
    };
  }
  return counted;
}

/**
 * Opens the page, sends events and scrolls, and returns the measured times.
 *
 * Each frame has the events of a sixtieth of a second: a busy machine, which draws fewer frames, has no more to do in each.
 *
 * @param {{rows: number, seconds: number, perSecond: number, view: 'table' | 'tree' | 'map'}} size
 * @returns {Promise<Record<string, number>>} times in ms, and counts
 */
export async function measure({ rows, seconds, perSecond, view = 'table' }) {
  const parent = (i) => (i < 20 ? undefined : `k${i < 2000 ? i % 20 : 20 + (i % 1980)}`);
  const bytes = msf1(fleet(rows, (i) => ({ name: `Agent ${i}`, role: `role ${i % 40}`, parent: parent(i) })));
  const main = document.createElement('main');
  const root = document.createElement('div');
  const app = Object.assign(document.createElement('div'), { id: 'app' });
  main.append(root);
  app.append(document.createElement('header'), main);
  document.body.append(app);
  let take = null;
  const stream = { subscribe: (fn) => ((take = fn), () => {}), open() {}, close() {} };
  const call = async (method, path) => (path === '/console/fleet' ? { bytes: bytes.slice(0) } : path === '/console/rows' ? [] : Promise.reject({ status: 404 }));
  const link = { onState: () => () => {}, waiting() {}, databaseAway() {}, loaded() {}, state: () => 'live' };
  const place = { path: '/ui/fleet', segments: ['fleet'], query: new URLSearchParams({ view }) };
  const session = { current: () => ({ stale_after_s: 180 }), mayChange: () => true };
  const [scripts, changes, ticks] = [[], [], []];
  const next = timed(root, { scripts, changes, ticks });

  /** Opens the page, and waits until the view is painted. */
  async function paint() {
    const start = performance.now();
    const live = new LiveFleet({ call, stream, link });
    const begun = live.start();
    const handle = open(root, place, { fleet: live, clock, call, navigate() {}, session });
    await begun;
    while (root.dataset.view !== view) {
      await frame();
    }
    await frame();
    return { took: performance.now() - start, live, handle };
  }

  // The fastest of several counts: a browser that was paused for a second says nothing of the page.
  const paints = [];
  let page = null;
  while (paints.length < PAINTS) {
    page?.handle.close();
    page?.live.stop();
    delete root.dataset.view;
    page = await paint();
    paints.push(page.took);
  }
  const { live, handle } = page;
  const painted = Math.min(...paints);

  const frames = [];
  const scroller = root.querySelector(view === 'map' ? '.map-space' : '.fleet-scroll');
  scroller.dispatchEvent(new PointerEvent('pointerenter')); // a user who scrolls has the pointer over the rows
  next();
  scripts.length = 0;
  changes.length = 0;
  const sorted = countSorted();
  const end = performance.now() + seconds * 1000;
  let [last, sent, seq] = [performance.now(), 0, 100];
  while (performance.now() < end || frames.length < FRAMES_PER_SECOND) {
    await frame();
    const now = performance.now();
    frames.push(now - last);
    last = now;
    next();
    const due = Math.floor((frames.length / FRAMES_PER_SECOND) * perSecond);
    const events = [];
    for (; sent < due; sent++) {
      const at = new Date(Date.parse('2026-11-25T02:16:09Z') + sent).toISOString();
      events.push({ s: ++seq, w: uuid((sent * 7919) % rows), at, since: at, ...WORDS[sent % 3] });
    }
    take({ seq, events });
    if (view === 'map') {
      const [x, y] = [(frames.length * 5) % 1200, (frames.length * 3) % 400];
      scroller.dispatchEvent(new PointerEvent('pointermove', { clientX: x, clientY: y + 150 }));
    } else {
      scroller.scrollTop += 24;
    }
  }
  sorted.stop();
  window.gc();
  const heap = performance.memory.usedJSHeapSize;
  window.requestAnimationFrame = original;
  window.setInterval = interval;
  const start2 = performance.now();
  handle.update({ ...place, query: new URLSearchParams({ view, q: 'agent 1 status:degraded' }) });
  const filtered = performance.now() - start2;
  const result = {
    painted_ms: painted, frames_median_ms: quantile(frames, 0.5), frames_p95_ms: quantile(frames, 0.95),
    script_median_ms: quantile(scripts, 0.5), script_p99_ms: quantile(scripts, 0.99), script_most_ms: quantile(scripts, 1), second_median_ms: quantile(ticks, 0.5), filter_ms: filtered,
    heap_mb: heap / 1e6, sorted_each_event: sorted.elements / sent, changes_each_frame: quantile(changes, 0.5),
    nodes: document.querySelectorAll('*').length, events: sent, degraded: live.store.counts[2],
  };
  handle.close();
  live.stop();
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, Math.round(value * 100) / 100]));
}
