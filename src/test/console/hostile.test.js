import { equal, ok } from './assert.js';
import { fleet, uuid } from './fixtures.js';
import { mount } from './fleet-mount.js';

const strings = async () => [
  ...(await (await fetch('/cases/hostile.json')).json()),
  'w'.repeat(65_536), '\ud800', 'a\udc00b', '\0\u0001\u001b[31mred', '\u202eevil\u2066', '"><script>window.ran = 1</script>',
  '${window.ran = 1}', '{{constructor.constructor("window.ran=1")()}}', '<img src=x onerror="window.ran = 1">',
];

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
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
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
    ok(sheet.scrollWidth <= sheet.clientWidth, `the sheet of ${JSON.stringify(texts[i].slice(0, 60))} is too wide`);
    [...sheet.querySelectorAll('*')].forEach((element) => sheets.add(element.localName));
  }
  ok(document.documentElement.scrollWidth <= innerWidth, 'no sideways scroll');
  equal([...sheets].filter((name) => /script|img|iframe|object|style|form/.test(name)), []);
  equal([window.ran, window.pwned], [undefined, undefined]);
}
