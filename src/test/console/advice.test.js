import { advise, why } from '/src/text/advice.js';
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
  ok(/1 of 340 that fell silent within one minute/.test(advise(workspace(silent), { ...around, neighbours: { together: 340, of: 900 } }).cause));
  ok(/Silent since 02:05:09, limit 3 m/.test(advise(workspace(silent), around).cause));
  ok(/Silent since 2026-11-20 02:16:09, limit 3 m/.test(advise(workspace({ ...silent, lastHeartbeatMs: now - 5 * 86_400_000 }), around).cause));
  ok(/Muster itself did not run from 02:05:09 to 02:15:09:/.test(advise(workspace(silent), { ...around, uptimeGap: { downSince: now - 660_000, since: now - 60_000, until: now + 60_000 } }).cause));
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
          ok(status === 'online' && !stalled || next.length > 0, `next of ${status}`);
          ok(next.length <= 3 && !/undefined|NaN|null/.test(cause + evidence + why(w, around)), `${status}: ${cause}`);
        }
      }
    }
  }
}

export function saysThatARestartWasAskedFor() {
  ok(/asked for 30 s ago/.test(advise(workspace({ status: 'degraded', reason: 'runtime_wedged', restartAskedMs: now - 30_000 }), around).cause));
}
