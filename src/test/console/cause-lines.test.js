// The lines that say what is wrong: T5 and T7 of docs/internals/console.md.
import { render } from 'lit-html';
import { causesOf, select } from '/src/fleet/cause-lines.js';
import { causeList } from '/src/fleet/counts.js';
import { showBanners } from '/src/fleet/banners.js';
import { FleetStore, STATUSES } from '/src/fleet/store.js';
import { readSnapshot } from '/src/fleet/snapshot.js';
import { TroubleGroups } from '/src/fleet/trouble-groups.js';
import { urgencyOf } from '/src/fleet/order.js';
import { isBad } from '/src/fleet/filter.js';
import * as clock from '/src/net/clock.js';
import { advise, why } from '/src/text/advice.js';
import { ofRow } from '/src/text/subject.js';
import { equal, ok } from './assert.js';
import { fleet, msf1, uuid } from './fixtures.js';

const NOW = Date.parse('2026-11-25T02:16:09Z');
const around = { now: NOW, staleAfterS: 180 };
const iso = secondsAgo => new Date(NOW - 1000 * secondsAgo).toISOString();
const groupsOf = rows => {
  const store = new FleetStore();
  store.load(readSnapshot(msf1(rows)));
  const found = new TroubleGroups(store);
  found.reset(() => true);
  return found;
};
const causes = (rows, s = {}) => causesOf(groupsOf(rows), { ...around, ...s });
const group = (status, count, more = {}) => ({ status, count, urgency: urgencyOf(STATUSES.indexOf(status), more.reason ?? (status === 'degraded' ? 'error_rate' : ''), more.stalled ?? false), reason: status === 'degraded' ? 'error_rate' : '', stalled: false, how: '', since: 0, last: 0, runtime: '', kind: 1, ...more });
const counts = lines => lines.map(({ count }) => count);

function randomly(seed) {
  let state = seed;
  return below => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0, Math.floor((state / 2 ** 32) * below));
}

/** T7: 78 with one error are not among the smaller ones, and 86 singles do not stand before them. */
export function theLargestCauseIsShownAmongManySingles() {
  const { lines, hidden, count } = causes(fleet(164, i => (i < 78 ? { status: 'degraded', reason: 'error_rate', error: `429 quota ${i}`, since: iso(600) }
    : { status: 'offline', heard: iso(40_000 + 300 * i), since: iso(39_000 + 300 * i) })));
  equal([lines.map(line => [line.status, line.count, line.groups.length]), hidden, count], [[['offline', 86, 86], ['degraded', 78, 1]], [], 164]);
  equal(lines.map(({ text, step }) => [text, step]), [['Silent, one by one', 'host'], ['Error rate — “429 quota 0”', 'upstream']]);
}

/** T7: over random fleets the head is the sum, and nothing larger is hidden than what is shown. */
export function theHeadIsTheSumOfTheLines() {
  const random = randomly(3);
  for (let i = 0; i < 2000; i++) {
    const groups = Array.from({ length: random(40) }, (_, n) => group(['failed', 'degraded', 'offline', 'online'][random(4)], 1 + random(random(3) ? 3 : 200),
      { reason: ['', 'runtime_wedged', 'error_rate'][random(3)], stalled: random(5) === 0, since: n }));
    const { lines, hidden, count } = select(groups);
    const [shown, all] = [counts(lines), groups.reduce((sum, one) => sum + one.count, 0)];
    const sum = counts => counts.reduce((a, b) => a + b, 0);
    equal([count, sum(shown) + sum(counts(hidden))], [all, all]);
    equal([...lines, ...hidden].reduce((n, line) => n + line.groups.length, 0), groups.length, 'each group once');
    ok(lines.length <= 8 && (lines.length >= 3 || hidden.length === 0), `${lines.length} lines`);
    ok(lines.length === 8 || hidden.length === 0 || sum(shown) >= 0.95 * all, `${sum(shown)} of ${all}`);
    ok(Math.max(0, ...counts(hidden)) <= Math.min(Infinity, ...shown), `${counts(hidden)} behind ${shown}`);
    ok([...lines, ...hidden].every(line => line.groups.length === 1 || line.groups.every(one => one.count === 1)), 'only singles are joined');
  }
}

