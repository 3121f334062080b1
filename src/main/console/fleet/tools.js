/** Draws the controls of the fleet: filter, view and grouping above the rows, and the line below them. */
import { html, nothing } from 'lit-html';
import { asCurl } from '../parts/curl.js';
import { filterBar } from '../parts/filter-bar.js';
import { counted } from '../text/time.js';

/** Name of a grouping in the url → label. */
export const GROUPS = { cause: 'cause', parent: 'parent', runtime: 'runtime', none: 'nothing' };

/** Order of the table in the url → label. */
const SORTS = { severity: 'severity', since: 'since', heard: 'heard', name: 'name' };

/**
 * @param {object} words labels by name
 * @param {?string} asked a name
 * @returns {string} this name if it exists, otherwise the first one
 */
export const oneOf = (words, asked) => (asked in words ? asked : Object.keys(words)[0]);

/**
 * Returns the controls above the rows.
 *
 * @param {object} state
 * @param {Record<string, string>} state.views label by name
 * @param {URLSearchParams} state.query of the url
 * @param {?string} state.error why the filter is invalid; null for a valid one
 * @param {(changes: Record<string, string>, options?: object) => void} state.go sets parameters of the url; '' removes
 *   one
 */
export function tools({ views, query, error, go }) {
  const view = oneOf(views, query.get('view'));
  const group = oneOf(GROUPS, query.get('group'));
  const sort = oneOf(SORTS, query.get('sort'));
  return html`<div class="fleet-tools">
    ${filterBar({ query: query.get('q') ?? '', error, typed: (q) => go({ q }, { replace: true }) })}
    <div class="view-switch" role="group" aria-label="Shown as">
      ${Object.entries(views).map(
        ([name, word]) => html`<button type="button" aria-pressed=${String(name === view)}
            @click=${() => go({ view: name === 'table' ? '' : name })}>${word}</button>`,
      )}
    </div>
    <label class="group-by">Group by
      <select @change=${(event) => go({ group: event.target.value === 'cause' ? '' : event.target.value })}>
        ${Object.entries(GROUPS)
          .map(([name, word]) => html`<option value=${name} .selected=${name === group}>${word}</option>`)}
      </select>
    </label>
    ${view === 'table' ? html`<label class="group-by">Sort by
      <select @change=${(event) => go({ sort: event.target.value === 'severity' ? '' : event.target.value, dir: '' })}>
        ${Object.entries(SORTS)
          .map(([name, word]) => html`<option value=${name} .selected=${name === sort}>${word}</option>`)}
      </select>
    </label>` : nothing}
  </div>`;
}

/**
 * Returns the line below the rows.
 *
 * @param {object} state
 * @param {import('./view.js').FleetView} state.view
 * @param {boolean} state.isLoaded whether all workspaces are known; before it they cannot be counted
 * @param {boolean} state.isCurrent whether they are known as of now; before it, none that matches may be to come
 * @param {boolean} state.isPast whether it is the fleet of a past time, which this request does not read
 * @param {string} state.q the filter
 * @param {() => void} state.apply sorts the rows
 * @param {(changes: Record<string, string>) => void} state.go
 * @param {boolean} state.hasRuns whether the session may read bulk runs
 */
export function foot({ view, isPast, q, isLoaded, isCurrent, apply, go, hasRuns }) {
  const waits = view.moved.size;
  if (waits > 0) {
    return html`<p class="fleet-foot" role="status">
      <span>${counted(waits, 'row')} would change place</span>
      <button type="button" class="small" @click=${apply} aria-keyshortcuts=".">Apply <kbd>.</kbd></button>
    </p>`;
  }
  const isEmpty = view.matched.length === 0 && isCurrent;
  return html`<div class="fleet-foot">
    <span class="soft" role="status">${isEmpty
      ? 'Nothing matches. Change the filter, or '
      : isLoaded && (isCurrent || view.matched.length > 0) ? counted(view.matched.length, 'workspace') : '–'}</span>
    ${isEmpty ? html`<button type="button" class="small" @click=${() => go({ q: '' })}>show all</button>` : nothing}
    ${hasRuns ? html`<a class="runs-link" href="/ui/bulk">Bulk runs</a>` : nothing}
    ${isPast ? nothing : asCurl({ path: '/console/summary', query: { q } })}
  </div>`;
}
