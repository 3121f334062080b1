-- A sign-in ends the oldest sessions beyond the bounds of their person, workspace or token.
CREATE INDEX console_sessions_of_maker ON console_sessions (maker_hash, expires_at) WHERE ended_at IS NULL;
CREATE INDEX console_sessions_of_workspace ON console_sessions (workspace_id, expires_at)
    WHERE ended_at IS NULL AND workspace_id IS NOT NULL;
