import { Cells, familiesOf } from '/src/fleet/cells.js';
import { fitted } from '/src/fleet/map-paint.js';
import { FleetStore } from '/src/fleet/store.js';
import { readSnapshot } from '/src/fleet/snapshot.js';
import { equal, ok, until } from './assert.js';
import { fleet, msf1, uuid } from './fixtures.js';
import { mount } from './fleet-mount.js';

const load = rows => {
  const store = new FleetStore();
  store.load(readSnapshot(msf1(rows)));
  return store;
};
const all = store => Array.from({ length: store.n }, (_, row) => row);

export function familiesStandTogetherTheLargestFirst() {
  const store = load(fleet(12, i => ({ parent: i > 2 ? `k${i < 9 ? 1 : 0}` : undefined })));
  equal(familiesOf(store, all(store)).map(({ key, rows }) => [key, rows]), [[1, [1, 3, 4, 5, 6, 7, 8]], [0, [0, 9, 10, 11]], [-1, [2]]]);
}

export function manyParentsStandByTheirBranches() {
  const store = load(fleet(1000));
  for (let i = 2; i < 1000; i++) store.parent[i] = i < 200 ? i % 2 : 2 + (i % 198);
  const families = familiesOf(store, all(store));
  equal(families.map(({ key }) => key), [0, 1]);
  equal(families.reduce((sum, { rows }) => sum + rows.length, 0), 1000);
  for (let i = 0; i < 1000; i++) store.parent[i] = i % 2 ? i - 1 : -1;
  const many = familiesOf(store, all(store));
  equal([many.length, many.at(-1).key, many.at(-1).rows.length], [60, -2, 1000 - 59 * 2]);
}

export function eachCellIsWhereOnePoints() {
  const store = load(fleet(3000));
  for (let i = 5; i < 3000; i++) store.parent[i] = i % 7 === 0 ? 1 : i % 5;
  for (const [width, height] of [[1300, 560], [640, 300], [300, 900]]) {
    const cells = new Cells(familiesOf(store, all(store)), width, height);
    let count = 0;
    cells.each((row, x, y) => {
      count++;
      ok(x >= 0 && y >= 0 && x + cells.size <= width && y + cells.size <= height, `${row} is outside at ${x}, ${y}`);
      equal(cells.at(x + cells.size / 2, y + cells.size / 2), row);
    });
    equal(count, 3000);
    ok(cells.size >= Math.sqrt((width * height) / 3000) * 0.6, `cells of ${cells.size} px in ${width} × ${height}`);
  }
}

export function aHundredThousandFit() {
  const store = load(fleet(3));
  store.n = 3;
  const families = [60_000, 30_000, 9_000, 990, 10].map((n, key) => ({ key, rows: Array.from({ length: n }, (_, i) => i) }));
  const cells = new Cells(families, 1340, 620);
  ok(cells.size >= 2, `cells of ${cells.size} px`);
  let lowest = 0;
  cells.each((row, x, y) => (lowest = Math.max(lowest, y + cells.size)));
  ok(lowest <= 620, `down to ${lowest}`);
}

/** A number that is cut off is another number. */
export function cutsNamesAndNoNumbers() {
  const within = letters => text => [...text].length <= letters;
  equal(fitted('Payments', '20', within(20)), 'Payments  20');
  equal(fitted('Payments lead 1', '20', within(18)), 'Payments lead 1');
  equal(fitted('Payments lead 1', '20', within(10)), 'Payments…');
  equal(fitted('😀😀😀😀', '1,200', within(3)), '😀😀…');
  equal(fitted('Payments', '20', within(1)), '');
}

async function map(rows, options = {}) {
  const page = mount(rows, { ...options, query: `view=map&${options.query ?? ''}` });
  page.root.closest('#app').style.height = '600px';
  page.root.style.height = '560px';
  await until(() => page.root.querySelector('.map-space canvas')?.height > 100, 'the map');
  const space = page.root.querySelector('.map-space');
  const canvas = space.querySelector('canvas');
  const pixel = (x, y) => [...canvas.getContext('2d').getImageData(x, y, 1, 1).data].slice(0, 3);
  return { ...page, space, canvas, pixel, card: () => page.root.querySelector('.map-card').textContent,
    press: key => space.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })) };
}

const NORTH = i => ({ parent: i > 1 ? `k${i % 2}` : undefined });

export async function showsEachStatusInItsColour() {
  const { pixel, live } = await map(fleet(4000, i => ({ ...NORTH(i), status: i === 0 ? 'offline' : 'online' })));
  const [offline, online] = [pixel(5, 23), pixel(5 + 16, 23)];
  ok(offline.join() !== online.join(), `${offline} is not ${online}`);
  live.apply({ e: 'WORKSPACE_ONLINE', w: uuid(0), status: 'online' });
  await until(() => pixel(5, 23).join() === online.join(), 'the new colour');
}

export async function arrowsDescribeWhatTheyReach() {
  const { space, press, card, urls } = await map(fleet(40, i => ({ ...NORTH(i), status: i === 9 ? 'degraded' : 'online', reason: i === 9 ? 'runtime_wedged' : null, error: i === 9 ? 'initialize' : '' })));
  space.focus();
  ok(/^Agent 0 online since/.test(card()), card());
  press('ArrowRight');
  ok(/^Agent 2 /.test(card()), card());
  press('PageDown');
  ok(/^Agent 9 degraded since 02:00:00 Runtime wedged — “initialize” · below Agent 1 Enter opens it/.test(card()), card());
  press('Enter');
  equal(urls.at(-1), `view=map&sel=${uuid(9)}`);
  press('End');
  const seen = new Set();
  for (let i = 0; i < 200; i++) {
    seen.add(card());
    press(i % 14 === 13 ? 'ArrowUp' : 'ArrowLeft');
  }
  ok(seen.size > 5, `${seen.size} reached`);
}

export async function linksToTheSameSetAsATable() {
  history.replaceState(null, '', '/?view=map&q=status%3Aonline');
  const { root } = await map(fleet(20));
  equal(root.querySelector('.map-link').getAttribute('href'), '/ui/fleet?q=status%3Aonline');
}

export async function movesNothingWhileItIsUsed() {
  const { space, live, root, card, press } = await map(fleet(40, NORTH), { query: 'q=status:online' });
  space.focus();
  press('ArrowRight');
  const before = card();
  live.apply({ e: 'WORKSPACE_OFFLINE', w: uuid(0), status: 'offline' });
  await until(() => /1 row would change place/.test(root.querySelector('.fleet-foot').textContent), 'the line');
  equal(card(), before);
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '.', bubbles: true }));
  ok(/39 workspaces/.test(root.querySelector('.fleet-foot').textContent));
}
