-- A mode that nobody has said follows the url. Of the modes stored before, those of poll workspaces that never had an agent count as
-- not said: an agent that registers there with a url gets its messages at that url. All others keep their mode.
ALTER TABLE workspaces
    ADD COLUMN mode_said boolean NOT NULL DEFAULT true,
    ADD COLUMN agent_protocol text CHECK (agent_protocol IN ('0.3', '1.0'));

COMMENT ON COLUMN workspaces.mode_said IS 'Whether a create, a registration or a patch named the delivery mode; false: the mode follows the url';
COMMENT ON COLUMN workspaces.agent_protocol IS
    'The version of A2A that the agent speaks at its url, from its card or from what a delivery learned; null: not known';

UPDATE workspaces SET mode_said = false
WHERE delivery_mode = 'poll' AND id IN (SELECT workspace_id FROM workspace_heartbeats WHERE last_heartbeat_at IS NULL);

CREATE OR REPLACE VIEW api_workspace_delivery AS
    SELECT id, url, delivery_mode, max_concurrent_tasks, version, removed_at, agent_protocol FROM workspaces;
