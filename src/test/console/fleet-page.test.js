import * as clock from '/src/net/clock.js';
import { answerOf, changed } from './answers.js';
import { equal, ok, until } from './assert.js';
import { fleet, uuid } from './fixtures.js';
import { firstBody, mount, NOW, shown } from './fleet-mount.js';
import { pauseAfter } from '/src/pages/fleet.js';

const names = root => shown(root).map(row => row.querySelector('.name-link').textContent);
const degrade = (i, error = 'Control request timeout: initialize') =>
  ({ e: 'WORKSPACE_DEGRADED', w: uuid(i), status: 'degraded', reason: 'runtime_wedged', error });

export function showsTheWorstFirstInItsOwnWords() {
  const { root } = mount(fleet(50, i => i === 7 ? { status: 'degraded', reason: 'runtime_wedged', error: 'Control request timeout: initialize' } : {}));
  const [first] = shown(root);
  equal(names(root)[0], 'Agent 7');
  ok(first.querySelector('.col-status').textContent.startsWith('degraded'));
  equal(first.querySelector('.col-why').textContent, 'Runtime wedged — “Control request timeout: initialize”');
  equal(first.querySelector('button').textContent, 'Restart');
  equal(root.querySelector('[role=grid]').getAttribute('aria-rowcount'), '51');
}

export function countsAllBeforeAllAreLoaded() {
  const { root, live } = mount(fleet(50, () => ({ status: 'degraded', reason: 'runtime_wedged' })));
  const counts = () => [...root.querySelectorAll('.fleet-count b')].slice(0, 3).map(one => one.textContent);
  Object.assign(live, { isLoaded: false, failure: 'The server did not answer.', summary: { total: 900, status: { online: 700, degraded: 200 }, stalled: 0, banners: [] } });
  live.notify(null);
  equal(counts(), ['900', '700', '200']);
  equal(root.querySelector('.causes'), null, 'causes of a part');
  Object.assign(live, { isLoaded: true, failure: null });
  live.notify(null);
  equal(counts(), ['50', '0', '50']);
  ok(root.querySelector('.causes h2').textContent.includes('50 workspaces'), 'the causes');
}

/** T3: before the first data nothing is 0, nothing is empty, and nothing is recommended. */
export function hasDashesBeforeTheFirstData() {
  const { root, live } = mount([]);
  const seen = () => [[...new Set([...root.querySelectorAll('.fleet-count b')].map(one => one.textContent))].join(), root.querySelector('.fleet-foot [role=status]').textContent,
    root.querySelector('.loading-rows') !== null];
  Object.assign(live, { isLoaded: false, isCurrent: false, summary: null });
  live.notify(null);
  equal(seen(), ['–', '–', true]);
  Object.assign(live, { isLoaded: true });
  live.load(fleet(2));
  equal(seen().slice(1), ['2 workspaces', false]);
  root.querySelector('#filter').value = 'nobody';
  root.querySelector('#filter').dispatchEvent(new InputEvent('input'));
  equal(seen()[1], '–', 'one that matches may be to come');
  Object.assign(live, { isCurrent: true, summary: { total: 2, banners: [] } });
  live.notify([]);
  root.querySelector('#filter').value = 'no one';
  root.querySelector('#filter').dispatchEvent(new InputEvent('input'));
  ok(/^Nothing matches/.test(seen()[1]), seen()[1]);
}

/** T5: rows are drawn again when the surroundings change, in the same second as the causes. */
export async function rowsFollowTheSurroundingsAsTheCausesDo() {
  const { root, live } = mount(fleet(3, i => (i === 1 ? { status: 'offline', since: '2026-11-25T02:10:00Z', heard: '2026-11-25T02:07:00Z' } : {})));
  const said = () => [shown(root)[0].querySelector('.col-next').textContent, root.querySelector('.causes .hint').textContent];
  equal(said(), ['Look at host', '→ Look at host']);
  live.summary = { ...live.summary, banners: [{ kind: 'own_absence', down_since: '2026-11-25T02:08:00Z', since: '2026-11-25T02:09:00Z', until: '2026-11-25T02:30:00Z' }] };
  await until(() => said()[0] === 'Wait' && said()[1] === '→ Wait', 'both');
}

