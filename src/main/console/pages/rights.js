/**
 * Decides which actions the pages offer to a session. The server checks every request; this only hides buttons whose
 * requests it would refuse.
 *
 * @typedef {object} Page the interface of the modules in this folder that the router or a page with tabs opens
 * @property {(root: HTMLElement, place: object, context: object) => {update(place: object): void, close(): void}} open
 */

/**
 * Whether the session may change anything of any workspace.
 *
 * @param {typeof import('../net/session.js')} session
 */
export function mayOperate(session) {
  const role = session.current()?.role;
  return role === 'operator' || role === 'admin';
}

/**
 * Whether the session may act for a workspace: operators for all, an agent's session for its own.
 *
 * @param {typeof import('../net/session.js')} session
 * @param {string} id
 */
export function mayActFor(session, id) {
  const current = session.current();
  return mayOperate(session) || (current?.role === 'agent' && current.workspace_id === id);
}

/**
 * Whether the session may read data of all workspaces.
 *
 * @param {typeof import('../net/session.js')} session
 */
export function readsAll(session) {
  return mayOperate(session) || session.current()?.role === 'viewer';
}
