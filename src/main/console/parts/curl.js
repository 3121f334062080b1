/** *As curl*: shows the request of a view or of an action as a command, see text/curl.js. */
import { html, nothing } from 'lit-html';
import { curlOf } from '../text/curl.js';
import { copyButton } from './copy.js';

/** Characters of a command that are shown; what is copied is whole. */
const MAX_SHOWN = 3000;
/** Ids that are shown, which fill {@link MAX_SHOWN} characters. */
const SHOWN_IDS = 80;

/**
 * Returns a collapsed list of the commands of requests, each with a copy button.
 *
 * @param {...import('../text/curl.js').Request} requests
 */
export function asCurl(...requests) {
  return html`<details class="curl"><summary>as curl</summary>${requests.map((request) =>
    commandLine(curlOf(request)))}</details>`;
}

/**
 * Returns a command with a copy button. Of a long one, only the beginning is shown.
 *
 * @param {string} text
 * @param {string} [name] what the text is, for the button's label
 */
export function commandLine(text, name = 'command') {
  const shown = text.length > MAX_SHOWN
    ? `${text.slice(0, MAX_SHOWN)} … (${text.length.toLocaleString('en')} characters are copied)` : text;
  return text === '' ? nothing : line(shown, text, name);
}

/**
 * Returns what `asCurl` returns for a request whose body has many ids. The command with all of them is made when it is
 * copied.
 *
 * @param {(ids: string[]) => import('../text/curl.js').Request} requestOf
 * @param {string[]} ids
 */
export function asCurlOfMany(requestOf, ids) {
  if (ids.length <= SHOWN_IDS) {
    return asCurl(requestOf(ids));
  }
  const shown =
    `${curlOf(requestOf(ids.slice(0, SHOWN_IDS)))
      .slice(0, MAX_SHOWN)} … (${ids.length.toLocaleString('en')} ids are copied)`;
  return html`<details class="curl"><summary>as curl</summary>${line(shown, () => curlOf(requestOf(ids)),
    'command')}</details>`;
}

const line = (shown, copied, name) =>
  html`<div class="command"><code tabindex="0">${shown}</code>${copyButton(copied, name)}</div>`;
