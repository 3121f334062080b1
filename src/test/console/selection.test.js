// Row numbers change with each snapshot: what is selected, and where the keyboard is, must stay with the workspace.
import { equal, ok, until } from './assert.js';
import { fleet, uuid } from './fixtures.js';
import { firstBody, mount, shown } from './fleet-mount.js';

const names = root => shown(root).map(row => row.querySelector('.name-link').textContent);
const checked = root => shown(root).filter(row => row.querySelector('.col-choose input').checked).map(row => row.querySelector('.name-link').textContent);
const bar = root => root.querySelector('.bulk-bar p')?.textContent.replace(/\s+/g, ' ').trim();
const button = (root, word) => [...root.querySelectorAll('button')].find(one => one.textContent.trim() === word);
const rowOf = (root, name) => shown(root).find(row => row.querySelector('.name-link').textContent === name);
const tick = (root, name) => rowOf(root, name).querySelector('.col-choose input').click();
const press = (element, key) => element.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
const without = (rows, ...gone) => rows.filter((_, i) => !gone.includes(i));

export async function staysWithItsWorkspacesOverANewSnapshot() {
  const rows = fleet(20);
  const { root, live } = mount(rows);
  ['Agent 4', 'Agent 11', 'Agent 12'].forEach(name => tick(root, name));
  live.load(without(rows, 0, 1, 2, 11));
  equal(checked(root), ['Agent 4', 'Agent 12']);
  ok(/^2 selected of 16 that match/.test(bar(root)), bar(root));
  equal(await firstBody(() => button(root, 'Pause').click()), { action: 'pause', ids: [uuid(4), uuid(12)], text: 'preview' });
}

export function staysWithTheWorstThatTheSummaryShowsFirst() {
  const { root, live, store } = mount([]);
  const worst = { id: uuid(7), name: 'Agent 7', status: 'offline', status_since: '2026-11-25T02:00:00Z', active_tasks: 0, stalled: false };
  store.detail([worst]);
  live.notify(null);
  tick(root, 'Agent 7');
  live.load(fleet(20, i => (i === 7 ? { status: 'offline' } : {})));
  equal(checked(root), ['Agent 7']);
}

export async function allButOneStaysAllButOne() {
  const rows = fleet(12);
  const { root, live } = mount(rows);
  root.querySelector('.fleet-head .col-choose input').click();
  tick(root, 'Agent 3');
  live.load(without(rows, 0, 1));
  equal(checked(root), without(names(root), 1));
  live.apply({ e: 'WORKSPACE_REMOVED', w: uuid(5) });
  await until(() => /^8 selected/.test(bar(root)), 'the removed one is dropped');
}

export function anUnfinishedFilterKeepsWhatIsShownOverANewSnapshot() {
  const rows = fleet(30);
  const { root, live } = mount(rows);
  const type = text => {
    const input = root.querySelector('#filter');
    input.value = text;
    input.dispatchEvent(new InputEvent('input'));
  };
  type('name:"agent 1"');
  root.querySelector('.fleet-head .col-choose input').click();
  type('colour:red');
  live.load(without(rows, 0, 10));
  equal(names(root), ['Agent 1', ...Array.from({ length: 9 }, (_, i) => `Agent ${11 + i}`)]);
  ok(/^10 selected, all that match/.test(bar(root)), bar(root));
}

export async function theKeyboardStaysWithItsWorkspace() {
  for (const [view, role] of [['table', 'grid'], ['tree', 'treegrid']]) {
    const rows = fleet(20);
    const { root, live, urls } = mount(rows, { query: `view=${view}` });
    await until(() => root.querySelector(`[role=${role}]`), `the ${view}`);
    const grid = root.querySelector(`[role=${role}]`);
    grid.focus();
    ['Home', 'j', 'j', 'j'].forEach(key => press(grid, key));
    live.load(without(rows, 0, 1));
    equal(document.getElementById(grid.getAttribute('aria-activedescendant')).querySelector('.name-link').textContent, 'Agent 3', view);
    press(grid, 'x');
    equal(checked(root), ['Agent 3'], view);
    press(grid, 'Enter');
    equal(new URLSearchParams(urls.at(-1)).get('sel'), uuid(3), view);
    root.remove();
  }
}

export async function theMapsCursorStaysWithItsWorkspace() {
  const rows = fleet(40, i => (i === 9 ? { status: 'offline' } : {}));
  const { root, live, urls } = mount(rows, { query: 'view=map' });
  root.closest('#app').style.height = '600px';
  root.style.height = '560px';
  await until(() => root.querySelector('.map-space canvas')?.height > 100, 'the map');
  const space = root.querySelector('.map-space');
  space.focus();
  press(space, 'PageDown');
  live.load(without(rows, 0, 1));
  ok(/^Agent 9 offline/.test(root.querySelector('.map-card').textContent), root.querySelector('.map-card').textContent);
  press(space, 'Enter');
  equal(new URLSearchParams(urls.at(-1)).get('sel'), uuid(9));
}

export async function undoIsOfTheWorkspaceThatWasChanged() {
  const rows = fleet(6, i => (i === 4 ? { status: 'paused' } : {}));
  const { root, live, calls } = mount(rows);
  rowOf(root, 'Agent 4').querySelector('[data-action=resume]').click();
  await until(() => document.querySelector('.toast'), 'the toast');
  live.load(without(rows, 0, 1));
  button(document.querySelector('.toast'), 'Undo').click();
  equal(calls, [`POST /workspaces/${uuid(4)}/resume`, `POST /workspaces/${uuid(4)}/pause`]);
}

export function linksLeadToTheirWorkspacesAfterANewSnapshot() {
  const rows = fleet(20);
  const { root, live } = mount(rows, { query: 'sort=name' });
  live.load(without(rows, 0));
  const links = shown(root).map(row => row.querySelector('.name-link'));
  equal(links.map(link => link.getAttribute('href')), links.map(link => `/ui/w/${uuid(Number(link.textContent.slice(6)))}`));
}

export function theSheetIsOfItsWorkspaceAfterANewSnapshot() {
  const rows = fleet(20);
  const { root, live } = mount(rows, { query: `sel=${uuid(5)}` });
  live.load(without(rows, 0));
  equal(root.querySelector('.sheet h2').textContent, 'Agent 5');
}
