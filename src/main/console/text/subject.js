/** Builds the `Subject` of advice.js from a row of the fleet or from a record of the API. */

const ms = (iso) => (iso ? Date.parse(iso) : null);

/**
 * @param {string} id
 * @param {?string} [self] the workspace of an agent's session
 * @returns {boolean} whether an agent looks at another workspace, whose heartbeats, reason and error it is not told
 */
export const isPeer = (id, self) => Boolean(self) && id !== self;

/**
 * Builds it from a row of the fleet.
 *
 * @param {import('../fleet/store.js').FleetStore} store
 * @param {number} row
 * @param {?string} [self] the workspace of an agent's session
 * @returns {import('./advice.js').Subject}
 */
export function ofRow(store, row, self) {
  const detail = store.details.get(row);
  const ofPeer = isPeer(store.id(row), self);
  return {
    status: store.statusOf(row),
    isPeer: ofPeer,
    reason: store.word('reason', row),
    error: store.word('error', row),
    stalled: store.isStalled(row),
    sinceMs: store.sinceOf(row) * 1000 || null,
    lastHeartbeatMs: store.heard[row] * 1000 || (ofPeer ? undefined : null),
    runtime: store.word('runtime', row),
    tasks: store.tasks[row],
    waiting: detail?.queue_depth ?? null,
    delegations: detail?.in_flight_in ?? null,
    pausedBy: detail?.paused_by ?? null,
    restartAskedMs: ms(store.restartAsked(row)),
    wroteMs: ms(detail?.last_wrote_at),
  };
}

/**
 * Returns since when a workspace has the state that its marks show, which is the stall of one that is online.
 *
 * @param {object} record
 * @returns {?string} RFC 3339; null when it is unknown
 */
export const sinceOf = (record) =>
  record.stalled && record.status === 'online' ? (record.stalled_since ?? null) : record.status_since;

/**
 * Builds it from a record.
 *
 * @param {object} record of `/console/rows` or `GET /workspaces/{id}`
 * @param {?string} [self] the workspace of an agent's session
 * @returns {import('./advice.js').Subject}
 */
export function ofRecord(record, self) {
  const ofPeer = isPeer(record.id, self);
  return {
    status: record.status,
    isPeer: ofPeer,
    reason: record.degraded_reason ?? '',
    error: record.last_sample_error ?? '',
    stalled: record.stalled ?? false,
    sinceMs: ms(sinceOf(record)),
    lastHeartbeatMs: ms(record.last_heartbeat_at) ?? (ofPeer ? undefined : null),
    runtime: record.runtime,
    tasks: record.active_tasks,
    waiting: record.queue_depth ?? null,
    delegations: record.in_flight_in ?? null,
    pausedBy: record.paused_by ?? null,
    restartAskedMs: ms(record.restart_requested_at),
    wroteMs: ms(record.last_wrote_at),
  };
}
