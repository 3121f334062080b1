-- The registry: who exists, how they are, who may speak for them, and what happened.

-- Identity only. Whatever a beat or a status change writes lives in workspace_beats, so that the hot table stays narrow.
CREATE TABLE workspaces (
    id                   uuid PRIMARY KEY,
    name                 text             NOT NULL,
    role                 text,
    tier                 integer          NOT NULL,
    parent_id            uuid REFERENCES workspaces (id),
    runtime              text             NOT NULL,
    url                  text             NOT NULL,
    delivery_mode        text             NOT NULL CHECK (delivery_mode IN ('push', 'poll')),
    max_concurrent_tasks integer          NOT NULL CHECK (max_concurrent_tasks > 0),
    -- "json", not "jsonb": a card comes back byte for byte, escapes that jsonb refuses included.
    agent_card           json,
    x                    double precision NOT NULL,
    y                    double precision NOT NULL,
    collapsed            boolean          NOT NULL DEFAULT false,
    created_at           timestamptz      NOT NULL,
    updated_at           timestamptz      NOT NULL,
    removed_at           timestamptz
);

CREATE INDEX workspaces_in_order ON workspaces (created_at, id) WHERE removed_at IS NULL;
CREATE INDEX workspaces_by_parent ON workspaces (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX workspaces_roots ON workspaces (created_at, id) WHERE removed_at IS NULL AND parent_id IS NULL;

-- One narrow row a workspace: beat, sweep, pause, resume, delete and register meet on its lock. Half of every page is
-- left free and no index names a changing column, so that updates stay heap-only.
CREATE TABLE workspace_beats (
    workspace_id         uuid PRIMARY KEY REFERENCES workspaces (id),
    status               text             NOT NULL CHECK (status IN
        ('awaiting_agent', 'online', 'degraded', 'offline', 'paused', 'failed', 'removed',
         'provisioning', 'hibernating', 'hibernated')),
    status_since         timestamptz      NOT NULL,
    degraded_reason      text CHECK (degraded_reason IN ('runtime_wedged', 'error_rate')),
    last_heartbeat_at    timestamptz,
    error_rate           double precision NOT NULL DEFAULT 0,
    sample_error         text             NOT NULL DEFAULT '',
    active_tasks         integer          NOT NULL DEFAULT 0,
    current_task         text             NOT NULL DEFAULT '',
    uptime_seconds       bigint           NOT NULL DEFAULT 0,
    runtime_state        text             NOT NULL DEFAULT '',
    capabilities         json,
    native_status        boolean          NOT NULL DEFAULT false,
    idle_timeout_seconds integer,
    stalled              boolean          NOT NULL DEFAULT false
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

CREATE TABLE workspace_tokens (
    id           uuid PRIMARY KEY,
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    hash         bytea       NOT NULL UNIQUE,
    prefix       text        NOT NULL,
    created_at   timestamptz NOT NULL,
    last_used_at timestamptz,
    revoked_at   timestamptz,
    revoked_by   text CHECK (revoked_by IN ('operator', 'removal')),
    CHECK ((revoked_at IS NULL) = (revoked_by IS NULL))
);

CREATE INDEX workspace_tokens_by_workspace ON workspace_tokens (workspace_id, created_at);
CREATE INDEX workspace_tokens_revoked ON workspace_tokens (revoked_at) WHERE revoked_at IS NOT NULL;

-- The admin token that the server made for itself at its first start; none while ADMIN_TOKEN has always been set.
CREATE TABLE admin_token (
    only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    hash       bytea       NOT NULL,
    created_at timestamptz NOT NULL
);

-- The outbox. A row is written in the transaction of what it tells; "ordinal" is drawn then, "seq" is stamped after the
-- commit, by one publisher at a time, so that readers who page by seq can skip nothing.
CREATE TABLE events (
    ordinal      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           uuid        NOT NULL,
    seq          bigint,
    event_type   text        NOT NULL,
    workspace_id uuid,
    payload      json        NOT NULL,
    created_at   timestamptz NOT NULL
);

CREATE UNIQUE INDEX events_by_seq ON events (seq);
CREATE INDEX events_of_workspace ON events (workspace_id, seq);
CREATE INDEX events_of_type ON events (event_type, seq);
CREATE INDEX events_unpublished ON events (ordinal) WHERE seq IS NULL;

CREATE TABLE event_head (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    last_seq bigint NOT NULL
);

INSERT INTO event_head (last_seq) VALUES (0);
