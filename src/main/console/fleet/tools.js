/** What stands around the rows of the fleet: filter, view, grouping, and the line below. */
import { html, nothing } from 'lit-html';
import { filterBar } from '../parts/filter-bar.js';
import { counted } from '../text/time.js';

export const GROUPS = { cause: 'cause', parent: 'parent', runtime: 'runtime', none: 'nothing' };

/** @param {object} words by name @param {?string} asked a name @returns {string} what is asked for, or the first of the words */
export const oneOf = (words, asked) => (asked in words ? asked : Object.keys(words)[0]);

/**
 * @param {object} state
 * @param {Record<string, string>} state.views words by their names in the address
 * @param {URLSearchParams} state.query of the address
 * @param {?string} state.error what is wrong with the filter
 * @param {(changes: Record<string, string>, options?: object) => void} state.go changes the address
 */
export function tools({ views, query, error, go }) {
  const view = oneOf(views, query.get('view'));
  const group = oneOf(GROUPS, query.get('group'));
  return html`<div class="fleet-tools">
    ${filterBar({ query: query.get('q') ?? '', error, typed: (q) => go({ q }, { replace: true }) })}
    <div class="view-switch" role="group" aria-label="Shown as">
      ${Object.entries(views).map(
        ([name, word]) => html`<button type="button" aria-pressed=${String(name === view)} @click=${() => go({ view: name === 'table' ? '' : name })}>${word}</button>`,
      )}
    </div>
    <label class="group-by">Group by
      <select @change=${(event) => go({ group: event.target.value === 'cause' ? '' : event.target.value })}>
        ${Object.entries(GROUPS).map(([name, word]) => html`<option value=${name} ?selected=${name === group}>${word}</option>`)}
      </select>
    </label>
  </div>`;
}

/**
 * @param {object} state
 * @param {import('./view.js').FleetView} state.view
 * @param {boolean} state.isLoaded
 * @param {() => void} state.apply puts the rows in their order
 * @param {(changes: Record<string, string>) => void} state.go
 * @param {boolean} state.hasRuns whether this person may read the changes of many workspaces
 */
export function foot({ view, isLoaded, apply, go, hasRuns }) {
  const waits = view.moved.size;
  if (waits > 0) {
    return html`<p class="fleet-foot" role="status">
      <span>${counted(waits, 'row')} would change place</span>
      <button type="button" class="small" @click=${apply} aria-keyshortcuts=".">Apply <kbd>.</kbd></button>
    </p>`;
  }
  const isEmpty = view.matched.length === 0 && isLoaded;
  return html`<p class="fleet-foot" role="status">
    <span class="soft">${isEmpty ? 'Nothing matches. Change the filter, or ' : counted(view.matched.length, 'workspace')}</span>
    ${isEmpty ? html`<button type="button" class="small" @click=${() => go({ q: '' })}>show all</button>` : nothing}
    ${hasRuns ? html`<a class="runs-link" href="/ui/bulk">Bulk runs</a>` : nothing}
  </p>`;
}
