import { render } from 'lit-html';
import * as card from '/src/pages/card.js';
import * as now from '/src/pages/now.js';
import { facts, head, why } from '/src/pages/workspace-head.js';
import { showPalette } from '/src/parts/palette.js';
import { equal, ok, until } from './assert.js';
import { fleet, uuid } from './fixtures.js';
import { mount, shown } from './fleet-mount.js';

const strings = async () => [
  ...(await (await fetch('/cases/hostile.json')).json()),
  'w'.repeat(65_536), '\ud800', 'a\udc00b', '\0\u0001\u001b[31mred', '\u202eevil\u2066', '"><script>window.ran = 1</script>',
  '${window.ran = 1}', '{{constructor.constructor("window.ran=1")()}}', '<img src=x onerror="window.ran = 1">',
];

const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b]/;

/** Fails if a script ran, the text made an element or a link, the page is too wide, or a character is not seen. */
function harmless(what) {
  const all = (selector) => [...document.querySelectorAll(`:is(main, dialog) ${selector}`)];
  const found = [
    window.ran === undefined && window.pwned === undefined ? '' : 'a script ran',
    all(':is(img, script, iframe, object, embed, form[action], base, style)').length > 0 ? 'an element was made' : '',
    document.documentElement.scrollWidth > innerWidth ? 'it scrolls sideways' : '',
    all('a[href]').some((a) => !/^https?:/.test(a.href)) ? 'a link leads elsewhere' : '',
    UNSEEN.test([...document.querySelectorAll('main, dialog')].map((one) => one.textContent).join('')) ? 'a character is not seen' : '',
  ];
  equal(found.filter(Boolean), [], JSON.stringify(String(what).slice(0, 60)));
}

const named = (texts) => fleet(texts.length, (i) => ({ name: texts[i], role: texts[i], error: texts[i], status: 'degraded', reason: 'error_rate', parent: i > 0 ? 'k0' : undefined }));

const painted = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));

/** Shows rows with hostile names, roles and errors: no script runs, and the layout stays. */
export async function nothingRunsAndNothingBreaksTheLayout() {
  const texts = await strings();
  ok(texts.length >= 150, `${texts.length} strings`);
  const rows = fleet(texts.length, (i) => ({ name: texts[i], role: texts[i], error: texts[i], status: 'degraded', reason: 'error_rate' }));
  const { root, live, handle, store } = mount(rows);
  const scroller = root.querySelector('.fleet-scroll');
  const markup = new Set();
  for (let top = 0; top < texts.length * 36; top += 360) {
    scroller.scrollTop = top;
    await painted();
    harmless(`rows at ${top} px`);
    for (const row of root.querySelectorAll('.fleet-space .fleet-row:not([hidden])')) {
      markup.add([...row.querySelectorAll('*')].map((element) => element.localName).join());
      ok(row.scrollWidth <= row.clientWidth + 1 && row.clientHeight <= 37, `a row of ${row.clientHeight} px`);
    }
  }
  equal(markup.size, 1, 'elements of the rows:');
  store.detail(texts.slice(0, 100).map((text, i) => ({
    id: uuid(i), name: text, role: text, runtime: text, status: 'degraded', status_since: '2026-11-25T02:00:00Z', last_heartbeat_at: null,
    degraded_reason: 'error_rate', last_sample_error: text, active_tasks: 1, stalled: false, current_task: text, queue_depth: 3, paused_by: text,
  })));
  live.notify(null);
  const sheets = new Set();
  for (let i = 0; i < 100; i++) {
    handle.update({ path: '/ui/fleet', segments: ['fleet'], query: new URLSearchParams({ sel: uuid(i) }) });
    const sheet = root.querySelector('.sheet');
    harmless(texts[i]);
    ok(sheet.scrollWidth <= sheet.clientWidth, `the sheet of ${JSON.stringify(texts[i].slice(0, 60))} is too wide`);
    [...sheet.querySelectorAll('*')].forEach((element) => sheets.add(element.localName));
  }
  ok(document.documentElement.scrollWidth <= innerWidth, 'no sideways scroll');
  equal([...sheets].filter((name) => /script|img|iframe|object|style|form/.test(name)), []);
  equal([window.ran, window.pwned], [undefined, undefined]);
}

