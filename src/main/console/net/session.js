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

/** Prefix of what the browser's storage has for one person only. It is removed when a session begins or ends. */
export const PERSONAL = 'muster-chat:';

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * @param {{protocol: string, hostname: string}} place
 * @returns {boolean} whether others on the network can overhear a session of a page there
 */
export const isOverheard = ({ protocol, hostname }) => protocol !== 'https:' && !LOOPBACK.test(hostname);

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

/** Removes the texts of the person whose session ends: the browser ignores `Clear-Site-Data` on plain http. */
function forgetPersonal() {
  try {
    Object.keys(localStorage).filter((key) => key.startsWith(PERSONAL)).forEach((key) => localStorage.removeItem(key));
  } catch {
    // storage is blocked, so it has nothing
  }
}

function setSession(next, { forgets = next === null } = {}) {
  if (forgets) {
    forgetPersonal();
  }
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
  setSession(null); // the session that this one replaces may be another person's
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
  // a tab that signed in has removed the texts, and may have new ones by now
  setSession(null, { forgets: key === null });
  if (key !== null) {
    load().catch(() => {});
  }
});
