/**
 * Derives the cause, the evidence and the next steps for a workspace from an ordered list of rules; the first match
 * decides.
 */
import { counted, dated, duration } from './time.js';

/**
 * @typedef {object} Subject state of a workspace
 * @property {string} status
 * @property {string} [reason] runtime_wedged or error_rate, when it is degraded
 * @property {boolean} [isPeer] whether an agent looks at it, to which lists do not say the reasons of others
 * @property {string} [error] its latest error
 * @property {boolean} [stalled]
 * @property {?number} sinceMs start of its status, or of its stall when it is online; null when that is unknown
 * @property {?number} [lastHeartbeatMs] time of its last heartbeat; null without one, undefined when it is not known
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
 * @property {number} [heartbeatS] interval of heartbeats
 * @property {boolean} [isEarly] whether neither gaps nor holds are known yet, so that no step can be recommended
 * @property {?Gap} [uptimeGap] the last gap in which no server ran
 * @property {?{since: number, until: number}} [massSilence] start and end of a mass-offline hold
 * @property {boolean} [isPast] whether the subject is of the past, for which no heartbeats are stored
 * @property {number} [together] how many fell silent within the same minute, itself included
 *
 * @typedef {{downSince: number, since: number, until: number}} Gap its begin, its end, and the end of the grace period
 *   after it
 *
 * @typedef {object} Next
 * @property {'restart' | 'pause' | 'resume' | 'open' | 'timeline' | 'queue' | 'connect' | 'wait' | 'host' | 'upstream'}
 *   action
 * @property {string} text
 *
 * @typedef {object} Advice
 * @property {string} brief the cause without times and numbers of this workspace; '' for one that is well
 * @property {string} ofSeveral the same for several workspaces, whose restarts were asked for at different times
 * @property {string} restart what became of a restart that was asked for too long ago; '' without one
 * @property {string} cause the whole cause
 * @property {string[]} evidence
 * @property {Next[]} next
 */

const next = (action, text) => ({ action, text });
const seconds = (from, to) => Math.max(0, Math.round((to - from) / 1000));

const RESTART = next('restart', 'Restart it: its supervisor starts the process again.');
const PAUSE = next('pause', 'Pause it: what waits stays; new messages to a push agent are refused meanwhile.');
const TIMELINE = next('timeline', 'See what came before: its timeline.');
const CONNECT = next('connect', 'Connect an agent with its token.');
const BY_HAND = next('host', 'By hand: end its process on its host, and start it again.');

/** So many that fell silent within a minute are a trouble of a host or the network. */
export const MANY = 5;
/** For so long, and at least for two heartbeats, an agent is waited for that was asked to restart. */
const RESTARTS_S = 60;

const isHeard = ({ lastHeartbeatMs }) => typeof lastHeartbeatMs === 'number';

/** The store has whole seconds, records have fractions; both must lead to the same cause. */
const whole = (ms) => Math.floor(ms / 1000);

/**
 * @param {{lastHeartbeatMs: ?number, sinceMs: number}} w an offline workspace
 * @param {?Gap} [gap]
 * @param {number} now in ms
 * @returns {boolean} whether the gap explains why it is offline: it was not heard after the gap, and was not offline
 *   before
 */
export const isByGap = (w, gap, now) => Boolean(gap) && isHeard(w) && now < gap.until
  && whole(w.lastHeartbeatMs) < whole(gap.since) && whole(w.sinceMs) >= whole(gap.downSince);

const isHeld = (w, s) => s.massSilence && s.now < s.massSilence.until && w.status === 'online'
  && isHeard(w) && seconds(w.lastHeartbeatMs, s.now) > s.staleAfterS;

/** Whether a restart was asked for, and is still waited for. */
export const isRestarting = (w, s) => w.restartAskedMs
  && seconds(w.restartAskedMs, s.now) <= Math.max(RESTARTS_S, 2 * (s.heartbeatS ?? 0));