export function needsTheLastHeartbeatsOfAllWhenTheyDecide() {
  const asks = query => {
    const { live, handle } = mount(fleet(3), { query });
    const does = live.needsHeartbeats();
    handle.close();
    return [does, live.needsHeartbeats()];
  };
  equal(['', 'q=silent%3E5m', 'q=status%3Aonline+-silent%3C1m', 'sort=heard', 'sort=since'].map(asks),
    [[false, false], [true, false], [true, false], [true, false], [false, false]]);
}

export function datesWhatBeganOnAnotherDay() {
  const silent = { status: 'offline', since: '2026-11-20T02:05:09Z', heard: '2026-11-20T02:02:09Z' };
  const { root } = mount(fleet(3, i => i === 0 ? silent : i === 1 ? { status: 'degraded', reason: 'error_rate', since: '2026-11-25T02:05:09Z' } : {}));
  equal([...root.querySelectorAll('.causes li > .soft:not(.runtime)')].map(since => since.textContent), ['since 2026-11-20 02:05:09', 'since 02:05:09']);
  ok(shown(root).some(row => /Silent since 2026-11-20 02:02:09/.test(row.querySelector('.col-why').textContent)), 'the date in the column Why');
}

/** T6 */
export function datesAStallByItsOwnBegin() {
  const { root } = mount(fleet(3, i => i === 0 ? { stalled: '2026-11-25T02:05:09Z' } : {}));
  const [first, second] = shown(root);
  equal([first, second].map(row => row.querySelector('.row-since').title.slice(11, 19)), ['02:05:09', '02:00:00']);
  equal(root.querySelector('.causes li > .soft').textContent, 'since 02:05:09');
  root.querySelector('.causes li button[aria-label^=Show]').click();
  equal(root.querySelector('#filter').value, 'is:stalled since>02:04 since<02:06');
}

export function saysThatTheBeginOfAStallIsUnknown() {
  const { root } = mount(fleet(2, i => ({ stalled: i === 0, runtime: '' })));
  const since = shown(root)[0].querySelector('.row-since');
  equal([since.textContent, since.title], ['–', 'It is not known since when']);
  equal(root.querySelector('.causes li > .soft'), null);
  ok(root.querySelector('.causes h2').textContent.includes('1 workspace '), 'the cause');
}

export function hasFewRowsInThePageHoweverMany() {
  const { root } = mount(fleet(20_000));
  ok(shown(root).length < 60, `${shown(root).length} rows`);
  ok(root.querySelectorAll('*').length < 3000, 'DOM nodes');
}

export async function ordersAnewWhileTheTableIsNotUsed() {
  const { root, live } = mount(fleet(30));
  live.apply(degrade(20));
  await until(() => names(root)[0] === 'Agent 20', 'the order');
}

export async function recoveryClearsTheReason() {
  const { root, live } = mount(fleet(3, i => (i === 1 ? { status: 'degraded', reason: 'runtime_wedged' } : {})));
  ok(shown(root)[0].querySelector('.col-why').textContent.includes('wedged'));
  live.apply({ e: 'WORKSPACE_ONLINE', w: uuid(1), status: 'online', reason: null, error: '' });
  await until(() => root.querySelector('.causes') === null, 'no cause');
  equal(shown(root).map(row => row.querySelector('.col-why').textContent), ['', '', '']);
  ok(shown(root).every(row => row.querySelector('.col-status').textContent.startsWith('online')));
}

export async function keepsRowsUnderThePointerUntilAsked() {
  const { root, live } = mount(fleet(30));
  root.querySelector('.fleet-scroll').dispatchEvent(new PointerEvent('pointerenter'));
  const before = names(root);
  live.apply(degrade(20), degrade(21));
  await until(() => /2 rows would change place/.test(root.querySelector('.fleet-foot').textContent), 'the line');
  equal(names(root), before);
  ok(shown(root)[20].querySelector('.col-status').textContent.startsWith('degraded'), 'it changes in place');
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '.', bubbles: true }));
  equal(names(root).slice(0, 2).sort(), ['Agent 20', 'Agent 21']);
  live.apply(degrade(22));
  await until(() => /1 row would change place/.test(root.querySelector('.fleet-foot').textContent), 'the line of one');
}

export async function isMovedInByKeys() {
  const { root, urls } = mount(fleet(500));
  const grid = root.querySelector('[role=grid]');
  grid.focus();
  const press = key => grid.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  press('End');
  equal(names(root).at(-1), 'Agent 499');
  equal(document.getElementById(grid.getAttribute('aria-activedescendant')).getAttribute('aria-rowindex'), '501');
  press('Home');
  press('j');
  press('Enter');
  equal(urls.at(-1), `sel=${uuid(1)}`);
  ok(root.querySelector('.sheet').textContent.includes('Agent 1'));
  root.querySelector('.sheet').dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  equal(root.querySelector('.sheet'), null);
}

