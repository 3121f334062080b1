import { advise, briefly, why } from '/src/text/advice.js';
import { surroundings } from '/src/fleet/banners.js';
import { equal, ok } from './assert.js';

const now = Date.parse('2026-11-25T02:16:09Z');
const around = { now, staleAfterS: 180 };
const workspace = more => ({ status: 'online', reason: '', error: '', sinceMs: now - 126_000, lastHeartbeatMs: now - 3000, tasks: 0, ...more });
const actions = (w, s) => advise(workspace(w), { ...around, ...s }).next.map(step => step.action);

export function knowsAWedgeByItsOwnWordsAndOffersARestart() {
  const advice = advise(workspace({ status: 'degraded', reason: 'runtime_wedged', error: 'Control request timeout: initialize', waiting: 2 }), around);
  ok(/wedged/.test(advice.cause) && /still arrive \(3 s ago\)/.test(advice.cause), advice.cause);
  equal(advice.evidence, ['“Control request timeout: initialize”', 'last heartbeat 3 s ago', '2 messages wait']);
  equal(advice.next.map(step => step.action), ['restart', 'pause', 'timeline']);
  equal(advise(workspace({ status: 'degraded', wroteMs: now - 269_000 }), around).evidence, ['last heartbeat 3 s ago', 'last wrote at 02:11:40']);
}

export function tellsAQuotaFromAWedge() {
  equal(actions({ status: 'degraded', reason: 'error_rate', error: '429 from upstream: quota' })[0], 'upstream');
  equal(actions({ status: 'degraded', reason: 'error_rate', error: 'boom' }), ['upstream', 'restart', 'timeline']);
}

export function suspectsTheHostWhenManyFellSilent() {
  const silent = { status: 'offline', lastHeartbeatMs: now - 660_000, error: 'old' };
  ok(/1 of 340 that fell silent within one minute/.test(advise(workspace(silent), { ...around, together: 340 }).cause));
  ok(/Silent since 02:05:09, limit 3 m/.test(advise(workspace(silent), around).cause));
  ok(/Silent since 2026-11-20 02:16:09, limit 3 m/.test(advise(workspace({ ...silent, lastHeartbeatMs: now - 5 * 86_400_000 }), around).cause));
  equal(actions({ status: 'offline', lastHeartbeatMs: null })[0], 'connect');
}

export function saysSomethingOfEveryStatusAndReason() {
  for (const status of ['awaiting_agent', 'online', 'degraded', 'offline', 'paused', 'failed', 'removed', 'provisioning', 'hibernating', 'hibernated']) {
    for (const reason of ['', 'runtime_wedged', 'error_rate']) {
      for (const lastHeartbeatMs of [null, now - 1000]) {
        for (const stalled of [false, true]) {
          const w = workspace({ status, reason, lastHeartbeatMs, stalled });
          const { cause, evidence, next } = advise(w, around);
          ok(cause && evidence.length > 0, `${status} ${reason}`);
          ok((status === 'online' && !stalled) || next.length > 0, `next of ${status}`);
          ok(next.length <= 3 && !/undefined|NaN|null/.test(cause + evidence + why(w, around)), `${status}: ${cause}`);
        }
      }
    }
  }
}

const minutes = count => now - count * 60_000;
/** Muster did not run from 10 to 6 minutes ago; its agents have until 3 minutes from now to find back. */
const GAP = { downSince: minutes(10), since: minutes(6), until: minutes(-3) };
const byMuster = (w, s) => /Muster itself did not run/.test(advise(workspace({ status: 'offline', ...w }), { ...around, ...s }).cause);

