/** Selections above a list, and the line below it with the button that loads more rows. */
import { html, nothing } from 'lit-html';
import { instantOf, localOf } from '../text/time.js';
import { workspaceLink } from './workspace-link.js';

/**
 * Returns a labelled select.
 *
 * @param {string} label
 * @param {string} name the parameter of the url
 * @param {string} chosen the current value
 * @param {Array<string | [string, string]>} options a value, or a value with its label
 * @param {(name: string, value: string) => void} choose
 */
export function choice(label, name, chosen, options, choose) {
  return html`<label class="choice"><span>${label}</span><select name=${name}
      @change=${(event) => choose(name, event.target.value)}>
      ${options.map((option) => {
        const [value, words] = Array.isArray(option) ? option : [option, option.replaceAll('_', ' ')];
        return html`<option value=${value} .selected=${value === chosen}>${words}</option>`;
      })}</select></label>`;
}

/**
 * Returns a labelled field for a time in the current zone.
 *
 * @param {string} label
 * @param {string} name the parameter of the url
 * @param {string} chosen ISO; '' without a value
 * @param {(name: string, value: string) => void} choose gets ISO, or '' for none
 */
export function moment(label, name, chosen, choose) {
  return html`<label class="choice"><span>${label}</span><input type="datetime-local" step="1" name=${name}
      .value=${chosen ? localOf(chosen) : ''}
      @change=${(event) => choose(name, instantOf(event.target.value))}></label>`;
}

/**
 * Returns the line below a list.
 *
 * @param {string | null} next the cursor of the next page; null after the last one
 * @param {number} shown number of rows
 * @param {() => void} more loads more rows
 */
export function moreRows(next, shown, more) {
  return next === null
    ? html`<p class="meta rows-end">${shown} ${shown === 1 ? 'row' : 'rows'}</p>`
    : html`<p class="rows-end"><button type="button"
        @click=${more}>More</button> <span class="meta">${shown} shown</span></p>`;
}

/**
 * Returns a link to the workspace that a list is limited to, with a button that removes the limit.
 *
 * @param {URLSearchParams} query its parameter `ws` is the id
 * @param {(name: string, value: string) => void} choose
 */
export function ofWorkspace(query, choose) {
  return query.get('ws')
    ? html`<span>of ${workspaceLink(query.get('ws'))} <button type="button" class="quiet"
        @click=${() => choose('ws', '')}>show all</button></span>`
    : nothing;
}
