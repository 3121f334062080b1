-- The whole schema. Rules for all of it, which a test checks: no triggers; no foreign keys on the tables of the hot
-- paths, since a foreign key locks another row for each write; and each of those tables has a key that begins with the
-- column by which it could be distributed.

-- Workspaces. Columns that a heartbeat or a status transition writes are in workspace_heartbeats, so that the hot table
-- stays narrow.
CREATE TABLE workspaces (
    id                   uuid PRIMARY KEY,
    name                 text             NOT NULL,
    role                 text,
    tier                 integer          NOT NULL,
    -- No foreign key: a change of the hierarchy holds its lock and checks the parent.
    parent_id            uuid,
    runtime              text             NOT NULL,
    url                  text             NOT NULL,
    delivery_mode        text             NOT NULL CHECK (delivery_mode IN ('push', 'poll')),
    max_concurrent_tasks integer          NOT NULL CHECK (max_concurrent_tasks > 0),
    -- "json", not "jsonb": a card is returned byte for byte, escapes that jsonb refuses included.
    agent_card           json,
    x                    double precision NOT NULL,
    y                    double precision NOT NULL,
    collapsed            boolean          NOT NULL DEFAULT false,
    created_at           timestamptz      NOT NULL,
    updated_at           timestamptz      NOT NULL,
    removed_at           timestamptz,
    -- incremented by every write; a cached workspace is valid while its version is the same
    version              bigint           NOT NULL DEFAULT 1
);

COMMENT ON TABLE workspaces IS 'Workspaces, with what a heartbeat does not change; a removed one keeps its row until retention deletes it';

