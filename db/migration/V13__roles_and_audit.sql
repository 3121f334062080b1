-- Credentials for people and scripts besides the admin token, and what is done with them (R1.7).

CREATE TABLE role_tokens (
    id           uuid PRIMARY KEY,
    name         text        NOT NULL,
    role         text        NOT NULL CHECK (role IN ('viewer', 'operator')),
    hash         bytea       NOT NULL UNIQUE,
    prefix       text        NOT NULL,
    created_by   text        NOT NULL,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz,
    last_used_at timestamptz,
    revoked_at   timestamptz
);

COMMENT ON TABLE role_tokens IS 'Tokens of viewers and operators; those of agents are in workspace_tokens';
COMMENT ON COLUMN role_tokens.hash IS 'SHA-256 of the token, which is kept nowhere';

CREATE INDEX role_tokens_revoked ON role_tokens (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX role_tokens_expiring ON role_tokens (expires_at) WHERE expires_at IS NOT NULL;

-- A row is written in the transaction of the change that it tells of.
CREATE TABLE operator_actions (
    id            uuid PRIMARY KEY,
    at            timestamptz NOT NULL,
    who           text        NOT NULL,
    role          text        NOT NULL CHECK (role IN ('operator', 'admin')),
    credential_id uuid,
    action        text        NOT NULL,
    targets       text[]      NOT NULL,
    outcome       text        NOT NULL CHECK (outcome IN ('done', 'refused')),
    request_id    text        NOT NULL
);

COMMENT ON TABLE operator_actions IS 'The audit: each change that the admin or an operator made';
COMMENT ON COLUMN operator_actions.credential_id IS 'The id of the token in role_tokens; null for the admin token';
COMMENT ON COLUMN operator_actions.action IS 'Method and route, for example POST /workspaces/{id}/pause';
COMMENT ON COLUMN operator_actions.outcome IS 'refused: it was answered with an error though something was committed';

CREATE INDEX operator_actions_in_order ON operator_actions (at, id);
