-- What the console needs besides the baseline.

-- When a restart was requested that has not happened yet. No index contains the column, so updates by heartbeats stay heap-only.
ALTER TABLE workspace_heartbeats ADD COLUMN restart_requested_at timestamptz;

COMMENT ON COLUMN workspace_heartbeats.restart_requested_at IS
    'Cleared when the agent registers again, its uptime starts over, or the request is withdrawn';

CREATE TABLE webhook_head (
    only_row  boolean     PRIMARY KEY DEFAULT true CHECK (only_row),
    last_seq  bigint      NOT NULL,
    up_since  timestamptz NOT NULL,
    hold_reported boolean     NOT NULL DEFAULT false
);

COMMENT ON TABLE webhook_head IS 'Up to which recorded event the webhook has read, and what it has reported of the control plane';
COMMENT ON COLUMN webhook_head.only_row IS 'Always true: as the primary key it keeps the table at one row';
COMMENT ON COLUMN webhook_head.up_since IS 'The end of the uptime gap that was reported last';

COMMENT ON COLUMN webhook_head.hold_reported IS 'Whether a mass silence was reported whose end was not';

CREATE TABLE webhook_troubles (
    subject      text        PRIMARY KEY,
    workspace_id uuid        NOT NULL,
    target_id    uuid,
    status       text        NOT NULL,
    reason       text        NOT NULL,
    pattern      text        NOT NULL,
    error        text,
    since        timestamptz NOT NULL,
    noticed_at   timestamptz NOT NULL,
    reported_in  uuid,
    was_reported     boolean     NOT NULL DEFAULT false,
    well_at      timestamptz,
    well_reported_at timestamptz
);

COMMENT ON TABLE webhook_troubles IS 'Troubles of workspaces and delegations, present or just over, and whether they were reported';
COMMENT ON COLUMN webhook_troubles.subject IS 'The id of a workspace or of a delegation; of a stall, "stall:" and the id of the workspace';

COMMENT ON COLUMN webhook_troubles.workspace_id IS 'The workspace; of a delegation the caller, and target_id the callee';

COMMENT ON COLUMN webhook_troubles.pattern IS 'The error without the parts that differ between agents';

COMMENT ON COLUMN webhook_troubles.reported_in IS 'The notification that reported it';

COMMENT ON COLUMN webhook_troubles.was_reported IS 'Whether the trouble directly before this one was reported';

CREATE INDEX webhook_troubles_by_cause ON webhook_troubles (status, reason, pattern);
CREATE INDEX webhook_troubles_unreported ON webhook_troubles (noticed_at) WHERE reported_in IS NULL AND well_at IS NULL;
CREATE INDEX webhook_troubles_well ON webhook_troubles (well_at) WHERE well_at IS NOT NULL;

CREATE TABLE webhook_notifications (
    id              uuid        PRIMARY KEY,
    recovered       boolean     NOT NULL,
    status          text        NOT NULL,
    reason          text        NOT NULL,
    pattern         text        NOT NULL,
    body            text        NOT NULL,
    created_at      timestamptz NOT NULL,
    next_attempt_at timestamptz NOT NULL,
    attempts        integer     NOT NULL DEFAULT 0,
    ended_at        timestamptz
);

COMMENT ON TABLE webhook_notifications IS 'Notifications to the receiver of the webhook, each about one cause';
COMMENT ON COLUMN webhook_notifications.ended_at IS 'When the receiver accepted it, or it was dropped';

CREATE INDEX webhook_notifications_due ON webhook_notifications (next_attempt_at) WHERE ended_at IS NULL;
CREATE INDEX webhook_notifications_by_age ON webhook_notifications (created_at);

CREATE VIEW api_workspace_name AS SELECT id, name FROM workspaces;

CREATE VIEW api_workspace_stall AS SELECT workspace_id, stalled FROM workspace_heartbeats;

CREATE TABLE console_links (
    id          uuid PRIMARY KEY,
    hash        bytea       NOT NULL UNIQUE,
    role        text        NOT NULL CHECK (role IN ('viewer', 'operator')),
    name        text        NOT NULL,
    maker_hash  bytea       NOT NULL,
    created_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    redeemed_at timestamptz
);

