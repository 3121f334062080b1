/** The text field for the filter of the fleet. */
import { html, nothing } from 'lit-html';

const EXAMPLES = 'status:degraded,offline under:"Team North" silent>5m';

/**
 * @param {object} state
 * @param {string} state.query the filter
 * @param {?string} state.error why the filter is invalid; null for a valid one
 * @param {(query: string) => void} state.typed called at each input
 */
export function filterBar({ query, error, typed }) {
  return html`<div class="filter-bar" role="search">
    <label class="hidden-label" for="filter">Filter the fleet</label>
    <input
      id="filter"
      type="search"
      autocomplete="off"
      autocapitalize="off"
      spellcheck="false"
      maxlength="2000"
      placeholder=${`Filter: name or role, ${EXAMPLES}`}
      aria-describedby=${error ? 'filter-error' : nothing}
      aria-invalid=${error ? 'true' : 'false'}
      aria-keyshortcuts="/"
      .value=${query}
      @input=${(event) => typed(event.target.value)}
      @keydown=${(event) => event.key === 'Escape' && query !== '' && typed('')}
    />
    <p id="filter-error" class="bad" role="alert" ?hidden=${!error}>${error ?? ''}</p>
  </div>`;
}
