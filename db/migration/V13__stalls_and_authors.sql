-- When a heartbeat ends a stall it clears "stalled" alone, so that it writes no further column. The sweep then clears the time too.
ALTER TABLE workspace_heartbeats ADD COLUMN stalled_since timestamptz;

COMMENT ON COLUMN workspace_heartbeats.stalled_since IS
    'When the sweep found that the workspace is stalled; it stays until the sweep has recorded the end. Counts only while "stalled"';

UPDATE workspace_heartbeats b SET stalled_since = (
    SELECT max(e.created_at) FROM events e WHERE e.workspace_id = b.workspace_id AND e.event_type = 'WORKSPACE_STALLED')
WHERE stalled;

CREATE OR REPLACE VIEW api_workspace_status AS
    SELECT workspace_id, status, status_since, degraded_reason, last_heartbeat_at, error_rate, sample_error, active_tasks,
        current_task, uptime_seconds, native_status, stalled, restart_requested_at,
        CASE WHEN stalled THEN stalled_since END AS stalled_since
    FROM workspace_heartbeats;

ALTER TABLE activity_logs ADD COLUMN author text;

COMMENT ON COLUMN activity_logs.author IS 'The name of the person who sent it, as given at the sign-in; null but for people, and for people whose name is unknown';

CREATE OR REPLACE VIEW api_activity_entry AS
    SELECT workspace_id, seq, class, activity_type, source, peer_id, method, summary, message_text, status, error_detail,
        duration_ms, message_id, delegation_id, created_at, author
    FROM activity_logs;
