/**
 * Sends the page's first requests before the other modules are loaded. This module imports nothing, so it
 * runs first. {@link take} returns each response once, to the first caller that asks for its url.
 */

/** @type {Map<string, Promise<?Response>>} */
const started = new Map();

function start(url) {
  let key = null;
  try {
    key = localStorage.getItem('muster-page');
  } catch {
    // storage is blocked, so no page key was kept and no session exists
  }
  if (key) {
    started.set(url, fetch(url, { headers: { 'X-Muster-Page': key } }).catch(() => null));
  }
}

start('/console/session');
if (/^\/(ui(\/(fleet)?)?)?$/.test(location.pathname)) {
  start('/console/summary');
  start('/console/fleet');
}

/**
 * Returns the response of a request that this module has sent, and forgets it.
 *
 * @param {string} url path and query, exactly as it was sent
 * @returns {Promise<?Response> | undefined} resolves to null when the request failed; undefined when none was sent
 */
export function take(url) {
  const response = started.get(url);
  started.delete(url);
  return response;
}

/** Drops all responses that were not taken; they belong to the previous session. */
export function forget() {
  started.clear();
}