/** What fails wholly comes before what is larger and less bad. */
export function theLinesAreOrderedByWeight() {
  const { lines } = select([group('online', 30, { stalled: true }), group('offline', 16), group('failed', 9), group('degraded', 9, { reason: 'runtime_wedged', since: 5 }), group('degraded', 17)]);
  equal(lines.map(({ status, count }) => `${count} ${status}`), ['9 failed', '9 degraded', '17 degraded', '16 offline', '30 online']);
}

export function singlesOfOneKindAreOneLine() {
  const single = (status, reason = '') => group(status, 1, { reason });
  const { lines } = select([single('degraded', 'runtime_wedged'), single('degraded', 'runtime_wedged'), single('degraded', 'error_rate'), single('failed'), single('offline'), single('offline')]);
  equal(lines.map(({ status, reason, count }) => `${count} ${status} ${reason}`), ['2 degraded runtime_wedged', '1 failed ', '2 offline ', '1 degraded error_rate']);
}

export function saysWhatIsLeftOut() {
  const root = document.createElement('div');
  const draw = found => (render(causeList(found, NOW, () => {}, () => {}), root), root);
  const line = (count, more = {}) => ({ ...group('offline', count), groups: [{}], text: 'Silent', step: 'host', ...more });
  draw({ lines: [line(40), line(1, { status: 'failed' })], hidden: [line(3), line(2)], count: 46 });
  equal(root.querySelector('h2').textContent, '46 workspaces in trouble, by cause');
  equal(root.querySelector('.meta').textContent.replace(/\s+/g, ' '), '2 more causes (5 workspaces) in the table below.');
  draw({ lines: [line(2, { since: NOW / 1000 - 60, groups: [{}, {}] })], hidden: [], count: 2 });
  equal([root.querySelector('.meta'), [...root.querySelectorAll('button')].map(one => one.textContent)], [null, ['Message']], 'no filter has just these');
  ok(root.querySelector('li').textContent.includes('first since'), 'of the first of them');
  draw({ lines: [line(2, { step: null })], hidden: [], count: 2 });
  equal(root.querySelector('li').textContent.includes('since'), false, 'it is not known since when');
  equal(root.querySelector('.hint'), null, 'no step is known yet');
}

/** T5: whatever the fleet, the line and the row of each workspace have the same step and cause. */
export function linesSayWhatTheirRowsSay() {
  const random = randomly(5);
  const uptimeGap = { downSince: NOW - 900_000, since: NOW - 600_000, until: NOW + 60_000 };
  let [byGap, restarting] = [0, 0];
  for (let round = 0; round < 60; round++) {
    const rows = fleet(80, () => ({ status: ['online', 'offline', 'offline', 'degraded', 'failed'][random(5)], reason: ['runtime_wedged', 'error_rate'][random(2)],
      error: ['', 'a', '429'][random(3)], since: iso(random(2000)), heard: random(9) ? iso(2000 + 20 * random(4) + 100 * random(3) - random(2) * 1300) : null }));
    const troubleGroups = groupsOf(rows);
    const { store } = troubleGroups;
    const asked = rows.map((_, row) => row).filter(() => random(3) === 0);
    asked.forEach(row => store.details.set(row, { restart_requested_at: iso(random(2) ? 30 : 400) }));
    troubleGroups.touch(asked, () => true);
    const { lines, hidden, count } = causesOf(troubleGroups, { ...around, uptimeGap });
    equal(count, rows.filter((_, row) => isBad(store, row)).length);
    let listed = 0;
    for (const line of lines) {
      const found = troubleGroups.rowsOf(line.groups, { ...around, uptimeGap });
      equal(found.length, line.count);
      listed += found.length;
      for (const row of found) {
        const subject = ofRow(store, row);
        const surroundings = { ...around, uptimeGap, together: troubleGroups.together(row) };
        const text = why(subject, surroundings);
        equal([STATUSES[store.status[row]], advise(subject, surroundings).next[0].action], [line.status, line.step]);
        restarting += Number(line.count > 1 && text.includes('restart'));
        for (const words of ['A restart was asked for', 'asked to restart', 'Muster itself did not run', 'a host or the network', 'never heard of', 'wedged', 'Error rate']) {
          equal(text.includes(words), line.text.includes(words), `${text} in ${line.text}`);
        }
        byGap += Number(text.includes('Muster itself'));
      }
    }
    equal(listed + hidden.reduce((sum, line) => sum + line.count, 0), count);
  }
  ok(byGap > 50 && restarting > 50, `${byGap} by the gap, ${restarting} restarting together`);
}

