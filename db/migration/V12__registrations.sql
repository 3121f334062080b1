-- Who has registered by more than a workspace's own token, so that nobody takes over a workspace by its id (R3.1).

SET LOCAL lock_timeout = '2s';

CREATE TABLE workspace_registrations (
    workspace_id   uuid PRIMARY KEY REFERENCES workspaces (id),
    registered_at  timestamptz NOT NULL,
    -- What shows that a request is the same again, and the token that its answer carried: all null when it came with
    -- a credential, or through a proxy, which hides the client's address.
    body_hash      bytea,
    remote_address text,
    token_id       uuid
);

COMMENT ON TABLE workspace_registrations IS
    'The last registration of a workspace that came without its own token; one with it shows by the token''s use';
COMMENT ON COLUMN workspace_registrations.body_hash IS 'SHA-256 of the request body as it came';

INSERT INTO workspace_registrations (workspace_id, registered_at)
SELECT workspace_id, last_heartbeat_at FROM workspace_beats WHERE last_heartbeat_at IS NOT NULL;
