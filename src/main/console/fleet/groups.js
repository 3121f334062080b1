/** Groups workspaces by parent or by runtime, and counts those in trouble. */
import { html, nothing } from 'lit-html';
import { statusMark } from '../parts/status-mark.js';
import { visible } from '../text/safe.js';
import { counted, number } from '../text/time.js';
import { isBad } from './filter.js';
import { urgency } from './order.js';

const MAX_GROUPS = 5;
/** Kinds of trouble, the worst first. */
const KINDS = ['failed', 'offline', 'degraded', 'stalled'];

/**
 * @typedef {object} Group
 * @property {string} name
 * @property {string} term a filter that matches the group
 * @property {number} of size of the group
 * @property {number} bad number of its workspaces in trouble
 * @property {Record<string, number>} kinds number by kind of trouble; a stalled workspace with another kind counts only
 *   for that
 * @property {number} urgency the highest of its workspaces
 */

/** @returns {string} the kind of trouble of a row for which {@link isBad} is true */
export function kindOf(store, row) {
  const status = store.statusOf(row);
  return KINDS.includes(status) ? status : 'stalled';
}

/**
 * Groups rows.
 *
 * @param {import('./store.js').FleetStore} store
 * @param {Iterable<number>} rows
 * @param {'parent' | 'runtime'} by
 * @returns {Group[]} groups with at least one workspace in trouble, by the number of these, descending
 */
export function groups(store, rows, by) {
  const column = store[by];
  const found = new Map();
  for (const row of rows) {
    const key = column[row];
    const group = found.get(key) ?? found.set(key, { key, of: 0, bad: 0, kinds: {}, urgency: 0 }).get(key);
    group.of++;
    if (isBad(store, row)) {
      group.bad++;
      const kind = kindOf(store, row);
      group.kinds[kind] = (group.kinds[kind] ?? 0) + 1;
      group.urgency = Math.max(group.urgency, urgency(store, row));
    }
  }
  return [...found.values()]
    .filter(({ bad }) => bad > 0)
    .sort((a, b) => b.bad - a.bad || b.urgency - a.urgency || a.key - b.key)
    .map((group) => ({ ...group, ...named(store, by, group.key) }));
}

function named(store, by, key) {
  if (by === 'parent') {
    return key < 0 ? { name: 'without a parent', term: 'parent:none' }
      : { name: store.name(key), term: `parent:${store.id(key)}` };
  }
  const word = store.words.runtime.list[key];
  return { name: word || 'unknown runtime', term: `runtime:"${word}"` };
}

/**
 * Returns the list of the first groups.
 *
 * @param {Group[]} found
 * @param {'parent' | 'runtime'} by
 * @param {(query: string) => void} show sets the filter to a group
 */
export function groupList(found, by, show) {
  if (found.length === 0) {
    return nothing;
  }
  const bad = found.reduce((sum, group) => sum + group.bad, 0);
  const hidden = found.slice(MAX_GROUPS);
  const more = hidden.reduce((sum, group) => sum + group.bad, 0);
  return html`<section class="causes" aria-label=${`Trouble by ${by}`}>
    <h2>${counted(bad, 'workspace')} in trouble, by ${by}</h2>
    <ul>
      ${found.slice(0, MAX_GROUPS).map(
        (group) => html`<li>
          <bdi class="cause-text group-name">${visible(group.name)}</bdi>
          ${KINDS.filter((kind) => group.kinds[kind])
            .map((kind) => statusMark(kind, { words: `${number(group.kinds[kind])} ${kind}` }))}
          <span class="hint">of ${number(group.of)}</span>
          <button type="button" class="small" aria-label=${`Show these ${group.bad}`}
              @click=${() => show(`${group.term} is:bad`)}>Show</button>
        </li>`,
      )}
    </ul>
    ${more > 0 ? html`<p class="meta">${counted(hidden.length, 'more group')} (${counted(more, 'workspace')}) in the
        table below.</p>` : nothing}
  </section>`;
}