/** A gap of Muster is a cause of its own: who was offline before is not among its workspaces. */
export function thoseByAGapAreGroupsOfTheirOwn() {
  const uptimeGap = { downSince: NOW - 900_000, since: NOW - 600_000, until: NOW + 60_000 };
  const { lines } = causes(fleet(8, i => ({ status: 'offline', since: iso(i < 3 ? 880 : 905), heard: iso(i < 3 ? 1000 : 1100 + 300 * i) })), { uptimeGap });
  equal(lines.map(({ count, text, step }) => [count, text.slice(0, 14), step]), [[5, 'Silent', 'host'], [3, 'Muster itself ', 'wait']]);
}

/** T3: a reason that a list does not say is none. */
export function anAgentIsToldWhereItSeesWhy() {
  const rows = fleet(4, () => ({ status: 'degraded', since: iso(60) }));
  const [line] = causes(rows, { self: 'another' }).lines;
  equal([line.text, line.step], ['Degraded; its page says why', 'open']);
}

/** T3, T5: nor was a peer never heard of only because an agent is not told when. */
export function anAgentIsNotToldThatPeersWereNeverHeardOf() {
  const rows = fleet(4, i => ({ status: 'offline', since: iso(60), heard: i === 0 ? iso(240) : null }));
  equal(causes(rows, { self: uuid(0) }).lines.map(({ count, text, step }) => [count, text, step]), [[3, 'Silent', 'host'], [1, 'Silent', 'host']]);
}

/** T5: of one workspace, the line knows what its row knows. */
export function aLineOfOneSaysWhatBecameOfItsRestart() {
  const told = groupsOf(fleet(1, () => ({ status: 'degraded', reason: 'runtime_wedged', since: iso(300), heard: iso(5) })));
  told.store.details.set(0, { restart_requested_at: iso(180) });
  const [{ text, step }] = causesOf(told, { ...around, now: NOW }).lines;
  equal([text, step], ['Runtime wedged; asked to restart 3 m ago, heard 5 s ago, did not start again', 'host']);
}

/** T5: a stall beside a worse trouble makes no second line of the same words. */
export function aStallIsACauseOnlyWithoutAWorseOne() {
  const rows = fleet(6, i => ({ status: i < 4 ? 'degraded' : 'online', reason: i < 4 ? 'runtime_wedged' : null, since: iso(300), heard: iso(5), stalled: i % 2 ? iso(200) : i === 4 }));
  equal(causes(rows).lines.map(({ count, text, stalled }) => [count, text, stalled]), [[4, 'Runtime wedged', false], [2, 'Says that it works, writes nothing, one by one', true]]);
}

/** T5: a restart of many is said of many, until it is waited for no longer. */
export function aRestartOfManyIsALineOfItsOwn() {
  const found = groupsOf(fleet(5, () => ({ status: 'degraded', reason: 'runtime_wedged', since: iso(300), heard: iso(5) })));
  const linesAt = now => causesOf(found, { ...around, now }).lines.map(({ count, text, step, isAged }) => [count, text, step, isAged]);
  [1, 2, 3, 4].forEach(row => found.store.details.set(row, { restart_requested_at: iso(row) }));
  found.touch([1, 2, 3, 4], () => true);
  const other = [1, 'Runtime wedged', 'restart', false];
  equal(linesAt(NOW), [[4, 'A restart was asked for, and the agents have not started again yet.', 'wait', true], other]);
  equal(linesAt(NOW + 70_000), [[4, 'Runtime wedged; asked to restart, not started again', 'host', true], other]);
}

/** Of a short gap minutes alone would say the same time twice. */
export function shortGapsHaveSeconds() {
  const said = banner => {
    const texts = [];
    clock.thaw();
    clock.sync(0);
    clock.sync(NOW);
    const stop = showBanners({ summary: { banners: [{ kind: 'own_absence', until: '2026-11-25T02:30:00Z', ...banner }] } }, (_, text) => text && texts.push(text));
    clock.freeze(NOW);
    clock.thaw();
    stop();
    return texts[0];
  };
  ok(/away from 02:14:03 UTC to 02:14:41 UTC: .* until 02:30:00 UTC/.test(said({ down_since: '2026-11-25T02:14:03Z', since: '2026-11-25T02:14:41Z' })));
  ok(/away from 02:04 UTC to 02:14 UTC: .* until 02:30 UTC/.test(said({ down_since: '2026-11-25T02:04:41Z', since: '2026-11-25T02:14:41Z' })));
}
