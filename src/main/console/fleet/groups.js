/** Groups those in trouble by what they have in common: their parent, or their runtime. */
import { html, nothing } from 'lit-html';
import { statusMark } from '../parts/status-mark.js';
import { visible } from '../text/safe.js';
import { counted, number } from '../text/time.js';
import { isBad } from './filter.js';
import { urgency } from './order.js';

const MAX_GROUPS = 5;
/** The worst first, as they stand in a line. */
const KINDS = ['failed', 'offline', 'degraded', 'stalled'];

/**
 * @typedef {object} Group
 * @property {string} name
 * @property {string} term of the filter, which matches the group
 * @property {number} of how many are in the group
 * @property {number} bad how many of these are in trouble
 * @property {Record<string, number>} kinds how many of each kind of trouble; one that is stalled besides is not counted twice
 * @property {number} urgency of its worst
 */

/** @returns {string} the trouble of a row that {@link isBad} */
export function kindOf(store, row) {
  const status = store.statusOf(row);
  return KINDS.includes(status) ? status : 'stalled';
}

/**
 * @param {import('./store.js').FleetStore} store
 * @param {Iterable<number>} rows
 * @param {'parent' | 'runtime'} by
 * @returns {Group[]} those with any trouble, the most of it first
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
    return key < 0 ? { name: 'without a parent', term: 'parent:none' } : { name: store.name(key), term: `parent:${store.id(key)}` };
  }
  const word = store.words.runtime.list[key];
  return { name: word || 'unknown runtime', term: `runtime:"${word}"` };
}

/**
 * @param {Group[]} found
 * @param {'parent' | 'runtime'} by
 * @param {(query: string) => void} show filters by a group
 */
export function groupList(found, by, show) {
  if (found.length === 0) {
    return nothing;
  }
  const bad = found.reduce((sum, group) => sum + group.bad, 0);
  const more = found.length - MAX_GROUPS;
  return html`<section class="causes" aria-label=${`Trouble by ${by}`}>
    <h2>${counted(bad, 'workspace')} in trouble, by ${by}</h2>
    <ul>
      ${found.slice(0, MAX_GROUPS).map(
        (group) => html`<li>
          <bdi class="cause-text group-name">${visible(group.name)}</bdi>
          ${KINDS.filter((kind) => group.kinds[kind]).map((kind) => statusMark(kind, { words: `${number(group.kinds[kind])} ${kind}` }))}
          <span class="hint">of ${number(group.of)}</span>
          <button type="button" class="small" aria-label=${`Show these ${group.bad}`} @click=${() => show(`${group.term} is:bad`)}>Show</button>
        </li>`,
      )}
    </ul>
    ${more > 0 ? html`<p class="meta">${counted(more, 'group')} with less trouble below.</p>` : nothing}
  </section>`;
}