/** @type {[(w: Subject, s: Surroundings) => unknown, (w: Subject, s: Surroundings) => object][]} */
const RULES = [
  [
    (w) => w.status === 'removed',
    () => ({ cause: 'Removed: its history is kept, its token is not.', next: [TIMELINE] }),
  ],
  [
    isRestarting,
    (w, s) => ({
      cause: `A restart was asked for ${duration(seconds(w.restartAskedMs, s.now))} ago, `
        + 'and the agent has not started again yet.',
      ofSeveral: 'A restart was asked for, and the agents have not started again yet.',
      next: [next('wait', 'Wait for its next heartbeat, which tells it.'), BY_HAND],
    }),
  ],
  [
    (w) => w.status === 'failed',
    () => ({
      brief: 'Its process ended',
      cause: 'Its process ended with an error.',
      next: [next('host', 'Look at its host: start the process, or free what it lacks.'), TIMELINE],
    }),
  ],
  [
    (w, s) => w.status === 'offline' && w.lastHeartbeatMs === null && !s.isPast,
    () => ({
      cause: 'It was never heard of since it was created.',
      next: [CONNECT, next('open', 'Remove it, if it is not needed.')],
    }),
  ],
  [
    (w, s) => w.status === 'offline' && isByGap(w, s.uptimeGap, s.now),
    (w, s) => ({
      cause: `Muster itself did not run from ${dated(s.uptimeGap.downSince, s.now)} `
        + `to ${dated(s.uptimeGap.since, s.now)}: its agents may not have found their way back yet.`,
      next: [next('wait', `Wait until ${dated(s.uptimeGap.until, s.now)}; then statuses are as reliable as ever.`),
        next('host', 'Still silent then: look at its host.')],
    }),
  ],
  [
    (w, s) => w.status === 'offline' && s.together >= MANY,
    (w, s) => ({
      brief: 'Fell silent together: a host or the network',
      cause: `Silent ${silence(w, s)}; 1 of ${s.together} that fell silent within one minute: `
        + 'a host or the network, not this agent.',
      next: [next('host', 'Look at the host and the network first.'), TIMELINE],
    }),
  ],
  [
    (w) => w.status === 'offline',
    (w, s) => ({
      brief: 'Silent',
      cause: `Silent ${silence(w, s)}.`,
      next: [next('host', 'Look at its host: does the process run, does it reach Muster?'), TIMELINE],
    }),
  ],
  [
    (w) => w.status === 'degraded' && w.reason === 'runtime_wedged',
    (w, s) => ({
      brief: 'Runtime wedged',
      cause: 'The agent’s runtime says that it is wedged: each request fails until its process restarts. '
        + heartbeatText(w, s),
      next: [RESTART, PAUSE, TIMELINE],
    }),
  ],
  [
    (w) => w.status === 'degraded' && !w.reason,
    (w, s) => (w.isPeer && !s.isPast
      ? {
        brief: 'Degraded; its page says why',
        cause: 'It is degraded. Its page tells an agent why; lists do not.',
        next: [next('open', 'Open its page.')],
      } : {
        brief: 'Degraded; why is not known',
        cause: `It is degraded, and why is not known. ${heartbeatText(w, s)}`,
        next: w.isPeer ? [] : [TIMELINE],
      }),
  ],
  [
    (w) => w.status === 'degraded' && /\b(429|quota|rate.?limit|too many requests|overloaded)\b/i.test(w.error ?? ''),
    () => ({
      brief: 'Error rate',
      cause: 'Many of its requests fail because a service that it calls refuses more: not a wedge.',
      next: [next('upstream', 'Look at the quota or limit that its error names.'), PAUSE, TIMELINE],
    }),
  ],
  [
    (w) => w.status === 'degraded'
      && /\b(401|403|unauthori[sz]ed|forbidden|invalid.{0,12}key|expired)\b/i.test(w.error ?? ''),
    () => ({
      brief: 'Error rate',
      cause: 'Many of its requests fail because a service that it calls does not accept its credential.',
      next: [next('upstream', 'Renew the credential that the agent uses there.'), PAUSE, TIMELINE],
    }),
  ],
  [
    (w) => w.status === 'degraded',
    (w, s) => ({
      brief: 'Error rate',
      cause: `Many of its recent requests failed. ${heartbeatText(w, s)}`,
      next: [next('upstream', 'Read its error: what does it call?'), RESTART, TIMELINE],
    }),
  ],
  [
    (w) => w.stalled,
    () => ({
      brief: 'Says that it works, writes nothing',
      cause: 'It sends heartbeats and says that it works, but has written nothing for a long time.',
      next: [TIMELINE, RESTART],
    }),
  ],
  [
    isHeld,
    (w, s) => ({
      cause: `Silent ${silence(w, s)}. Too many fell silent at once, `
        + `so none is taken offline until ${dated(s.massSilence.until, s.now)}.`,
      next: [next('host', 'Look at the network between the agents and Muster.')],
    }),
  ],
  [
    (w) => w.status === 'awaiting_agent',
    () => ({ cause: 'No agent has connected with its token yet.', next: [CONNECT] }),
  ],
  [
    (w) => w.status === 'paused',
    (w) => ({
      cause: `${w.pausedBy ? `Paused by ${w.pausedBy}` : 'Paused'}: what waits stays; a push agent gets nothing new.`,
      next: [next('resume', 'Resume it: then it gets what waits.')],
    }),
  ],
  [
    (w) => w.status === 'online' && (w.waiting ?? 0) > 0,
    (w) => ({
      brief: '',
      cause: `Online; ${counted(w.waiting, 'message waits', 'messages wait')} for it.`,
      next: [next('queue', 'See what waits, and why.')],
    }),
  ],
  [(w) => w.status === 'online', () => ({ brief: '', cause: 'Online.', next: [] })],
  [
    () => true,
    (w) => ({ cause: `Its status is ${w.status}; Muster does not know more.`, next: [TIMELINE] }),
  ],
];

