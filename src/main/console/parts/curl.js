/** *As curl*: the request of a view or of an action, as a command with `$MUSTER` and `$ADMIN`. */
import { html, nothing } from 'lit-html';
import { asciiJson, quote } from '../text/shell.js';
import { copyButton } from './copy.js';

/**
 * One request of the page.
 *
 * @typedef {object} Request
 * @property {string} [method] GET by default
 * @property {string} path percent-encoded, such as `/workspaces/6f0e…/pause`
 * @property {Record<string, unknown>} [query] members that are null, undefined or empty are left out
 * @property {unknown} [body] sent as JSON
 * @property {Record<string, string>} [headers]
 */

/**
 * Returns the command of a request.
 *
 * @param {Request} request
 * @returns {string}
 */
export function curlOf({ method = 'GET', path, query, body, headers = {} }) {
  const implied = body === undefined ? 'GET' : 'POST';
  const words = ['curl', '-s'];
  if (method !== implied) {
    words.push('-X', method);
  }
  words.push(address(path + queryText(query)), '-H', '"$ADMIN"');
  for (const [name, value] of Object.entries(headers)) {
    words.push('-H', quote(`${name}: ${value}`));
  }
  if (body !== undefined) {
    words.push('-d', quote(asciiJson(body)));
  }
  return words.join(' ');
}

function address(path) {
  const quoted = quote(path);
  return quoted === path ? `$MUSTER${path}` : `"$MUSTER"${quoted}`;
}

/**
 * Returns `?name=value&…` without the members that say nothing, or the empty text.
 *
 * @param {Record<string, unknown>} [query]
 */
export function queryText(query) {
  const used = Object.entries(query ?? {}).filter(([, value]) => value !== null && value !== undefined && value !== '');
  return used.length === 0 ? '' : `?${new URLSearchParams(used.map(([name, value]) => [name, String(value)]))}`;
}

/**
 * A line that opens to the commands of some requests, each with a button that copies it.
 *
 * @param {...Request} requests
 */
export function asCurl(...requests) {
  return html`<details class="curl"><summary>as curl</summary>${requests.map((request) => commandLine(curlOf(request)))}</details>`;
}

/**
 * One command with a button that copies it.
 *
 * @param {string} text
 * @param {string} [name] what is copied, for the button's name
 */
export function commandLine(text, name = 'command') {
  return text === '' ? nothing : html`<div class="command"><code tabindex="0">${text}</code>${copyButton(text, name)}</div>`;
}