CREATE INDEX workspaces_in_order ON workspaces (created_at, id) WHERE removed_at IS NULL;
CREATE INDEX workspaces_by_parent ON workspaces (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX workspaces_roots ON workspaces (created_at, id) WHERE removed_at IS NULL AND parent_id IS NULL;

-- Incremented by every change that can separate two workspaces. A statement that reads it together with a target learns
-- whether a cached answer about the hierarchy is still valid.
CREATE TABLE workspace_tree (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    version  bigint NOT NULL
) WITH (fillfactor = 50);

COMMENT ON TABLE workspace_tree IS 'The version of the hierarchy; a cached answer about who may talk to whom is valid while it is the same';
COMMENT ON COLUMN workspace_tree.only_row IS 'Always true: as the primary key it keeps the table at one row';

INSERT INTO workspace_tree (version) VALUES (1);

CREATE TABLE removed_workspaces (
    id         uuid PRIMARY KEY,
    removed_at timestamptz NOT NULL
);

COMMENT ON TABLE removed_workspaces IS 'The ids of removed workspaces, which outlive their rows, so that no id is assigned twice';

-- One narrow row for each workspace: heartbeat, sweep, pause, resume, delete and register lock it. Half of every page
-- is free and no index contains a changing column, so that updates stay heap-only.
CREATE TABLE workspace_heartbeats (
    workspace_id         uuid PRIMARY KEY,
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
    stalled              boolean          NOT NULL DEFAULT false,
    -- since when its agent has been busy without a pause; the search for stalled agents uses it
    busy_since           timestamptz
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

COMMENT ON TABLE workspace_heartbeats IS 'The status of each workspace, and its last heartbeat';

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

COMMENT ON TABLE workspace_tokens IS 'Tokens of agents; those of viewers and operators are in role_tokens';

CREATE INDEX workspace_tokens_by_workspace ON workspace_tokens (workspace_id, created_at);
CREATE INDEX workspace_tokens_revoked ON workspace_tokens (revoked_at) WHERE revoked_at IS NOT NULL;

-- Registrations with another credential than a workspace's own token, so that knowing an id does not suffice to take
-- over a workspace (R3.1).
CREATE TABLE workspace_registrations (
    workspace_id   uuid PRIMARY KEY REFERENCES workspaces (id),
    registered_at  timestamptz NOT NULL,
    -- Identify a repeated request, and the token of its answer: all null when it came with a credential, or through a
    -- proxy, which hides the client's address.
    body_hash      bytea,
    remote_address text,
    token_id       uuid
);

COMMENT ON TABLE workspace_registrations IS
    'The last registration of a workspace without its own token; one with it is visible by the use of the token';
COMMENT ON COLUMN workspace_registrations.body_hash IS 'SHA-256 of the raw request body';

CREATE TABLE admin_token (
    only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    hash       bytea       NOT NULL,
    created_at timestamptz NOT NULL
);

COMMENT ON TABLE admin_token IS 'The admin token that the server generated at its first start; empty while ADMIN_TOKEN was always set';
COMMENT ON COLUMN admin_token.only_row IS 'Always true: as the primary key it keeps the table at one row';

-- Credentials for people and scripts besides the admin token, and the audit of their use (R1.7).
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
COMMENT ON COLUMN role_tokens.hash IS 'SHA-256 of the token; the token itself is not stored';

CREATE INDEX role_tokens_revoked ON role_tokens (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX role_tokens_expiring ON role_tokens (expires_at) WHERE expires_at IS NOT NULL;

-- A row is written in the transaction of the change that it records.
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

COMMENT ON TABLE operator_actions IS 'The audit: each change by the admin or an operator';
COMMENT ON COLUMN operator_actions.credential_id IS 'The id of the token in role_tokens; null for the admin token';
COMMENT ON COLUMN operator_actions.action IS 'Method and route, for example POST /workspaces/{id}/pause';
COMMENT ON COLUMN operator_actions.outcome IS 'refused: the answer was an error although a transaction was committed';

CREATE INDEX operator_actions_in_order ON operator_actions (at, id);

CREATE TABLE canvas_viewport (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    x        double precision NOT NULL,
    y        double precision NOT NULL,
    zoom     double precision NOT NULL CHECK (zoom > 0)
);

COMMENT ON TABLE canvas_viewport IS 'The viewport of the canvas, shared by all users';
COMMENT ON COLUMN canvas_viewport.only_row IS 'Always true: as the primary key it keeps the table at one row';

-- The outbox. A row is written in the transaction of its change, which draws "ordinal"; "seq" is assigned after the
-- commit, by one publisher at a time, so that readers who page by seq skip nothing. Before that, no index by number
-- contains the row.
CREATE TABLE events (
    ordinal      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           uuid        NOT NULL,
    seq          bigint,
    event_type   text        NOT NULL,
    workspace_id uuid,
    payload      json        NOT NULL,
    created_at   timestamptz NOT NULL
);

COMMENT ON TABLE events IS 'Recorded events; seq is null until the publisher has assigned the number that readers page by';

CREATE UNIQUE INDEX events_by_seq ON events (seq) WHERE seq IS NOT NULL;
CREATE INDEX events_of_workspace ON events (workspace_id, seq) WHERE seq IS NOT NULL;
CREATE INDEX events_of_type ON events (event_type, seq) WHERE seq IS NOT NULL;
CREATE INDEX events_unpublished ON events (ordinal) WHERE seq IS NULL;

CREATE TABLE event_head (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    last_seq bigint NOT NULL
);

COMMENT ON TABLE event_head IS 'The number of the last published event; the publisher locks the row';
COMMENT ON COLUMN event_head.only_row IS 'Always true: as the primary key it keeps the table at one row';

INSERT INTO event_head (last_seq) VALUES (0);

-- The jobs that run on one replica at a time: db-scheduler's table, renamed; a handful of rows.
CREATE TABLE recurring_jobs (
    task_name            text        NOT NULL,
    task_instance        text        NOT NULL,
    task_data            bytea,
    execution_time       timestamptz NOT NULL,
    picked               boolean     NOT NULL,
    picked_by            text,
    last_success         timestamptz,
    last_failure         timestamptz,
    consecutive_failures integer,
    last_heartbeat       timestamptz,
    version              bigint      NOT NULL,
    priority             smallint,
    PRIMARY KEY (task_name, task_instance)
);

COMMENT ON TABLE recurring_jobs IS 'The jobs that run on one replica at a time: the table of db-scheduler, renamed';

-- Deletions by age have a scheduler of their own. It must not share a table with that of the sweeps: each would treat
-- the other's jobs as unknown.
CREATE TABLE retention_jobs (LIKE recurring_jobs INCLUDING ALL);

COMMENT ON TABLE retention_jobs IS 'The deletions by age: the table of a second db-scheduler';

CREATE TABLE job_runs (
    job           text PRIMARY KEY,
    replica       text        NOT NULL,
    started_at    timestamptz NOT NULL,
    duration_ms   bigint      NOT NULL,
    last_error    text,
    last_error_at timestamptz,
    runs          bigint      NOT NULL,
    failures      bigint      NOT NULL
);

COMMENT ON TABLE job_runs IS 'The last run of each job, on any replica';

CREATE TABLE control_plane_uptime (
    only_row    boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    down_since  timestamptz NOT NULL,
    up_since    timestamptz NOT NULL,
    alive_until timestamptz NOT NULL,
    hold_since  timestamptz
);

COMMENT ON TABLE control_plane_uptime IS 'When the control plane has been up: it finds an uptime gap by an old alive_until';
COMMENT ON COLUMN control_plane_uptime.down_since IS 'The last tick before the last uptime gap; up_since before the first gap';
COMMENT ON COLUMN control_plane_uptime.up_since IS 'When a replica was healthy again after the last uptime gap';
COMMENT ON COLUMN control_plane_uptime.alive_until IS 'Advanced while a replica is healthy';
COMMENT ON COLUMN control_plane_uptime.hold_since IS 'Since when so many workspaces have been stale at once that none is taken offline; null otherwise';
COMMENT ON COLUMN control_plane_uptime.only_row IS 'Always true: as the primary key it keeps the table at one row';

INSERT INTO control_plane_uptime (down_since, up_since, alive_until) VALUES (now(), now(), now());

-- An append locks the head first, draws numbers and times from it, and releases it at the commit. So within a feed the
-- order of seq, of created_at and of commits is the same, and a reader who pages by seq skips nothing. A head exists as
-- long as its workspace.
CREATE TABLE activity_feeds (
    workspace_id    uuid PRIMARY KEY,
    -- incremented by every write under the lock; a statement that has locked a head compares it to learn whether its
    -- snapshot of the feed is as new as the head
    version         bigint      NOT NULL DEFAULT 0,
    last_seq        bigint      NOT NULL DEFAULT 0,
    last_created_at timestamptz NOT NULL DEFAULT 'epoch',
    last_acked_seq  bigint      NOT NULL DEFAULT 0,
    -- when the workspace's own agent wrote its newest row (source "self"); stalled agents are found by it
    last_own_at     timestamptz,
    -- the highest row after which the workspace's own token polled; written in the background
    read_seq        bigint      NOT NULL DEFAULT 0,
    -- the bytes of all rows ever appended
    total_bytes     bigint      NOT NULL DEFAULT 0,
    -- unread rows are counted from here (R6.7a), with the total at that row; advanced only when the feed seems to be
    -- full
    quota_seq       bigint      NOT NULL DEFAULT 0,
    quota_bytes     bigint      NOT NULL DEFAULT 0
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

COMMENT ON TABLE activity_feeds IS 'The head of each feed: an append locks it and draws the numbers and times of its rows from it';

-- The rows of feeds. A row is written once and never updated; the outcome of its delivery is in delivery_outcomes. Its
-- public id is computed from workspace, number and time, so that no index of ids is needed.
CREATE TABLE activity_logs (
    workspace_id   uuid        NOT NULL,
    seq            bigint      NOT NULL,
    -- the class by which reads find rows: c from the canvas, p from a peer, s from the system, n a notification to the
    -- canvas, o an inbound row that the agent itself reported, and one letter for each other type
    class          "char"      NOT NULL,
    activity_type  text        NOT NULL,
    source         text        NOT NULL CHECK (source IN ('canvas_user', 'peer_agent', 'system', 'self')),
    source_id      uuid,
    target_id      uuid,
    method         text,
    summary        text,
    -- JSON documents, returned as they were sent; no statement reads their content
    request_body   text,
    response_body  text,
    tool_trace     text,
    duration_ms    bigint,
    status         text        NOT NULL,
    error_detail   text,
    message_id     text,
    delegation_id  text,
    -- texts of the bodies, extracted when the row is written, so that no read has to parse them
    message_text   text,
    attachments    text,
    -- bytes of the three bodies, null without one; and of the row in lists, to bound pages
    request_bytes  integer,
    response_bytes integer,
    trace_bytes    integer,
    listed_bytes   integer     NOT NULL,
    -- identify a message (R7.3): the hash of its id, unique with feed and sender; and the hash of its content
    message_key    bytea,
    content_hash   bytea,
    -- the other workspace of the row
    peer_id        uuid GENERATED ALWAYS AS (coalesce(nullif(source_id, workspace_id), nullif(target_id, workspace_id))) STORED,
    created_at     timestamptz NOT NULL,
    -- the feed's total before this row, so that one look-up gives the total at any position
    feed_bytes     bigint      NOT NULL,
    PRIMARY KEY (workspace_id, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1);

COMMENT ON TABLE activity_logs IS 'The rows of feeds; written once, the outcome of a delivery is in delivery_outcomes';

CREATE INDEX activity_logs_by_class ON activity_logs (workspace_id, class, seq);
CREATE INDEX activity_logs_with_peer ON activity_logs (workspace_id, peer_id, seq) WHERE peer_id IS NOT NULL;
CREATE UNIQUE INDEX activity_logs_messages ON activity_logs (workspace_id, message_key, source_id) NULLS NOT DISTINCT
    WHERE message_key IS NOT NULL;

-- The leases of replicas: one row each, renewed every few seconds. A delivery belongs to its owner as long as the
-- owner's row exists.
CREATE TABLE replicas (
    id          uuid PRIMARY KEY,
    name        text        NOT NULL,
    started_at  timestamptz NOT NULL,
    alive_until timestamptz NOT NULL
) WITH (fillfactor = 50);

COMMENT ON TABLE replicas IS 'The leases of replicas; a delivery belongs to its owner as long as the row of the owner exists';

-- Open deliveries: messages that are being sent, or wait in the queue of a push agent. A row is deleted when its
-- delivery ends, so the table is as small as the work in progress.
CREATE TABLE deliveries (
    -- of the row in the target's feed
    workspace_id uuid        NOT NULL,
    seq          bigint      NOT NULL,
    -- null: the canvas, or the system
    sender_id    uuid,
    -- delegations of one sender have no order, and a result uses no slot of the agent that waits for it
    kind         text        NOT NULL CHECK (kind IN ('message', 'delegation', 'result')),
    -- whether it is or was in the queue; otherwise its sender's request waits for it
    queued       boolean     NOT NULL,
    -- how many waited when it was queued, itself included
    depth        integer     NOT NULL,
    priority     integer     NOT NULL,
    enqueued_at  timestamptz NOT NULL,
    -- not attempted before
    due_at       timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    -- the replica that delivers it, and the number of its claim; a pair of them is never used again
    owner        uuid,
    claim        bigint,
    claimed_at   timestamptz,
    attempts     integer     NOT NULL DEFAULT 0,
    -- how often the agent may have received it
    deliveries   integer     NOT NULL DEFAULT 0,
    -- of the last failed attempt
    error        text,
    PRIMARY KEY (workspace_id, seq),
    CHECK (queued OR owner IS NOT NULL),
    CHECK ((owner IS NULL) = (claim IS NULL)),
    CHECK ((owner IS NULL) = (claimed_at IS NULL))
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000,
    autovacuum_analyze_scale_factor = 0.1);

COMMENT ON TABLE deliveries IS 'Open deliveries: messages that are being sent, or wait in the queue of a push agent';

-- Neither contains a column that changes while a row exists, so that claims are heap-only updates; direct deliveries
-- have no entry in them.
CREATE INDEX deliveries_queue ON deliveries (workspace_id, priority DESC, enqueued_at, seq) WHERE queued;
CREATE INDEX deliveries_expiring ON deliveries (expires_at) WHERE queued;

-- The outcomes of deliveries, and answers of agents by messages of their own. At most one outcome for each row; one
-- without an answer is replaced when the message is delivered again.
CREATE TABLE delivery_outcomes (
    workspace_id   uuid        NOT NULL,
    seq            bigint      NOT NULL,
    -- in_feed: its target polls now, and finds the row in its feed
    state          text        NOT NULL CHECK (state IN ('answered', 'refused', 'uncertain', 'in_feed')),
    -- the claim that delivered it; null without one
    owner          uuid,
    claim          bigint,
    deliveries     integer     NOT NULL,
    -- the answer to the sender: the status, and the body if it differs from the response
    answer_status  integer     NOT NULL,
    answer_type    text        NOT NULL,
    answer         text,
    -- values that the row shows from now on; a null status: the row's own
    response       text,
    response_bytes integer,
    listed_bytes   integer     NOT NULL,
    status         text,
    error_detail   text,
    duration_ms    bigint,
    ended_at       timestamptz NOT NULL,
    -- of a delivery that was in the queue
    queue_state    text CHECK (queue_state IN ('delivered', 'failed', 'expired', 'dropped')),
    kind           text        NOT NULL,
    sender_id      uuid,
    priority       integer     NOT NULL,
    attempts       integer     NOT NULL,
    enqueued_at    timestamptz NOT NULL,
    expires_at     timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);

COMMENT ON TABLE delivery_outcomes IS 'How deliveries ended, at most one outcome for each row of a feed';

-- The ended messages of the queue, for operators; and the answers to the canvas, for live events.
CREATE INDEX delivery_outcomes_queued ON delivery_outcomes (ended_at, workspace_id) WHERE queue_state IS NOT NULL;
CREATE INDEX delivery_outcomes_to_people ON delivery_outcomes (ended_at)
    WHERE sender_id IS NULL AND kind = 'message' AND response IS NOT NULL;

-- The ledger of delegations: caller, callee, task and status. No indexed column changes before a delegation ends, so
-- that all its updates stay heap-only.
CREATE TABLE delegations (
    delegation_id   text PRIMARY KEY CHECK (length(delegation_id) BETWEEN 1 AND 128),
    -- of version 7; with created_at the order of lists
    id              uuid        NOT NULL,
    caller_id       uuid        NOT NULL,
    callee_id       uuid        NOT NULL,
    -- the first 4,096 bytes; the full text is in the next column if it is longer
    task_preview    text        NOT NULL,
    task            text,
    status          text        NOT NULL CHECK (status IN
        ('queued', 'dispatched', 'in_progress', 'stuck', 'completed', 'failed')),
    attempt         integer     NOT NULL DEFAULT 1,
    retry_count     integer     NOT NULL DEFAULT 0,
    last_heartbeat  timestamptz,
    -- given by the caller; a retry starts it again
    deadline_s      integer     NOT NULL,
    deadline        timestamptz NOT NULL,
    dispatched_at   timestamptz,
    result_preview  text,
    result          text,
    error_detail    text,
    error_kind      text,
    idempotency_key text,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    -- null while it is in flight
    terminal_status text GENERATED ALWAYS AS (CASE WHEN status IN ('completed', 'failed') THEN status END) STORED
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);

COMMENT ON TABLE delegations IS 'The ledger of delegations: caller, callee, task and status';

CREATE INDEX delegations_sent ON delegations (caller_id, created_at, id);
CREATE INDEX delegations_received ON delegations (callee_id, created_at, id);
CREATE INDEX delegations_ended ON delegations (terminal_status, created_at, id) WHERE terminal_status IS NOT NULL;
CREATE INDEX delegations_keys ON delegations (caller_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
-- The rows in flight, which the sweeper reads.
CREATE INDEX delegations_in_flight ON delegations (deadline) WHERE terminal_status IS NULL;

-- Runtime events, as they were sent, and aggregated into runs. One stream for each workspace. A writer locks the head
-- first, draws numbers and time from it, and releases it at the commit; so numbers, times and commits of a stream have
-- one order. Aggregation runs under that lock. A head exists as long as its workspace, and its stream is deleted with
-- it.
CREATE TABLE runtime_heads (
    workspace_id    uuid PRIMARY KEY,
    last_seq        bigint      NOT NULL DEFAULT 0,
    last_created_at timestamptz NOT NULL DEFAULT 'epoch'
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

COMMENT ON TABLE runtime_heads IS 'The head of each stream of runtime events: a writer locks it and draws numbers and times from it';

-- Runs, identified by the number of their first event. A row changes with every batch of its run, but no indexed column
-- does before its end, so that updates stay heap-only. The output is in a table of its own: here, 64 KiB would be
-- written again for every chunk.
CREATE TABLE runtime_runs (
    workspace_id  uuid        NOT NULL,
    first_seq     bigint      NOT NULL,
    -- 128 bits of a hash of the name, which may be too long for an index
    task_key      uuid        NOT NULL,
    task_name     text        NOT NULL,
    -- null without a start event
    runtime_name  text,
    language      text,
    exit_code     integer,
    -- unsigned, of 64 bits
    duration_ms   numeric(20),
    error_kind    text,
    error_message text,
    -- of all output, deleted output included
    stdout_bytes  bigint      NOT NULL DEFAULT 0,
    stderr_bytes  bigint      NOT NULL DEFAULT 0,
    started_at    timestamptz NOT NULL,
    last_event_at timestamptz NOT NULL,
    ended_at      timestamptz,
    -- its workspace went offline or was removed during the run, or the next run of the task began; its end may still
    -- arrive
    lost_at       timestamptz,
    PRIMARY KEY (workspace_id, first_seq)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

COMMENT ON TABLE runtime_runs IS 'Runs of code in sandboxes, aggregated from the runtime events';

CREATE INDEX runtime_runs_of_task ON runtime_runs (workspace_id, task_key, first_seq);
CREATE INDEX runtime_runs_running ON runtime_runs (workspace_id) WHERE ended_at IS NULL AND lost_at IS NULL;
CREATE INDEX runtime_runs_by_start ON runtime_runs (started_at);

-- The accepted stream: one row for all events that arrived together, up to 64 KiB, since a row, its two index entries
-- and the names of JSON fields cost more than a chunk, and a longer row is compressed. An event is found by its number,
-- which is part of its id, so events have no index of their own.
CREATE TABLE runtime_segments (
    workspace_id uuid        NOT NULL,
    last_seq     bigint      NOT NULL,
    events       integer     NOT NULL CHECK (events > 0),
    created_at   timestamptz NOT NULL,
    -- a JSON array of [number of the run, type, payload]; "text", whose length is known without reading it
    body         text        NOT NULL,
    PRIMARY KEY (workspace_id, last_seq)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);

COMMENT ON TABLE runtime_segments IS 'Runtime events as they were sent, one row for all that arrived together';

CREATE INDEX runtime_segments_by_age ON runtime_segments (created_at);

-- The end of the output of each run: pieces are appended, and deleted when 64 KiB have followed them; so each byte is
-- written once, however small the chunks are.
CREATE TABLE runtime_output (
    workspace_id uuid    NOT NULL,
    run_seq      bigint  NOT NULL,
    is_error     boolean NOT NULL,
    -- how many bytes of this output the run has written up to here
    ends_at      bigint  NOT NULL,
    piece        text    NOT NULL,
    PRIMARY KEY (workspace_id, run_seq, is_error, ends_at)
) WITH (autovacuum_vacuum_scale_factor = 0.05);

COMMENT ON TABLE runtime_output IS 'The end of the output of each run, in pieces';
