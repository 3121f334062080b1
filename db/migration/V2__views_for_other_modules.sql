-- Views that other modules may read but neither write nor lock: api_<owner>_<noun>. Each is of one table, so that the
-- planner replaces it by the table and plans stay the same.
CREATE VIEW api_workspace_delivery AS
    SELECT id, url, delivery_mode, max_concurrent_tasks, version, removed_at FROM workspaces;

CREATE VIEW api_workspace_heartbeat AS
    SELECT workspace_id, status, active_tasks, current_task, uptime_seconds, last_heartbeat_at, idle_timeout_seconds
    FROM workspace_heartbeats;

CREATE VIEW api_workspace_tree AS SELECT version FROM workspace_tree WHERE only_row;

CREATE VIEW api_activity_feed AS SELECT workspace_id, last_own_at FROM activity_feeds;

CREATE VIEW api_activity_message AS
    SELECT workspace_id, seq, class, source, source_id, method, request_body, message_id, delegation_id, created_at
    FROM activity_logs;

CREATE VIEW api_activity_entry AS
    SELECT workspace_id, seq, class, activity_type, source, peer_id, method, summary, message_text, status, error_detail,
        duration_ms, message_id, delegation_id, created_at
    FROM activity_logs;

CREATE VIEW api_delivery_open AS SELECT workspace_id, seq, queued, owner FROM deliveries;

CREATE VIEW api_delivery_outcome AS
    SELECT workspace_id, seq, state, status, error_detail, duration_ms, response, response_bytes, ended_at, queue_state,
        enqueued_at
    FROM delivery_outcomes;

CREATE VIEW api_event_recorded AS SELECT id, seq, event_type, workspace_id, payload, created_at FROM events;

CREATE VIEW api_runtime_run AS
    SELECT workspace_id, first_seq, task_key, task_name, runtime_name, language, exit_code, duration_ms, error_kind,
        error_message, stdout_bytes, stderr_bytes, started_at,
        -- as Run.status() and Run.endedAt() say
        CASE WHEN duration_ms IS NULL AND error_kind IS NULL THEN lost_at ELSE ended_at END AS ended_at,
        CASE WHEN lost_at IS NOT NULL THEN 'lost' WHEN duration_ms IS NOT NULL AND exit_code = 0 THEN 'succeeded'
            WHEN duration_ms IS NOT NULL THEN 'failed' WHEN error_kind = 'Cancelled' THEN 'cancelled'
            WHEN error_kind IS NOT NULL THEN 'errored' ELSE 'running' END AS status
    FROM runtime_runs;