export async function nothingRunsInTheTree() {
  const texts = await strings();
  const { root } = mount(named(texts), { query: 'view=tree' });
  await until(() => root.querySelector('[role=treegrid]'), 'the tree');
  const seen = new Set();
  const scroller = root.querySelector('.fleet-scroll');
  for (let top = 0; top < texts.length * 36; top += 360) {
    scroller.scrollTop = top;
    await painted();
    harmless(`rows at ${top} px`);
    shown(root).forEach((row) => seen.add(row.getAttribute('aria-rowindex')));
  }
  equal(seen.size, texts.length, 'rows that were seen:');
}

export async function nothingRunsInTheMap() {
  const texts = await strings();
  const { root } = mount(named(texts), { query: 'view=map' });
  await until(() => root.querySelector('[role=application]'), 'the map');
  const space = root.querySelector('[role=application]');
  await until(() => space.querySelector('canvas')?.width > 0, 'the cells');
  space.focus();
  const seen = new Set();
  for (let i = 0; i < texts.length; i++) { // to the next that is in trouble, as all are
    space.dispatchEvent(new KeyboardEvent('keydown', { key: 'PageDown', bubbles: true }));
    seen.add(root.querySelector('.map-card')?.textContent);
    harmless(`the cell after ${i}`);
  }
  ok(seen.size > 150, `${seen.size} cells were described`);
}

export async function nothingRunsOnThePageOfAWorkspace() {
  const root = document.body.appendChild(document.createElement('main'));
  const [top, tab] = [root.appendChild(document.createElement('div')), root.appendChild(document.createElement('div'))];
  const session = { current: () => ({ role: 'operator', stale_after_s: 180 }), mayChange: () => true };
  const since = '2026-11-25T02:00:00Z';
  for (const text of await strings()) {
    const workspace = {
      id: uuid(1), row: null, heartbeats: [], removed: false,
      record: {
        id: uuid(1), name: text, role: text, runtime: text, status: 'degraded', status_since: since, created_at: since, last_heartbeat_at: since,
        degraded_reason: 'runtime_wedged', last_sample_error: text, current_task: text, paused_by: text, active_tasks: 1, max_concurrent_tasks: 2,
        parent_id: null, tier: 1, stalled: false, delivery_mode: 'push', url: text,
        agent_card: { name: text, description: text, [text]: text, skills: [{ name: text, description: text }, { id: text }] },
      },
    };
    const around = { now: Date.parse(since) + 60_000, alike: null, staleAfterS: 180 };
    const parts = { actions: {}, mayAct: true, around, address: (name) => `/ui/w/${uuid(1)}?tab=${name}`, stream: 'live', session, toChat() {} };
    for (const page of [now, card]) {
      render([head(workspace, parts), why(workspace, parts), facts(workspace)], top);
      const opened = page.open(tab, null, { workspace, session });
      harmless(text);
      opened.close();
      render(null, tab);
    }
    ok(top.querySelector('.why-box') !== null && top.querySelector('h1') !== null, 'the top');
  }
  root.remove();
}

export async function nothingRunsInThePalette() {
  const texts = await strings();
  const { live } = mount(named(texts));
  showPalette({ fleet: live, session: { current: () => ({ role: 'operator', stale_after_s: 180 }), mayChange: () => true }, navigate() {} });
  const dialog = document.querySelector('dialog');
  const field = dialog.querySelector('input');
  const seen = new Set();
  for (const text of ['script', 'img', 'svg', 'rm', 'http', '"', "'", '\u202e', '<', '$', '\u0000']) {
    field.value = text;
    field.dispatchEvent(new Event('input'));
    await painted();
    harmless(text);
    dialog.querySelectorAll('[role=option]').forEach((option) => seen.add(option.textContent));
  }
  ok(seen.size > 20, `${seen.size} names were offered`);
  dialog.remove();
}