export async function isSortedByTheNewestStatusFromAMenu() {
  const { root, urls } = mount(fleet(3, i => ({ since: `2026-11-25T02:0${(i + 1) % 3}:00Z` })));
  const select = [...root.querySelectorAll('.group-by')].find(label => label.textContent.includes('Sort by')).querySelector('select');
  select.value = 'since';
  select.dispatchEvent(new Event('change'));
  equal(urls.at(-1), 'sort=since');
  equal(names(root), ['Agent 1', 'Agent 0', 'Agent 2']);
}

export function putsTheFilterIntoTheAddress() {
  const { root, urls } = mount(fleet(30));
  const input = root.querySelector('#filter');
  input.value = 'name:"agent 1"';
  input.dispatchEvent(new InputEvent('input'));
  equal(urls.at(-1), 'q=name%3A%22agent+1%22');
  equal(names(root).length, 11);
  input.value = 'colour:red';
  input.dispatchEvent(new InputEvent('input'));
  ok(/“colour” is no word/.test(root.querySelector('#filter-error').textContent));
  equal(names(root).length, 11, 'what was shown stays');
}

export function showsTheRowsOfACause() {
  const { root } = mount(fleet(60, i => i < 40 ? { status: 'degraded', reason: 'error_rate', error: `429 from upstream ${i}: quota`, since: '2026-11-25T01:50:00Z' } : {}));
  ok(/40 workspaces in trouble, by cause/.test(root.querySelector('.causes').textContent));
  root.querySelector('.causes [aria-label="Show these 40"]').click();
  equal(root.querySelector('[role=grid]').getAttribute('aria-rowcount'), '41');
}

export async function groupsFourHundredByThreeCauses() {
  const error = i => (i < 371 ? 'Control request timeout: initialize' : i < 409 ? `429 from upstream ${i}: quota` : `boom ${i}`);
  const { root, handle, left } = mount(fleet(412, i => ({ status: 'degraded', reason: i < 371 ? 'runtime_wedged' : 'error_rate', error: error(i), since: '2026-11-25T01:50:00Z' })));
  const causes = () => [...root.querySelectorAll('.causes li')].map(one => one.textContent.replace(/\s+/g, ' ').trim());
  ok(root.querySelector('.causes').textContent.includes('412 workspaces in trouble'));
  for (const [count, words] of [['371', 'initialize'], ['38', '429 from upstream'], ['3', 'boom']]) {
    ok(causes().some(one => new RegExp(`(^|\\D)${count} degraded`).test(one) && one.includes(words)), `${count} with ${words} in ${causes()}`);
  }
  root.querySelector('.causes [aria-label="Show these 38"]').click();
  equal(root.querySelector('[role=grid]').getAttribute('aria-rowcount'), '39');
  handle.update({ path: '/ui/fleet', segments: ['fleet'], query: new URLSearchParams() });

  const { fetch } = globalThis;
  const bodies = [];
  const preview = changed(answerOf('bulkStart'), { count: 371, changes: 371, by_status: { degraded: 371 }, skips: {}, sample: [] });
  globalThis.fetch = async (url, { body }) => {
    bodies.push(JSON.parse(body));
    return new Response(JSON.stringify(String(url).includes('dry_run') ? preview : { bulk_id: 'b-1' }));
  };
  try {
    root.querySelector('.causes [aria-label="Restart these 371"]').click();
    await until(() => /371 of 371 will be asked to restart/.test(document.querySelector('dialog')?.textContent), 'the question');
    const submit = document.querySelector('dialog [type=submit]');
    equal(submit.textContent.trim(), 'Restart 371');
    submit.click();
    await until(() => left.length === 1, 'the page of the run');
  } finally {
    globalThis.fetch = fetch;
  }
  equal([left, bodies[1].action, bodies[1].ids.length, bodies[1].expect_count], [['/ui/bulk/b-1'], 'restart', 371, 371]);
}

