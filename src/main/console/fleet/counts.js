/** Draws the counts by status above the table, and the list of groups in trouble. */
import { html, nothing } from 'lit-html';
import { statusMark, statusWord } from '../parts/status-mark.js';
import { advise } from '../text/advice.js';
import { visible } from '../text/safe.js';
import { counted, dated, number } from '../text/time.js';
import { STEPS } from './row.js';
import { STATUS } from './store.js';

/** Statuses that are shown even when their count is 0. */
const ALWAYS = ['online', 'degraded', 'offline', 'awaiting_agent', 'paused', 'failed'];
const MAX_CAUSES = 5;

/**
 * Returns the counts, each a button that filters by its status.
 *
 * @param {object} fleet a LiveFleet, or a PastFleet, of which no stalls are known. Until a live one is loaded, its
 *   store has only the worst workspaces, and its summary counts all.
 * @param {string} query the current filter; the button with the same filter is pressed
 * @param {(query: string) => void} choose sets the filter
 */
export function counts({ store, summary, isLoaded, isPast }, query, choose) {
  const early = isLoaded ? null : summary;
  const of = (status) => (early === null ? store.counts[STATUS[status]] : (early.status[status] ?? 0));
  const shown = Object.keys(STATUS).filter((status) => ALWAYS.includes(status)
    || (of(status) > 0 && status !== 'removed'));
  shown.sort((a, b) => place(a) - place(b));
  const item = (status, count, term) => {
    const isChosen = query.trim() === term;
    return html`<button
      type="button"
      class=${count === 0 ? 'fleet-count none' : 'fleet-count'}
      aria-pressed=${isChosen ? 'true' : 'false'}
      @click=${() => choose(isChosen ? '' : term)}
    >
      ${statusMark(status)}<b>${number(count)}</b>
    </button>`;
  };
  return html`<div class="fleet-counts" role="group" aria-label="Workspaces by status">
    <button type="button" class="fleet-count" aria-pressed=${query === '' ? 'true' : 'false'}
        @click=${() => choose('')}>
      <span>all</span><b>${number(early?.total ?? store.total())}</b>
    </button>
    ${shown.map((status) => item(status, of(status), `status:${status}`))}
    ${isPast ? nothing : item('stalled', early?.stalled ?? store.stalled, 'is:stalled')}
  </div>`;
}

const place = (status) => (ALWAYS.indexOf(status) + 100) % 100;

/**
 * Returns the list of the most urgent groups.
 *
 * @param {import('./trouble-groups.js').TroubleGroup[]} groups
 * @param {import('../text/advice.js').Surroundings} around
 * @param {(group: import('./trouble-groups.js').TroubleGroup) => void} show sets the filter to a group
 * @param {?(action: string, group: import('./trouble-groups.js').TroubleGroup) => void} ask asks for a bulk run on a
 *   group; null when the session may change nothing
 */
export function causeList(groups, around, show, ask) {
  if (groups.length === 0) {
    return nothing;
  }
  const rows = groups.reduce((sum, { count }) => sum + count, 0);
  const more = groups.length - MAX_CAUSES;
  return html`<section class="causes" aria-label="Causes">
    <h2>${counted(groups.length, 'cause explains', 'causes explain')} ${counted(rows, 'workspace')} in trouble</h2>
    <ul>
      ${groups.slice(0, MAX_CAUSES).map((group) => causeLine(group, around, show, ask))}
    </ul>
    ${more > 0 ? html`<p class="meta">${counted(more, 'smaller cause')} in the table below.</p>` : nothing}
  </section>`;
}

function causeLine(group, around, show, ask) {
  const status = group.stalled && group.status === 'online' ? 'stalled' : group.status;
  const step = advise(
    { ...group, sinceMs: group.since * 1000 || null, lastHeartbeatMs: around.now, neighbours: null },
    { ...around, neighbours: group.status === 'offline' ? { together: group.count, of: 0 } : null },
  ).next[0];
  const [label, isAction] = STEPS[step?.action] ?? ['', false];
  const button = (action, word) => html`<button type="button" class="small" aria-label=${`${word} these ${group.count}`}
    @click=${() => ask(action, group)}>${word}</button>`;
  return html`<li>
    ${statusMark(status, { words: `${number(group.count)} ${statusWord(status)}` })}
    ${group.since === 0 ? nothing : html`<span class="soft">since ${dated(group.since * 1000, around.now)}</span>`}
    <bdi class="cause-text">${causeText(group)}</bdi>
    ${group.runtime ? html`<span class="soft runtime">runtime <bdi>${visible(group.runtime)}</bdi></span>` : nothing}
    <span class="cause-next">
      ${isAction && ask ? button(step.action, label) : html`<span class="hint">→ ${label}</span>`}${ask
        ? button('message', 'Message') : nothing}
    </span>
    <button type="button" class="small" @click=${() => show(group)}
        aria-label=${`Show these ${group.count}`}>Show</button>
  </li>`;
}

function causeText({ reason, error, status, count, stalled }) {
  if (error) {
    const kind = reason === 'runtime_wedged' ? 'Wedged: ' : reason === 'error_rate' ? 'Error rate: ' : '';
    return `${kind}“${visible(error)}”`;
  }
  if (status === 'offline') {
    return count >= 5 ? 'Fell silent together: a host or the network' : 'Silent';
  }
  return stalled ? 'Says that it works, writes nothing' : reason === 'runtime_wedged' ? 'Runtime wedged' : 'Error rate';
}

/**
 * Returns a filter that matches the rows of a group. Filters have a resolution of one minute, so it may match a few
 * more.
 *
 * @param {import('./trouble-groups.js').TroubleGroup} group
 * @param {string[]} errors the distinct errors of its workspaces
 * @param {number} now server time in ms
 * @returns {string}
 */
export function queryOf(group, errors, now) {
  const terms = [group.stalled && group.status === 'online' ? 'is:stalled' : `status:${group.status}`];
  if (group.reason) {
    terms.push(`reason:${group.reason}`);
  }
  const common = commonPiece(group.error, errors);
  if (common) {
    terms.push(`error:"${common}"`);
  }
  if (now / 1000 - group.since < 86_000) {
    terms.push(`since>${minute(group.since - 60)}`);
    if (group.last + 60 < now / 1000) {
      terms.push(`since<${minute(group.last + 60)}`);
    }
  }
  return terms.join(' ');
}

/** Returns the longest part of `error` without digits and quotes that all errors contain; '' without one. */
function commonPiece(error, errors) {
  const pieces = error.toLowerCase().split(/["\d]+/).map((piece) => piece.trim()).sort((a, b) => b.length - a.length);
  return pieces.find((piece) => piece !== '' && errors.every((one) => one.toLowerCase().includes(piece))) ?? '';
}

/** Returns HH:mm in UTC, as the filter expects it. */
const minute = (seconds) => new Date(seconds * 1000).toISOString().slice(11, 16);
