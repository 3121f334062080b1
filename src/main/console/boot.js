/**
 * Starts the page's first requests before its other modules are loaded. It imports nothing, so it
 * runs first. {@link take} hands each response to the first caller that asks for its url.
 */

/** @type {Map<string, Promise<?Response>>} */
const started = new Map();

function start(url) {
  let key = null;
  try {
    key = localStorage.getItem('muster-page');
  } catch {
    // storage is blocked, so there is no session to go on with
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
 * @param {string} url as it was started
 * @returns {Promise<?Response> | undefined} null where the request failed
 */
export function take(url) {
  const response = started.get(url);
  started.delete(url);
  return response;
}

/** Forgets what was started for another session. */
export function forget() {
  started.clear();
}