/** T4: a gap of Muster explains who fell silent and was taken offline within its time, and nobody else. */
export function aGapExplainsOnlyByItsOwnTimes() {
  const cases = [ // last heard, offline since: minutes ago
    [11, 5, true, 'offline after it'], [11, 10, true, 'offline at its begin'], [11, 8, true, 'offline within it'],
    [1200, 1197, false, 'offline for long'], [13, 10.1, false, 'offline just before'], [5, 2, false, 'heard since'], [6, 3, false, 'heard at its end'],
  ];
  for (const [heard, since, is, what] of cases) {
    equal(byMuster({ lastHeartbeatMs: minutes(heard), sinceMs: minutes(since) }, { uptimeGap: GAP }), is, what);
  }
  const within = { lastHeartbeatMs: minutes(11), sinceMs: minutes(5) };
  equal([{ ...GAP, until: now + 1 }, { ...GAP, until: now }, null].map(uptimeGap => byMuster(within, { uptimeGap })), [true, false, false], 'until its end');
  ok(/from 02:06:09 to 02:10:09:/.test(advise(workspace({ status: 'offline', ...within }), { ...around, uptimeGap: GAP }).cause));
  equal(actions({ status: 'offline', ...within }, { uptimeGap: GAP }), ['wait', 'host']);
  equal(actions({ status: 'offline', lastHeartbeatMs: minutes(1200), sinceMs: minutes(1197) }, { uptimeGap: GAP })[0], 'host');
}

/** T4: a hold explains who is silent and still online, while it lasts. */
export function aHoldExplainsOnlyByItsOwnTimes() {
  const massSilence = { since: minutes(5), until: minutes(-3) };
  const held = (w, s) => /none is taken offline/.test(advise(workspace({ lastHeartbeatMs: minutes(4), ...w }), { ...around, massSilence, ...s }).cause);
  equal([held({}), held({ lastHeartbeatMs: now - 3000 }), held({ status: 'paused' }), held({ status: 'offline' }), held({}, { massSilence: { ...massSilence, until: now } })],
    [true, false, false, false, false]);
}

/** T4: 10,000 draws of a circumstance outside of the times of a workspace: none changes what is said of it. */
export function whatIsOutsideOfItsTimesChangesNothing() {
  let state = 7;
  const random = below => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0, Math.floor((state / 2 ** 32) * below));
  let [outside, different] = [0, 0];
  for (let i = 0; i < 10_000; i++) {
    const downSince = now - random(random(2) ? 7_200_000 : 900_000);
    const since = downSince + random(600_000);
    const uptimeGap = { downSince, since, until: since + random(1_200_000) };
    const sinceMs = Math.min(now, random(3) ? now - random(7_200_000) : downSince + random(1_200_000) - 600_000);
    const w = workspace({ status: ['offline', 'online', 'degraded', 'failed', 'paused'][random(5)], reason: '', sinceMs, lastHeartbeatMs: sinceMs - random(400_000) });
    const [withGap, without] = [advise(w, { ...around, uptimeGap }), advise(w, around)];
    const floor = ms => Math.floor(ms / 1000);
    if (w.status !== 'offline' || floor(w.lastHeartbeatMs) >= floor(since) || floor(sinceMs) < floor(downSince) || uptimeGap.until <= now) {
      equal(withGap, without, JSON.stringify({ w, uptimeGap }));
      outside++;
    } else {
      different += Number(withGap.cause !== without.cause);
    }
  }
  ok(outside > 5000 && different > 100 && outside + different === 10_000, `${outside}, ${different}`);
}

/** T5: a row of the store has whole seconds, the record of its page has fractions. */
export function fractionsOfASecondMakeNoOtherCause() {
  const uptimeGap = { downSince: 1000 * Math.floor(minutes(10) / 1000) + 300, since: minutes(6), until: minutes(-3) };
  const sinceMs = uptimeGap.downSince + 100;
  equal([sinceMs, 1000 * Math.floor(sinceMs / 1000)].map(ms => byMuster({ sinceMs: ms, lastHeartbeatMs: minutes(11) }, { uptimeGap })), [true, true]);
}