COMMENT ON TABLE console_links IS 'Links that sign a person in to the console, once and for a short time';
COMMENT ON COLUMN console_links.hash IS 'SHA-256 of the code; the code itself is not stored';
COMMENT ON COLUMN console_links.maker_hash IS 'SHA-256 of the token that made it; the link and its session are valid no longer than that token';

CREATE INDEX console_links_expiring ON console_links (expires_at);

-- A session needs both halves: the cookie, which browsers also send to other ports, and the page key, which only its page can read.
CREATE TABLE console_sessions (
    id           uuid PRIMARY KEY,
    cookie_hash  bytea       NOT NULL UNIQUE,
    page_hash    bytea       NOT NULL,
    role         text        NOT NULL CHECK (role IN ('viewer', 'operator', 'agent')),
    name         text        NOT NULL,
    workspace_id uuid CHECK ((workspace_id IS NOT NULL) = (role = 'agent')),
    maker_hash   bytea       NOT NULL,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    last_used_at timestamptz NOT NULL,
    ended_at     timestamptz
);

COMMENT ON TABLE console_sessions IS 'Sessions of the console; the rows of ended sessions are kept 90 days, for the audit';
COMMENT ON COLUMN console_sessions.cookie_hash IS 'SHA-256 of the cookie; the cookie itself is not stored';
COMMENT ON COLUMN console_sessions.page_hash IS 'SHA-256 of the page key; the key itself is not stored';
COMMENT ON COLUMN console_sessions.maker_hash IS 'SHA-256 of the token that was used to sign in, or that made the link; the session ends with that token';
COMMENT ON COLUMN console_sessions.last_used_at IS 'With an accuracy of about a minute; a session ends after 12 hours without a request';

CREATE INDEX console_sessions_ended ON console_sessions (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX console_sessions_expiring ON console_sessions (expires_at);

-- The delegation that the caller worked on. It existed before, with the caller as its caller or callee.
ALTER TABLE delegations ADD COLUMN parent_delegation_id text;

COMMENT ON COLUMN delegations.parent_delegation_id IS
    'Null when the caller named no parent, or one of which it is neither caller nor callee. Never changed';

CREATE INDEX delegations_of_parent ON delegations (parent_delegation_id) WHERE parent_delegation_id IS NOT NULL;

-- The messages of a delegation in the feeds of caller and callee. Ids of delegations have at most 128 characters; an agent may
-- report a longer one, which an index could not hold.
CREATE INDEX activity_logs_of_delegation ON activity_logs (workspace_id, left(delegation_id, 128), seq)
    WHERE delegation_id IS NOT NULL;

CREATE VIEW api_delegation_entry AS
    SELECT delegation_id, id, caller_id, callee_id, task_preview, status, attempt, retry_count, last_heartbeat, deadline,
        dispatched_at, result_preview, error_detail, error_kind, parent_delegation_id, terminal_status, created_at, updated_at
    FROM delegations;

-- Views of the fleet, for the console.
CREATE VIEW api_workspace_fleet AS
    SELECT id, name, role, tier, parent_id, runtime, url, delivery_mode, max_concurrent_tasks, created_at, updated_at, removed_at
    FROM workspaces;

CREATE VIEW api_workspace_status AS
    SELECT workspace_id, status, status_since, degraded_reason, last_heartbeat_at, error_rate, sample_error, active_tasks,
        current_task, uptime_seconds, native_status, stalled, restart_requested_at
    FROM workspace_heartbeats;

CREATE VIEW api_event_head AS SELECT last_seq FROM event_head WHERE only_row;

CREATE VIEW api_delivery_queue AS SELECT workspace_id, enqueued_at, owner FROM deliveries WHERE queued;

CREATE VIEW api_delegation_open AS SELECT caller_id, callee_id, status FROM delegations WHERE terminal_status IS NULL;

CREATE VIEW api_identity_action AS SELECT at, who, action, targets FROM operator_actions WHERE outcome = 'done';
