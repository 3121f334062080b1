/** The field in which one types a filter. What is typed replaces the address, so Back does not go letter by letter. */
import { html, nothing } from 'lit-html';

const EXAMPLES = 'status:degraded,offline under:"Team North" silent>5m';

/**
 * @param {object} state
 * @param {string} state.query
 * @param {?string} state.error what is wrong with it
 * @param {(query: string) => void} state.typed
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