/** T4: before the first summary neither gaps nor holds are known. */
export function recommendsNothingBeforeTheFirstSummary() {
  const early = surroundings({ summary: null }, { stale_after_s: 180 }, now);
  const known = surroundings({ summary: { banners: [] } }, { stale_after_s: 180 }, now);
  for (const w of [{ status: 'offline' }, { status: 'degraded', reason: 'runtime_wedged' }]) {
    equal([advise(workspace(w), early).next, advise(workspace(w), known).next.length > 0], [[], true]);
    equal(advise(workspace(w), early).cause, advise(workspace(w), known).cause);
  }
  ok(early.version !== known.version, 'the version');
  equal(surroundings({ summary: null, isPast: true }, null, now).isEarly, false);
}

/** T4: a gap that is over is none, and what is drawn by it is drawn again. */
export function aCircumstanceEndsWithItsTime() {
  const banners = [{ kind: 'own_absence', down_since: '2026-11-25T02:06:09Z', since: '2026-11-25T02:10:09Z', until: '2026-11-25T02:17:00Z' }];
  const [within, after] = [now, Date.parse('2026-11-25T02:17:00Z')].map(at => surroundings({ summary: { banners } }, null, at));
  equal([within.uptimeGap?.since, after.uptimeGap], [Date.parse('2026-11-25T02:10:09Z'), null]);
  ok(within.version !== after.version, 'the version');
}

const WEDGED = { status: 'degraded', reason: 'runtime_wedged', error: 'init' };

/** T8: an agent that was asked to restart is waited for, but not for ever. */
export function waitsForARestartOnlyForAWhile() {
  const asked = (seconds, s) => advise(workspace({ ...WEDGED, restartAskedMs: now - 1000 * seconds, lastHeartbeatMs: now - 6000 }), { ...around, ...s });
  ok(/asked for 30 s ago/.test(asked(30).cause));
  equal([30, 60].map(seconds => asked(seconds).next[0].action), ['wait', 'wait']);
  equal([100, 200, 201].map(seconds => asked(seconds, { heartbeatS: 100 }).next[0].action), ['wait', 'wait', 'host'], 'two heartbeats');
  const { cause, evidence, next } = asked(180);
  ok(/^The agent’s runtime says that it is wedged.*It was asked to restart 3 m ago, heard 6 s ago, did not start again\.$/.test(cause), cause);
  equal([evidence[0], next.map(({ action }) => action), next[0].text.startsWith('By hand')], ['“init”', ['host', 'pause', 'timeline'], true]);
  const silent = { ...WEDGED, restartAskedMs: minutes(3), lastHeartbeatMs: minutes(4) };
  equal(why(workspace(silent), around), 'Runtime wedged — “init”; asked to restart 3 m ago, not heard since');
  equal(why(workspace({ restartAskedMs: minutes(3) }), around), 'Online. It was asked to restart 3 m ago, heard 3 s ago, did not start again.');
  equal(advise(workspace({ status: 'removed', restartAskedMs: minutes(3) }), around).next[0].action, 'timeline');
}

/** T3: what is not known is not named after something else. */
export function aReasonThatCannotBeSeenIsNone() {
  const peer = workspace({ status: 'degraded', isPeer: true });
  equal([why(peer, around), advise(peer, around).next[0].action], ['Degraded; its page says why', 'open']);
  equal(why(peer, { ...around, isPast: true }), 'Degraded; why is not known');
  const silent = advise(workspace({ status: 'offline', isPeer: true, lastHeartbeatMs: undefined }), around);
  equal([silent.cause, silent.evidence], ['Silent for longer than 3 m.', []]);
  equal(why(workspace({ status: 'degraded' }), around), 'Degraded; why is not known');
  equal(why(workspace({ status: 'degraded', reason: 'error_rate', isPeer: false }), around), 'Error rate');
}

/** T5: a cause line says what its rows say. */
export function rowsAndCauseLinesHaveTheSameWords() {
  for (const w of [WEDGED, { status: 'degraded', reason: 'error_rate', error: '429' }, { status: 'failed', error: 'exit 1' }, { status: 'failed' }]) {
    equal(briefly(advise(workspace(w), around), w), why(workspace(w), around));
  }
}
