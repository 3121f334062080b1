/** Knows who is signed in. The credential itself is a cookie that no script can read. */
import { call, keepPageKey, onOtherTab, onSignedOut, pageKey } from './api.js';

/**
 * @typedef {object} Session
 * @property {'viewer' | 'operator' | 'admin' | 'agent'} role
 * @property {string} name
 * @property {string} [workspace_id] of an agent's session
 * @property {string} expires_at
 * @property {string} version the server's
 * @property {string} now the server's time
 * @property {number} stale_after_s
 * @property {number} heartbeat_interval_s
 */

/** @type {?Session} */
let session = null;
const listeners = new Set();

/** @returns {?Session} */
export const current = () => session;

/** @returns {boolean} whether the signed-in person may change things */
export const mayChange = () => session?.role === 'operator' || session?.role === 'admin';

/**
 * @param {(session: ?Session) => void} fn called after each sign-in and sign-out
 * @returns {() => void} stops it
 */
export function onChange(fn) {
  listeners.add(fn);
  return () => listeners.delete(fn);
}

function become(next) {
  const changed = session !== next;
  session = next;
  if (changed) {
    listeners.forEach((fn) => fn(next));
  }
}

/**
 * Asks the server who is signed in.
 *
 * @throws {import('./api.js').ApiError} where the server cannot tell; no session is null, not an error
 */
export async function load() {
  if (pageKey() === null) {
    become(null);
    return null;
  }
  try {
    become(await call('GET', '/console/session'));
  } catch (error) {
    if (error.status !== 401) {
      throw error;
    }
  }
  return session;
}

/**
 * Signs in with a link's code or a token; the token is sent once and kept nowhere.
 *
 * @param {{code: string} | {token: string, name?: string}} proof
 * @throws {import('./api.js').ApiError} LINK_SPENT for a used or old code, UNAUTHENTICATED for a token
 */
export async function signIn(proof) {
  const made = await call('POST', '/console/session', { body: proof });
  keepPageKey(made.page_key);
  become(await call('GET', '/console/session'));
}

/** @param {boolean} everywhere whether all sessions of this person end, and not only this one */
export async function signOut(everywhere = false) {
  await call('DELETE', '/console/session', { query: everywhere ? { all: 'true' } : {} });
  keepPageKey(null);
  become(null);
}

onSignedOut(() => {
  keepPageKey(null);
  become(null);
});

onOtherTab((key) => {
  if (key === null) {
    become(null);
  } else {
    load().catch(() => {});
  }
});
