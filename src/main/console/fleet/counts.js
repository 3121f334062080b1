/** Draws the counts by status above the table, and the list of groups in trouble. */
import { html, nothing } from 'lit-html';
import { statusMark, statusWord } from '../parts/status-mark.js';
import { visible } from '../text/safe.js';
import { counted, dated, number } from '../text/time.js';
import { STEPS } from './row.js';
import { STATUS } from './store.js';

/** Statuses that are shown even when their count is 0. */
const ALWAYS = ['online', 'degraded', 'offline', 'awaiting_agent', 'paused', 'failed'];

/**
 * Returns the counts, each a button that filters by its status.
 *
 * @param {object} fleet a LiveFleet, or a PastFleet, of which no stalls are known. Until a live one is loaded, its
 *   store has only the worst workspaces, and its summary counts all. Before the first data there are dashes.
 * @param {string} query the current filter; the button with the same filter is pressed
 * @param {(query: string) => void} choose sets the filter
 */
export function counts({ store, summary, isLoaded, isPast }, query, choose) {
  const early = isLoaded ? null : summary;
  const isKnown = isLoaded || summary !== null;
  const words = (count) => (isKnown ? number(count) : '–');
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
      ${statusMark(status)}<b>${words(count)}</b>
    </button>`;
  };
  return html`<div class="fleet-counts" role="group" aria-label="Workspaces by status">
    <button type="button" class="fleet-count" aria-pressed=${query === '' ? 'true' : 'false'}
        @click=${() => choose('')}>
      <span>all</span><b>${words(early?.total ?? store.total())}</b>
    </button>
    ${shown.map((status) => item(status, of(status), `status:${status}`))}
    ${isPast ? nothing : item('stalled', early?.stalled ?? store.stalled, 'is:stalled')}
  </div>`;
}

const place = (status) => (ALWAYS.indexOf(status) + 100) % 100;

/**
 * Returns the list of causes.
 *
 * @param {import('./cause-lines.js').Causes} causes
 * @param {number} now server time in ms
 * @param {(line: import('./cause-lines.js').CauseLine) => void} show sets the filter to a cause
 * @param {?(action: string, line: import('./cause-lines.js').CauseLine) => void} ask asks for a bulk run on a cause;
 *   null when the session may change nothing
 */
export function causeList({ lines, hidden, count }, now, show, ask) {
  if (lines.length === 0) {
    return nothing;
  }
  const more = hidden.reduce((sum, line) => sum + line.count, 0);
  return html`<section class="causes" aria-label="Causes">
    <h2>${counted(count, 'workspace')} in trouble, by cause</h2>
    <ul>
      ${lines.map((line) => causeLine(line, now, show, ask))}
    </ul>
    ${more > 0 ? html`<p class="meta">${counted(hidden.length, 'more cause')} (${counted(more, 'workspace')}) in the
        table below.</p>` : nothing}
  </section>`;
}

function causeLine(line, now, show, ask) {
  const { count, groups, runtime, step } = line;
  const status = line.stalled && line.status === 'online' ? 'stalled' : line.status;
  const [label, isAction] = STEPS[step] ?? ['', false];
  const button = (action, word) => html`<button type="button" class="small" aria-label=${`${word} these ${count}`}
    @click=${() => ask(action, line)}>${word}</button>`;
  return html`<li>
    ${statusMark(status, { words: `${number(count)} ${statusWord(status)}` })}
    ${line.since === 0 ? nothing
      : html`<span class="soft">${groups.length > 1 ? 'first ' : nothing}since ${dated(line.since * 1000, now)}</span>`}
    <bdi class="cause-text">${visible(line.text)}</bdi>
    ${runtime ? html`<span class="soft runtime">runtime <bdi>${visible(runtime)}</bdi></span>` : nothing}
    <span class="cause-next">
      ${isAction && ask ? button(step, label) : label ? html`<span class="hint">→ ${label}</span>` : nothing}${ask
        ? button('message', 'Message') : nothing}
    </span>
    ${groups.length > 1 ? nothing : html`<button type="button" class="small" @click=${() => show(line)}
        aria-label=${`Show these ${count}`}>Show</button>`}
  </li>`;
}

/**
 * Returns a filter that matches the rows of a group. Filters have a resolution of one minute, so it may match a few
 * more.
 *
 * @param {import('./cause-lines.js').CauseLine} group
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
