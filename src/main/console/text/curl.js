/**
 * Writes requests as `curl` commands, with the variables `$MUSTER`, the server's address, and `$ADMIN`, the header with
 * the token. The documentation uses both in the same way.
 */
import { asciiJson, quote } from './shell.js';

/**
 * Longest body in the command line itself, in characters. Linux takes 128 KiB an argument, a terminal 4096 bytes a
 * line.
 */
const MAX_INLINE = 3000;

/**
 * Returns the command that sets the variables of all others. It reads the admin token of the embedded mode.
 *
 * @param {string} url address of the server
 * @returns {string}
 */
export const variables = (url) => `MUSTER=${quote(url)} ADMIN="Authorization: Bearer $(cat ~/.muster/admin-token)"`;

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
