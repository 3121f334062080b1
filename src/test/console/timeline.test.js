import { answerOf, changed } from './answers.js';
import { equal, ok, until } from './assert.js';
import { asOf, open } from '/src/pages/timeline.js';
import { linesOf } from '/src/pages/timeline-lanes.js';
import { periodAt } from '/src/pages/workspace-past.js';

const page = (entries, next = null) => changed(answerOf('readTimeline'), { entries, next });
const entryWith = more => changed(answerOf('readTimeline').entries[0], more);
const entry = (kind, id, cause) => entryWith({ kind, id, cause });

export function joinsWhatIsShown() {
  const entries = [entry('run', 'r', { kind: 'delegation', id: 'd', sure: false }), entry('message', 'm', { kind: 'delegation', id: 'd', sure: true }), entry('delegation', 'd', null)];
  equal(linesOf(entries), [{ from: 2, to: 0, sure: false }, { from: 2, to: 1, sure: true }]);
}

export function leavesOutCausesThatAreNotShown() {
  equal(linesOf([entry('run', 'r', { kind: 'delegation', id: 'gone', sure: true })]), []);
}

export function takesAMissingCertaintyForAGuess() {
  const [line] = linesOf([entry('run', 'r', { kind: 'delegation', id: 'd' }), entry('delegation', 'd')]);
  ok(line.sure === false);
}

const AT = Date.parse('2026-11-25T02:16:09.000Z');
const at = seconds => new Date(AT + 1000 * seconds).toISOString();

export function tellsNothingThatCameLater() {
  equal(asOf({ kind: 'answer', at: at(1), status: 'answered' }, AT), null);
  const ended = { kind: 'run', at: at(-9), status: 'failed', text: 'exit code 3', duration_ms: 8000 };
  equal(asOf(ended, AT), ended);
  const later = { kind: 'delegation', at: at(-9), status: 'failed', text: 'it broke', duration_ms: 10_000 };
  equal(asOf(later, AT), { ...later, status: null, text: null, duration_ms: null });
  const open = { kind: 'delegation', at: at(-9), status: 'in_progress', text: 'review', duration_ms: null };
  equal(asOf(open, AT), { ...open, status: null });
  const message = { kind: 'message', at: at(-9), status: 'answered', text: 'hello', duration_ms: 5 };
  equal(asOf(message, AT), { ...message, status: null, duration_ms: null });
  const status = { kind: 'status', at: at(0), status: 'online' };
  equal(asOf(status, AT), status);
}

export async function putsADateAboveEachDay() {
  const entries = ['2026-11-25T02:14:03Z', '2026-11-25T00:00:01Z', '2026-11-24T23:59:59Z', '2026-11-20T08:00:00Z']
    .map(time => entryWith({ kind: 'status', id: time, at: time, title: 'a change', status: 'online' }));
  const root = document.createElement('div');
  document.body.append(root);
  const handle = open(root, { query: new URLSearchParams() }, { call: async () => page(entries), navigate() {}, workspace: { id: 'w' } });
  await until(() => root.querySelector('.timeline'), 'the list');
  const words = [...root.querySelectorAll('.timeline > li')].map(line => line.querySelector('h2, .entry-time').textContent);
  equal(words, ['2026-11-25', '02:14:03', '00:00:01', '2026-11-24', '23:59:59', '2026-11-20', '08:00:00']);
  handle.close();
}

export function findsThePeriodThatLasted() {
  const periods = [{ since: at(-20), until: at(-10), status: 'online' }, { since: at(-10), until: at(5), status: 'degraded' }, { since: at(5), until: null, status: 'online' }];
  equal([-30, -20, -10, 0, 5, 99].map(s => periodAt(periods, AT + 1000 * s)?.status), [undefined, 'online', 'degraded', 'degraded', 'online', 'online']);
  equal(periodAt(periods.slice(0, 1), AT), undefined);
}

export async function losesNothingBetweenItsPages() {
  const root = document.createElement('div');
  document.body.append(root);
  const all = [1, 2, 3, 4];
  let release = null;
  const call = async (method, path, { query: { before } }) => {
    if (before) {
      await new Promise((resolve) => (release = resolve));
    }
    const some = all.filter(n => !before || at(n) < before).slice(-2);
    const entries = some.map(n => entryWith({ kind: 'activity', id: `${n}`, at: at(n), title: `no ${n}` })).reverse();
    return page(entries, some[0] > 1 ? at(some[0]) : null);
  };
  const handle = open(root, { query: new URLSearchParams() }, { call, navigate() {}, workspace: { id: 'w' } });
  const shown = () => [...root.querySelectorAll('li.entry')].map(one => /no (\d)/.exec(one.textContent)[1]).join('');
  await until(() => shown() === '43', 'the newest page');
  const earlier = async () => {
    root.querySelector('.rows-end button').click();
    await until(() => release !== null, 'the request for an older page');
  };
  await earlier();
  all.push(5);
  handle.event({ event: 'ACTIVITY_LOGGED' });
  await until(() => shown() === '543', 'a new entry while the older page is read');
  release();
  await until(() => shown() === '54321', 'both pages');
  all.push(6);
  handle.event({ event: 'ACTIVITY_LOGGED' });
  await until(() => shown() === '654321', 'a new entry after it');

  all.push(7, 8, 9);
  handle.event({ event: 'ACTIVITY_LOGGED' });
  await until(() => shown() === '98', 'the newest page alone, since 7 is on neither page');
  release = null;
  await earlier();
  release();
  await until(() => shown() === '9876', 'the page before it');
  handle.close();
}
