/** Describes the actions of the audit log, which are recorded as method and route. */

/** Method and route → what the caller did. */
const ACTION_TEXTS = {
  'POST /workspaces': 'created a workspace',
  'PATCH /workspaces/{id}': 'changed a workspace',
  'DELETE /workspaces/{id}': 'removed a workspace',
  'POST /workspaces/{id}/pause': 'paused',
  'POST /workspaces/{id}/resume': 'resumed',
  'POST /workspaces/{id}/restart': 'asked for a restart',
  'DELETE /workspaces/{id}/restart': 'withdrew a restart',
  'POST /workspaces/{id}/a2a': 'sent a message',
  'POST /workspaces/{id}/notify': 'sent a notification',
  'POST /workspaces/{id}/delegate': 'delegated',
  'POST /workspaces/{id}/tokens': 'minted a token',
  'POST /admin/workspaces/{id}/tokens': 'minted a token',
  'DELETE /workspaces/{id}/tokens/{tokenId}': 'revoked a token',
  'POST /admin/tokens': 'minted a token of people',
  'DELETE /admin/tokens/{tokenId}': 'revoked a token of people',
  'POST /admin/a2a-queue/drop-stale': 'dropped old messages',
  'POST /admin/a2a-queue/{queueId}/retry': 'tried a queued message',
  'POST /admin/a2a-queue/{queueId}/expire': 'expired a queued message',
  'POST /admin/a2a-queue/{queueId}/cancel': 'cancelled a queued message',
  'POST /admin/delegations/sweep': 'searched for overdue delegations',
  'POST /admin/delegations/{delegationId}/retry': 'retried a delegation',
  'POST /admin/delegations/{delegationId}/fail': 'failed a delegation',
  'POST /admin/bulk': 'changed many workspaces',
  'POST /admin/bulk/{bulkId}/cancel': 'cancelled a change of many',
  'POST /admin/bulk/{bulkId}/undo': 'undid a change of many',
  'POST /console/session': 'signed in',
  'DELETE /console/session': 'signed out',
  'DELETE /console/sessions/{sessionId}': 'ended a session',
  'POST /console/links': 'made a link',
  'DELETE /console/links/{linkId}': 'took a link back',
  'PUT /canvas/viewport': 'moved the canvas',
};

/** @param {string} action method and route @returns {string} its description; the action itself without one */
export const actionText = (action) => ACTION_TEXTS[action] ?? action;

/** Options of the filter by action: a part of the action, and its label. */
export const ACTION_FILTERS = [
  ['', 'anything'],
  ['/pause', 'pauses'],
  ['/resume', 'resumes'],
  ['/restart', 'restarts'],
  ['DELETE /workspaces/{id}', 'removals, revoked tokens'],
  ['/a2a', 'messages and the queue'],
  ['delegat', 'delegations'],
  ['token', 'tokens'],
  ['/console/', 'links and sessions'],
  ['/admin/bulk', 'changes of many'],
];

/**
 * Returns the kind of a target of an action.
 *
 * @param {string} action
 * @param {number} index position of the target: first the ids in the path, then what the action created or changed
 * @returns {'workspace' | 'delegation' | 'bulk' | 'other'}
 */
export function targetKind(action, index) {
  if (/^\w+ (\/admin)?\/workspaces(\/\{id\}|$)/.test(action)) {
    return index === 0 || WITH_DESCENDANTS.test(action) ? 'workspace' : 'other';
  }
  if (action.startsWith('POST /admin/bulk')) {
    return 'bulk';
  }
  return index === 0 && action.includes('/delegations/{delegationId}') ? 'delegation' : 'other';
}

/** Actions that may change a workspace and its descendants. */
const WITH_DESCENDANTS = /\/(pause|resume)$|^DELETE \/workspaces\/\{id\}$/;
