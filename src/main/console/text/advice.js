/**
 * Derives the cause, the evidence and the next steps for a workspace from an ordered list of rules; the first match
 * decides.
 */
import { counted, dated, duration } from './time.js';

/**
 * @typedef {object} Subject state of a workspace
 * @property {string} status
 * @property {string} [reason] runtime_wedged or error_rate, when it is degraded
 * @property {string} [error] its latest error
 * @property {boolean} [stalled]
 * @property {?number} sinceMs start of its status, or of its stall when it is online; null when that is unknown
 * @property {?number} lastHeartbeatMs time of its last heartbeat; null without one
 * @property {string} [runtime]
 * @property {number} [tasks] number of active tasks
 * @property {?number} [waiting] messages in its queue
 * @property {?number} [delegations] in flight to it
 * @property {?string} [pausedBy]
 * @property {?number} [restartAskedMs] time of a restart request that is pending
 * @property {?number} [wroteMs] when its agent wrote to its feed last: an answer, a notification, a report
 *
 * @typedef {object} Surroundings state of the server and of the rest of the fleet; times in ms
 * @property {number} now the server's time
 * @property {number} staleAfterS
 * @property {?{downSince: number, since: number, until: number}} [uptimeGap] an uptime gap: its begin, its end, and the
 *   end of the grace period after it
 * @property {?{since: number, until: number}} [massSilence] start and end of a mass-offline hold
 * @property {boolean} [isPast] whether the subject is of the past, for which no heartbeats are stored
 * @property {?{together: number, of: number}} [neighbours] workspaces that fell silent within the same minute, and all
 *
 * @typedef {object} Next
 * @property {'restart' | 'pause' | 'resume' | 'open' | 'timeline' | 'queue' | 'connect' | 'wait' | 'host' | 'upstream'}
 *   action
 * @property {string} text
 *
 * @typedef {{cause: string, evidence: string[], next: Next[]}} Advice
 */

const next = (action, text) => ({ action, text });
const seconds = (from, to) => Math.max(0, Math.round((to - from) / 1000));

const RESTART = next('restart', 'Restart it: its supervisor starts the process again.');
const PAUSE = next('pause', 'Pause it: what waits stays; new messages to a push agent are refused meanwhile.');
const TIMELINE = next('timeline', 'See what came before: its timeline.');
const CONNECT = next('connect', 'Connect an agent with its token.');

/** @type {[(w: Subject, s: Surroundings) => unknown, (w: Subject, s: Surroundings) => Advice][]} */
const RULES = [
  [
    (w) => w.restartAskedMs && w.status !== 'removed',
    (w, s) => ({
      cause: `A restart was asked for ${duration(seconds(w.restartAskedMs, s.now))} ago, `
        + 'and the agent has not started again yet.',
      evidence: evidence(w, s),
      next: [next('wait', 'Wait for its next heartbeat, which tells it.'),
        next('host', 'By hand: end its process on its host, and start it again.')],
    }),
  ],
  [
    (w) => w.status === 'failed',
    (w, s) => ({
      cause: 'Its process ended with an error.',
      evidence: evidence(w, s),
      next: [next('host', 'Look at its host: start the process, or free what it lacks.'), TIMELINE],
    }),
  ],
  [
    (w, s) => w.status === 'offline' && w.lastHeartbeatMs === null && !s.isPast,
    (w, s) => ({
      cause: 'It was never heard of since it was created.',
      evidence: evidence(w, s),
      next: [CONNECT, next('open', 'Remove it, if it is not needed.')],
    }),
  ],
  [
    (w, s) => w.status === 'offline' && s.uptimeGap,
    (w, s) => ({
      cause: `Muster itself did not run from ${dated(s.uptimeGap.downSince, s.now)} `
        + `to ${dated(s.uptimeGap.since, s.now)}: its agents may not have found their way back yet.`,
      evidence: evidence(w, s),
      next: [next('wait', `Wait until ${dated(s.uptimeGap.until, s.now)}; then statuses are as reliable as ever.`),
        next('host', 'Still silent then: look at its host.')],
    }),
  ],
  [
    (w, s) => w.status === 'offline' && s.neighbours && s.neighbours.together >= 5,
    (w, s) => ({
      cause: `Silent ${silence(w, s)}; 1 of ${s.neighbours.together} that fell silent within one minute: `
        + 'a host or the network, not this agent.',
      evidence: evidence(w, s),
      next: [next('host', 'Look at the host and the network first.'), TIMELINE],
    }),
  ],
  [
    (w) => w.status === 'offline',
    (w, s) => ({
      cause: `Silent ${silence(w, s)}.`,
      evidence: evidence(w, s),
      next: [next('host', 'Look at its host: does the process run, does it reach Muster?'), TIMELINE],
    }),
  ],
  [
    (w) => w.status === 'degraded' && w.reason === 'runtime_wedged',
    (w, s) => ({
      cause: 'The agent’s runtime says that it is wedged: each request fails until its process restarts. '
        + heartbeatText(w, s),
      evidence: evidence(w, s),
      next: [RESTART, PAUSE, TIMELINE],
    }),
  ],
  [
    (w) => w.status === 'degraded' && /\b(429|quota|rate.?limit|too many requests|overloaded)\b/i.test(w.error ?? ''),
    (w, s) => ({
      cause: 'Many of its requests fail because a service that it calls refuses more: not a wedge.',
      evidence: evidence(w, s),
      next: [next('upstream', 'Look at the quota or limit that its error names.'), PAUSE, TIMELINE],
    }),
  ],
  [
    (w) => w.status === 'degraded'
      && /\b(401|403|unauthori[sz]ed|forbidden|invalid.{0,12}key|expired)\b/i.test(w.error ?? ''),
    (w, s) => ({
      cause: 'Many of its requests fail because a service that it calls does not accept its credential.',
      evidence: evidence(w, s),
      next: [next('upstream', 'Renew the credential that the agent uses there.'), PAUSE, TIMELINE],
    }),
  ],
  [
    (w) => w.status === 'degraded',
    (w, s) => ({
      cause: `Many of its recent requests failed. ${heartbeatText(w, s)}`,
      evidence: evidence(w, s),
      next: [next('upstream', 'Read its error: what does it call?'), RESTART, TIMELINE],
    }),
  ],
  [
    (w) => w.stalled,
    (w, s) => ({
      cause: 'It sends heartbeats and says that it works, but has written nothing for a long time.',
      evidence: evidence(w, s),
      next: [TIMELINE, RESTART],
    }),
  ],
  [
    (w, s) => s.massSilence && w.lastHeartbeatMs !== null && seconds(w.lastHeartbeatMs, s.now) > s.staleAfterS,
    (w, s) => ({
      cause: `Silent ${silence(w, s)}. Too many fell silent at once, `
        + `so none is taken offline until ${dated(s.massSilence.until, s.now)}.`,
      evidence: evidence(w, s),
      next: [next('host', 'Look at the network between the agents and Muster.')],
    }),
  ],
  [
    (w) => w.status === 'awaiting_agent',
    (w, s) => ({ cause: 'No agent has connected with its token yet.', evidence: evidence(w, s), next: [CONNECT] }),
  ],
  [
    (w) => w.status === 'paused',
    (w, s) => ({
      cause: `${w.pausedBy ? `Paused by ${w.pausedBy}` : 'Paused'}: what waits stays; a push agent gets nothing new.`,
      evidence: evidence(w, s),
      next: [next('resume', 'Resume it: then it gets what waits.')],
    }),
  ],
  [
    (w) => w.status === 'online' && (w.waiting ?? 0) > 0,
    (w, s) => ({
      cause: `Online; ${counted(w.waiting, 'message waits', 'messages wait')} for it.`,
      evidence: evidence(w, s),
      next: [next('queue', 'See what waits, and why.')],
    }),
  ],
  [(w) => w.status === 'online', (w, s) => ({ cause: 'Online.', evidence: evidence(w, s), next: [] })],
  [
    (w) => w.status === 'removed',
    (w, s) => ({ cause: 'Removed: its history is kept, its token is not.', evidence: evidence(w, s),
      next: [TIMELINE] }),
  ],
  [
    () => true,
    (w, s) => ({
      cause: `Its status is ${w.status}; Muster does not know more.`,
      evidence: evidence(w, s),
      next: [TIMELINE],
    }),
  ],
];

