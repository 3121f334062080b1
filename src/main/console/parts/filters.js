/** Choices above a list, and the line below it that brings more rows. */
import { html, nothing } from 'lit-html';
import { workspaceLink } from './workspace-link.js';

/**
 * @param {string} label
 * @param {string} name of the parameter in the address
 * @param {string} chosen
 * @param {Array<string | [string, string]>} options a value, or a value with its words
 * @param {(name: string, value: string) => void} choose
 */
export function choice(label, name, chosen, options, choose) {
  return html`<label class="choice"><span>${label}</span><select name=${name} @change=${(event) => choose(name, event.target.value)}>
      ${options.map((option) => {
        const [value, words] = Array.isArray(option) ? option : [option, option.replaceAll('_', ' ')];
        return html`<option value=${value} ?selected=${value === chosen}>${words}</option>`;
      })}</select></label>`;
}

/**
 * @param {string | null} next the cursor of the next page
 * @param {number} shown
 * @param {() => void} more
 */
export function moreRows(next, shown, more) {
  return next === null
    ? html`<p class="meta rows-end">${shown} ${shown === 1 ? 'row' : 'rows'}</p>`
    : html`<p class="rows-end"><button type="button" @click=${more}>More</button> <span class="meta">${shown} shown</span></p>`;
}

/**
 * The workspace that a list is limited to, with a way back to all.
 *
 * @param {URLSearchParams} query with `ws`
 * @param {(name: string, value: string) => void} choose
 */
export function ofWorkspace(query, choose) {
  return query.get('ws')
    ? html`<span>of ${workspaceLink(query.get('ws'))} <button type="button" class="quiet" @click=${() => choose('ws', '')}>show all</button></span>`
    : nothing;
}
