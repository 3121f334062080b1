/**
 * *As curl*: shows the request of a view or of an action as a `curl` command with the variables `$MUSTER` and `$ADMIN`.
 */
import { html, nothing } from 'lit-html';
import { asciiJson, quote } from '../text/shell.js';
import { copyButton } from './copy.js';

/**
 * Longest body in the command line itself, in characters. Linux takes 128 KiB an argument, a terminal 4096 bytes a
 * line.
 */
const MAX_INLINE = 3000;
/** Characters of a command that are shown; what is copied is whole. */
const MAX_SHOWN = 3000;
/** Ids that are shown, which fill {@link MAX_SHOWN} characters. */
const SHOWN_IDS = 80;

/**
 * A request to the server.
 *
 * @typedef {object} Request
 * @property {string} [method] by default POST with a body, otherwise GET
 * @property {string} path percent-encoded, such as `/workspaces/6f0e…/pause`
 * @property {Record<string, unknown>} [query] null, undefined and '' are left out
 * @property {unknown} [body] sent as JSON
 * @property {Record<string, string>} [headers]
 */

/**
 * Returns the `curl` command of a request. A long body is on the lines after it.
 *
 * @param {Request} request
 * @returns {string}
 */
export function curlOf({ method, path, query, body, headers = {} }) {
  const implied = body === undefined ? 'GET' : 'POST';
  const words = ['curl', '-s'];
  if (method !== undefined && method !== implied) {
    words.push('-X', method);
  }
  words.push(address(path + queryText(query)), '-H', '"$ADMIN"');
  for (const [name, value] of Object.entries(headers)) {
    words.push('-H', quote(`${name}: ${value}`));
  }
  if (body !== undefined) {
    const json = asciiJson(body);
    words.push('-d', json.length > MAX_INLINE ? `@- <<'END'\n${asciiJson(body, 1)}\nEND` : quote(json));
  }
  return words.join(' ');
}

function address(path) {
  const quoted = quote(path);
  return quoted === path ? `$MUSTER${path}` : `"$MUSTER"${quoted}`;
}

/**
 * Returns `?name=value&…` without members that are null, undefined or ''; returns '' when none is left.
 *
 * @param {Record<string, unknown>} [query]
 */
export function queryText(query) {
  const used = Object.entries(query ?? {}).filter(([, value]) => value !== null && value !== undefined && value !== '');
  return used.length === 0 ? '' : `?${new URLSearchParams(used.map(([name, value]) => [name, String(value)]))}`;
}

/**
 * Returns a collapsed list of the commands of requests, each with a copy button.
 *
 * @param {...Request} requests
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
 * @param {(ids: string[]) => Request} requestOf
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
