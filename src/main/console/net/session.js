/** Holds the current session. Its credential is a cookie that scripts cannot read. */
import { call, keepPageKey, onOtherTab, onSignedOut, pageKey } from './api.js';

/**
 * @typedef {object} Session
 * @property {'viewer' | 'operator' | 'admin' | 'agent'} role
 * @property {string} name
 * @property {string} [workspace_id] the workspace of an agent's session
 * @property {string} expires_at
 * @property {string} version the server's version
 * @property {string} now the server's time
 * @property {number} stale_after_s
 * @property {number} heartbeat_interval_s
 */

/** @type {?Session} */
let session = null;
const listeners = new Set();

/** @returns {?Session} */
export const current = () => session;

/** @returns {boolean} whether the session's role may change workspaces: operator or admin */
export const mayChange = () => session?.role === 'operator' || session?.role === 'admin';

/**
 * @param {(session: ?Session) => void} fn called after each sign-in and sign-out
 * @returns {() => void} removes the listener
 */
export function onChange(fn) {
  listeners.add(fn);
  return () => listeners.delete(fn);
}

function setSession(next) {
  const changed = session !== next;
  session = next;
  if (changed) {
    listeners.forEach((fn) => fn(next));
  }
}

/**
 * Reads the session from the server.
 *
 * @returns {Promise<?Session>} null without a session
 * @throws {import('./api.js').ApiError} for every error other than 401
 */
export async function load() {
  if (pageKey() === null) {
    setSession(null);
    return null;
  }
  try {
    setSession(await call('GET', '/console/session'));
  } catch (error) {
    if (error.status !== 401) {
      throw error;
    }
  }
  return session;
}

/**
 * Signs in with a link's code or a token. The token is sent once and not stored.
 *
 * @param {{code: string} | {token: string, name?: string}} proof
 * @throws {import('./api.js').ApiError} LINK_SPENT for a used or expired code, UNAUTHENTICATED for an unknown token
 */
export async function signIn(proof) {
  const made = await call('POST', '/console/session', { body: proof });
  keepPageKey(made.page_key);
  setSession(await call('GET', '/console/session'));
}

/** Ends the session. @param {boolean} everywhere whether to end all sessions of this person */
export async function signOut(everywhere = false) {
  await call('DELETE', '/console/session', { query: everywhere ? { all: 'true' } : {} });
  keepPageKey(null);
  setSession(null);
}

onSignedOut(() => {
  keepPageKey(null);
  setSession(null);
});

onOtherTab((key) => {
  if (key === null) {
    setSession(null);
  } else {
    load().catch(() => {});
  }
});
