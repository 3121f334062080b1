-- Views that other modules may read but neither write nor lock: api_<owner>_<noun>. Each is of one table, so that the
-- planner puts the table in its place and no plan changes.
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
