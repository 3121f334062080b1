-- What the console needs besides the baseline.

-- When a restart was requested that the agent has not heard yet. No index names it, so heartbeats stay heap-only.
ALTER TABLE workspace_heartbeats ADD COLUMN restart_requested_at timestamptz;

COMMENT ON COLUMN workspace_heartbeats.restart_requested_at IS
    'Cleared when the agent registers anew, its uptime starts over, or the request is withdrawn';