/**
 * @param {Subject} subject
 * @param {Surroundings} surroundings
 * @returns {Advice} the last rule matches everything, so there is always one
 */
export function advise(subject, surroundings) {
  const [w, s] = [subject, surroundings];
  const found = RULES.find(([matches]) => matches(w, s))[1](w, s);
  const brief = found.brief ?? found.cause;
  const advice = { ofSeveral: brief, restart: '', ...found, brief, evidence: evidence(w, s) };
  if (w.restartAskedMs && w.status !== 'removed' && !isRestarting(w, s)) {
    advice.restart = restartText(w, s);
    advice.cause = `${advice.cause.trim()} It was ${advice.restart}.`;
    advice.next = [BY_HAND, ...advice.next.filter(({ action }) => action !== 'restart' && action !== 'host')];
  }
  return s.isEarly ? { ...advice, next: [] } : advice;
}

/** Returns what became of a restart request that was waited for long enough. */
function restartText(w, s) {
  const asked = `asked to restart ${duration(seconds(w.restartAskedMs, s.now))} ago`;
  return isHeard(w) && w.lastHeartbeatMs >= w.restartAskedMs
    ? `${asked}, heard ${duration(seconds(w.lastHeartbeatMs, s.now))} ago, did not start again`
    : `${asked}, not heard since`;
}

const silence = (w, s) =>
  s.isPast || w.lastHeartbeatMs === undefined ? `for longer than ${duration(s.staleAfterS)}`
    : w.lastHeartbeatMs === null ? 'from the beginning'
    : `since ${dated(w.lastHeartbeatMs, s.now)}, limit ${duration(s.staleAfterS)}`;

const heartbeatText = (w, s) =>
  isHeard(w) ? `Its heartbeats still arrive (${duration(seconds(w.lastHeartbeatMs, s.now))} ago).` : '';

/** Returns the observations that support the cause, the agent's own error first. */
function evidence(w, s) {
  const said = [];
  if (w.error && w.status !== 'online') {
    said.push(w.status === 'offline' ? `before that it said “${w.error}”` : `“${w.error}”`);
  }
  if (!s.isPast && w.lastHeartbeatMs !== undefined) {
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
 * Returns a cause with the agent's own words.
 *
 * @param {Advice} advice
 * @param {{status: string, error?: string}} w
 * @returns {string}
 */
export function briefly({ brief, restart }, { status, error }) {
  const own = error && (status === 'degraded' || status === 'failed') ? `${brief} — “${error}”` : brief;
  return [own, restart].filter(Boolean).join('; ');
}

/**
 * Returns it for several workspaces.
 *
 * @param {Advice} advice for one of them
 * @param {{status: string, error?: string}} w
 * @returns {string}
 */
export const brieflyOfSeveral = ({ ofSeveral, restart }, w) =>
  briefly({ brief: ofSeveral, restart: restart && 'asked to restart, not started again' }, w);

/**
 * Returns the text of the column Why of the table.
 *
 * @param {Subject} w
 * @param {Surroundings} s
 * @returns {string} empty for a healthy workspace
 */
export function why(w, s) {
  const advice = advise(w, s);
  const text = briefly(advice, w);
  return text === '' || w.status === 'degraded' || w.status === 'failed' ? text : advice.cause;
}