/**
 * @param {Subject} subject
 * @param {Surroundings} surroundings
 * @returns {Advice} the last rule matches everything, so there is always one
 */
export function advise(subject, surroundings) {
  return RULES.find(([matches]) => matches(subject, surroundings))[1](subject, surroundings);
}

const silence = (w, s) =>
  s.isPast ? `for longer than ${duration(s.staleAfterS)}` : w.lastHeartbeatMs === null ? 'from the beginning'
    : `since ${dated(w.lastHeartbeatMs, s.now)}, limit ${duration(s.staleAfterS)}`;

const heartbeatText = (w, s) =>
  w.lastHeartbeatMs === null ? '' : `Its heartbeats still arrive (${duration(seconds(w.lastHeartbeatMs, s.now))} ago).`;

/** Returns the observations that support the cause, the agent's own error first. */
function evidence(w, s) {
  const said = [];
  if (w.error && w.status !== 'online') {
    said.push(w.status === 'offline' ? `before that it said “${w.error}”` : `“${w.error}”`);
  }
  if (!s.isPast) {
    said.push(w.lastHeartbeatMs === null
      ? 'no heartbeat so far' : `last heartbeat ${duration(seconds(w.lastHeartbeatMs, s.now))} ago`);
  }
  if (w.wroteMs) {
    said.push(`last wrote at ${dated(w.wroteMs, s.now)}`);
  }
  if (w.tasks) {
    said.push(`works on ${counted(w.tasks, 'task')}`);
  }
  if (w.waiting) {
    said.push(counted(w.waiting, 'message waits', 'messages wait'));
  }
  if (w.delegations) {
    said.push(counted(w.delegations, 'delegation waits for it', 'delegations wait for it'));
  }
  return said;
}

/**
 * Returns the text of the column Why of the table.
 *
 * @param {Subject} w
 * @param {Surroundings} s
 * @returns {string} empty for a healthy workspace
 */
export function why(w, s) {
  if (w.status === 'degraded') {
    const kind = w.reason === 'runtime_wedged' ? 'Runtime wedged' : 'Error rate';
    return w.error ? `${kind} — “${w.error}”` : kind;
  }
  if (w.status === 'online' && !w.stalled && !w.restartAskedMs) {
    return '';
  }
  const { cause } = advise(w, s);
  return w.status === 'failed' && w.error ? `“${w.error}”` : cause;
}
