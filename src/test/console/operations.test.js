import * as health from '/src/pages/health.js';
import * as jobs from '/src/pages/jobs.js';
import * as clock from '/src/net/clock.js';
import { answerOf, changed } from './answers.js';
import { equal, ok, until } from './assert.js';

const AT = '2026-11-21T20:00:05.123456Z';

const described = answerOf('operations');
const replica = (name, more = {}) => changed(described.replicas[0], { name, ...more });
const loop = (name, more = {}) => changed(answerOf('liveness').loops[0], { name, ...more });
const operations = (more = {}) => changed(described, { jobs: [], ...more });

/** Opens a page whose server answers so, and returns its words. */
async function shown(page, answer, fleet) {
  const root = document.body.appendChild(document.createElement('main'));
  const handle = page.open(root, {}, { call: async () => answer, navigate() {}, clock, fleet });
  const words = (selector) => [...root.querySelectorAll(selector)].map((one) => one.textContent.replace(/\s+/g, ' ').trim());
  await until(() => root.querySelector('tbody tr'), 'the rows');
  const found = { notice: words('.notice')[0], isBad: root.querySelector('.notice.bad') !== null, warning: words('.notice.warn')[0], troubles: words('.troubles li'), figures: words('.figures')[0],
    rows: words('tbody tr') };
  handle.close();
  return found;
}

export async function saysThatTheServerIsWell() {
  const { isBad, notice, troubles, figures, warning } = await shown(health, operations());
  equal([isBad, troubles, warning], [false, [], undefined]);
  ok(notice.includes('The server is well'), notice);
  ok(figures.includes('99 % within 10 ms') && figures.includes('1 replica'), figures);
}

export async function namesStuckDelegationsBesideAServerThatIsWell() {
  const at = (stuck) => shown(health, operations(), { summary: { delegations: { dispatched: 3, ...stuck } } });
  const { notice, isBad, warning } = await at({ stuck: 8 });
  ok(!isBad && notice.includes('The server is well'), notice);
  equal(warning, '8 delegations are stuck: the agents that work on them have fallen silent. Show them');
  equal((await at({})).warning, undefined);
}

export async function saysWhatIsWrong() {
  const { isBad, troubles, figures, rows } = await shown(health, operations({
    self_preservation: { suspended: true, since: AT, until: '2026-11-21T20:05:00Z' },
    replicas: [replica('own'), replica('killed-1', { silent: true, commit_p99_ms: 9000 }), replica('slow-1', { commit_p99_ms: 2500 })],
  }));
  equal([isBad, troubles.length], [true, 3]);
  ok(troubles[0].startsWith('Too many fell silent at once: no workspace is taken offline until 20:05:00'), troubles[0]);
  ok(troubles[1].startsWith('A replica has not reported for 30 seconds: killed-1'), troubles[1]);
  ok(troubles[2].startsWith('Commits take up to 2,500 ms (p99)'), troubles[2]);
  ok(figures.includes('99 % within 2,500 ms') && figures.includes('2 of 3 replicas report'), figures);
  ok(/killed-1.*silent/.test(rows[1]) && /slow-1.*2,500 ms/.test(rows[2]), rows.join());
}

export async function anOverdueJobComesFirst() {
  const fine = await shown(jobs, { loops: [loop('a'), loop('b')] });
  ok(!fine.isBad && fine.notice.includes('All 2 run in time'), fine.notice);
  const { isBad, notice, rows } = await shown(jobs, { loops: [loop('a'), loop('liveness-sweep', { overdue: true })] });
  equal([isBad, notice], [true, '1 of 2 are overdue, or failed when they last ran.']);
  ok(/^liveness-sweep \W*overdue/.test(rows[0]) && /^a \W*ok/.test(rows[1]), rows.join());
}