/** The filter of *Show* has minutes and a piece of the error; the actions are of exactly the rows that are counted. */
export async function actsOnExactlyTheRowsOfACause() {
  const { root } = mount(fleet(9, i => (i < 7 ? { status: 'degraded', reason: 'runtime_wedged', since: `2026-11-25T01:5${i === 6 ? 3 : 0}:0${i}Z`,
    error: i % 3 === 2 ? 'disk is full' : `session ${i} lost` } : {})));
  const button = name => root.querySelector(`.causes [aria-label="${name}"]`);
  const ids = [0, 1, 3, 4].map(uuid);
  equal(await firstBody(() => button('Restart these 4').click()), { action: 'restart', ids, text: 'preview' });
  equal(await firstBody(() => button('Message these 4').click()), { action: 'message', ids, text: 'preview' });
}

export function theSheetShowsItsStepsAsCurl() {
  const wedged = { status: 'degraded', reason: 'runtime_wedged', error: 'Control request timeout: initialize' };
  const commands = role => [...mount(fleet(3, i => i === 1 ? wedged : {}), { query: `sel=${uuid(1)}`, role }).root.querySelectorAll('.sheet .curl code')].map(one => one.textContent);
  const read = `curl -s $MUSTER/workspaces/${uuid(1)} -H "$ADMIN"`;
  const post = action => `curl -s -X POST $MUSTER/workspaces/${uuid(1)}/${action} -H "$ADMIN"`;
  equal(commands('operator'), [read, post('restart'), post('pause')]);
  equal(commands('viewer'), [read]);
}

export async function aBulkRunOfManyIdsIsCopiedWhole() {
  const rows = fleet(200, () => ({ status: 'degraded', reason: 'runtime_wedged', error: 'lost' }));
  const { root } = mount(rows);
  const { fetch } = globalThis;
  globalThis.fetch = async () => new Response('{}', { status: 503 });
  try {
    root.querySelector('.causes [aria-label="Restart these 200"]').click();
    await until(() => document.querySelector('dialog .curl mu-copy'), 'the command');
    const command = document.querySelector('dialog .curl');
    const copied = command.querySelector('mu-copy').text();
    equal(rows.filter((_, i) => !copied.includes(uuid(i))), []);
    ok(/^curl -s \$MUSTER\/admin\/bulk .{0,3000} … \(200 ids are copied\)$/s.test(command.querySelector('code').textContent), command.textContent.slice(-200));
  } finally {
    globalThis.fetch = fetch;
  }
  document.querySelector('dialog').remove();
}

export function aCauseThatNoActionHelpsHasItsStepInWords() {
  const silent = fleet(9, () => ({ status: 'offline', heard: '2026-11-25T02:00:00Z' }));
  const line = mount(silent).root.querySelector('.causes li');
  equal([...line.querySelectorAll('button')].map(one => one.textContent), ['Message', 'Show']);
  equal(line.querySelector('.hint').textContent, '→ Look at host');
  const wedged = fleet(2, () => ({ status: 'degraded', reason: 'runtime_wedged' }));
  const read = mount(wedged, { role: 'viewer' }).root.querySelector('.causes li');
  equal([...read.querySelectorAll('button')].map(one => one.textContent), ['Show'], 'a viewer may change nothing');
  equal(read.querySelector('.hint').textContent, '→ Restart');
}

export function groupsTroubleAsTheAddressSays() {
  const { root, urls } = mount(fleet(60, i => ({ parent: i > 0 ? 'k0' : undefined, status: i > 50 ? 'offline' : 'online' })), { query: 'group=parent' });
  ok(/9 workspaces in trouble, by parent/.test(root.querySelector('.causes').textContent));
  equal(root.querySelector('.causes li').textContent.replace(/\s+/g, ' ').trim(), 'Agent 0 9 offline of 59 Show');
  root.querySelector('.causes button').click();
  equal(urls.at(-1), `group=parent&q=parent%3A${uuid(0)}+is%3Abad`);
  equal(root.querySelector('[role=grid]').getAttribute('aria-rowcount'), '10');
  equal(names(root), [51, 52, 53, 54, 55, 56, 57, 58, 59].map(i => `Agent ${i}`));
  const select = root.querySelector('.group-by select');
  select.value = 'none';
  select.dispatchEvent(new Event('change'));
  equal(root.querySelector('.causes'), null);
}

export function rowsAre32PixelsHighOr44() {
  const height = () => {
    const { root } = mount(fleet(3));
    return shown(root)[0].getBoundingClientRect().height;
  };
  equal(height(), 32);
  document.documentElement.dataset.density = 'roomy';
  equal(height(), 44);
  delete document.documentElement.dataset.density;
}

