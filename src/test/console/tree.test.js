import { equal, ok, until } from './assert.js';
import { fleet, uuid } from './fixtures.js';
import { mount, shown } from './fleet-mount.js';

const names = root => shown(root).map(row => row.querySelector('.name-link').textContent);
const TEAMS = i => ({ parent: i > 1 ? `k${i % 2}` : undefined });

/** Opens the page with the tree, and waits until its module is loaded. */
async function tree(rows, options = {}) {
  const page = mount(rows, { ...options, query: `view=tree&${options.query ?? ''}` });
  await until(() => page.root.querySelector('[role=treegrid]'), 'the tree');
  const grid = page.root.querySelector('[role=treegrid]');
  return { ...page, grid, press: key => grid.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })) };
}

export async function saysWhatIsBelow() {
  const { root } = await tree(fleet(20, i => ({ ...TEAMS(i), status: i === 4 ? 'degraded' : i === 6 ? 'offline' : 'online' })));
  const [first] = shown(root);
  const visible = [...first.querySelectorAll('.col-below > :not([hidden])')].map(one => one.textContent.trim()).join(' ');
  equal(visible, '1 offline 1 degraded of 9 below');
  equal(first.getAttribute('aria-expanded'), 'true');
  equal(first.getAttribute('aria-level'), '1');
  equal(names(root).slice(0, 3), ['Agent 0', 'Agent 6', 'Agent 4']);
  const last = shown(root).at(-1);
  equal(last.querySelector('.col-below .soft').textContent, 'all 9 online');
  equal(last.getAttribute('aria-expanded'), 'false');
}

export async function isDrivenByKeys() {
  const { root, grid, press, urls } = await tree(fleet(10, TEAMS));
  equal(names(root), ['Agent 0', 'Agent 1']);
  grid.focus();
  press('ArrowRight');
  equal(names(root), ['Agent 0', 'Agent 2', 'Agent 4', 'Agent 6', 'Agent 8', 'Agent 1']);
  const active = () => document.getElementById(grid.getAttribute('aria-activedescendant')).querySelector('.name-link').textContent;
  press('ArrowRight');
  equal(active(), 'Agent 2');
  press('ArrowDown');
  equal(active(), 'Agent 4');
  press('ArrowLeft');
  equal(active(), 'Agent 0');
  press('ArrowLeft');
  equal(names(root), ['Agent 0', 'Agent 1']);
  press('Enter');
  equal(urls.at(-1), `view=tree&sel=${uuid(0)}`);
}

export async function opensByAClick() {
  const { root, urls } = await tree(fleet(10, TEAMS));
  shown(root)[1].querySelector('.twisty').click();
  equal(names(root), ['Agent 0', 'Agent 1', 'Agent 3', 'Agent 5', 'Agent 7', 'Agent 9']);
  equal(urls, []);
}

export async function countsWhileOneLooks() {
  const { root, live } = await tree(fleet(10, TEAMS));
  root.querySelector('.fleet-scroll').dispatchEvent(new PointerEvent('pointerenter'));
  live.apply({ e: 'WORKSPACE_OFFLINE', w: uuid(5), status: 'offline' });
  await until(() => /of 4 below/.test(shown(root)[1].textContent), 'the count');
  equal(names(root), ['Agent 0', 'Agent 1'], 'nothing moves under the pointer');
  await until(() => /2 rows would change place/.test(root.querySelector('.fleet-foot').textContent), 'the line');
}

export async function goesFromTableToTreeAndBack() {
  const { root, urls } = mount(fleet(30, TEAMS));
  const press = name => [...root.querySelectorAll('.view-switch button')].find(one => one.textContent === name).click();
  press('Tree');
  equal(urls.at(-1), 'view=tree');
  await until(() => root.querySelector('[role=treegrid]'), 'the tree');
  equal(names(root).length, 2);
  press('Table');
  equal(urls.at(-1), '');
  ok(names(root).length > 10);
}