export async function actsAndOffersToUndo() {
  const { root, calls } = mount(fleet(3, i => ({ status: i ? 'online' : 'paused' })), { query: 'status:paused' });
  root.querySelector('[data-action=resume]').click();
  await until(() => document.querySelector('.toast'));
  equal(calls, [`POST /workspaces/${uuid(0)}/resume`]);
  ok(/Agent 0: resumed/.test(document.querySelector('.toast').textContent));
  [...document.querySelectorAll('.toast button')].find(one => one.textContent === 'Undo').click();
  await until(() => calls.length === 2, 'the undo');
  equal(calls[1], `POST /workspaces/${uuid(0)}/pause`);
}

export async function aRefusalStaysInTheSideSheet() {
  const sentence = 'It has 3 workspaces below it. Use cascade=true.';
  const answer = async (method, path) => {
    if (path.endsWith('/resume')) throw Object.assign(new Error('409'), { status: 409, detail: sentence });
  };
  const { root, urls, calls } = mount(fleet(3, () => ({ status: 'paused' })), { answer });
  const refusals = () => [...root.querySelectorAll('.sheet .refusal')].map(one => one.textContent);
  root.querySelector('[data-action=resume]').click();
  await until(() => root.querySelector('.sheet .refusal'), 'the refusal');
  equal(urls, [`sel=${uuid(0)}`]);
  equal(root.querySelector('.sheet-steps .refusal').closest('li').querySelector('button').textContent, 'Resume');
  equal([refusals(), root.querySelector('.refusal').getAttribute('role')], [[sentence], 'alert']);
  equal(document.querySelector('.toast'), null);

  root.querySelector('.sheet-steps button').click();
  await until(() => urls.length === 2, 'the next answer');
  equal([calls.length, urls[1], refusals()], [2, urls[0], [sentence]]);
  shown(root)[1].querySelector('.col-why').click();
  equal([urls.at(-1), refusals()], [`sel=${uuid(1)}`, []], 'the next workspace has its own');
}

export async function aRefusalOfAnotherThanTheOpenOneStaysUntilItIsClosed() {
  const answer = async () => {
    throw Object.assign(new Error('409'), { status: 409, detail: 'Removed meanwhile.' });
  };
  const { root } = mount(fleet(3, () => ({ status: 'paused' })), { query: `sel=${uuid(0)}`, answer });
  const { setTimeout: later } = globalThis;
  const timers = [];
  globalThis.setTimeout = (fn, ms) => (ms >= 6000 ? timers.push(fn) : later(fn, ms));
  try {
    root.querySelectorAll('.fleet-row:not([hidden]) [data-action=resume]')[1].click();
    await until(() => document.querySelector('.toast'), 'the message');
  } finally {
    globalThis.setTimeout = later;
  }
  const toast = document.querySelector('.toast');
  equal([toast.querySelector('bdi').textContent, toast.getAttribute('role'), timers.length], ['Agent 1: Removed meanwhile.', 'alert', 0]);
  [...toast.querySelectorAll('button')].at(-1).click();
  equal(document.querySelector('.toast'), null);
}

export function offersNothingToAViewer() {
  const { root } = mount(fleet(3, () => ({ status: 'paused' })), { role: 'viewer' });
  equal(root.querySelectorAll('.fleet-row:not([hidden]) button:not([hidden])').length, 3, 'the heads alone');
  ok(shown(root).every(row => row.querySelector('.col-status').textContent.startsWith('paused')));
}

export function listsCausesAgainAfterSecondsHoweverLongThatTakes() {
  equal([0.1, 5, 30].map(pauseAfter), [1000, 2000, 4000]);
}

/** T5: the age in the cause of one goes on, and its step changes with it, while nothing else happens. */
export async function aCauseOfOneFollowsItsRestart() {
  const now = Date.parse(NOW);
  const { root, live, store } = mount(fleet(1, () => ({ status: 'degraded', reason: 'runtime_wedged' })));
  store.details.set(0, { restart_requested_at: new Date(now - 50_000).toISOString() });
  live.notify(null);
  const said = () => root.querySelector('.causes li').textContent;
  const first = said();
  ok(first.includes('A restart was asked for 5'), first);
  await until(() => said() !== first, 'the change is drawn'); // from now on nothing else happens
  clock.sync(now + 70_000);
  await until(() => said().includes('asked to restart 2 m'), 'the restart is over');
}
